/**
 * For a file that a later release no longer has: loads the page again, which then is that release's. The session's cookie
 * has the sign-up. Fails where the page was loaded again for the same reason in the last ten seconds.
 */
export function reloadOnce(failure: unknown): Promise<never> {
  if (Date.now() - sessionStorage.reload < 10_000) throw failure;
  sessionStorage.reload = Date.now();
  location.reload();
  return new Promise(() => {});
}
