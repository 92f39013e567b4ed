import { expect, test } from "vitest";
import type { Neighbors } from "../../../../tools/neighbors";
import { runCommand } from "../../../../tools/operator/operator";
import { type Answer, HOST, hostsOf, neighborsWith, OPERATOR_TOKEN, siteAlone, timeIsUp } from "../neighbors";
import { outcomeOf } from "../outcome";

/* The operator's commands: what they print and how they end, for each answer of the API. */

const EMAIL = ["--email", "ada@example.com"];
const ERASED = { erased: 1, customers: 1, searched_until: "2026-11-28T10:00:00.000Z" };
const COMMANDS: Record<string, { args?: string[]; right: object; last: RegExp }> = {
  status: { right: { release: "r", commit: "c", days: 30, sign_ups: [] }, last: /^Release r, commit c$/ },
  messages: { right: { messages: [], dead: 0 }, last: /^No messages are late or dead\.$/ },
  export: { args: EMAIL, right: { sign_ups: [] }, last: /^\}$/ },
  erase: { args: EMAIL, right: ERASED, last: /You do not need to run this again\.$/ },
  catalog: { right: { prices: [] }, last: /^\}$/ },
  "after-restore": {
    args: ["--restored-to", "2026-11-28T08:00:00Z", "--stopped-at", "2026-11-28T09:00:00Z"],
    right: { missing: [], next: null },
    last: /^\}$/,
  },
};
const scripts = Object.keys(COMMANDS);

/** Runs a command. `bodies` are what it sent to the API. */
async function ran(script: string, answer: Answer, others: Partial<Neighbors> = {}) {
  const bodies: unknown[] = [];
  const fetch = hostsOf({
    "api.acme.com": (path, init) => {
      bodies.push(JSON.parse(String(init.body)));
      return answer(path, init);
    },
  });
  const beside = neighborsWith({ fetch, env: { OPERATOR_TOKEN }, ...others });
  const outcome = await outcomeOf(async () => {
    console.log(await runCommand(script, ["production", ...(COMMANDS[script]?.args ?? [])], beside));
    return true;
  });
  return { ...outcome, bodies };
}

test.each(scripts)("%s ends with the API's answer", async (script) => {
  const { right, last } = COMMANDS[script] ?? { right: {}, last: /$^/ };
  const outcome = await ran(script, () => Response.json(right));
  expect({ exitCode: outcome.exitCode, last: outcome.last, asked: outcome.bodies.length }).toEqual({
    ...{ exitCode: 0, asked: 1 },
    last: expect.stringMatching(last),
  });
});

const WRONG: { what: string; answer: Answer; says: RegExp }[] = [
  {
    what: "is silent",
    answer: HOST.silent as Answer,
    says: /cannot be reached \(getaddrinfo ENOTFOUND\): check the network/,
  },
  { what: "is slow", answer: HOST.slow as Answer, says: /cannot be reached \(too slow\)/ },
  { what: "is cut off in its answer", answer: HOST.cut as Answer, says: /cannot be reached \(terminated\)/ },
  { what: "answers HTML", answer: HOST.html as Answer, says: /is SUBSCRIPTION_API_URL the API's URL\?$/ },
  { what: "fails", answer: HOST.failing as Answer, says: /^The API answered 500: Internal Server Error$/ },
  {
    what: "refuses the token",
    answer: () => new Response("No.", { status: 401 }),
    says: /Is OPERATOR_TOKEN the API's secret/,
  },
  {
    what: "has no operator's commands",
    answer: () => new Response("", { status: 404 }),
    says: /Is OPERATOR_TOKEN the API's/,
  },
];

test.each(scripts.flatMap((script) => WRONG.map((one) => ({ script, ...one }))))(
  "$script fails with one sentence if the API $what",
  async ({ script, what, answer, says }) => {
    if (what === "is slow") timeIsUp();
    const { exitCode, last, lines } = await ran(script, answer);
    expect({ exitCode, last, lines: lines.length }).toEqual({
      exitCode: 1,
      last: expect.stringMatching(says),
      lines: 2,
    });
  },
);

test.each(["status", "erase"])("%s says so if the API is of another release", async (script) => {
  const { exitCode, last } = await ran(script, () => Response.json({ other: true }));
  expect({ exitCode, last }).toEqual({
    exitCode: 1,
    last: expect.stringMatching(/is another release's: \{"other":true\}$/),
  });
});

test.each([
  { erased: 0, customers: 0, exitCode: 1, says: "No sign-up and no Stripe customer has this email address." },
  { erased: 0, customers: 1, exitCode: 0, says: "Erased sign-ups: 0. Deleted Stripe customers: 1." },
  { erased: 1, customers: 0, exitCode: 0, says: "Erased sign-ups: 1. Deleted Stripe customers: 0." },
])("erase of $erased sign-ups and $customers customers ends with $exitCode", async ({ exitCode, says, ...answer }) => {
  const { lines, ...outcome } = await ran("erase", () => Response.json({ ...answer, searched_until: null }));
  expect({ exitCode: outcome.exitCode, says: lines[1] }).toEqual({ exitCode, says });
});

test("a command that the API does in parts asks until the last one, and adds them up", async () => {
  const parts = [
    { missing: ["a"], checked_again: 2, next: "events/" },
    { missing: [], checked_again: 3, next: "events/x" },
    { missing: ["b"], checked_again: 0, next: null },
  ];
  const { output, bodies } = await ran("after-restore", () => Response.json(parts.shift() ?? {}));
  const body = { restored_to: "2026-11-28T08:00:00Z", stopped_at: "2026-11-28T09:00:00Z" };
  expect(bodies).toEqual([body, { ...body, from: "events/" }, { ...body, from: "events/x" }]);
  expect(JSON.parse(output.slice(output.indexOf("{")))).toEqual({ missing: ["a", "b"], checked_again: 5 });
});

test.each(scripts)("%s asks nobody without a token, and nobody else's API", async (script) => {
  const without = await ran(script, () => Response.json({}), { env: {} });
  expect(without).toMatchObject({ exitCode: 1, bodies: [], last: expect.stringContaining("read -rs OPERATOR_TOKEN") });
  const foreign = await ran(script, () => Response.json({}), { settingsOf: siteAlone });
  expect(foreign).toMatchObject({ exitCode: 1, bodies: [], last: expect.stringContaining("Only the reference API") });
});

test.each([
  { script: "erase", args: ["local"], says: "--email is missing. Type:\n  npm run erase local -- --email {email}" },
  { script: "after-restore", args: ["local", "--restored-to", "now"], says: "--stopped-at is missing. Type:" },
  {
    script: "after-restore",
    args: ["local", "--restored-to", "yesterday", "--stopped-at", "2026-11-23T09:00:00Z"],
    says: '--restored-to is "yesterday", which is not a time, such as 2026-11-23T09:00:00Z, in UTC.',
  },
  { script: "dance", args: [], says: "The commands are export, erase," },
])("npm run $script $args says what it lacks", async ({ script, args, says }) => {
  await expect(runCommand(script, args, neighborsWith({}))).rejects.toThrow(says);
});
