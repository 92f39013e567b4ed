/** No sign-up needs this many calls, whatever fails. */
const MOST_CALLS = 1_000;

/** Names the sign-up that calls Stripe in an endless loop, which otherwise would just time out. */
export class TooManyCalls extends Error {
  override readonly name = "TooManyCalls";
}

/** The calls to Stripe by sign-up. */
export class CallCount {
  readonly #calls = new Map<string, number>();

  /** Throws TooManyCalls. */
  add(signUp: string, call: string): void {
    const calls = (this.#calls.get(signUp) ?? 0) + 1;
    this.#calls.set(signUp, calls);
    if (calls > MOST_CALLS)
      throw new TooManyCalls(`Stripe was asked more than ${MOST_CALLS} times for the sign-up ${signUp}, now ${call}`);
  }
}
