import { expect, test, vi } from "vitest";
import { handleStripeEvent } from "../../../functions/subscription-api/sign-ups/stripe-event";
import { stopClock } from "../../support/api-in-process/clock";
import { signUpsInProcess } from "../../support/api-in-process/sign-ups";
import { type Api, cardEvent, cron, SITUATIONS, TRIGGERS } from "./situations";

/* Each time at its moment, and just before it. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.parse("2026-11-22T12:00:00.000Z");
stopClock(NOW);

const WITHOUT_PLAN = SITUATIONS["trialing without a plan, nothing"];

/** A sign-up that the cron handler sees just before a moment, and at it. */
async function around(moment: number, begin = SITUATIONS["pending, a card"]) {
  const api = signUpsInProcess();
  const { id = "" } = (await begin?.(api)) ?? {};
  const states: unknown[] = [];
  for (const at of [moment - 1, moment]) {
    vi.setSystemTime(NOW + at);
    await cron(api);
    states.push(api.rows("SELECT status FROM sign_ups WHERE id = ?", id)[0]?.status ?? "deleted");
  }
  return states;
}

const ended = async (api: Api) => {
  const signUp = await api.pending({}, `status = 'ended', end_reason = 'replaced', check_at = '2026-11-22'`);
  await cron(api);
  return signUp;
};
const chargedAtEnd = async (api: Api) => {
  const signUp = await api.onTrial();
  Object.assign(api.model.get(signUp.stripe_subscription_id) ?? {}, { status: "active" });
  return signUp;
};

test.each<[what: string, moment: number, before: string, then: string, begin: (typeof SITUATIONS)[string] | undefined]>(
  [
    ["a card whose webhook was lost is found after ten minutes", 10 * MINUTE, "pending", "trialing", undefined],
    ["a sign-up without a card is deleted after 24 hours", 24 * HOUR, "pending", "deleted", (api) => api.pending()],
    ["a form without a customer is deleted then too", 24 * HOUR, "pending", "deleted", (api) => api.unknownToStripe()],
    ["an ended sign-up is deleted a day after its cleanup", 24 * HOUR, "ended", "deleted", ended],
    ["an unheard end of a trial is found an hour later", 5 * DAY + HOUR, "trialing", "active", chargedAtEnd],
    ["a trial without a plan ends an hour late as well", 5 * DAY + HOUR, "trialing", "canceled", WITHOUT_PLAN],
  ],
)("%s", async (_, moment, before, then, begin) => {
  expect(await around(moment, begin)).toEqual([before, then]);
});

test("whoever set up a card has two minutes to start the trial", async () => {
  const api = signUpsInProcess();
  const signUp = await api.pending();
  api.enterCard(signUp);
  api.instead.set("GET subscriptions", () => Promise.reject(new TypeError("fetch failed")));
  await expect(handleStripeEvent(cardEvent(signUp, "set up"), api.services)).rejects.toThrow();
  const { status, check_at } = await api.find(signUp.id);
  expect([status, Date.parse(check_at ?? "") - NOW]).toEqual(["card_set_up", 2 * MINUTE]);
});

test("60 trials that Stripe still calls trialing after their end are asked for every ten minutes, not at once", async () => {
  const api = signUpsInProcess();
  for (let each = 0; each < 60; each += 1) await api.onTrial({ email: `${each}@example.com` }, `card ${each}`);
  vi.setSystemTime(NOW + 5 * DAY + HOUR);
  const callsOf = async () => {
    api.calls.length = 0;
    await cron(api);
    return api.calls.length;
  };
  expect([await callsOf(), await callsOf()]).toEqual([60, 0]);
  vi.setSystemTime(NOW + 5 * DAY + HOUR + 10 * MINUTE);
  expect(await callsOf()).toBe(60);
});

/** When the reminders of trials are due. */
const remindersOf = (api: Api) =>
  api
    .messages()
    .filter(({ kind }) => kind === "trial-ending")
    .map(({ next_attempt_at }) => Date.parse(String(next_attempt_at)) - NOW)
    .sort((one, other) => one - other);

test.each<[what: string, end: number, reminder: number]>([
  ["two days before its end", 5 * DAY, 3 * DAY],
  ["two days before a moved end", 9 * DAY, 7 * DAY],
  ["at once in a trial that is shorter", DAY, 0],
])("a trial's reminder comes %s", async (_, end, reminder) => {
  const api = signUpsInProcess();
  const signUp = await api.pending();
  api.enterCard(signUp);
  const choice = { customerId: signUp.stripe_customer_id, priceId: "price_standard" };
  const { stripeSubscriptionId } = await api.services.payments.findOrCreateSubscription(signUp, choice);
  Object.assign(api.model.get(stripeSubscriptionId) ?? {}, { trial_end: (NOW + end) / 1000 });
  api.rows("UPDATE sign_ups SET check_at = ?", new Date().toISOString());
  await cron(api);
  expect(remindersOf(api)).toEqual([reminder]);
});

test("a trial whose end Stripe moves has a reminder of its new end, and each end has one", async () => {
  const api = signUpsInProcess();
  const signUp = await api.onTrial();
  for (const days of [9, 9, 5]) {
    Object.assign(api.model.get(signUp.stripe_subscription_id) ?? {}, { trial_end: (NOW + days * DAY) / 1000 });
    await TRIGGERS["subscription event"]?.(api, signUp);
  }
  expect(remindersOf(api)).toEqual([3 * DAY, 7 * DAY]);
});

test("a card that is set up while its form is being canceled after a day still starts the trial", async () => {
  const api = signUpsInProcess();
  const signUp = await api.pending();
  vi.setSystemTime(NOW + DAY);
  api.instead.set(`POST setup_intents/${signUp.stripe_setup_intent_id}/cancel`, async () => {
    api.enterCard(signUp);
    return undefined;
  });
  await cron(api);
  expect(await api.find(signUp.id)).toMatchObject({ status: "trialing" });
});
