import { expect, test } from "vitest";
import { COMMANDS } from "../../../../functions/subscription-api/http/operator-commands";
import { LOCAL_SECRETS } from "../../../../functions/subscription-api/local-development";
import { erasureText, messagesTable, statusTable } from "../../../../tools/operator/tables";
import { apiInProcess } from "../../../support/api-in-process/api";
import { refusal } from "../../../support/api-in-process/stripe-objects";
import { stopClock } from "../../../support/clock";
import { validRequest } from "../../../support/person";

/* The operator's commands, and the tables that a terminal shows. */

stopClock();

const { email, phone, address } = validRequest;
const TOKEN = `Bearer ${LOCAL_SECRETS.OPERATOR_TOKEN}`;
const names = Object.keys(COMMANDS).map((command) => ({ command }));

function operatedApi(settings: Record<string, unknown> = {}) {
  const api = apiInProcess({ settings });
  const send = (command: string, body: object = {}, authorization = TOKEN) =>
    api.ask(`/operator/${command}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization },
      body: JSON.stringify(body),
    });
  return {
    ...api,
    send,
    /** The JSON of a command's answer. */
    answerTo: async (command: string, body?: object): Promise<unknown> => (await send(command, body)).json(),
  };
}

/** An API with one trial, and its calls and log lines since. */
async function withTrial() {
  const api = operatedApi();
  const id = await api.onTrial();
  api.calls.length = 0;
  return { ...api, id };
}

/** A trial whose account webhook is dead. */
async function withDeadMessage() {
  const api = await withTrial();
  const dead = "state = 'dead', attempts = 15, created_at = '2026-11-20T08:30:00.000Z', settled_at = NULL";
  api.rows(`UPDATE outbox SET ${dead} WHERE kind = 'account-created'`);
  const state = () => api.rows("SELECT state FROM outbox WHERE kind = 'account-created'")[0]?.state;
  return { ...api, key: `account-created/${api.id}`, state };
}

test.each(names)("$command with a wrong token is refused and logged, and changes nothing", async ({ command }) => {
  const { send, rows, calls, logged } = await withTrial();
  const before = rows("SELECT * FROM sign_ups");
  expect(await send(command, { email }, "Bearer of-another")).toHaveStatus(401);
  expect(logged).toContainEqual(expect.objectContaining({ level: "warn", event: "operator_refused" }));
  expect(rows("SELECT * FROM sign_ups")).toEqual(before);
  expect(calls).toEqual([]);
});

test.each([
  { command: "export", body: {}, wanted: "an email" },
  { command: "erase", body: { email: "nobody" }, wanted: "an email" },
  { command: "messages", body: { send_again: 1 }, wanted: "send_again, the key of a message, or nothing" },
  {
    command: "after-restore",
    body: { restored_to: "yesterday", stopped_at: "2026-11-22T12:00:00Z" },
    wanted: "restored_to and stopped_at",
  },
])("$command with the body $body is told what the body must have", async ({ command, body, wanted }) => {
  const { send } = operatedApi();
  expect(await send(command, body)).toBeProblem(422, `The body must be JSON with ${wanted}`);
});

test("after-restore is refused outside maintenance", async () => {
  const { send } = operatedApi();
  const body = { restored_to: "2026-11-22T11:00:00Z", stopped_at: "2026-11-22T12:00:00Z" };
  expect(await send("after-restore", body)).toBeProblem(409, "Set MAINTENANCE to true first");
});

test("commands work in maintenance", async () => {
  const { send } = operatedApi({ MAINTENANCE: "true" });
  expect(await send("export", { email })).toHaveStatus(200);
});

test("export finds a person whom Stripe does not know by an address with capitals and a space", async () => {
  const { answerTo, post, instead, rows } = operatedApi();
  // The search at Stripe ignores case, so that it would find the person anyway.
  instead.set("POST customers", refusal(500, "", "api_error"));
  await post();
  const [{ id } = {}] = rows("SELECT id FROM sign_ups");
  expect(await answerTo("export", { email: " ADA@example.com" })).toMatchObject({ signUps: [{ id }] });
});

test("export has what was typed and the messages, and not the password's hash", async () => {
  const { answerTo } = await withTrial();
  const exported = JSON.stringify(await answerTo("export", { email }));
  for (const value of [phone, address, "trial-started"]) expect(exported).toContain(value);
  expect(exported).not.toMatch(/password|scrypt/);
});

test("erase says how many sign-ups and customers it erased", async () => {
  const { answerTo, logged } = await withTrial();
  expect(await answerTo("erase", { email })).toEqual({ erased: 1, customers: 1 });
  expect(logged).toContainEqual(expect.objectContaining({ event: "person_erased", signUps: 1, customers: 1 }));
});

test("erase finds nothing the second time", async () => {
  const { answerTo } = await withTrial();
  await answerTo("erase", { email });
  expect(await answerTo("erase", { email })).toEqual({ erased: 0, customers: 0 });
});

test("npm run erase says what the API still does, and that nothing is left to do", async () => {
  const { answerTo } = await withTrial();
  expect(erasureText(await answerTo("erase", { email }))).toBe(`Erased sign-ups: 1. Deleted Stripe customers: 1.
If Stripe is still creating a customer for a form that was just sent, the API deletes it as soon as Stripe reports it. You do not need to run this again.`);
});

test("erase names the messages for which it waits, and erases nothing", async () => {
  const { send, rows, id } = await withTrial();
  rows(
    `INSERT INTO outbox (key, sign_up_id, kind, state, next_attempt_at, created_at)
     VALUES ('a key', ?, 'not-me-reported', 'dead', '', '')`,
    id,
  );
  const answer = await send("erase", { email });
  expect(answer).toBeProblem(409, "Waiting until these messages have been sent: not-me-reported");
  expect(rows("SELECT id FROM sign_ups")).toEqual([{ id }]);
});

test("messages says that no message is late or dead", async () => {
  const { answerTo } = await withTrial();
  expect(messagesTable(await answerTo("messages"), "staging")).toBe("No messages are late or dead.");
});

test("messages shows a dead message with its attempts and since when it waits", async () => {
  const { answerTo, key } = await withDeadMessage();
  const [headings, row] = messagesTable(await answerTo("messages"), "staging").split("\n");
  expect(headings?.split(/ {2,}/)).toEqual(["Message", "State", "Attempts", "Since (UTC)", "Next attempt"]);
  expect(row?.split(/ {2,}/)).toEqual([key, "dead", "15", "2026-11-20 08:30", "never"]);
});

test("messages says how many messages are dead, and how to send one again", async () => {
  const { answerTo } = await withDeadMessage();
  expect(messagesTable(await answerTo("messages"), "staging")).toContain(
    "1 dead. To send one again: npm run messages staging -- --send-again {message}",
  );
});

test("a dead message is sent again at once", async () => {
  const { answerTo, key, state, settled, calls } = await withDeadMessage();
  expect(await answerTo("messages", { send_again: key })).toEqual({ sent_again: key });
  await settled();
  expect(state()).toBe("sent");
  expect(calls).toContain("POST http://localhost:8789/console/webhook");
});

test("a message that is sent again is logged with its key", async () => {
  const { send, key, settled, logged } = await withDeadMessage();
  await send("messages", { send_again: key });
  await settled();
  expect(logged).toContainEqual(expect.objectContaining({ event: "message_sent_again", key }));
});

test("a message that was sent is not sent again", async () => {
  const { send, id } = await withTrial();
  expect(await send("messages", { send_again: `trial-started/${id}` })).toBeProblem(
    409,
    "This message was already sent, is being sent, is due now or does not exist",
  );
});

/** An API with pending sign-ups that began at these times. */
async function withSignUpsOf(...times: string[]) {
  const api = operatedApi();
  for (const time of times) api.rows("UPDATE sign_ups SET created_at = ? WHERE id = ?", time, (await api.signUp()).id);
  return { ...api, lines: async () => statusTable(await api.answerTo("status")).split("\n") };
}

test("status counts sign-ups by the day on which they began and their state now", async () => {
  const { lines, onTrial } = await withSignUpsOf("2026-11-21T23:59:59.999Z", "2026-11-22T00:00:00.000Z");
  await onTrial();
  const [headings, yesterday, today] = await lines();
  expect(headings).toMatch(/^Day \(UTC\) +pending +card_set_up +trialing +active +past_due +canceled +ended$/);
  expect(yesterday).toMatch(/^2026-11-21 +1$/);
  expect(today).toMatch(/^2026-11-22 +1 +1$/);
});

test("status counts the last 30 days", async () => {
  const { lines } = await withSignUpsOf("2026-10-24T00:00:00.000Z", "2026-10-23T23:59:59.999Z");
  const days = (await lines()).filter((line) => line.startsWith("2026"));
  expect(days).toEqual([expect.stringMatching(/^2026-10-24 +1$/)]);
});

test("status says that there are no sign-ups, and names the release", async () => {
  const { lines } = await withSignUpsOf();
  expect(await lines()).toEqual(["No sign-ups in the last 30 days.", "", "Release a-release, commit unknown"]);
});
