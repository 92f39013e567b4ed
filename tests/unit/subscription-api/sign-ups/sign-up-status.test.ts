import { describe, expect, test } from "vitest";
import { signUpStatus } from "../../../../functions/subscription-api/sign-ups/sign-up-status";
import { signUpsInProcess } from "../../../support/api-in-process/sign-ups";
import { refusal } from "../../../support/api-in-process/stripe-model";

test("a deleted sign-up has the status ended", async () => {
  const { services, calls } = signUpsInProcess();
  expect(await signUpStatus(crypto.randomUUID(), services)).toEqual({ status: "ended" });
  expect(calls).toEqual([]);
});

describe("a sign-up that waits for its card", () => {
  test("is pending, and its status request creates nothing", async () => {
    const { services, pending, model } = signUpsInProcess();
    const { id } = await pending();
    expect(await signUpStatus(id, services)).toEqual({ status: "pending" });
    expect(model.all("subscription")).toEqual([]);
  });

  test("is pending without a Stripe call while it has no setup intent", async () => {
    const { services, pending, calls } = signUpsInProcess();
    const { id } = await pending({}, "stripe_setup_intent_id = NULL");
    expect(await signUpStatus(id, services)).toEqual({ status: "pending" });
    expect(calls).toEqual([]);
  });

  test("is on trial as soon as Stripe has the card, before any webhook [S23]", async () => {
    const { services, pending, enterCard, find, model } = signUpsInProcess();
    const signUp = await pending();
    enterCard(signUp);
    expect(await signUpStatus(signUp.id, services)).toEqual({
      status: "trial",
      trial_end: (await find(signUp.id)).trial_end,
    });
    expect(await find(signUp.id)).toMatchObject({ status: "trialing" });
    expect(model.all("subscription")).toMatchObject([{ customer: signUp.stripe_customer_id, status: "trialing" }]);
  });

  test("stays pending while a concurrent webhook starts its trial", async () => {
    const { services, pending, enterCard, instead, find } = signUpsInProcess();
    const signUp = await pending();
    enterCard(signUp);
    instead.set("POST subscriptions", refusal(409, "idempotency_key_in_use", "idempotency_error"));
    expect(await signUpStatus(signUp.id, services)).toEqual({ status: "pending" });
    instead.clear();
    expect(await signUpStatus(signUp.id, services)).toEqual({
      status: "trial",
      trial_end: (await find(signUp.id)).trial_end,
    });
  });

  test("has no status while Stripe refuses for another reason", async () => {
    const { services, pending, enterCard, instead } = signUpsInProcess();
    const signUp = await pending();
    enterCard(signUp);
    instead.set("POST subscriptions", refusal(400, "parameter_invalid"));
    await expect(signUpStatus(signUp.id, services)).rejects.toMatchObject({ reason: "unexpected-answer" });
  });

  test("has no status while the database fails", async () => {
    const { services, pending, enterCard, rows } = signUpsInProcess();
    const signUp = await pending();
    enterCard(signUp);
    rows("ALTER TABLE trial_claims RENAME TO away");
    await expect(signUpStatus(signUp.id, services)).rejects.toThrow("no such table");
  });
});

test("an unfinished trial start is completed [G6]", async () => {
  const { services, pending, enterCard, model, find } = signUpsInProcess();
  const signUp = await pending({}, "status = 'card_set_up'");
  enterCard(signUp);
  expect(await signUpStatus(signUp.id, services)).toEqual({
    status: "trial",
    trial_end: (await find(signUp.id)).trial_end,
  });
  expect(model.all("subscription")).toHaveLength(1);
});

test("a card that has had its trial is reported with the client secret for another [H10]", async () => {
  const { services, onTrial, pending, enterCard, find } = signUpsInProcess({ onePerPerson: true });
  await onTrial();
  const second = await pending({ email: "second@example.com" });
  enterCard(second);
  const told = await signUpStatus(second.id, services);
  const { stripe_setup_intent_id: another } = await find(second.id);
  expect(another).not.toBe(second.stripe_setup_intent_id);
  expect(told).toEqual({ status: "card_used", client_secret: `${another}_secret_1` });
  expect(await signUpStatus(second.id, services)).toEqual(told);
});

test.each([
  ["trialing", "trial"],
  ["past_due", "trial"],
  ["canceled", "ended"],
  ["ended", "ended"],
])("a sign-up that is %s has the status %s, without a Stripe call", async (status, told) => {
  const { services, pending, calls } = signUpsInProcess();
  const { id } = await pending({}, `status = '${status}', end_reason = 'not-me', stripe_subscription_id = 'sub_1'`);
  expect(await signUpStatus(id, services)).toEqual({ status: told });
  expect(calls).toEqual([]);
});
