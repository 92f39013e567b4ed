const TRY_AGAIN_AFTER_MS = [500, 1000, 2000, 4000];

/**
 * Asks for the data of a step, again and again while there is no connection. Then the browser loads the whole page from
 * `url`: the session's cookie has the sign-up.
 */
export async function loadStep<Step>(ask: () => Promise<Step>, url: string): Promise<Step> {
  for (const delay of TRY_AGAIN_AFTER_MS) {
    try {
      return await ask();
    } catch (thrown) {
      // `fetch` rejects with a TypeError when there is no connection; anything else is an answer.
      if (!(thrown instanceof TypeError)) throw thrown;
    }
    await new Promise((resolve) => setTimeout(resolve, delay));
  }
  location.assign(url);
  return new Promise(() => {});
}
