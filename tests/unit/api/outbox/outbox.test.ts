import { expect, test, vi } from "vitest";
import { REMINDER_DAYS, TRIAL_DAYS } from "../../../../app/contract/trial";
import { newMessage } from "../../../../functions/subscription-api/outbox/outbox";
import { advance, advanceToCardForm } from "../../../../functions/subscription-api/sign-ups/transitions/advance";
import { DAY, HOUR, MINUTE, SECOND } from "../../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../../support/clock";
import { signUpsInProcess } from "../sign-ups/sign-ups";
import { TRIGGERS } from "../sign-ups/situations";
import { iso, ON_TRIAL, outboxOf } from "./outbox-of";

/* Leases, attempts and the order of messages. Emails about a used card may reach a stranger, so they are few. A trial's end may move. */

stopClock();

test("one of two runs gets a message; if that crashes, another does after two minutes, and it counts no attempt", async () => {
  const { outbox, lease, row } = await outboxOf(ON_TRIAL, "card-used");
  const take = () => outbox.take(["card-used"], 6);
  const [first, ...others] = (await Promise.all([take(), take()])).flat();
  if (!first) throw new Error("No run got the message");
  vi.setSystemTime(NOW + 2 * MINUTE - 1);
  expect([...others, ...(await take())]).toEqual([]);
  vi.setSystemTime(NOW + 2 * MINUTE);
  expect(await lease("card-used")).toMatchObject({ attempts: 0 });
  await outbox.postpone(first);
  expect(row()).toMatchObject({ state: "due", attempts: 0, next_attempt_at: iso(NOW + 4 * MINUTE) });
});

test.each([
  { nth: 1, random: 0, pause: 15 * SECOND },
  { nth: 10, random: 0.5, pause: 256 * MINUTE },
  { nth: 14, random: 1, pause: 9 * HOUR },
])("after failure $nth a message is due again in $pause ms with the random number $random", async (each) => {
  const { outbox, rows, row, lease } = await outboxOf(ON_TRIAL, "card-used");
  vi.spyOn(Math, "random").mockReturnValue(each.random);
  rows("UPDATE outbox SET attempts = ?", each.nth - 1);
  expect(await outbox.postpone(await lease("card-used"))).toBe("due");
  expect(row()).toMatchObject({ state: "due", attempts: each.nth, next_attempt_at: iso(NOW + each.pause) });
});

test("a message that was sent meanwhile is neither settled again nor postponed", async () => {
  const { outbox, row, lease } = await outboxOf(ON_TRIAL, "card-used");
  const message = await lease("card-used");
  await outbox.settle(message, null);
  const sent = row();
  vi.setSystemTime(NOW + MINUTE);
  await outbox.settle(message, "trial-over");
  await outbox.postpone(message);
  expect(sent).toMatchObject({ state: "sent", settled_at: iso(NOW), drop_reason: null, attempts: 1 });
  expect(row()).toEqual(sent);
});

test("of a flood of one kind a batch of six has the oldest of each kind first", async () => {
  const { dispatch, add, due } = await outboxOf(ON_TRIAL, "account-created", "email-verified", "card-used");
  for (const each of [1, 2, 3, 4, 5, 6, 7]) add("trial-started", `trial-started ${each}`, NOW - DAY + each);
  expect(await dispatch()).toBe(6);
  expect(due()).toEqual(["trial-started 4", "trial-started 5", "trial-started 6", "trial-started 7"]);
});

test("each used card causes three emails a day (UTC), one for each of the sign-ups that enter it at once or in turn", async () => {
  const { onTrial, pending, find, services, enterCard, rows } = signUpsInProcess({ onePerPerson: true });
  for (const card of ["card1", "card2"]) await onTrial({ email: `${card}-owner@example.com` }, card);
  const enter = async (...cards: string[]) => {
    const { id } = await pending({ email: `${crypto.randomUUID()}@example.com` });
    for (const card of cards) {
      await advanceToCardForm(await find(id), services);
      enterCard(await find(id), card);
      await advance(await find(id), services);
    }
  };
  const emails = () => rows("SELECT key FROM outbox WHERE kind = 'card-used'").length;
  await Promise.all(Array.from({ length: 20 }, () => enter("card1")));
  expect(emails()).toBe(3);
  await enter("card2");
  expect(emails(), "after another card").toBe(4);
  vi.setSystemTime(NOW + DAY);
  for (let each = 0; each < 3; each += 1) await enter("card1", "card2");
  expect(emails(), "of sign-ups that enter two used cards the next day").toBe(7);
  await enter("card1");
  expect(emails(), "after the day's third of the card").toBe(7);
});

test("an email is written for the version of a sign-up that was read, and for no other", async () => {
  const { db, unknownToStripe, rows } = signUpsInProcess();
  const { id, version } = await unknownToStripe({}, "version = 1");
  const written = async (of: number) => {
    await newMessage(db, { kind: "card-used", card: "a hash" }, { id, version: of }).run();
    return rows("SELECT key FROM outbox").length;
  };
  expect([await written(version - 1), await written(version)]).toEqual([0, 1]);
});

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
    reminders: () => api.rows("SELECT state, next_attempt_at FROM outbox WHERE kind = 'trial-ending' ORDER BY key"),
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
