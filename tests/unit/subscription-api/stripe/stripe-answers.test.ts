import { describe, expect, test } from "vitest";
import { stripeThatAnswers } from "../../../support/api-in-process/sign-ups";

/* What is read of Stripe's answers: https://docs.stripe.com/api */

describe("a setup intent from Stripe", () => {
  const made = { id: "seti_1", client_secret: "seti_1_secret_1", status: "requires_payment_method" };

  test("may have only its card's id, or a card without a fingerprint", async () => {
    const of = async (payment_method: unknown) =>
      stripeThatAnswers({ ...made, payment_method }).payments.findSetupIntent("seti_1");
    expect(await of("pm_1")).toMatchObject({ paymentMethodId: "pm_1", fingerprint: null });
    for (const card of [undefined, null, {}, { fingerprint: null }]) {
      expect(await of({ id: "pm_2", card })).toMatchObject({ paymentMethodId: "pm_2", fingerprint: null });
    }
  });

  test.each([
    ["requires_payment_method", "open"],
    ["requires_action", "open"],
    ["processing", "open"],
    ["succeeded", "succeeded"],
    ["canceled", "canceled"],
  ])("with the status %s is %s; without a card it has no fingerprint", async (status, state) => {
    const { payments } = stripeThatAnswers({ ...made, status });
    expect(await payments.findSetupIntent("seti_1")).toMatchObject({
      state,
      customerId: null,
      signUpId: undefined,
      paymentMethodId: null,
      fingerprint: null,
    });
  });
});

test.each([
  ["trialing", "trialing"],
  ["active", "active"],
  ["past_due", "past_due"],
  ["unpaid", "past_due"],
  ["incomplete", "past_due"],
  ["paused", "past_due"],
  ["canceled", "canceled"],
  ["incomplete_expired", "canceled"],
])("a subscription with the Stripe status %s is %s", async (status, expected) => {
  const { payments } = stripeThatAnswers({ id: "sub_1", status, trial_start: 1_800_000_000, trial_end: null });
  expect(await payments.retrieveSubscription("sub_1")).toEqual({
    stripeSubscriptionId: "sub_1",
    status: expected,
    trialStart: new Date(1_800_000_000_000),
    trialEnd: null,
  });
});

test("null metadata is read as empty [G13]", async () => {
  const { payments } = stripeThatAnswers({
    ...{ id: "sub_1", status: "trialing", metadata: null },
    data: [{ id: "cus_1", metadata: null }],
  });
  expect(await payments.findCustomer({ id: "none", email: "ada@example.com" })).toBeUndefined();
  expect(await payments.retrieveSubscription("sub_1")).toMatchObject({ status: "trialing" });
});
