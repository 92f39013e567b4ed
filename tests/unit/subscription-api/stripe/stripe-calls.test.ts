import { describe, expect, test } from "vitest";
import { stripeClient } from "../../../../functions/subscription-api/stripe/client";
import { stripePayments } from "../../../../functions/subscription-api/stripe/payments";
import { databaseInMemory } from "../../../support/database/database-in-memory";

/** What the API calls of a Stripe that gives one answer to everything. */
function stripeThatAnswers(answer: object) {
  const calls: string[] = [];
  const fetcher: typeof fetch = async (url, init) => {
    calls.push(`${init?.method} ${new URL(String(url)).pathname}`);
    return Response.json(answer);
  };
  const stripe = stripeClient({ secretKey: "sk_test_1", webhookSecrets: [] }, "nobody", fetcher);
  return { payments: stripePayments(stripe), calls };
}

test.each([
  ["trialing", "trialing"],
  ["active", "active"],
  ["past_due", "past_due"],
  ["unpaid", "past_due"],
  ["incomplete", "past_due"],
  ["paused", "past_due"],
  ["canceled", "canceled"],
  ["incomplete_expired", "canceled"],
])("a subscription that is %s at Stripe is %s", async (status, expected) => {
  const { payments } = stripeThatAnswers({ id: "sub_1", status, trial_start: 1_800_000_000, trial_end: null });
  expect(await payments.retrieveSubscription("sub_1")).toEqual({
    stripeSubscriptionId: "sub_1",
    status: expected,
    trialStart: new Date(1_800_000_000_000),
    trialEnd: null,
  });
});

describe("what an earlier try may have made is looked for", () => {
  const HOUR = 60 * 60_000;
  const MINUTE = 60_000;

  test.each([
    ["not while Stripe knows the key", 23 * HOUR - MINUTE, 0, false],
    ["an hour before Stripe forgets the key", 23 * HOUR + MINUTE, 0, true],
    ["after a failure that Stripe repeats for the key", 0, 1, true],
  ])("%s [G6]", async (_, age, stripe_attempt, looks) => {
    const created_at = new Date(Date.now() - age).toISOString();
    const signUp = { ...(await databaseInMemory().signUp()), created_at, stripe_attempt };
    const object = { id: "made", client_secret: "made_secret_1", status: "requires_payment_method" };
    const { payments, calls } = stripeThatAnswers({ ...object, data: [] });
    await payments.findOrCreateCustomer(signUp);
    await payments.findOrCreateSetupIntent(signUp, "cus_1");
    const looked = (path: string) => (looks ? [`GET ${path}`, `POST ${path}`] : [`POST ${path}`]);
    expect(calls).toEqual([...looked("/v1/customers"), ...looked("/v1/setup_intents")]);
  });
});
