import { useSyncExternalStore } from "react";

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;
/** A connection that is back sooner is not worth a word. */
const QUIET_MS = 3_000;

let offline = false;
const listeners = new Set<() => void>();

/** Asks for the data of a step until there is a connection: to load the page instead would lose what was typed. */
export async function loadStep<Step>(ask: () => Promise<Step>, signal: AbortSignal): Promise<Step> {
  const begun = Date.now();
  try {
    for (let delay = FIRST_DELAY_MS; ; delay = Math.min(2 * delay, LONGEST_DELAY_MS)) {
      try {
        return await ask();
      } catch (thrown) {
        // `fetch` rejects with a TypeError when there is no connection; anything else is an answer.
        if (!(thrown instanceof TypeError) || signal.aborted) throw thrown;
      }
      setOffline(Date.now() - begun >= QUIET_MS);
      await connectionOr(delay);
      signal.throwIfAborted();
    }
  } finally {
    setOffline(false);
  }
}

/** Whether a step has been waiting for the connection for some seconds. */
export function useOffline(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => offline,
    () => false,
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setOffline(value: boolean): void {
  offline = value;
  for (const listener of listeners) listener();
}

/** As soon as the browser says that there is a connection, at the latest after the delay. */
function connectionOr(delay: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, delay);
    addEventListener("online", () => resolve(), { once: true, signal: AbortSignal.timeout(delay) });
  });
}
