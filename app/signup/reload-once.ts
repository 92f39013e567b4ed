const AGAIN_AFTER_MS = 10_000;

/**
 * For a file that a later release no longer has: loads the page again, which then is that release's. The session's cookie
 * has the sign-up. Fails where the page was loaded again for the same reason in the last ten seconds.
 */
export function reloadOnce(failure: unknown): Promise<never> {
  // The history entry outlives a reload, also where the browser blocks storage.
  const { reloadedAt = 0, ...state } = history.state ?? {};
  if (Date.now() - reloadedAt < AGAIN_AFTER_MS) throw failure;
  history.replaceState({ ...state, reloadedAt: Date.now() }, "");
  location.reload();
  return new Promise(() => {});
}
