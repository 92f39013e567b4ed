import type { World } from "./world";

/** What the site or the API relies on at Stripe: in this situation, these calls have this result. */
export type Fact<At = World> = {
  situation: string;
  calls(at: At): Promise<Answer>;
  /** What the calls must return, value for value. */
  comes: Answer;
  /** The page of Stripe's documentation that says so. */
  page: `https://docs.stripe.com/${string}`;
};

/** Values to compare, without IDs, times and other values that differ in each run. */
export type Answer = { [name: string]: Value | Value[] | Answer };
type Value = string | number | boolean | null | undefined;

/** The simulator can also fail on demand, move a day ahead, and deliver events to this machine. Stripe's test mode cannot. */
export type SimulatorWorld = World & {
  /** Moves the account's own clock, which idempotency keys follow. */
  moveAccountClock(seconds: number): Promise<void>;
  /** Makes Stripe fail a call, before or after its work, or refuse it. For `additionalHeaders`. */
  fault(kind: "409" | "429" | "502" | "500-before" | "500-after"): { "simulator-fault": string };
  /**
   * Receives the events of a type that something causes. Refuses the first ones, and all until the cause is done. Returns each
   * delivery up to the first that is taken.
   */
  deliveries(type: string, refused: number, cause: () => Promise<unknown>): Promise<Delivery[]>;
};

export type Delivery = { body: string; signature: string };
