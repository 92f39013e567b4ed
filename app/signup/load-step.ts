import { isRouteErrorResponse } from "@remix-run/react";
import { useSyncExternalStore } from "react";

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;
/** Trouble that is over sooner is not worth a word. */
const QUIET_MS = 3_000;

type Trouble = "offline" | "failed";

/** What a step has been waiting for, for some seconds. */
export interface Delay {
  trouble: Trouble;
  tryNow(): void;
}

let delay: Delay | undefined;
const listeners = new Set<() => void>();

/** Asks for the data of a step until it is there: to leave the page instead would lose what was typed. */
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

/** What kept the server's data away. Undefined for a redirect, and for an error of the page's own code, which is reported. */
export function troubleOf(thrown: unknown): Trouble | undefined {
  if (isLostConnection(thrown)) return "offline";
  // Remix throws a plain error for an answer that it cannot read, such as the plain page of a 5xx.
  if (isRouteErrorResponse(thrown) || (thrown instanceof Error && thrown.constructor === Error)) return "failed";
  if (thrown instanceof Error && thrown.name !== "AbortError") reportError(thrown);
  return undefined;
}

/** `fetch` and `import()` reject with a TypeError without a connection. Only its words tell it from one of the code. */
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

/** After the pause, as soon as the browser has a connection again, or when the visitor says so. */
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
