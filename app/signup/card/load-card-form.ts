const AGAIN_AFTER_MS = 10_000;

/** Stripe's fields: loaded while the visitor types, not with the form's page. */
export const loadCardForm = () => import("./card-form").catch(reloadOnce);

// biome-ignore lint/correctness/noUnusedVariables: `??=` reads it
let prefetched: Promise<unknown> | undefined;

/** Tries once and ignores a failure; the card step itself tries again. */
export function prefetchCardForm(): void {
  prefetched ??= import("./card-form").catch(() => undefined);
}

/**
 * Reloads the page when a file of its release is gone; the cookie keeps the sign-up. Fails if the page has already reloaded
 * for this reason within ten seconds.
 */
function reloadOnce(failure: unknown): Promise<never> {
  // The history entry survives a reload, even if the browser blocks storage.
  const { reloadedAt = 0, ...state } = history.state ?? {};
  if (Date.now() - reloadedAt < AGAIN_AFTER_MS) throw failure;
  history.replaceState({ ...state, reloadedAt: Date.now() }, "");
  location.reload();
  return new Promise(() => {});
}
