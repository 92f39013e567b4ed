import { expect, test } from "vitest";
import { readCommandLine } from "../../../tools/command-line";

/* Every command names its target, and an option that npm takes for itself is noticed. */

const ROLLBACK = {
  ...{ script: "rollback", targets: ["production", "staging"] as const, word: "commit" },
  options: { "keep-prices": "" },
};
const EXPORT = {
  ...{ script: "export", targets: ["production", "local"] as const },
  ...{ options: { email: "email", "send-again": "message" }, required: ["email"] },
};

test("a target, a word, an option with a value and a switch are read", () => {
  expect(readCommandLine(ROLLBACK, ["staging", "abc", "--keep-prices"], {})).toEqual({
    ...{ target: "staging", word: "abc", values: {} },
    switches: new Set(["keep-prices"]),
  });
  expect(readCommandLine(EXPORT, ["local", "--email", "ada@example.com"], {})).toEqual({
    ...{ target: "local", word: "", values: { email: "ada@example.com" } },
    switches: new Set(),
  });
});

const BOTH =
  "\n  npm run rollback production {commit} [-- --keep-prices]\n  npm run rollback staging {commit} [-- --keep-prices]";
const STAGING = "\n  npm run rollback staging {commit} [-- --keep-prices]";

test.each([
  { what: "no target", args: [], says: `npm run rollback needs a target. Type:${BOTH}` },
  { what: "only a commit", args: ["abc"], says: `npm run rollback has no target "abc". Type:${BOTH}` },
  { what: "part of a target", args: ["prod", "abc"], says: `npm run rollback has no target "prod". Type:${BOTH}` },
  { what: "a target in capitals", args: ["Staging", "abc"], says: 'npm run rollback has no target "Staging".' },
  {
    what: "a target as an option",
    args: ["--staging", "abc"],
    says: `The target is a word without dashes, not --staging. Type:${STAGING}`,
  },
  {
    what: "a target that npm took",
    args: ["abc"],
    env: { npm_config_staging: "true" },
    says: `The target is a word without dashes, not --staging. Type:${STAGING}`,
  },
  {
    what: "two targets, of which npm took one",
    args: ["production", "abc"],
    env: { npm_config_staging: "true" },
    says: `not --staging. Type:${BOTH}`,
  },
  { what: "no word", args: ["staging"], says: `The commit is missing. Type:${STAGING}` },
  { what: "a word too many", args: ["staging", "abc", "def"], says: `"def" is one word too many. Type:${STAGING}` },
  { what: "an unknown option", args: ["staging", "abc", "--force"], says: `Unknown option '--force'. Type:${BOTH}` },
  {
    what: "a switch that npm took",
    args: ["staging", "abc"],
    env: { npm_config_keep_prices: "true" },
    says: `npm took --keep-prices for itself: options come after a separate --. Type:\n  npm run rollback staging {commit} -- --keep-prices`,
  },
])("a command with $what is refused, and told what to type", ({ args, env = {}, says }) => {
  expect(() => readCommandLine(ROLLBACK, args, env)).toThrow(says);
});

const USAGE = "npm run export local -- --email {email} [--send-again {message}]";

test.each([
  { what: "no needed option", args: ["local"], says: `--email is missing. Type:\n  ${USAGE}` },
  { what: "no value of an option", args: ["local", "--email"], says: "argument missing. Type:" },
  {
    what: "an option that npm took, whose value is left as a word",
    args: ["local", "ada@example.com"],
    env: { npm_config_email: "true" },
    says: `npm took --email for itself: options come after a separate --. Type:\n  ${USAGE}`,
  },
])("a command with $what is refused, and told how its options go", ({ args, env = {}, says }) => {
  expect(() => readCommandLine(EXPORT, args, env)).toThrow(says);
});

test("an option after -- counts, whatever the same name means to npm", () => {
  const { values } = readCommandLine(EXPORT, ["local", "--email", "ada@example.com"], {
    npm_config_email: "me@acme.com",
  });
  expect(values).toEqual({ email: "ada@example.com" });
});
