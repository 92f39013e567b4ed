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
