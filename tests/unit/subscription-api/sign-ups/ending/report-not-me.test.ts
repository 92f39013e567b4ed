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

test(`"Wasn't you?" ends a trial: subscription and card first, then the row, with a log line [H4]`, async () => {
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

test(`"Wasn't you?" changes nothing for a replaced sign-up, and Stripe is not called`, async () => {
  const { services, pending, find, calls } = signUpsInProcess();
  const signUp = await pending({}, "status = 'ended', end_reason = 'replaced'");
  await reportNotMe(signUp, services);
  expect(calls).toEqual([]);
  expect(await find(signUp.id)).toMatchObject({ status: "ended", end_reason: "replaced" });
});

test(`"Wasn't you?" keeps a waiting sign-up from getting a card [H4]`, async () => {
  const { services, pending, find, model } = signUpsInProcess();
  const signUp = await pending();
  await reportNotMe(signUp, services);
  expect(await find(signUp.id)).toMatchObject({ status: "ended", end_reason: "not-me" });
  expect(model.get(signUp.stripe_setup_intent_id)).toMatchObject({ status: "canceled" });
});

test(`a second click on "Wasn't you?" completes an end that Stripe failed [H4]`, async () => {
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
])(
  `"Wasn't you?" ends a trial that %s since the sign-up was read, with its subscription and card [H4]`,
  async (_, failing) => {
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
  },
);

test(`"Wasn't you?" cancels no subscription of a trial without a plan [H4]`, async () => {
  const { services, trial, change, find, calls } = await onTrial();
  await reportNotMe(await change(trial.id, "package_id = NULL, stripe_subscription_id = NULL"), services);
  expect(calls.filter((call) => call.startsWith("DELETE"))).toEqual([]);
  expect(await find(trial.id)).toMatchObject({ end_reason: "not-me" });
});
