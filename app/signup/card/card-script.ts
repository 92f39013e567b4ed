import { LOADING_LIMIT_MS } from "../durations";
import { withTimeLimit } from "../timers";

const AGAIN_AFTER_MS = 10_000;

// biome-ignore lint/correctness/noUnusedVariables: `??=` reads it
let prefetched: Promise<unknown> | undefined;

/** Tries once while the visitor types, and ignores a failure, because the card step tries again. */
export function prefetchStripeElements(): void {
  prefetched ??= import("./stripe-elements").catch(() => undefined);
}

/** Reloads the page if the card form's file is gone. Rejects offline, or if it did so in the last ten seconds. */
export async function loadStripeElements() {
  try {
    return await withTimeLimit(LOADING_LIMIT_MS, import("./stripe-elements"));
  } catch (failure) {
    // The history entry survives a reload, even if the browser blocks storage.
    const { reloadedAt = 0, ...state } = history.state ?? {};
    if (Date.now() - reloadedAt < AGAIN_AFTER_MS) throw failure;
    return reload({ ...state, reloadedAt: Date.now() });
  }
}

/** Reloads the page, because browsers may remember that its file did not load. */
export const loadStripeElementsAgain = () => reload(history.state);

/** Reloads the page, but only if the site answers: offline, the browser's own error page would replace it. */
async function reload(state: unknown): Promise<never> {
  const answer = await withTimeLimit(LOADING_LIMIT_MS, fetch("/favicon.svg", { method: "HEAD", cache: "no-store" }));
  if (!answer.ok) throw new Error(`The site answers ${answer.status}`);
  history.replaceState(state, "");
  location.reload();
  return new Promise(() => {});
}
