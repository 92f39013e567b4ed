import { expect, test } from "vitest";
import { MAX_FAILED_CARDS as LAST, TRIAL_DAYS } from "../../../../app/contract/trial";
import { stopClock } from "../../../support/clock";
import { look, type Standing, signUpsInProcess } from "./sign-ups";
import { type Begin, type Pull, SITUATIONS, type Situation, TRIGGERS, type Trigger } from "./situations";

/*
 * The state diagram of sign-ups/transitions/advance.ts, cell by cell: the sign-up's state here and at Stripe × the caller. In a cell without a
 * row, nothing changes.
 */

stopClock();
const TEN_MINUTES_AGO = "2026-11-22T11:50:00.000Z";

type Row = { from: Situation[]; by: Trigger[]; to: Standing };

/** All but a declined event and "not me". */
const ANYBODY: Trigger[] = ["POST", "status", "card event", "subscription event", "cron"];
const BUT_POST = ANYBODY.filter((trigger) => trigger !== "POST");
const NOT_ME: Trigger[] = ["not me"];
const DECLINED: Trigger[] = ["declined event"];

const BEGUN = ["account-created", "trial-ending", "trial-started"];
const BEGUN_WITHOUT_PLAN = ["account-created", "trial-started"];
const deleted: Standing = { status: "deleted", messages: [], atStripe: ["no customer"] };
const pending: Standing = { status: "pending", checkIn: 10, messages: [], atStripe: ["form"] };
const ended: Standing = { status: "ended", checkIn: 24 * 60, messages: [], atStripe: ["no customer"] };
const trial: Standing = {
  ...{ status: "trialing", claimed: "address and card", trialDays: TRIAL_DAYS, messages: BEGUN },
  ...{ checkIn: TRIAL_DAYS * 24 * 60 + 60, atStripe: ["card", "subscription trialing"] },
};
/** A trial that has begun before, and of which Stripe knows more. */
const later = (status: string, atStripe: string[]): Standing => ({
  ...{ status, claimed: "address and card", trialDays: TRIAL_DAYS, messages: [], atStripe },
  ...(status !== "canceled" && { checkIn: 24 * 60 }),
});
const notMe: Standing = {
  ...{ status: "canceled", endReason: "not-me", claimed: "address and card", trialDays: TRIAL_DAYS },
  ...{ messages: ["account-closed"], atStripe: ["subscription canceled"] },
};
/** The address may have a trial again. */
const notMeFreed: Standing = { ...notMe, claimed: "card" };
const notMeReported: Standing = { ...notMe, messages: ["account-closed", "not-me-reported"] };

const ROWS: Row[] = [
  { from: ["pending, nothing"], by: ["POST"], to: pending },
  { from: ["pending, nothing"], by: ["cron"], to: { ...pending, checkIn: 20, atStripe: [] } },
  { from: ["pending, nothing"], by: NOT_ME, to: { ...ended, endReason: "not-me", checkIn: 0, atStripe: [] } },

  { from: ["pending, a card's form"], by: DECLINED, to: { ...pending, declined: 1 } },
  { from: ["pending, a card's form"], by: ["cron"], to: { ...pending, checkIn: 20 } },
  { from: ["pending, a card's form"], by: NOT_ME, to: { ...ended, endReason: "not-me" } },

  { from: ["pending for a day, a card's form", "pending, a canceled form"], by: ANYBODY, to: deleted },
  { from: ["pending for a day, a card's form"], by: DECLINED, to: { ...pending, declined: 1 } },
  { from: ["pending, a canceled form"], by: DECLINED, to: { ...pending, declined: 1, atStripe: [] } },
  {
    from: ["pending for a day, a card's form", "pending, a canceled form"],
    by: NOT_ME,
    to: { ...ended, endReason: "not-me" },
  },

  {
    from: ["pending, a card in processing", "pending for a day, a card in processing"],
    by: DECLINED,
    to: { ...pending, declined: 1, atStripe: ["card in processing"] },
  },
  {
    from: ["pending, a card in processing"],
    by: ["cron"],
    to: { ...pending, checkIn: 20, atStripe: ["card in processing"] },
  },
  {
    from: ["pending, a card in processing", "pending for a day, a card in processing"],
    by: NOT_ME,
    to: { ...ended, endReason: "not-me", checkIn: 0, atStripe: ["card in processing"] },
  },

  { from: ["pending, a card"], by: ANYBODY, to: trial },
  {
    from: ["pending without a plan, a card"],
    by: ANYBODY,
    to: { ...trial, messages: BEGUN_WITHOUT_PLAN, atStripe: ["card"] },
  },
  { from: ["pending, a detached card"], by: ANYBODY, to: { ...ended, endReason: "card-removed" } },
  { from: ["pending, a detached card"], by: DECLINED, to: { ...pending, declined: 1, atStripe: [] } },

  {
    from: ["pending, a card that had a trial"],
    by: ["POST", "status"],
    to: { ...pending, used: 1, messages: ["card-used"] },
  },
  {
    from: ["pending, a card that had a trial"],
    by: ["card event", "subscription event"],
    to: { ...pending, used: 1, messages: ["card-used"], atStripe: [] },
  },
  {
    from: ["pending, a card that had a trial"],
    by: ["cron"],
    to: { ...pending, used: 1, checkIn: 20, messages: ["card-used"], atStripe: [] },
  },
  { from: ["pending, a card of an address that had a trial"], by: BUT_POST, to: { ...ended, endReason: "replaced" } },
  {
    from: [
      "pending, a card",
      "pending without a plan, a card",
      "pending, a card that had a trial",
      "pending, a card of an address that had a trial",
      "pending, somebody else's card",
      "pending, another customer's card",
    ],
    by: DECLINED,
    to: { ...pending, declined: 1, atStripe: ["card"] },
  },
  {
    from: ["pending, somebody else's card", "pending, another customer's card"],
    by: ["cron"],
    to: { ...pending, checkIn: 20, atStripe: ["card"] },
  },
  {
    from: [
      "pending, a card",
      "pending, a detached card",
      "pending without a plan, a card",
      "pending, a card that had a trial",
      "pending, a card of an address that had a trial",
      "pending, somebody else's card",
      "pending, another customer's card",
    ],
    by: NOT_ME,
    to: { ...ended, endReason: "not-me" },
  },

  {
    from: ["pending before the last try, a card's form"],
    by: DECLINED,
    to: { ...ended, endReason: "cards-failed", declined: LAST },
  },
  {
    from: ["pending before the last try, a card's form"],
    by: ["cron"],
    to: { ...pending, declined: LAST - 1, checkIn: 20 },
  },
  {
    from: ["pending before the last try, a card's form"],
    by: NOT_ME,
    to: { ...ended, endReason: "not-me", declined: LAST - 1 },
  },
  {
    from: ["pending after the last try, a card"],
    by: ANYBODY,
    to: { ...ended, endReason: "cards-failed", declined: LAST },
  },
  {
    from: ["pending after the last try, a card"],
    by: DECLINED,
    to: { ...ended, endReason: "cards-failed", declined: LAST + 1 },
  },
  { from: ["pending after the last try, a card"], by: NOT_ME, to: { ...ended, endReason: "not-me", declined: LAST } },

  // The test's sign-ups have claimed nothing yet when they begin as `card_set_up`.
  { from: ["card_set_up, a card", "card_set_up, a subscription"], by: ANYBODY, to: { ...trial, claimed: undefined } },
  {
    from: ["card_set_up, a card", "card_set_up, a subscription"],
    by: NOT_ME,
    to: { ...notMe, claimed: undefined, messages: ["account-closed", ...BEGUN] },
  },

  {
    from: ["ended, a card's form", "ended, a card"],
    by: ["card event", "subscription event", "cron", "not me"],
    to: { ...ended, endReason: "cards-failed" },
  },
  {
    from: ["ended, a card in processing"],
    by: ["cron"],
    to: { ...ended, endReason: "cards-failed", checkIn: 10, atStripe: ["card in processing"] },
  },

  { from: ["trialing, trialing"], by: NOT_ME, to: notMeFreed },
  { from: ["trialing, canceled for later"], by: NOT_ME, to: notMe },
  { from: ["trialing with a confirmed address, trialing"], by: NOT_ME, to: notMeReported },
  {
    from: ["trialing, active", "past_due, active", "trialing without a plan, active"],
    by: ["subscription event", "cron"],
    to: later("active", ["card", "subscription active"]),
  },
  {
    from: ["trialing, past_due", "active, past_due"],
    by: ["subscription event", "cron"],
    to: later("past_due", ["card", "subscription past_due"]),
  },
  {
    from: ["trialing, canceled", "active, canceled"],
    by: ["subscription event", "cron"],
    to: later("canceled", ["card", "subscription canceled"]),
  },
  { from: ["trialing, gone"], by: ["cron"], to: later("canceled", ["card"]) },
  { from: ["active, paid"], by: ["cron"], to: later("active", ["card", "subscription active"]) },
  { from: ["past_due, unpaid"], by: ["cron"], to: later("past_due", ["card", "subscription unpaid"]) },
  { from: ["canceled, canceled"], by: ["cron"], to: later("canceled", ["card", "subscription canceled"]) },
  { from: ["trialing, canceled", "active, canceled", "canceled, canceled"], by: NOT_ME, to: notMe },
  { from: ["trialing, gone"], by: NOT_ME, to: { ...notMe, atStripe: [] } },
  { from: ["trialing without a plan, nothing"], by: NOT_ME, to: { ...notMeFreed, atStripe: [] } },
  { from: ["active, paid"], by: NOT_ME, to: notMeReported },
  {
    from: [
      "trialing, active",
      "trialing, past_due",
      "trialing without a plan, active",
      "active, past_due",
      "past_due, active",
      "past_due, unpaid",
    ],
    by: NOT_ME,
    to: notMeFreed,
  },
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
  return { before, after: look(api, signUp) };
}

const triggers = Object.keys(TRIGGERS) as Trigger[];

test.each(Object.keys(SITUATIONS) as Situation[])(
  "a sign-up that is %s: each trigger leads to its row",
  async (situation) => {
    for (const trigger of triggers) {
      const rows = ROWS.filter(({ from, by }) => from.includes(situation) && by.includes(trigger));
      expect(rows.length, `rows for ${trigger}`).toBeLessThanOrEqual(1);
      const { before, after } = await pulledTwice(SITUATIONS[situation], TRIGGERS[trigger]);
      const wanted = rows[0]?.to ?? before;
      expect(after, `after ${trigger} it has to be ${JSON.stringify(wanted)}`).toEqual(wanted);
    }
  },
);
