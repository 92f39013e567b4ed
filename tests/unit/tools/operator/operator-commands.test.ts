import { expect, test, vi } from "vitest";
import type { Neighbors } from "../../../../tools/neighbors";
import { runCommand } from "../../../../tools/operator/operator";
import { type Answer, HOST, hostsOf, neighborsWith, OPERATOR, siteAlone, timeIsUp } from "../neighbors";
import { outcomeOf } from "../outcome";

/* The operator's commands: what they send and print and how they end, for each answer of the API. */

const { OPERATOR_TOKEN } = OPERATOR;
const PERSON = { email: "ada@example.com" };
const TIMES = { restored_to: "2026-11-28T08:00:00Z", stopped_at: "2026-11-28T09:00:00Z" };
const RESTORED = ["--restored-to", TIMES.restored_to, "--stopped-at", TIMES.stopped_at];
const SCRIPTS = ["status", "messages", "export", "erase", "catalog", "after-restore"];

type Setup = { args?: string[]; others?: Partial<Neighbors> };

/** Runs a command. `bodies` are what it sent to the API. */
async function ran(script: string, answer: Answer, { args, others }: Setup = {}) {
  const bodies: unknown[] = [];
  const fetch = hostsOf({
    "api.acme.com": (path, init) => {
      bodies.push(JSON.parse(String(init.body)));
      // A connection that is kept may be closed by the API before the next command.
      expect(init.headers).toMatchObject({ authorization: `Bearer ${OPERATOR_TOKEN}`, connection: "close" });
      return answer(path, init);
    },
  });
  const beside = neighborsWith({ fetch, env: OPERATOR, ask: async () => ` ${PERSON.email} `, ...others });
  const outcome = await outcomeOf(async () => {
    const given = args ?? (script === "after-restore" ? RESTORED : []);
    console.log(await runCommand(script, ["production", ...given], beside));
    return true;
  });
  return { ...outcome, bodies };
}

const NOBODY = { erased: 0, customers: 0 };
const CUSTOMER = { ...NOBODY, customers: 1 };

test.each<{ script: string; answer: object; exitCode?: number; body?: object; says: RegExp }>([
  { script: "status", answer: { release: "r", commit: "c", days: 30, sign_ups: [] }, says: /^Release r, commit c$/m },
  { script: "status", answer: { other: true }, exitCode: 1, says: /is another release's: \{"other":true\}$/ },
  { script: "messages", answer: { messages: [], dead: 0 }, says: /^No messages are late or dead\.$/m },
  { script: "export", answer: { sign_ups: [] }, body: PERSON, says: /^\{\n {2}"sign_ups": \[\]\n\}$/m },
  { script: "erase", answer: { ...NOBODY, erased: 1 }, body: PERSON, says: /You do not need to run this again\.$/ },
  { script: "erase", answer: CUSTOMER, body: PERSON, says: /^Erased sign-ups: 0\. Deleted .*: 1\.$/m },
  { script: "erase", answer: NOBODY, exitCode: 1, body: PERSON, says: /^No sign-up and no Stripe customer has/m },
  { script: "catalog", answer: { prices: [] }, says: /^\{\n {2}"prices": \[\]\n\}$/m },
])("$script that the API answers with $answer ends with its words", async ({ script, answer, says, ...expected }) => {
  const { exitCode = 0, body = {} } = expected;
  const ended = await ran(script, () => Response.json(answer));
  expect(ended).toMatchObject({ exitCode, output: expect.stringMatching(says) });
  expect(ended.bodies).toEqual([body]);
});

const answers = (status: number, text: string) => () => new Response(text, { status });
/** An answer whose connection breaks. */
const cut = () => new Response(new ReadableStream({ start: (body) => body.error(new TypeError("terminated")) }));

test.each<{ what: string; answer: Answer; says: RegExp }>([
  { what: "is silent", answer: HOST.silent, says: /cannot be reached \(getaddrinfo ENOTFOUND\): check the/ },
  { what: "is slow", answer: HOST.slow, says: /cannot be reached \(too slow\)/ },
  { what: "is cut off in its answer", answer: cut, says: /cannot be reached \(terminated\)/ },
  { what: "answers HTML", answer: answers(200, "<!doctype html>"), says: /is SUBSCRIPTION_API_URL the API's URL\?$/ },
  { what: "is challenged", answer: HOST.challenging, says: /^a bot check answered for api\.acme\.com \(cf-mitigated/ },
  { what: "fails", answer: answers(500, "Broken"), says: /^The API answered 500: Broken$/ },
  { what: "refuses the token", answer: answers(401, "No."), says: /Is OPERATOR_TOKEN the API's secret/ },
  { what: "has no operator's commands", answer: answers(404, "No."), says: /Is OPERATOR_TOKEN the API's secret/ },
])("a command fails with one sentence if the API $what", async ({ what, answer, says }) => {
  if (what === "is slow") timeIsUp();
  const lines = ["production: https://api.acme.com", expect.stringMatching(says)];
  expect(await ran("status", answer)).toMatchObject({ exitCode: 1, lines });
});

test("a command that the API does in parts asks until the last one, and adds them up", async () => {
  const parts = [
    { missing: ["a"], checked_again: 2, next: "events/" },
    { missing: [], checked_again: 3, next: "events/x" },
    { missing: ["b"], checked_again: 0, next: null },
  ];
  const { exitCode, output, bodies } = await ran("after-restore", () => Response.json(parts.shift() ?? {}));
  expect(exitCode).toBe(0);
  expect(bodies).toEqual([TIMES, { ...TIMES, from: "events/" }, { ...TIMES, from: "events/x" }]);
  expect(JSON.parse(output.slice(output.indexOf("{")))).toEqual({ missing: ["a", "b"], checked_again: 5 });
});

const withToken = (token: string) => ({ env: { OPERATOR_TOKEN: token } });
const NOT_A_TOKEN = /^The variable OPERATOR_TOKEN is not a token: 32 or more plain characters, in one line\.$/;

test.each<{ what: string; others: Partial<Neighbors>; says: RegExp }>([
  { what: "no token", others: { env: {} }, says: /read -rs OPERATOR_TOKEN/ },
  { what: "somebody else's API", others: { settingsOf: siteAlone }, says: /Only the reference API/ },
  { what: "a letter that no header can have", others: withToken(`${OPERATOR_TOKEN}ł`), says: NOT_A_TOKEN },
  { what: "a token of 31 characters", others: withToken("x".repeat(31)), says: NOT_A_TOKEN },
])("with $what every command ends in one line, without the token, and asks nobody", async ({ others, says }) => {
  for (const script of SCRIPTS) {
    const ended = await ran(script, () => Response.json({}), { others });
    expect(ended, script).toMatchObject({ exitCode: 1, output: expect.stringMatching(says), bodies: [] });
    expect(ended.output).not.toContain(OPERATOR_TOKEN);
  }
});

test("a command asks for the address of a person, so that no log has it, and refuses another word", async () => {
  const ask = vi.fn(async () => "nonsense");
  const last = '"nonsense" is not an email address, such as ada@example.com.';
  const ended = await ran("erase", () => Response.json({}), { others: { ask } });
  expect(ended).toMatchObject({ exitCode: 1, last, bodies: [] });
  expect(ask).toHaveBeenCalledWith("Email address of the person: ");
});

const ID = "11111111-2222-4333-8444-555555555555";
const TEAM = { custom: ID, name: "TEAM", price: "777" };
const pricing = (price_cents: number) => ({ packages: [{ id: ID, name: "TEAM", price_cents, status: "custom" }] });
const NEEDS = "A custom plan needs --custom, --name and --price. --retire stands alone.";
const optionsOf = (options: Partial<Record<string, string>>) =>
  Object.entries(options).flatMap(([name, value = ""]) => [`--${name}`, value]);

test.each<{ options: Partial<Record<string, string>>; body: object }>([
  { options: TEAM, body: pricing(77_700) },
  { options: { ...TEAM, price: "0.29" }, body: pricing(29) },
  { options: { ...TEAM, price: "999999.99" }, body: pricing(99_999_999) },
  { options: { retire: ID.toUpperCase() }, body: { retired_custom: ID.toUpperCase() } },
])("the options $options of npm run catalog are sent as $body", async ({ options, body }) => {
  const { bodies } = await ran("catalog", () => Response.json({ prices: [] }), { args: optionsOf(options) });
  expect(bodies).toEqual([body]);
});

const LACKS = "which is not dollars a month, such as 777 or 777.50.";
const YESTERDAY = { "restored-to": "yesterday", "stopped-at": TIMES.stopped_at };

test.each<{ script?: string; options?: Partial<Record<string, string>>; says: string }>([
  { options: { custom: ID, price: "777" }, says: NEEDS },
  { options: { custom: ID, name: "TEAM" }, says: NEEDS },
  { options: { name: "TEAM", price: "777" }, says: NEEDS },
  { options: { ...TEAM, retire: ID }, says: NEEDS },
  { options: { ...TEAM, price: "777.5" }, says: `--price is "777.5", ${LACKS}` },
  { options: { ...TEAM, price: "0" }, says: `--price is "0", ${LACKS}` },
  { options: { ...TEAM, custom: "team" }, says: '--custom is "team", which is not a package ID, such as' },
  { options: { ...TEAM, name: "TE\0AM" }, says: '--name is "TE\0AM", which is not a name, such as TEAM.' },
  { script: "erase", options: PERSON, says: "Unknown option '--email'. Type:\n  npm run erase production" },
  { script: "after-restore", options: { "restored-to": "now" }, says: "--stopped-at is missing. Type:" },
  { script: "after-restore", options: YESTERDAY, says: `--restored-to is "yesterday", which is not a time, such as` },
  { script: "dance", says: "The commands are export, erase," },
])("npm run $script with the options $options is refused", async ({ script = "catalog", options = {}, says }) => {
  const output = expect.stringContaining(says);
  const ended = await ran(script, () => Response.json({}), { args: optionsOf(options) });
  expect(ended).toMatchObject({ exitCode: 1, output, bodies: [] });
});
