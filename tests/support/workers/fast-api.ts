/**
 * The built subscription API for tests that are about neither passwords nor waiting, an option of what starts it: scrypt's
 * least cost in place of 150 ms for each password, and second tries of calls to Stripe after 20 ms.
 */
export const FAST_API = {
  edit(built: string): string {
    const edits = [
      ["LOG2_N = 14;", "LOG2_N = 1;"],
      ["MAX_NETWORK_RETRY_DELAY_SEC = 5;", "MAX_NETWORK_RETRY_DELAY_SEC = 0.02;"],
      ["INITIAL_NETWORK_RETRY_DELAY_SEC = 0.5;", "INITIAL_NETWORK_RETRY_DELAY_SEC = 0.02;"],
    ] as const;
    return edits.reduce((script, [from, to]) => {
      if (!script.includes(from)) throw new Error(`The built API has no ${from}`);
      return script.replace(from, to);
    }, built);
  },
};
