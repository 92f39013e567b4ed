import { describe, expect, test, vi } from "vitest";
import { processedEventsIn } from "../../../../../functions/subscription-api/sign-ups/store/processed-events";
import {
  signUpEndingsIn,
  type UsedCard,
} from "../../../../../functions/subscription-api/sign-ups/store/sign-up-endings";
import { stopClock } from "../../../../support/api-in-process/clock";
import { databaseInMemory } from "../../../../support/api-in-process/database";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.parse("2026-11-22T12:00:00.000Z");
const at = (milliseconds: number) => new Date(NOW + milliseconds).toISOString();
const declined = (id: string) => ({ id, type: "setup_intent.setup_failed" });

stopClock(NOW);

/** A sign-up with some columns set; a minute later. */
async function signedUp(columns = "stripe_setup_intent_id = 'seti_1'") {
  const { db, rows, signUp } = databaseInMemory();
  const endings = signUpEndingsIn(db);
  const { id } = await signUp();
  rows(`UPDATE sign_ups SET ${columns} WHERE id = ?`, id);
  vi.setSystemTime(NOW + MINUTE);
  const card: UsedCard = { signUpId: id, setupIntentId: "seti_1", customerId: "cus_1", usedCards: 0, hash: "a card" };
  const row = () => rows("SELECT * FROM sign_ups WHERE id = ?", id)[0];
  const messages = () => rows("SELECT kind FROM outbox").map(({ kind }) => kind);
  const isProcessed = (event: string) => processedEventsIn(db).has(declined(event));
  return { db, endings, id, card, rows, row, messages, isProcessed };
}

describe("a declined card", () => {
  test("counts once for each event; after the fifth the sign-up is due for the cron handler [H3]", async () => {
    const { endings, id, row, isProcessed } = await signedUp("stripe_setup_intent_id = 'seti_1', used_cards = 1");
    const check = row()?.check_at;
    for (const event of ["evt_1", "evt_1", "evt_2", "evt_3"])
      await endings.countDeclined(id, "seti_1", declined(event));
    expect(row()).toMatchObject({ declined_cards: 3, check_at: check, updated_at: at(MINUTE) });
    await endings.countDeclined(id, "seti_1", declined("evt_4"));
    expect(row()).toMatchObject({ declined_cards: 4, check_at: at(MINUTE) });
    expect(await isProcessed("evt_4")).toBe(true);
  });

  test.each([
    ["for another setup intent", "stripe_setup_intent_id = 'seti_2'"],
    ["for a sign-up on trial", "stripe_setup_intent_id = 'seti_1', status = 'trialing'"],
  ])("%s does not count, and its event is processed", async (_, columns) => {
    const { endings, id, row, isProcessed } = await signedUp(columns);
    await endings.countDeclined(id, "seti_1", declined("evt_1"));
    expect(row()).toMatchObject({ declined_cards: 0 });
    expect(await isProcessed("evt_1")).toBe(true);
  });
});

test("a sign-up that does not exist gives null, and nothing is counted", async () => {
  const { endings, card, messages } = await signedUp();
  expect(await endings.countDeclined("another", "seti_1", declined("evt_1"))).toBeNull();
  expect(await endings.refuseUsedCard({ ...card, signUpId: "another" })).toBeNull();
  expect(messages()).toEqual([]);
});

describe("a used card", () => {
  test("leaves its sign-up waiting for another, with one email however many are used [H3]", async () => {
    const { endings, card, row, messages, isProcessed } = await signedUp();
    await endings.refuseUsedCard(card, declined("evt_used"));
    expect(await isProcessed("evt_used")).toBe(true);
    expect(row()).toMatchObject({
      status: "pending",
      used_cards: 1,
      stripe_setup_intent_id: null,
      check_at: at(11 * MINUTE),
      updated_at: at(MINUTE),
    });
    await endings.refuseUsedCard(card);
    expect(row()).toMatchObject({ used_cards: 1 });
    await endings.refuseUsedCard({ ...card, setupIntentId: "seti_2", usedCards: 1 });
    expect(row()).toMatchObject({ used_cards: 2 });
    expect(messages()).toEqual(["card-used"]);
  });

  test.each([
    ["of another setup intent", "stripe_setup_intent_id = 'seti_2'"],
    ["of a sign-up that has its trial", "status = 'trialing'"],
  ])("%s changes nothing", async (_, columns) => {
    const { endings, card, row, messages } = await signedUp(columns);
    const before = row();
    await endings.refuseUsedCard(card);
    expect([row(), messages()]).toEqual([before, []]);
  });
});

test("a pending sign-up that ends is kept for a day, and its key can be used again [H3]", async () => {
  const { endings, id, row } = await signedUp();
  expect(await endings.endPending(id, "cards-failed")).toBe(true);
  expect(row()).toMatchObject({
    status: "ended",
    end_reason: "cards-failed",
    idempotency_key: `ended ${id}`,
    check_at: at(24 * HOUR + MINUTE),
    updated_at: at(MINUTE),
  });
  expect(await endings.endPending(id, "not-me")).toBe(false);
  expect(row()).toMatchObject({ end_reason: "cards-failed" });
});

describe(`a trial reported with "Wasn't you?"`, () => {
  test.each(["card_set_up", "trialing", "past_due", "canceled"])("ends once while it is %s [H4]", async (status) => {
    const { endings, id, row, rows, messages } = await signedUp(`status = '${status}', trial_end = '2026-12-01'`);
    for (const hash of ["of the address", "of the card"]) rows("INSERT INTO trial_claims VALUES (?, ?)", hash, id);
    rows("INSERT INTO trial_claims VALUES ('of another', NULL)");
    expect(await endings.endTrial(id, "not-me", ["of the address", "of another"])).toBe(true);
    expect(row()).toMatchObject({
      status: "canceled",
      end_reason: "not-me",
      idempotency_key: `ended ${id}`,
      check_at: null,
      updated_at: at(MINUTE),
      version: 1,
    });
    expect(rows("SELECT hash FROM trial_claims ORDER BY hash")).toEqual([
      { hash: "of another" },
      { hash: "of the card" },
    ]);
    expect(await endings.endTrial(id, "not-me", [])).toBe(false);
    expect(messages()).toEqual(["account-closed"]);
  });

  test.each([
    ["pending", "NULL"],
    ["ended", "'replaced'"],
  ])("does not end while the sign-up is %s", async (status, reason) => {
    const { endings, id, row, messages } = await signedUp(`status = '${status}', end_reason = ${reason}`);
    const before = row();
    expect(await endings.endTrial(id, "not-me", [])).toBe(false);
    expect([row(), messages()]).toEqual([before, []]);
  });
});

test("an email address is confirmed once, and not for an ended sign-up [H4]", async () => {
  const { endings, id, messages } = await signedUp();
  expect(await endings.verifyEmail(id)).toMatchObject({ email_verified_at: at(MINUTE) });
  vi.setSystemTime(NOW + HOUR);
  expect(await endings.verifyEmail(id)).toMatchObject({ email_verified_at: at(MINUTE), updated_at: at(MINUTE) });
  expect(messages()).toEqual(["email-verified"]);
  const ended = await signedUp("end_reason = 'not-me'");
  expect(await ended.endings.verifyEmail(ended.id)).toMatchObject({ email_verified_at: null });
  expect(ended.messages()).toEqual([]);
  expect(await endings.verifyEmail("another")).toBeNull();
});

test("old events are deleted in batches", async () => {
  const { db, rows } = await signedUp();
  const events = processedEventsIn(db);
  for (const [id, time] of [
    ["old", -1],
    ["older", -2],
    ["new", 0],
  ] as const) {
    rows("INSERT INTO stripe_events VALUES (?, 'a type', ?)", id, at(time));
  }
  await events.deleteBefore(new Date(NOW), 1);
  expect(rows("SELECT id FROM stripe_events")).toHaveLength(2);
  await events.deleteBefore(new Date(NOW), 9);
  expect(rows("SELECT id FROM stripe_events")).toEqual([{ id: "new" }]);
});
