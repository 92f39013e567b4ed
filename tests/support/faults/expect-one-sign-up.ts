import { expect } from "vitest";
import { rows, signUp, stripeStateOf } from "../visitors/visitor";
import type { RunningWorker } from "../workers/workers";

/** The unchanged retry of a sign-up has to end at one row, one customer and one setup intent, whose secret it gets. */
export async function expectOneSignUp(
  { api, stripe }: { api: RunningWorker; stripe: RunningWorker },
  email: string,
  key: string,
): Promise<void> {
  const retried = await signUp(api, { email }, key);
  expect(retried).toMatchObject({ status: 200 });
  expect(await rows(api, "SELECT 1 FROM sign_ups WHERE email = ?", email)).toHaveLength(1);
  const { customers, setupIntents } = await stripeStateOf(stripe, email);
  expect(customers).toHaveLength(1);
  expect(setupIntents).toHaveLength(1);
  expect(retried.clientSecret).toBe(setupIntents[0]?.client_secret);
}
