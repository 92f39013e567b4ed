import { expect, test } from "vitest";
import { reportNotMe } from "../../../../../functions/subscription-api/sign-ups/ending/report-not-me";
import { signUpStatus } from "../../../../../functions/subscription-api/sign-ups/sign-up-status";
import { signUpsInProcess } from "../../../../support/api-in-process/sign-ups";
import { refusal } from "../../../../support/api-in-process/stripe-model";

/** A sign-up whose trial has begun. */
async function onTrial() {
  const world = signUpsInProcess();
  const ended = () => world.logged.filter(({ event }) => event === "sign_up_ended");
  return { ...world, ended, trial: await world.onTrial() };
}

test("a trial that its owner disowns ends: subscription and card first, then the row, with a line of log [H4]", async () => {
  const { services, trial, find, model, rows, ended } = await onTrial();
  await reportNotMe(trial, services);
  expect(model.all("subscription")).toMatchObject([{ status: "canceled" }]);
  expect(model.all("payment_method")).toMatchObject([{ customer: null }]);
  expect(await find(trial.id)).toMatchObject({ status: "canceled", end_reason: "not-me" });
  expect(ended()).toMatchObject([{ event: "sign_up_ended", signUpId: trial.id, reason: "not-me" }]);
  expect(rows("SELECT kind FROM outbox WHERE kind = 'account-closed'")).toHaveLength(1);
});

test('two presses of "This wasn’t me" at once end the sign-up once [H4]', async () => {
  const { services, trial, rows, ended } = await onTrial();
  await Promise.all([reportNotMe(trial, services), reportNotMe(trial, services)]);
  expect(ended()).toHaveLength(1);
  expect(rows("SELECT kind FROM outbox WHERE kind = 'account-closed'")).toHaveLength(1);
});

test("a sign-up that another has replaced keeps its state, and Stripe is not asked", async () => {
  const { services, pending, find, calls } = signUpsInProcess();
  const signUp = await pending({}, "status = 'ended', end_reason = 'replaced'");
  await reportNotMe(signUp, services);
  expect(calls).toEqual([]);
  expect(await find(signUp.id)).toMatchObject({ status: "ended", end_reason: "replaced" });
});

test("a sign-up that waits for its card can have none any more [H4]", async () => {
  const { services, pending, find, model } = signUpsInProcess();
  const signUp = await pending();
  await reportNotMe(signUp, services);
  expect(await find(signUp.id)).toMatchObject({ status: "ended", end_reason: "not-me" });
  expect(model.get(signUp.stripe_setup_intent_id)).toMatchObject({ status: "canceled" });
});

test("what Stripe failed to end ends with a second press [H4]", async () => {
  const { services, pending, find, model, instead } = signUpsInProcess();
  const signUp = await pending();
  instead.set("POST setup_intents", refusal(500, "api_error"));
  await expect(reportNotMe(signUp, services)).rejects.toThrow();
  instead.clear();
  await reportNotMe(await find(signUp.id), services);
  expect(await find(signUp.id)).toMatchObject({ status: "ended", end_reason: "not-me" });
  expect(model.get(signUp.stripe_setup_intent_id)).toMatchObject({ status: "canceled" });
});

test.each([
  ["has begun", []],
  ["has a card, and Stripe failed to make its subscription", ["POST subscriptions"]],
])("a trial that %s since the sign-up was read ends with its subscription and card [H4]", async (_, failing) => {
  const { services, pending, enterCard, find, model, rows, instead } = signUpsInProcess();
  const read = await pending();
  for (const call of failing) instead.set(call, refusal(500, "api_error"));
  enterCard(read);
  await signUpStatus(read.id, services).catch(() => {});
  instead.clear();
  await reportNotMe(read, services);
  expect(model.all("subscription")).toMatchObject([{ status: "canceled" }]);
  expect(model.all("payment_method")).toMatchObject([{ customer: null }]);
  expect(await find(read.id)).toMatchObject({ status: "canceled", end_reason: "not-me" });
  expect(rows("SELECT kind FROM outbox WHERE kind = 'account-closed'")).toHaveLength(1);
});

test("a trial without a plan has no subscription to cancel [H4]", async () => {
  const { services, trial, change, find, calls } = await onTrial();
  await reportNotMe(await change(trial.id, "package_id = NULL, stripe_subscription_id = NULL"), services);
  expect(calls.filter((call) => call.startsWith("DELETE"))).toEqual([]);
  expect(await find(trial.id)).toMatchObject({ end_reason: "not-me" });
});
