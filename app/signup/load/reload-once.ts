const AGAIN_AFTER_MS = 10_000;

/**
 * Reloads the page when a file of its release is gone; the session cookie keeps the sign-up. Fails if the page has already
 * reloaded for this reason within ten seconds.
 */
export function reloadOnce(failure: unknown): Promise<never> {
  // The history entry survives a reload, even if the browser blocks storage.
  const { reloadedAt = 0, ...state } = history.state ?? {};
  if (Date.now() - reloadedAt < AGAIN_AFTER_MS) throw failure;
  history.replaceState({ ...state, reloadedAt: Date.now() }, "");
  location.reload();
  return new Promise(() => {});
}
