import { isRouteErrorResponse } from "@remix-run/react";
import { CONNECTION_FAILED, type Notice, SITE_UNREACHABLE, submissionFailed } from "../notices";
import { TimeLimitExceeded } from "../timers";

/** The answer had no data, as some proxies answer. */
export class NoData extends Error {}

/** Undefined for a redirect, and for an error of the site's own. */
export function lostStepNotice(thrown: unknown): Notice | undefined {
  return isLostConnection(thrown) || isUnreadable(thrown) ? SITE_UNREACHABLE : undefined;
}

export function unsentFormNotice(thrown: unknown): Notice | undefined {
  if (thrown instanceof Response) return undefined;
  if (isLostConnection(thrown)) return CONNECTION_FAILED;
  // The guard says why it refuses a form.
  return submissionFailed(isRouteErrorResponse(thrown) && typeof thrown.data === "string" ? thrown.data : undefined);
}

/** `fetch` rejects with a TypeError. Remix throws no other one, because it replaces the server's errors by plain ones. */
function isLostConnection(thrown: unknown): boolean {
  return thrown instanceof TimeLimitExceeded || thrown instanceof TypeError;
}

/** True for an answer that is not from Remix, for example a proxy's page, or that was cut in the middle. */
function isUnreadable(thrown: unknown): boolean {
  return (
    thrown instanceof NoData || (thrown instanceof Error && /^(Unable to decode|No response)/.test(thrown.message))
  );
}
