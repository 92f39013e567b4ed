import { expect, test, vi } from "vitest";
import { LOCAL_SECRETS } from "../../../../functions/subscription-api/local-development";
import { messagesTable, runCommand, statusTable } from "../../../../tools/operator";
import { apiInProcess } from "../../../support/api-in-process/api";
import { NOW, stopClock } from "../../../support/clock";
import { validRequest } from "../../../support/person";

stopClock();

const { email, phone, address } = validRequest;
const OPERATOR = `Bearer ${LOCAL_SECRETS.OPERATOR_TOKEN}`;
const COMMANDS = ["export", "erase", "catalog", "prices", "after-restore", "messages", "status"];

/** An API with one trial, and commands for it. */
async function withTrial() {
  const api = apiInProcess();
  const id = await api.onTrial();
  api.calls.length = 0;
  const send = (command: string, given: object = {}, authorization = OPERATOR) => {
    const headers = { "content-type": "application/json", authorization };
    return api.ask(`/operator/${command}`, { method: "POST", headers, body: JSON.stringify(given) });
  };
  return { ...api, id, send, told: async (command: string, given?: object) => (await send(command, given)).json() };
}

test("a command with a wrong token is refused and logged, and does nothing", async () => {
  const { send, rows, calls, logged } = await withTrial();
  for (const command of COMMANDS) expect((await send(command, { email }, "Bearer of-another")).status).toBe(401);
  expect([rows("SELECT 1 FROM sign_ups"), calls]).toEqual([[{ 1: 1 }], []]);
  expect(logged.filter(({ event }) => event === "operator_refused")).toHaveLength(COMMANDS.length);
});

test("export leaves out the password's hash; erase waits until the console knows of the end, and counts", async () => {
  const { send, told, rows, id, runScheduled, logged } = await withTrial();
  const exported = JSON.stringify(await told("export", { email: " ADA@example.com" }));
  for (const value of [phone, address, "trial-started"]) expect(exported).toContain(value);
  expect(exported).not.toMatch(/password|scrypt/);
  const closing = "INSERT INTO outbox (key, sign_up_id, kind, next_attempt_at, created_at)";
  rows(`${closing} VALUES ('closed', ?, 'account-closed', ?, '')`, id, new Date(NOW + 1).toISOString());
  expect((await send("erase", { email })).status).toBe(409);
  expect(rows("SELECT 1 FROM sign_ups")).toHaveLength(1);
  vi.setSystemTime(NOW + 1);
  await runScheduled();
  expect(await told("erase", { email })).toEqual({ erased: 1, customers: 1 });
  expect(await told("erase", { email })).toEqual({ erased: 0, customers: 0 });
  expect(logged).toContainEqual(expect.objectContaining({ event: "person_erased", signUps: 1, customers: 1 }));
});

test("messages lists what is late or dead, and sends one again", async () => {
  const { send, told, rows, settled, calls, logged } = await withTrial();
  expect(messagesTable(await told("messages"))).toBe("No message is late or dead.");
  const dead = "state = 'dead', attempts = 15, created_at = '2026-11-20T08:30:00.000Z'";
  rows(`UPDATE outbox SET ${dead} WHERE kind = 'account-created'`);
  const [{ key } = {}] = rows("SELECT key FROM outbox WHERE state = 'dead'");
  expect(messagesTable(await told("messages")).split(/\n| {2,}/)).toEqual([
    ...["Message", "State", "Attempts", "Since (UTC)", "Next attempt"],
    ...[key, "dead", "15", "2026-11-20 08:30", "never"],
    ...["", expect.stringMatching(/^1 dead/)],
  ]);
  expect(await told("messages", { send_again: key })).toEqual({ sent_again: key });
  await settled();
  expect(calls).toContain("POST http://localhost:8789/console/webhook");
  expect(logged).toContainEqual(expect.objectContaining({ event: "message_sent_again", key }));
  expect(rows("SELECT state FROM outbox WHERE key = ?", String(key))).toEqual([{ state: "sent" }]);
  expect((await send("messages", { send_again: key })).status).toBe(409);
});

test("status counts the sign-ups of the last 30 days by the day on which they began and their state", async () => {
  const { told, rows, signUp } = await withTrial();
  for (const day of ["2026-11-22T00:00:00.000Z", "2026-10-24T00:00:00.000Z", "2026-10-23T23:59:59.999Z"])
    rows("UPDATE sign_ups SET created_at = ? WHERE id = ?", day, (await signUp()).id);
  const answer = await told("status");
  expect(statusTable(answer).split("\n")).toEqual([
    expect.stringMatching(/^Day \(UTC\) +pending +card_set_up +trialing +active +past_due +canceled +ended$/),
    expect.stringMatching(/^2026-10-24 +1$/),
    expect.stringMatching(/^2026-11-22 +1 +1$/),
    ...["", "Release a-release, commit unknown"],
  ]);
  expect(statusTable({ ...Object(answer), sign_ups: [] })).toContain("No sign-ups in the last 30 days.");
});

test.each([
  [["erase"], "Whose data? Add --email {email}."],
  [["after-restore", "--restored-to", "now"], "Add --restored-to and --stopped-at"],
  [["dance"], "The commands are export, erase, catalog, after-restore, messages, status."],
  [["catalog", "--production"], "Set the variable OPERATOR_TOKEN"],
])("the command %j of the terminal says what it lacks", async (args, sentence) => {
  vi.stubEnv("OPERATOR_TOKEN", "");
  await expect(runCommand(args)).rejects.toThrow(sentence);
  vi.unstubAllEnvs();
});
