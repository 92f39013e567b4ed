import { expect, test } from "vitest";
import { REMINDER_DAYS, TRIAL_DAYS } from "../../../../app/contract/trial";
import { DAY } from "../../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../../support/clock";
import { signUpsInProcess } from "../sign-ups/sign-ups";
import { TRIGGERS } from "../sign-ups/situations";

/* Reminders of a trial's end that is moved at Stripe. */

stopClock();

/** The day of the reminder, a later one before the trial's end, and a later end. */
const REMINDED = TRIAL_DAYS - REMINDER_DAYS;
const LATE = REMINDED + REMINDER_DAYS / 2;
const AWAY = TRIAL_DAYS + 4;
const AN_HOUR = 1 / 24;

const at = (day: number) => new Date(NOW + day * DAY).toISOString();

async function onTrial() {
  const api = signUpsInProcess();
  const signUp = await api.onTrial();
  const moveSilently = (day: number) =>
    void Object.assign(api.model.get(signUp.stripe_subscription_id) ?? {}, { trial_end: (NOW + day * DAY) / 1000 });
  return {
    ...{ ...api, moveSilently },
    /** Moves the trial's end, as a day after NOW, and says so with an event. */
    async move(day: number) {
      moveSilently(day);
      await TRIGGERS["subscription event"](api, signUp);
    },
    async run(day: number) {
      api.set(NOW + day * DAY);
      await api.runScheduled();
    },
    reminders: () =>
      api.rows("SELECT state, next_attempt_at, settled_at FROM outbox WHERE kind = 'trial-ending' ORDER BY key"),
    sent: () => api.sent.flatMap(({ key }) => (key?.startsWith("trial-ending/") ? key.split("/").slice(-1) : [])),
  };
}
const ON_ITS_DAY = [at(TRIAL_DAYS).slice(0, 10)];

test("each day to which Stripe moves a trial's end has one reminder, so many days before it, or at once", async () => {
  const { move, reminders } = await onTrial();
  for (const day of [AWAY, AWAY, TRIAL_DAYS, REMINDER_DAYS / 2]) await move(day);
  expect(reminders().map(({ next_attempt_at }) => next_attempt_at)).toEqual([0, REMINDED, REMINDED + 4].map(at));
});

test.each<{ what: string; before?: number[]; after: number[]; isRestored?: boolean; reminded?: string[] }>([
  { what: "away before its reminder's day and back after it", before: [AWAY], after: [TRIAL_DAYS] },
  { what: "away, back and by an hour after its reminder", after: [AWAY, TRIAL_DAYS, TRIAL_DAYS + AN_HOUR] },
  { what: "away and back after a restore", isRestored: true, after: [AWAY, TRIAL_DAYS], reminded: [] },
])("a trial's end that moves $what has one reminder, or none that a restore held back", async (row) => {
  const { before = [], after, isRestored = false, reminded = ON_ITS_DAY } = row;
  const { move, run, rows, sent } = await onTrial();
  if (isRestored) rows("UPDATE outbox SET state = 'dropped', drop_reason = 'restored' WHERE kind = 'trial-ending'");
  for (const day of before) await move(day);
  await run(REMINDED + AN_HOUR);
  expect(sent(), "on the reminder's day").toEqual(before.length > 0 ? [] : reminded);
  await run(LATE);
  for (const day of after) await move(day);
  await run(LATE);
  expect(sent()).toEqual(reminded);
});

test("an end moved without an event is learned when the old one's reminder is due, and reminded of", async () => {
  const { moveSilently, run, reminders } = await onTrial();
  moveSilently(AWAY);
  await run(REMINDED);
  expect(reminders()[0]).toMatchObject({ state: "due" });
  for (const day of [REMINDED + AN_HOUR, REMINDED + 4]) await run(day);
  expect(reminders()).toMatchObject([{ state: "dropped" }, { state: "sent" }]);
});
