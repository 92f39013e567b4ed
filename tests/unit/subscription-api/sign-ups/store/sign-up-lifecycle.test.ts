import { describe, expect, test, vi } from "vitest";
import { CHECK_RANKS, type SignUp, type TrialState } from "../../../../../functions/subscription-api/sign-ups/sign-up";
import { processedEventsIn } from "../../../../../functions/subscription-api/sign-ups/store/processed-events";
import {
  type SetUpCard,
  signUpLifecycleIn,
} from "../../../../../functions/subscription-api/sign-ups/store/sign-up-lifecycle";
import { stopClock } from "../../../../support/api-in-process/clock";
import { databaseInMemory } from "../../../../support/api-in-process/database";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.parse("2026-11-22T12:00:00.000Z");
const at = (milliseconds: number) => new Date(NOW + milliseconds).toISOString();

const CLAIM = { email: "of the mailbox", emails: ["of the mailbox", "of the address"], card: "of the card" };
const END = new Date(NOW + 120 * HOUR);
const SUCCEEDED = { id: "evt_1", type: "setup_intent.succeeded" };
const UPDATED = { id: "evt_2", type: "customer.subscription.updated" };
const TRIAL: TrialState = { stripeSubscriptionId: "sub_1", status: "trialing", trialEnd: END };

stopClock(NOW);

/** A sign-up that waits for its card, with some columns set. */
async function pending(columns = "status = 'pending'") {
  const { db, rows, signUp } = databaseInMemory();
  const lifecycle = signUpLifecycleIn(db);
  const { id } = await signUp();
  rows(`UPDATE sign_ups SET ${columns} WHERE id = ?`, id);
  const card: SetUpCard = { signUpId: id, setupIntentId: "seti_1", customerId: "cus_1", usedCards: 0 };
  const row = () => rows("SELECT * FROM sign_ups WHERE id = ?", id)[0];
  const messages = () => rows("SELECT kind, next_attempt_at FROM outbox ORDER BY kind");
  const isProcessed = (event: typeof SUCCEEDED) => processedEventsIn(db).has(event);
  return { rows, signUp, lifecycle, id, card, row, messages, isProcessed };
}

async function onTrial() {
  const one = await pending();
  await one.lifecycle.recordCard(one.card, CLAIM);
  const trial = await one.lifecycle.startTrial(one.id, TRIAL, { remindAt: null });
  if (!trial) throw new Error("There is no such sign-up");
  return { ...one, trial: trial satisfies SignUp };
}

describe("a card", () => {
  test("claims the trial for its sign-up, can be leased again after two minutes, and is counted once [H3]", async () => {
    const { lifecycle, card, row, rows, id } = await pending();
    expect(await lifecycle.recordCard(card, CLAIM)).toMatchObject({ status: "card_set_up" });
    await lifecycle.recordCard(card, CLAIM);
    expect(row()).toMatchObject({
      stripe_customer_id: "cus_1",
      stripe_setup_intent_id: "seti_1",
      check_at: at(2 * MINUTE),
      updated_at: at(0),
    });
    expect(rows("SELECT * FROM trial_claims ORDER BY hash")).toEqual([
      { hash: "of the card", sign_up_id: id },
      { hash: "of the mailbox", sign_up_id: id },
    ]);
  });

  test.each<[string, string, boolean]>([
    [
      "for the recorded customer and setup intent",
      "stripe_customer_id = 'cus_1', stripe_setup_intent_id = 'seti_1'",
      true,
    ],
    ["for another customer", "stripe_customer_id = 'cus_2'", false],
    ["for another setup intent", "stripe_setup_intent_id = 'seti_2'", false],
    ["from before a used one", "used_cards = 1", false],
    ["after four declined ones", "declined_cards = 4", true],
    ["after five declined ones", "declined_cards = 5", false],
    ["for an ended sign-up", "status = 'ended', end_reason = 'replaced'", false],
  ])("%s starts a trial, or changes nothing [H3]", async (_, columns, activates) => {
    const { lifecycle, card, row, rows } = await pending(columns);
    const before = row();
    await lifecycle.recordCard(card, CLAIM);
    if (activates) expect(row()?.status).toBe("card_set_up");
    else {
      expect(row()).toEqual(before);
      expect(rows("SELECT * FROM trial_claims")).toEqual([]);
    }
  });

  test.each<[string, string, string]>([
    ["of an erased person", "INSERT INTO trial_claims (hash) VALUES ('of the mailbox')", "ended"],
    [
      "of the address, from before ONE_TRIAL_PER_PERSON",
      "INSERT INTO trial_claims (hash) VALUES ('of the address')",
      "ended",
    ],
    ["of the card alone", "INSERT INTO trial_claims (hash) VALUES ('of the card')", "pending"],
    ["of somebody else", "INSERT INTO trial_claims (hash) VALUES ('another')", "card_set_up"],
  ])("meets a trial claim %s [H3]", async (_, claim, status) => {
    const { lifecycle, card, rows, row } = await pending();
    rows(claim);
    await lifecycle.recordCard(card, CLAIM);
    expect(row()).toMatchObject({ status, check_at: status === "ended" ? at(24 * HOUR) : expect.any(String) });
  });
});

test("a card without a fingerprint claims the email address only [H3]", async () => {
  const { lifecycle, card, rows, id } = await pending();
  await lifecycle.recordCard(card, { ...CLAIM, card: null });
  expect(rows("SELECT * FROM trial_claims")).toEqual([{ hash: "of the mailbox", sign_up_id: id }]);
});

/* An event counts as processed in the transaction of its effect: one that lost a race has to come again. */

test("a card's event is not processed until its trial has started [G7]", async () => {
  const { lifecycle, card, id, isProcessed } = await pending();
  await lifecycle.recordCard(card, CLAIM, SUCCEEDED);
  expect(await isProcessed(SUCCEEDED)).toBe(false);
  await lifecycle.startTrial(id, TRIAL, { event: SUCCEEDED, remindAt: null });
  expect(await isProcessed(SUCCEEDED)).toBe(true);
});

test("a card's event after the trial has started is processed [G7]", async () => {
  const { lifecycle, card, isProcessed } = await onTrial();
  await lifecycle.recordCard(card, CLAIM, SUCCEEDED);
  expect(await isProcessed(SUCCEEDED)).toBe(true);
});

test("an unknown sign-up starts nothing and is not counted", async () => {
  const { lifecycle, card, messages } = await pending();
  expect(await lifecycle.recordCard({ ...card, signUpId: "another" }, CLAIM)).toBeNull();
  expect(await lifecycle.startTrial("another", TRIAL, { remindAt: END })).toBeNull();
  expect(messages()).toEqual([]);
});

describe("a trial", () => {
  test("starts once, with its emails, its account and one more version", async () => {
    const { lifecycle, id, row, messages } = await onTrial();
    await lifecycle.startTrial(id, { ...TRIAL, stripeSubscriptionId: "sub_2" }, { remindAt: END });
    expect(row()).toMatchObject({
      status: "trialing",
      stripe_subscription_id: "sub_1",
      trial_end: END.toISOString(),
      check_at: at(121 * HOUR),
      version: 1,
    });
    expect(messages().map(({ kind }) => kind)).toEqual(["account-created", "trial-started"]);
  });

  test("that has ended before it is recorded gets no email and is not counted", async () => {
    const { lifecycle, card, id, row, messages } = await pending();
    await lifecycle.recordCard(card, CLAIM);
    await lifecycle.startTrial(id, { ...TRIAL, status: "canceled" }, { remindAt: END });
    expect(row()).toMatchObject({ status: "canceled", check_at: null });
    expect(messages()).toEqual([]);
  });

  test.each([
    [24 * HOUR, 24 * HOUR],
    [-HOUR, 0],
  ])("gets its reminder in %i ms, or at once if that is past", async (time, due) => {
    const { lifecycle, card, id, messages } = await pending();
    await lifecycle.recordCard(card, CLAIM);
    await lifecycle.startTrial(id, TRIAL, { event: SUCCEEDED, remindAt: new Date(NOW + time) });
    expect(messages()).toContainEqual({ kind: "trial-ending", next_attempt_at: at(due) });
  });

  test.each<[string, Partial<TrialState>, object]>([
    ["an unchanged state", {}, { status: "trialing", version: 1, trial_end: END.toISOString() }],
    ["no end", { trialEnd: null }, { version: 1, trial_end: END.toISOString(), check_at: null }],
    ["another end", { trialEnd: new Date(NOW) }, { version: 2, trial_end: at(0), check_at: at(HOUR) }],
    ["another state", { status: "past_due" }, { status: "past_due", version: 2, check_at: null }],
    ["another subscription", { stripeSubscriptionId: "sub_2" }, { stripe_subscription_id: "sub_2", version: 2 }],
  ])("follows Stripe: %s", async (_, change, expected) => {
    const { lifecycle, trial, row } = await onTrial();
    expect(await lifecycle.applyStripeState(trial, { ...TRIAL, ...change }, { remindAt: null })).toBe(true);
    expect(row()).toMatchObject(expected);
  });

  test.each<[string, Partial<TrialState>, string[]]>([
    ["has a reminder at the given time", {}, ["trial-ending"]],
    ["with a late payment has no reminder", { status: "past_due" }, []],
    ["that has ended has no reminder", { status: "canceled" }, []],
  ])("%s", async (_, change, expected) => {
    const { lifecycle, trial, rows, messages } = await onTrial();
    rows("DELETE FROM outbox");
    await lifecycle.applyStripeState(trial, { ...TRIAL, ...change }, { remindAt: null });
    expect(messages()).toEqual([]);
    const [row] = rows("SELECT version FROM sign_ups");
    const read = { ...trial, version: Number(row?.version) };
    await lifecycle.applyStripeState(read, { ...TRIAL, ...change }, { remindAt: END });
    expect(messages().map(({ kind }) => kind)).toEqual(expected);
  });

  test("that changed since it was read is not written and gets no outdated reminder; its event must come again [G7]", async () => {
    const { lifecycle, trial, row, rows, messages, isProcessed } = await onTrial();
    rows("DELETE FROM outbox");
    const overdue: TrialState = { ...TRIAL, status: "past_due" };
    expect(await lifecycle.applyStripeState(trial, overdue, { event: SUCCEEDED, remindAt: null })).toBe(true);
    const before = row();
    expect(await lifecycle.applyStripeState(trial, TRIAL, { event: UPDATED, remindAt: END })).toBe(false);
    expect([row(), messages()]).toEqual([before, []]);
    expect([await isProcessed(SUCCEEDED), await isProcessed(UPDATED)]).toEqual([true, false]);
  });

  test("records its first payment once", async () => {
    const { lifecycle, trial, row } = await onTrial();
    await lifecycle.recordPayment(trial, { id: "evt_1", type: "invoice.paid" });
    vi.setSystemTime(NOW + HOUR);
    await lifecycle.recordPayment(trial, { id: "evt_2", type: "invoice.paid" });
    expect(row()).toMatchObject({ paid_at: at(0) });
  });
});

describe("due sign-ups", () => {
  test("are leased for ten minutes, longest wait first, each rank by itself", async () => {
    const { lifecycle, rows, signUp, id } = await pending();
    const [other, later] = [await signUp(), await signUp()];
    for (const [one, due] of [
      [other.id, -MINUTE],
      [id, 0],
      [later.id, 1],
    ] as const) {
      rows("UPDATE sign_ups SET check_at = ? WHERE id = ?", at(due), one);
    }
    const { cardSetUp, mayHaveTrial } = CHECK_RANKS;
    expect((await lifecycle.takeDue(cardSetUp, 9)).signUps).toEqual([]);
    const first = await lifecycle.takeDue(mayHaveTrial, 1);
    expect([first.signUps.map((one) => one.id), first.leaseEnd]).toEqual([[other.id], at(10 * MINUTE)]);
    expect((await lifecycle.takeDue(mayHaveTrial, 9)).signUps.map((one) => one.id)).toEqual([id]);
    expect((await lifecycle.takeDue(mayHaveTrial, 9)).signUps).toEqual([]);
  });

  test("are checked at their time, unless it has been changed since", async () => {
    const { lifecycle, rows, signUp, id } = await pending();
    const other = await signUp();
    rows("UPDATE sign_ups SET check_at = ?", at(0));
    const { leaseEnd } = await lifecycle.takeDue(CHECK_RANKS.mayHaveTrial, 9);
    rows("UPDATE sign_ups SET check_at = ? WHERE id = ?", at(MINUTE), other.id);
    const checks = [id, other.id].map((one) => ({ id: one, at: new Date(NOW + HOUR) }));
    await lifecycle.scheduleChecks(checks, leaseEnd);
    expect(rows("SELECT check_at FROM sign_ups ORDER BY check_at")).toEqual([
      { check_at: at(MINUTE) },
      { check_at: at(HOUR) },
    ]);
  });

  test("cost no statement if none was taken", async () => {
    let sent = 0;
    const { db } = databaseInMemory(async (_label, effect) => {
      sent += 1;
      return effect();
    });
    await signUpLifecycleIn(db).scheduleChecks([], at(0));
    expect(sent).toBe(0);
  });

  test("that have ended are deleted by the next run; only pending ones can end", async () => {
    const { lifecycle, id, row } = await pending();
    vi.setSystemTime(NOW + MINUTE);
    await lifecycle.replace(id);
    expect(row()).toMatchObject({ status: "ended", check_at: at(MINUTE), updated_at: at(MINUTE) });
    const { lifecycle: another, trial, row: live } = await onTrial();
    await another.replace(trial.id);
    expect(live()).toMatchObject({ status: "trialing" });
  });
});
