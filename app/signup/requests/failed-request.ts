import { isRouteErrorResponse } from "@remix-run/react";
import { TimeLimitExceeded } from "../../shared/time-limit";
import { CONNECTION_FAILED, type Notice, noticeFor, SITE_UNREACHABLE, submissionFailed } from "../notices";

/* What the page says about a request to the site that failed. */

/** The server's answer had no data, as some proxies answer. */
export class NoData extends Error {}

/** The notice about a step that could not be loaded. Undefined for a redirect, and for an error of the site's own. */
export function lostStepNotice(thrown: unknown): Notice | undefined {
  return isLostConnection(thrown) || isUnreadable(thrown) ? SITE_UNREACHABLE : undefined;
}

/** The notice about a form that failed. Undefined for a redirect. */
export function unsentFormNotice(thrown: unknown): Notice | undefined {
  if (thrown instanceof Response) return undefined;
  if (isLostConnection(thrown)) return CONNECTION_FAILED;
  // The guard refused it.
  if (isRouteErrorResponse(thrown)) return noticeFor({ kind: "rejected", status: thrown.status });
  // Remix throws a plain Error in place of the server's.
  if (!isUnreadable(thrown) && !(thrown instanceof Error && thrown.constructor === Error)) reportError(thrown);
  return submissionFailed();
}

/** Without a connection, `fetch` and `import()` reject with a TypeError, which only its message distinguishes from a bug. */
const LOST_CONNECTION =
  /^(failed to fetch|network ?error|load failed|the (network|internet) connection|error loading dynamically|importing a module)/i;

function isLostConnection(thrown: unknown): boolean {
  if (thrown instanceof TimeLimitExceeded) return true;
  return thrown instanceof TypeError && (LOST_CONNECTION.test(thrown.message) || navigator.onLine === false);
}

/** True for an answer that is not from Remix, for example a proxy's page, or that was cut in the middle. */
function isUnreadable(thrown: unknown): boolean {
  return (
    thrown instanceof NoData || (thrown instanceof Error && /^(unable to decode|no response)/i.test(thrown.message))
  );
}
