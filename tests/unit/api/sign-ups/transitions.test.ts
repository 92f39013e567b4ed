import { expect, test } from "vitest";
import { MAX_FAILED_CARDS as LAST, TRIAL_DAYS } from "../../../../app/contract/trial";
import { stopClock } from "../../../support/clock";
import { look, type Standing, signUpsInProcess } from "./sign-ups";
import { type Begin, type Pull, SITUATIONS, type Situation, TRIGGERS, type Trigger } from "./situations";

/* The diagram in transitions/advance.ts: a sign-up's state × the caller. In a cell without a row, nothing changes. */

stopClock();
const TEN_MINUTES_AGO = "2026-11-22T11:50:00.000Z";

/** All but a declined event and "not me". */
const ANYBODY: Trigger[] = ["POST", "status", "withdrawal", "card event", "subscription event", "cron"];
const BUT_POST = ANYBODY.filter((trigger) => trigger !== "POST");
const BUT_WITHDRAWAL = ANYBODY.filter((trigger) => trigger !== "withdrawal");
const WITHDRAWAL: Trigger[] = ["withdrawal"];
const NOT_ME: Trigger[] = ["not me"];
const DECLINED: Trigger[] = ["declined event"];

const CANCELED = "subscription canceled";
const pending: Standing = { status: "pending", checkIn: 10, messages: [], atStripe: ["form"] };
const deleted: Standing = { status: "deleted", messages: [], atStripe: ["no customer"] };
const declined: Standing = { ...pending, declined: 1 };
const ended: Standing = { status: "ended", checkIn: 24 * 60, messages: [], atStripe: ["no customer"] };
const withdrawn: Standing = { ...ended, endReason: "withdrawn" };
const trial: Standing = {
  ...{ status: "trialing", claimed: "address and card", trialDays: TRIAL_DAYS },
  ...{ checkIn: TRIAL_DAYS * 24 * 60 + 60, messages: ["account-created", "trial-ending", "trial-started"] },
  atStripe: ["card", "subscription trialing"],
};
const trialWithoutPlan: Standing = { ...trial, messages: ["account-created", "trial-started"], atStripe: ["card"] };
/** A trial that has begun before, and of which Stripe knows more. */
const later = (status: string, atStripe: string[]): Standing => ({
  ...{ status, claimed: "address and card", trialDays: TRIAL_DAYS, messages: [], atStripe },
  ...(status !== "canceled" && { checkIn: 24 * 60 }),
});
const soldAnother = later("active", ["card", "subscription active", "subscription active"]);
/** Paid before the row knew of its trial. */
const UNKNOWN_TRIAL = { claimed: undefined, trialDays: undefined };
const paidAtOnce: Standing = {
  ...later("active", ["card", "subscription active"]),
  ...{ messages: ["account-created", "trial-started"], claimed: undefined },
};
/** Support hears of each subscription that was made a second time. */
const madeOnce: Standing = {
  ...later("active", ["card", "subscription active", CANCELED, CANCELED]),
  ...{ messages: ["second-subscription", "second-subscription"], checkIn: TRIAL_DAYS * 24 * 60 + 60 },
};
const notMe: Standing = {
  ...{ status: "canceled", endReason: "not-me", claimed: "address and card", trialDays: TRIAL_DAYS },
  ...{ messages: ["account-closed"], atStripe: [CANCELED] },
};
/** The address may have a trial again. */
const notMeFreed: Standing = { ...notMe, claimed: "card" };
const notMeReported: Standing = { ...notMe, messages: ["account-closed", "not-me-reported"] };

const OVER: Situation[] = ["pending for a day, a card's form", "pending, a canceled form"];
const IN_PROCESSING: Situation[] = ["pending, a card in processing", "pending for a day, a card in processing"];
const FOREIGN_OVER: Situation[] = ["pending for a day, another customer's card"];
const FOREIGN: Situation[] = ["pending, somebody else's card", "pending, another customer's card"];
const REFUSED: Situation[] = ["pending, a card that had a trial", "pending, a card of an address that had a trial"];
const WHOLE: Situation[] = ["pending, a card", "pending for a day, a card"];
const WITH_CARD: Situation[] = [...WHOLE, "pending without a plan, a card", ...REFUSED, ...FOREIGN, ...FOREIGN_OVER];
const CARD_REMOVED: Situation[] = ["pending, a detached card", "pending, a deleted customer"];
const ACTIVE: Situation[] = ["trialing, active", "past_due, active", "trialing without a plan, active"];
const LAST_TRY: Situation[] = ["pending before the last try, a card's form"];
const USED_CARD: Situation[] = ["pending, a card that had a trial"];
const NO_CARD: Situation[] = ["card_set_up, a subscription, no card"];
const THREE: Situation[] = ["active, made three times"];
const READ: Trigger[] = ["subscription event", "cron"];
const cardProcessed = { ...pending, atStripe: ["card in processing"] };
const cardKept = { ...pending, atStripe: ["card"] };
const usedCard: Standing = { ...pending, used: 1, messages: ["card-used"] };
const byNotMe: Standing = { ...ended, endReason: "not-me" };
const byNotMeBegun: Standing = { ...byNotMe, atStripe: ["no customer", CANCELED] };
const cardsFailed: Standing = { ...ended, endReason: "cards-failed", declined: LAST };
const failedBefore: Standing = { ...ended, endReason: "cards-failed" };
const failedInProcessing: Standing = { ...failedBefore, checkIn: 10, atStripe: ["card in processing"] };

const ROWS: { from: Situation[]; by: Trigger[]; to: Standing }[] = [
  { from: ["pending, nothing"], by: ["POST"], to: pending },
  { from: ["pending, nothing"], by: ["cron"], to: { ...pending, checkIn: 20, atStripe: [] } },
  { from: ["pending, nothing"], by: NOT_ME, to: { ...byNotMe, checkIn: 0, atStripe: [] } },
  { from: ["pending, nothing"], by: WITHDRAWAL, to: { ...withdrawn, checkIn: 0, atStripe: [] } },

  { from: ["pending, a card's form", "pending for a day, a card's form"], by: DECLINED, to: declined },
  { from: ["pending, a card's form"], by: ["cron"], to: { ...pending, checkIn: 20 } },
  { from: ["pending, a card's form", ...OVER], by: NOT_ME, to: byNotMe },
  { from: ["pending, a card's form", ...OVER, ...FOREIGN, ...FOREIGN_OVER], by: WITHDRAWAL, to: withdrawn },
  { from: [...OVER, ...FOREIGN_OVER], by: BUT_WITHDRAWAL, to: deleted },

  { from: IN_PROCESSING, by: DECLINED, to: { ...cardProcessed, declined: 1 } },
  { from: ["pending, a card in processing"], by: ["cron"], to: { ...cardProcessed, checkIn: 20 } },
  { from: IN_PROCESSING, by: NOT_ME, to: { ...byNotMe, checkIn: 0, atStripe: ["card in processing"] } },

  { from: WHOLE, by: ANYBODY, to: trial },
  { from: ["pending without a plan, a card"], by: ANYBODY, to: trialWithoutPlan },
  { from: CARD_REMOVED, by: ANYBODY, to: { ...ended, endReason: "card-removed" } },
  { from: ["pending, a canceled form", "pending, a detached card"], by: DECLINED, to: { ...declined, atStripe: [] } },
  { from: ["pending, a deleted customer"], by: DECLINED, to: { ...declined, atStripe: ["no customer"] } },

  { from: USED_CARD, by: ["POST", "status"], to: usedCard },
  { from: USED_CARD, by: ["card event", "subscription event"], to: { ...usedCard, atStripe: [] } },
  { from: USED_CARD, by: ["cron"], to: { ...usedCard, checkIn: 20, atStripe: [] } },
  { from: USED_CARD, by: WITHDRAWAL, to: { ...withdrawn, used: 1, messages: ["card-used"] } },
  { from: ["pending, a card of an address that had a trial"], by: BUT_POST, to: { ...ended, endReason: "replaced" } },
  { from: FOREIGN, by: ["cron"], to: { ...cardKept, checkIn: 20 } },
  { from: WITH_CARD, by: DECLINED, to: { ...cardKept, declined: 1 } },
  { from: [...WITH_CARD, ...CARD_REMOVED, "card_set_up, a card"], by: NOT_ME, to: byNotMe },

  { from: LAST_TRY, by: DECLINED, to: cardsFailed },
  { from: LAST_TRY, by: ["cron"], to: { ...pending, declined: LAST - 1, checkIn: 20 } },
  { from: LAST_TRY, by: WITHDRAWAL, to: { ...withdrawn, declined: LAST - 1 } },
  { from: LAST_TRY, by: NOT_ME, to: { ...byNotMe, declined: LAST - 1 } },
  { from: ["pending after the last try, a card"], by: ANYBODY, to: cardsFailed },
  { from: ["pending after the last try, a card"], by: DECLINED, to: { ...cardsFailed, declined: LAST + 1 } },
  { from: ["pending after the last try, a card"], by: NOT_ME, to: { ...byNotMe, declined: LAST } },

  // The test's sign-ups have claimed nothing yet when they begin as `card_set_up`.
  { from: ["card_set_up, a card", "card_set_up, a subscription"], by: ANYBODY, to: { ...trial, claimed: undefined } },
  { from: NO_CARD, by: ANYBODY, to: { ...trial, claimed: undefined, atStripe: ["subscription trialing"] } },
  { from: ["card_set_up, a subscription", ...NO_CARD], by: NOT_ME, to: byNotMeBegun },
  { from: ["card_set_up, a paid subscription"], by: NOT_ME, to: { ...notMeReported, ...UNKNOWN_TRIAL } },
  { from: ["card_set_up, a paid subscription"], by: ANYBODY, to: paidAtOnce },

  { from: ["ended, a card's form", "ended, a card"], by: ["card event", ...READ, ...NOT_ME], to: failedBefore },
  { from: ["ended, a card in processing"], by: ["cron"], to: failedInProcessing },

  { from: ACTIVE, by: READ, to: later("active", ["card", "subscription active"]) },
  { from: ["active, past_due"], by: READ, to: later("past_due", ["card", "subscription past_due"]) },
  { from: ["trialing, canceled"], by: READ, to: later("canceled", ["card", CANCELED]) },
  { from: ["trialing, gone"], by: READ, to: later("canceled", ["card"]) },
  { from: ["active, paid"], by: ["cron"], to: later("active", ["card", "subscription active"]) },
  { from: ["active, sold another"], by: ["cron"], to: soldAnother },
  { from: THREE, by: ["subscription event"], to: madeOnce },
  { from: THREE, by: ["cron"], to: { ...madeOnce, checkIn: 24 * 60 } },
  { from: ["canceled, canceled"], by: ["cron"], to: later("canceled", ["card", CANCELED]) },
  { from: ["trialing, canceled for later", "trialing, canceled", "canceled, canceled"], by: NOT_ME, to: notMe },
  { from: ["trialing, gone"], by: NOT_ME, to: { ...notMe, atStripe: [] } },
  { from: ["trialing without a plan, nothing"], by: NOT_ME, to: { ...notMeFreed, atStripe: [] } },
  { from: ["active, paid", "trialing with a confirmed address, trialing"], by: NOT_ME, to: notMeReported },
  { from: THREE, by: NOT_ME, to: { ...notMeReported, atStripe: [CANCELED, CANCELED, CANCELED] } },
  { from: ["active, sold another"], by: NOT_ME, to: { ...notMeReported, atStripe: [CANCELED, CANCELED] } },
  { from: ["trialing, trialing", ...ACTIVE, "active, past_due"], by: NOT_ME, to: notMeFreed },
];

/** Each trigger is pulled twice: a repetition changes nothing more. */
async function pulledTwice(begin: Begin, pull: Pull) {
  const api = signUpsInProcess({ onePerPerson: true });
  const bystander = await api.pending({ email: "by@stander.example" });
  const { id } = await begin(api);
  const signUp = await api.change(id, `created_at = min(created_at, '${TEN_MINUTES_AGO}')`);
  const before = look(api, signUp);
  for (let times = 0; times < 2; times += 1) {
    const current = await api.services.signUps.find(id);
    if (current) await pull(api, current);
  }
  expect(await api.find(bystander.id), "another sign-up").toEqual(bystander);
  const after = look(api, signUp);
  const line = { on: "warn", signUpId: id, reason: after.endReason };
  const ends = api.logged.filter(({ event }) => event === "sign_up_ended");
  expect(ends, "what the log says of its end").toMatchObject(after.endReason === before.endReason ? [] : [line]);
  return { before, after };
}

const situations = Object.keys(SITUATIONS) as Situation[];
const triggers = Object.keys(TRIGGERS) as Trigger[];

test.each(situations)("a sign-up that is %s: each trigger leads to its row", async (situation) => {
  for (const trigger of triggers) {
    const rows = ROWS.filter(({ from, by }) => from.includes(situation) && by.includes(trigger));
    expect(rows.length, `rows for ${trigger}`).toBeLessThanOrEqual(1);
    const { before, after } = await pulledTwice(SITUATIONS[situation], TRIGGERS[trigger]);
    const wanted = rows[0]?.to ?? before;
    expect(after, `after ${trigger} it has to be ${JSON.stringify(wanted)}`).toEqual(wanted);
  }
});
