import { expect, test, vi } from "vitest";
import { LOCAL_SECRETS } from "../../../functions/subscription-api/local-development";
import { messagesTable, runCommand, statusTable } from "../../../tools/operator";
import { apiInProcess } from "../../support/api-in-process/api";
import { stopClock } from "../../support/api-in-process/clock";
import { validRequest } from "../../support/visitors/visitor";

const NOW = Date.parse("2026-11-22T12:00:00.000Z");
stopClock(NOW);

const BEARER = `Bearer ${LOCAL_SECRETS.OPERATOR_TOKEN}`;
const JSON_TYPE = { "content-type": "application/json" };
const OPERATOR = { ...JSON_TYPE, authorization: BEARER };
const NO_TOKEN = "The operator token is missing or wrong";
const NO_JSON = "The body must be application/json";
const COMMANDS = ["export", "erase", "catalog", "after-restore", "messages", "status"];

/** An API with one trial, and commands for it. */
async function withTrial(settings: Record<string, unknown> = {}) {
  const api = apiInProcess({ settings });
  const id = await api.onTrial();
  api.calls.length = 0;
  const send = (command: string, given: object | string = {}, headers: Record<string, string> = OPERATOR) => {
    const body = typeof given === "string" ? given : JSON.stringify(given);
    return api.ask(`/operator/${command}`, { method: "POST", headers, body });
  };
  return { ...api, id, send };
}

test.each<[string, Record<string, string>, number, string]>([
  ["no token", {}, 401, NO_TOKEN],
  ["an empty token", { authorization: "Bearer " }, 401, NO_TOKEN],
  ["a shorter token", { authorization: BEARER.slice(0, -1) }, 401, NO_TOKEN],
  ["a longer token", { authorization: `${BEARER}x` }, 401, NO_TOKEN],
  ["what a browser adds", { authorization: `Basic ${btoa(`a:${LOCAL_SECRETS.OPERATOR_TOKEN}`)}` }, 401, NO_TOKEN],
  ["a form of another site", { authorization: BEARER, "content-type": "text/plain" }, 415, NO_JSON],
  ["a type that begins like JSON", { authorization: BEARER, "content-type": "application/json-seq" }, 415, NO_JSON],
])("a command with %s is refused and does nothing", async (_, headers, status, title) => {
  const { send, rows, calls, logged } = await withTrial();
  for (const command of COMMANDS) {
    const answer = await send(command, { email: validRequest.email }, { ...JSON_TYPE, ...headers });
    expect(answer.headers.get("www-authenticate")).toBe(status === 401 ? "Bearer" : null);
    expect(await answer.json(), command).toEqual({ type: "about:blank", status, title });
  }
  expect([rows("SELECT 1 FROM sign_ups"), calls]).toEqual([[{ 1: 1 }], []]);
  expect(logged.filter(({ event }) => event === "operator_refused")).toHaveLength(status === 401 ? COMMANDS.length : 0);
});

test("without a token there are no commands", async () => {
  const { send } = await withTrial({ OPERATOR_TOKEN: "" });
  for (const command of COMMANDS) expect((await send(command)).status).toBe(404);
});

test.each([
  ["export", "{", "an email"],
  ["export", {}, "an email"],
  ["erase", { email: "nobody" }, "an email"],
  ["after-restore", { restored_to: "yesterday", stopped_at: "2026-11-22T12:00:00Z" }, "restored_to and stopped_at"],
  ["messages", { send_again: 1 }, "send_again, the key of a message, or nothing"],
])("%s with the body %j is not understood", async (command, body, members) => {
  const { send } = await withTrial();
  const title = `The body must be JSON with ${members}`;
  expect(await (await send(command, body)).json()).toMatchObject({ status: 422, title });
});

test("export gives everything about a person but the password's hash, and erase counts what it deleted", async () => {
  const { send, rows, settled, logged } = await withTrial();
  const exported = await (await send("export", { email: " ADA@example.com" })).text();
  for (const value of [validRequest.phone, validRequest.address, "trial-started"]) expect(exported).toContain(value);
  expect(exported).not.toContain(String(rows("SELECT password_hash FROM sign_ups")[0]?.password_hash));
  expect(exported).not.toContain("password");

  expect(await (await send("erase", { email: validRequest.email })).json()).toEqual({ erased: 1, customers: 1 });
  expect(await (await send("erase", { email: validRequest.email })).json()).toEqual({ erased: 0, customers: 0 });
  expect(logged).toContainEqual(expect.objectContaining({ event: "person_erased", signUps: 1, customers: 1 }));
  await settled();
});

test("a person is not erased before the console knows that the account is closed", async () => {
  const { send, rows, id, runScheduled } = await withTrial();
  const closing = `INSERT INTO outbox (key, sign_up_id, kind, next_attempt_at, created_at) VALUES ('closed', ?, 'account-closed', ?, '')`;
  rows(closing, id, new Date(NOW + 1).toISOString());
  expect((await send("erase", { email: validRequest.email })).status).toBe(409);
  expect(rows("SELECT 1 FROM sign_ups")).toHaveLength(1);
  vi.setSystemTime(NOW + 1);
  await runScheduled();
  expect(await (await send("erase", { email: validRequest.email })).json()).toMatchObject({ erased: 1 });
});

test("messages lists what is late or dead, and sends one again", async () => {
  const { send, rows, settled, calls, logged } = await withTrial();
  const table = async () => messagesTable(await (await send("messages")).json());
  expect(await table()).toBe("No message is late or dead.");
  const dead = "state = 'dead', attempts = 15, created_at = '2026-11-20T08:30:00.000Z'";
  rows(`UPDATE outbox SET ${dead} WHERE kind = 'account-created'`);
  const [{ key } = {}] = rows("SELECT key FROM outbox WHERE state = 'dead'");
  const lines = (await table()).split("\n").map((line) => line.split(/ {2,}/));
  expect(lines.slice(0, 3)).toEqual([
    ["Message", "State", "Attempts", "Since (UTC)", "Next attempt"],
    [key, "dead", "15", "2026-11-20 08:30", "never"],
    [""],
  ]);
  expect(lines[3]?.[0]).toMatch(/^1 dead/);
  expect(await (await send("messages", { send_again: key })).json()).toEqual({ sent_again: key });
  await settled();
  expect(calls).toContain("POST http://localhost:8789/console/webhook");
  expect(logged).toContainEqual(expect.objectContaining({ event: "message_sent_again", key }));
  expect(rows("SELECT state FROM outbox WHERE key = ?", String(key))).toEqual([{ state: "sent" }]);
  expect((await send("messages", { send_again: key })).status).toBe(409);
});

test("status counts the sign-ups of the last 30 days by the day on which they began and their state", async () => {
  const { send, rows, signUp } = await withTrial();
  const days = ["2026-11-22T00:00:00.000Z", "2026-10-24T00:00:00.000Z", "2026-10-23T23:59:59.999Z"];
  for (const [at, created] of days.entries())
    rows("UPDATE sign_ups SET created_at = ? WHERE id = ?", created, (await signUp({ email: `${at}@example.com` })).id);
  const answer = await (await send("status")).json();
  const lines = statusTable(answer).split("\n");
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
    ["Day (UTC)", "pending", "card_set_up", "trialing", "active", "past_due", "canceled", "ended"],
    ["2026-10-24", "1"],
    ["2026-11-22", "1", "1"],
    [""],
    ["Release a-release, commit unknown"],
  ]);
  expect(statusTable({ ...Object(answer), sign_ups: [] })).toContain("No sign-ups in the last 30 days.");
});

test("a command of the terminal says what it lacks, and what the API answers", async () => {
  const { ask } = await withTrial();
  const others = vi.mocked(fetch).getMockImplementation();
  vi.mocked(fetch).mockImplementation(async (given, init) =>
    String(given).startsWith("http://localhost:8788/") ? ask(String(given), init) : (others ?? fetch)(given, init),
  );
  const run = (...args: string[]) => runCommand([...args, "--url", "http://localhost:8788"]);
  expect(await run("export", "--email", validRequest.email)).toMatchObject({ email: validRequest.email });
  for (const [args, sentence] of [
    [["erase"], "Whose data? Add --email {email}."],
    [["after-restore", "--restored-to", "now"], "Add --restored-to and --stopped-at"],
    [["dance"], "The commands are export, erase, catalog, after-restore, messages, status."],
    [["erase", "--email", "b@example.com"], "No sign-up, and no customer at Stripe, has this email address."],
    [["export", "--email", "nobody"], "The API answered 422"],
  ] as const)
    await expect(run(...args)).rejects.toThrow(sentence);
  vi.stubEnv("OPERATOR_TOKEN", "");
  await expect(runCommand(["catalog", "--production"])).rejects.toThrow("Set the variable OPERATOR_TOKEN");
  vi.unstubAllEnvs();
});
