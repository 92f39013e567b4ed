import { expect, test, vi } from "vitest";
import { handleStripeEvent } from "../../../functions/subscription-api/sign-ups/stripe-event";
import { stopClock } from "../../support/api-in-process/clock";
import { DAY, HOUR, MINUTE } from "../../support/api-in-process/scheduler";
import { signUpsInProcess } from "../../support/api-in-process/sign-ups";
import { type Api, type Begin, cardEvent, cron, SITUATIONS, TRIGGERS } from "./situations";

/* Each time at its moment, and just before it. */

const NOW = Date.parse("2026-11-22T12:00:00.000Z");
stopClock(NOW);

const ended: Begin = async (api) => {
  const signUp = await api.pending({}, `status = 'ended', end_reason = 'replaced', check_at = '2026-11-22'`);
  await cron(api);
  return signUp;
};
const chargedAtEnd: Begin = async (api) => {
  const signUp = await api.onTrial();
  Object.assign(api.model.get(signUp.stripe_subscription_id) ?? {}, { status: "active" });
  return signUp;
};
const { "pending, a card": card, "pending, a card's form": form, "pending, nothing": nothing } = SITUATIONS;
const withoutPlan = SITUATIONS["trialing without a plan, nothing"];

test.each<[what: string, moment: number, begin: Begin, before: string, then: string]>([
  ["a card whose webhook was lost is found after ten minutes", 10 * MINUTE, card, "pending", "trialing"],
  ["a sign-up without a card is deleted after 24 hours", 24 * HOUR, form, "pending", "deleted"],
  ["a form without a customer is deleted then too", 24 * HOUR, nothing, "pending", "deleted"],
  ["an ended sign-up is deleted a day after its cleanup", 24 * HOUR, ended, "ended", "deleted"],
  ["an unheard end of a trial is found an hour later", 5 * DAY + HOUR, chargedAtEnd, "trialing", "active"],
  ["a trial without a plan ends an hour late as well", 5 * DAY + HOUR, withoutPlan, "trialing", "canceled"],
])("%s", async (_, moment, begin, before, then) => {
  const api = signUpsInProcess();
  const { id } = await begin(api);
  for (const [at, status] of [[moment - 1, before] as const, [moment, then] as const]) {
    vi.setSystemTime(NOW + at);
    await cron(api);
    expect(api.rows("SELECT status FROM sign_ups WHERE id = ?", id)[0]?.status ?? "deleted").toBe(status);
  }
});

test("whoever set up a card has two minutes to start the trial", async () => {
  const api = signUpsInProcess();
  const signUp = await SITUATIONS["pending, a card"](api);
  api.instead.set("GET subscriptions", () => Promise.reject(new TypeError("fetch failed")));
  await expect(handleStripeEvent(cardEvent(signUp, "card-set-up"), api.services)).rejects.toThrow();
  const check_at = new Date(NOW + 2 * MINUTE).toISOString();
  expect(await api.find(signUp.id)).toMatchObject({ status: "card_set_up", check_at });
});

test("60 trials that Stripe still calls trialing after their end are asked for every ten minutes, not at once", async () => {
  const api = signUpsInProcess();
  for (let each = 0; each < 60; each += 1) await api.onTrial({ email: `${each}@example.com` }, `card ${each}`);
  for (const [late, calls] of [[0, 60] as const, [0, 0] as const, [10 * MINUTE, 60] as const]) {
    vi.setSystemTime(NOW + 5 * DAY + HOUR + late);
    api.calls.length = 0;
    await cron(api);
    expect(api.calls).toHaveLength(calls);
  }
});

/** When the reminders of trials are due. */
const remindersOf = (api: Api) =>
  api.rows("SELECT next_attempt_at AS at FROM outbox WHERE kind = 'trial-ending' ORDER BY at").map(({ at }) => at);
const at = (time: number) => new Date(NOW + time).toISOString();

test.each<[what: string, end: number, reminder: number]>([
  ["two days before its end", 5 * DAY, 3 * DAY],
  ["two days before a moved end", 9 * DAY, 7 * DAY],
  ["at once in a trial that is shorter", DAY, 0],
])("a trial's reminder comes %s", async (_, end, reminder) => {
  const api = signUpsInProcess();
  await SITUATIONS["card_set_up, a subscription"](api);
  for (const subscription of api.model.all("subscription")) subscription.trial_end = (NOW + end) / 1000;
  api.rows("UPDATE sign_ups SET check_at = ?", at(0));
  await cron(api);
  expect(remindersOf(api)).toEqual([at(reminder)]);
});

test("a trial whose end Stripe moves has a reminder of its new end, and each end has one", async () => {
  const api = signUpsInProcess();
  const signUp = await api.onTrial();
  for (const days of [9, 9, 5]) {
    Object.assign(api.model.get(signUp.stripe_subscription_id) ?? {}, { trial_end: (NOW + days * DAY) / 1000 });
    await TRIGGERS["subscription event"](api, signUp);
  }
  expect(remindersOf(api)).toEqual([at(3 * DAY), at(7 * DAY)]);
});

test("a card that is set up while its form is being canceled after a day still starts the trial", async () => {
  const api = signUpsInProcess();
  const signUp = await SITUATIONS["pending for a day, a card's form"](api);
  api.instead.set(`POST setup_intents/${signUp.stripe_setup_intent_id}/cancel`, () => void api.enterCard(signUp));
  await TRIGGERS.cron(api, signUp);
  expect(await api.find(signUp.id)).toMatchObject({ status: "trialing" });
});
