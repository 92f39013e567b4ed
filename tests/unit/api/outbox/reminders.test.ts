import { expect, test } from "vitest";
import { REMINDER_DAYS, TRIAL_DAYS } from "../../../../app/contract/trial";
import type { SignUp } from "../../../../functions/subscription-api/sign-up";
import { DAY, HOUR } from "../../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../../support/clock";
import { signUpsInProcess } from "../sign-ups/sign-ups";
import { TRIGGERS } from "../sign-ups/situations";

/* Reminders of a trial's end that is moved at Stripe. */

stopClock();

/** The day of the reminder, and a later one before the trial's end. */
const REMINDED = TRIAL_DAYS - REMINDER_DAYS;
const DROPPED = REMINDED + REMINDER_DAYS / 2;

const at = (time: number) => new Date(NOW + time).toISOString();

/** Moves the trial's end, as a day after NOW, and says so with an event. */
async function moveEnd(api: ReturnType<typeof signUpsInProcess>, signUp: SignUp, day: number): Promise<void> {
  Object.assign(api.model.get(signUp.stripe_subscription_id) ?? {}, { trial_end: (NOW + day * DAY) / 1000 });
  await TRIGGERS["subscription event"](api, signUp);
}

test("each end that Stripe gives to a trial has one reminder, so many days before it, or at once", async () => {
  const api = signUpsInProcess();
  const signUp = await api.onTrial();
  for (const days of [TRIAL_DAYS + 4, TRIAL_DAYS + 4, TRIAL_DAYS, REMINDER_DAYS / 2]) {
    await moveEnd(api, signUp, days);
  }
  const reminders = api.messages().filter(({ kind }) => kind === "trial-ending");
  expect(reminders.map(({ next_attempt_at }) => next_attempt_at).sort()).toEqual(
    [0, REMINDED * DAY, (REMINDED + 4) * DAY].map(at),
  );
});

test.each([
  { when: "before its reminder was due", day: REMINDED - 1 },
  { when: "after its reminder was dropped", day: DROPPED },
])("an end that was moved away and comes back $when is reminded of once", async ({ day }) => {
  const api = signUpsInProcess();
  const signUp = await api.onTrial();
  await moveEnd(api, signUp, TRIAL_DAYS + 4);
  for (const hours of [0, REMINDED * 24 + 1]) {
    api.set(NOW + Math.min(hours * HOUR, day * DAY));
    await api.runScheduled();
  }
  await moveEnd(api, signUp, TRIAL_DAYS);
  api.set(NOW + DROPPED * DAY);
  await api.runScheduled();
  await api.runScheduled();
  const reminders = api.sent.filter(({ key }) => key?.startsWith("trial-ending/"));
  expect(reminders.map(({ key }) => key?.split("/").at(-1))).toEqual([at(TRIAL_DAYS * DAY)]);
});

test("a reminder waits while the sign-up does not know yet that its end has moved", async () => {
  const api = signUpsInProcess();
  const { id, stripe_subscription_id, trial_end } = await api.onTrial();
  const subscription = api.model.get(stripe_subscription_id);
  Object.assign(subscription ?? {}, { trial_end: (NOW + (TRIAL_DAYS + 4) * DAY) / 1000 });
  api.set(NOW + REMINDED * DAY);
  await api.runScheduled();
  Object.assign(subscription ?? {}, { trial_end: (NOW + TRIAL_DAYS * DAY) / 1000 });
  api.set(NOW + REMINDED * DAY + HOUR);
  await api.runScheduled();
  const reminder = `trial-ending/${id}/${trial_end}`;
  expect(api.rows("SELECT state, settled_at FROM outbox WHERE key = ?", reminder)).toEqual([
    { state: "sent", settled_at: at(REMINDED * DAY + HOUR) },
  ]);
});

test("an end that was moved without an event is learned when the reminder of the old one is due, and reminded of", async () => {
  const api = signUpsInProcess();
  const { stripe_subscription_id } = await api.onTrial();
  const moved = NOW + (TRIAL_DAYS + 4) * DAY;
  Object.assign(api.model.get(stripe_subscription_id) ?? {}, { trial_end: moved / 1000 });
  for (const time of [REMINDED * DAY, REMINDED * DAY + HOUR, (REMINDED + 4) * DAY]) {
    api.set(NOW + time);
    await api.runScheduled();
  }
  expect(api.rows("SELECT state FROM outbox WHERE kind = 'trial-ending' ORDER BY key")).toEqual([
    { state: "dropped" },
    { state: "sent" },
  ]);
});

test("an end that was moved away after its reminder, and comes back, is not reminded of again", async () => {
  const api = signUpsInProcess();
  const signUp = await api.onTrial();
  api.set(NOW + REMINDED * DAY);
  await api.runScheduled();
  for (const day of [TRIAL_DAYS + 4, TRIAL_DAYS]) await moveEnd(api, signUp, day);
  api.set(NOW + DROPPED * DAY);
  await api.runScheduled();
  expect(api.sent.filter(({ key }) => key?.startsWith("trial-ending/"))).toHaveLength(1);
});

test("a reminder that a restore held back stays so when its end is moved away and comes back", async () => {
  const api = signUpsInProcess();
  const signUp = await api.onTrial();
  api.rows("UPDATE outbox SET state = 'dropped', drop_reason = 'restored' WHERE kind = 'trial-ending'");
  for (const day of [TRIAL_DAYS + 4, TRIAL_DAYS]) await moveEnd(api, signUp, day);
  api.set(NOW + DROPPED * DAY);
  await api.runScheduled();
  expect(api.sent.map(({ key }) => key).filter((key) => key?.startsWith("trial-ending/"))).toEqual([]);
});
