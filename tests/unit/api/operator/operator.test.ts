import { expect, test } from "vitest";
import { sendAgain, stuckMessages } from "../../../../functions/subscription-api/operator/stuck-messages";
import { SEND_LEASE_MS } from "../../../../functions/subscription-api/outbox/outbox";
import { erasureText, messagesTable, statusTable } from "../../../../tools/operator/tables";
import { apiInProcess } from "../../../support/api-in-process/api";
import { MINUTE } from "../../../support/api-in-process/scheduler";
import { answer } from "../../../support/api-in-process/stripe-objects";
import { NOW, stopClock } from "../../../support/clock";
import { validRequest } from "../../../support/person";
import { iso, ON_TRIAL, outboxOf } from "../outbox/outbox-of";

stopClock();

const { email, phone, address } = validRequest;

function operatedApi(settings: Record<string, unknown> = {}) {
  const api = apiInProcess({ settings });
  const answerTo = async (command: string, body = {}): Promise<unknown> => (await api.operate(command, body)).json();
  return { ...api, answerTo };
}

test.each([
  { command: "erase", body: { email: "nobody" }, wanted: "an email" },
  { command: "messages", body: { send_again: 1 }, wanted: "send_again, the key of a message, or nothing" },
  { command: "after-restore", body: { restored_to: "x", stopped_at: "x" }, wanted: "restored_to and stopped_at" },
])("$command with the body $body is told what the body must have", async ({ command, body, wanted }) => {
  const refused = await operatedApi().operate(command, body);
  expect(refused).toBeProblem(422, `The body must be JSON with ${wanted}`);
});

test.each([
  { from: "11-22T12:00:01", to: "12:00:00", title: "restored_to is later than stopped_at: are the two swapped?" },
  { from: "11-22T11:00:00", to: "12:00:01", title: "stopped_at is in the future" },
  { from: "10-23T11:59:59", to: "12:00:00", title: "restored_to is more than 30 days ago" },
  { from: "10-23T12:00:00", to: "12:00:00", title: undefined },
  { from: "11-22T11:00:00", to: "12:00:00", isOn: false, title: "Set MAINTENANCE to true first" },
])("after-restore from $from to $to is refused: $title", async ({ from, to, isOn = true, title }) => {
  const { answerTo, rows, signUp } = operatedApi(isOn ? { MAINTENANCE: "true" } : {});
  await signUp();
  const body = { restored_to: `2026-${from}Z`, stopped_at: `2026-11-22T${to}Z` };
  const refused = { status: isOn ? 422 : 409, title: expect.stringContaining(String(title)) };
  expect(await answerTo("after-restore", body)).toMatchObject(title === undefined ? { checked_again: 1 } : refused);
  expect(rows("SELECT stripe_attempt FROM sign_ups")).toEqual([{ stripe_attempt: title === undefined ? 1 : 0 }]);
});

test("export has what a person typed and got, but no password's hash and no bookkeeping of ours, and nobody else's", async () => {
  const { answerTo, onTrial, signUp, instead, rows, logged } = operatedApi();
  const id = await onTrial();
  await signUp({ email: "somebody@else.example" });
  // Stripe's search ignores case, so that it would find the person anyway.
  instead.set("GET customers", answer(200, { data: [] }));
  const { signUps } = Object(await answerTo("export", { email: " ADA@example.com" }));
  const messages = expect.arrayContaining([expect.objectContaining({ kind: "trial-started" })]);
  expect(signUps).toEqual([expect.objectContaining({ id, email, phone, address, messages })]);
  const columns = rows("SELECT name FROM pragma_table_xinfo('sign_ups')").map(({ name }) => String(name));
  const kept = ["idempotency_key", "check_rank", "password_hash", "stripe_attempt", "version"];
  const exported = [...columns.filter((name) => !kept.includes(name)), "messages"];
  expect(Object.keys(signUps[0]).sort()).toEqual(exported.sort());
  expect(logged).toContainEqual(expect.objectContaining({ event: "person_exported", signUps: 1 }));
});

test("erase names the messages for which it waits, and then says how much it erased, and that nothing is left to do", async () => {
  const { answerTo, operate, onTrial, signUp, rows, logged } = operatedApi();
  const id = await onTrial();
  await signUp();
  const message = "INSERT INTO outbox (key, sign_up_id, kind, state, next_attempt_at, created_at)";
  rows(`${message} VALUES ('a key', ?, 'not-me-reported', 'dead', '', '')`, id);
  const refused = await operate("erase", { email });
  expect(refused).toBeProblem(409, "Waiting until these messages have been sent: not-me-reported");
  rows("UPDATE outbox SET state = 'sent'");
  const erased = await answerTo("erase", { email });
  expect(erased).toEqual({ erased: 2, customers: 1 });
  expect(logged).toContainEqual(expect.objectContaining({ event: "person_erased", signUps: 2, customers: 1 }));
  expect(erasureText(erased)).toBe(`Erased sign-ups: 2. Deleted Stripe customers: 1.
If Stripe is still creating a customer for a form that was just sent, the API deletes it as soon as Stripe reports it. You do not need to run this again.`);
  expect(await answerTo("erase", { email })).toEqual({ erased: 0, customers: 0 });
});

test("messages shows a dead message, and sends it again at once, with a log line, but never a second time", async () => {
  const { answerTo, operate, onTrial, rows, settled, calls, logged } = operatedApi();
  const key = `account-created/${await onTrial()}`;
  const table = async () => messagesTable(await answerTo("messages"), "staging");
  expect(await table()).toBe("No messages are late or dead.");
  const dead = "state = 'dead', attempts = 15, settled_at = NULL";
  rows(`UPDATE outbox SET ${dead}, created_at = '2026-11-20T08:30:00.000Z' WHERE kind = 'account-created'`);
  const lines = (await table()).split("\n");
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
    ["Message", "State", "Attempts", "Since (UTC)", "Next attempt"],
    [key, "dead", "15", "2026-11-20 08:30", "never"],
    [""],
    ["1 dead. To send one again: npm run messages staging -- --send-again {message}"],
  ]);
  calls.length = 0;
  expect(await answerTo("messages", { send_again: key })).toEqual({ sent_again: key });
  await settled();
  expect(rows("SELECT state FROM outbox WHERE kind = 'account-created'")).toEqual([{ state: "sent" }]);
  expect(calls).toEqual(["POST http://localhost:8789/console/webhook"]);
  expect(logged).toContainEqual(expect.objectContaining({ event: "message_sent_again", key }));
  const isOver = "This message was already sent, is being sent, is due now or does not exist";
  expect(await operate("messages", { send_again: key })).toBeProblem(409, isOver);
});

const DUE_LONG = `next_attempt_at = '${iso(NOW - 5 * MINUTE - 1)}'`;
const dueIn = (ms: number) => `next_attempt_at = '${iso(NOW + ms)}'`;
const WITHOUT_RECEIVER = { kinds: ["trial-ending"] as const };

test.each([
  { what: "dead", columns: "state = 'dead'", listed: true, sentAgain: true },
  { what: "dead, without a receiver", columns: "state = 'dead'", ...WITHOUT_RECEIVER, listed: true, sentAgain: true },
  { what: "tried twice", columns: `attempts = 2, ${dueIn(SEND_LEASE_MS + 1)}`, listed: true, sentAgain: true },
  { what: "perhaps on its way", columns: `attempts = 2, ${dueIn(SEND_LEASE_MS)}`, listed: true, sentAgain: false },
  { what: "tried once", columns: "attempts = 1", listed: false, sentAgain: false },
  { what: "due for five minutes", columns: dueIn(-5 * MINUTE), listed: false, sentAgain: false },
  { what: "due for longer", columns: DUE_LONG, listed: true, sentAgain: false },
  { what: "due, without a receiver", columns: DUE_LONG, ...WITHOUT_RECEIVER, listed: false, sentAgain: false },
  { what: "sent", columns: "state = 'sent', attempts = 2", listed: false, sentAgain: false },
])("a message that is $what is listed: $listed, and can be sent again: $sentAgain", async (one) => {
  const { db, row, rows } = await outboxOf(ON_TRIAL, "card-used");
  rows(`UPDATE outbox SET ${one.columns}`);
  const before = row();
  const { kinds = ["card-used"] as const } = { kinds: undefined, ...one };
  expect(await stuckMessages(db, kinds, 9)).toMatchObject(one.listed ? [{ key: "card-used" }] : []);
  expect(await sendAgain(db, "another")).toBe(false);
  expect(await sendAgain(db, "card-used")).toBe(one.sentAgain);
  const again = { state: "due", attempts: 0, next_attempt_at: iso(NOW) };
  expect(row()).toEqual(one.sentAgain ? { ...before, ...again } : before);
});

test("status counts the last 30 days' sign-ups by the day on which they began and their state now", async () => {
  const { answerTo, rows, signUp, onTrial } = operatedApi();
  const lines = async () => statusTable(await answerTo("status")).split("\n");
  const release = ["", "Release a-release, commit unknown"];
  expect(await lines()).toEqual(["No sign-ups in the last 30 days.", ...release]);
  for (const time of ["11-21T23:59:59.999Z", "11-22T00:00:00.000Z", "10-24T00:00:00.000Z", "10-23T23:59:59.999Z"])
    rows("UPDATE sign_ups SET created_at = ? WHERE id = ?", `2026-${time}`, (await signUp()).id);
  await onTrial();
  expect(await lines()).toEqual([
    "Day (UTC)   pending  card_set_up  trialing  active  past_due  canceled  ended",
    "2026-10-24  1",
    "2026-11-21  1",
    "2026-11-22  1                     1",
    ...release,
  ]);
});
