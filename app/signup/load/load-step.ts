import { isRouteErrorResponse } from "@remix-run/react";
import { useSyncExternalStore } from "react";

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;
/** Shorter trouble is not shown. */
const QUIET_MS = 3_000;

type Trouble = "offline" | "failed";

/** A problem that has delayed a step for some seconds. */
export interface Delay {
  trouble: Trouble;
  tryNow(): void;
}

let delay: Delay | undefined;
const listeners = new Set<() => void>();

/** Requests a step's data until it arrives, because leaving the page would lose typed values. */
export async function loadStep<Step>(ask: () => Promise<Step>, signal: AbortSignal): Promise<Step> {
  const begun = Date.now();
  try {
    for (let pause = FIRST_DELAY_MS; ; pause = Math.min(2 * pause, LONGEST_DELAY_MS)) {
      try {
        return await ask();
      } catch (thrown) {
        const trouble = troubleOf(thrown);
        if (trouble === undefined || signal.aborted) throw thrown;
        await nextTry(trouble, pause, Date.now() - begun >= QUIET_MS, signal);
        signal.throwIfAborted();
      }
    }
  } finally {
    tell(undefined);
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

/** Without a connection, `fetch` and `import()` reject with a TypeError. Only its message distinguishes it from a bug. */
const LOST_CONNECTION =
  /^(failed to fetch|network ?error|load failed|the (network|internet) connection|error loading dynamically|importing a module)/i;

function isLostConnection(thrown: unknown): boolean {
  return thrown instanceof TypeError && (LOST_CONNECTION.test(thrown.message) || navigator.onLine === false);
}

export function useDelay(): Delay | undefined {
  return useSyncExternalStore(
    subscribe,
    () => delay,
    () => undefined,
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(value: Delay | undefined): void {
  delay = value;
  for (const listener of listeners) listener();
}

/** Resolves after the pause, when the browser is online again, or when the visitor asks for it. */
function nextTry(trouble: Trouble, pause: number, isTold: boolean, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = new AbortController();
    const tryNow = () => {
      clearTimeout(timer);
      over.abort();
      resolve();
    };
    const timer = setTimeout(tryNow, pause);
    addEventListener("online", tryNow, { signal: over.signal });
    signal.addEventListener("abort", tryNow, { signal: over.signal });
    tell(isTold ? { trouble, tryNow } : undefined);
  });
}
