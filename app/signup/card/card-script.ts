const AGAIN_AFTER_MS = 10_000;

/** Loads the card form with Stripe's fields, which the form's page does not include. */
export const loadStripeElements = () => import("./stripe-elements").catch(reloadOnce);

// biome-ignore lint/correctness/noUnusedVariables: `??=` reads it
let prefetched: Promise<unknown> | undefined;

/** Loads it while the visitor types. Tries once and ignores a failure, because the card step tries again. */
export function prefetchStripeElements(): void {
  prefetched ??= import("./stripe-elements").catch(() => undefined);
}

/**
 * Reloads the page if a file of its release is gone. The cookie keeps the sign-up. Fails if the page has already reloaded for this
 * reason in the last ten seconds.
 */
function reloadOnce(failure: unknown): Promise<never> {
  // The history entry survives a reload, even if the browser blocks storage.
  const { reloadedAt = 0, ...state } = history.state ?? {};
  if (Date.now() - reloadedAt < AGAIN_AFTER_MS) throw failure;
  history.replaceState({ ...state, reloadedAt: Date.now() }, "");
  location.reload();
  return new Promise(() => {});
}
