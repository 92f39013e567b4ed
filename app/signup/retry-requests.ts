import { isRouteErrorResponse } from "@remix-run/react";
import { sleep } from "../shared/sleep";
import { CONNECTION_FAILED, noticeFor, submissionFailed } from "./notices";
import type { SignupReply } from "./steps";

/** The pauses between five tries, so that a short outage goes unnoticed. */
const PAUSES_MS = [500, 1_000, 2_000, 4_000];

type Trouble = "offline" | "failed";

/** Requests a step's data up to five times. After that, the error page offers to try again. */
export async function loadStep<Step>(ask: () => Promise<Step>, signal: AbortSignal): Promise<Step> {
  for (const pause of PAUSES_MS) {
    try {
      return await ask();
    } catch (thrown) {
      if (troubleOf(thrown) === undefined || signal.aborted) throw thrown;
      await sleep(pause);
      signal.throwIfAborted();
    }
  }
  return ask();
}

/** Sends a form. If that fails, the reply keeps the visitor on the page with everything typed. */
export async function sendForm(send: () => Promise<SignupReply>): Promise<SignupReply> {
  try {
    return await send();
  } catch (thrown) {
    // A redirect.
    if (thrown instanceof Response) throw thrown;
    // The guard refused it.
    if (isRouteErrorResponse(thrown)) return { notice: noticeFor({ kind: "rejected", status: thrown.status }) };
    return { notice: troubleOf(thrown) === "offline" ? CONNECTION_FAILED : submissionFailed() };
  }
}

/** Why the server's data did not arrive. Undefined for redirects and for errors in the page's own code. */
export function troubleOf(thrown: unknown): Trouble | undefined {
  if (isLostConnection(thrown)) return "offline";
  // Remix throws a plain Error for an unreadable response, for example a plain 5xx page.
  if (isRouteErrorResponse(thrown) || (thrown instanceof Error && thrown.constructor === Error)) return "failed";
  if (thrown instanceof Error && thrown.name !== "AbortError") reportError(thrown);
  return undefined;
}

/** Without a connection, `fetch` and `import()` reject with a TypeError, which only its message distinguishes from a bug. */
const LOST_CONNECTION =
  /^(failed to fetch|network ?error|load failed|the (network|internet) connection|error loading dynamically|importing a module)/i;

function isLostConnection(thrown: unknown): boolean {
  return thrown instanceof TypeError && (LOST_CONNECTION.test(thrown.message) || navigator.onLine === false);
}
