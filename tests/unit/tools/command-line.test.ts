import { symlinkSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { readCommandLine, readOptions } from "../../../tools/command-line";
import { isStarted, Usage } from "../../../tools/failures";
import { root } from "../../../tools/wrangler/wrangler";

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
  { what: "an empty value of an option", args: ["local", "--email", ""], says: "--email has no value. Type:" },
  {
    what: "an option twice",
    args: ["local", "--email=ada@example.com", "--email=bob@example.com"],
    says: "--email is there twice. Type:",
  },
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

test.each([["--help"], ["-h"], ["staging", "--help"]])(
  "%s shows the usage of a command with targets, which is no failure",
  (...args) => {
    const read = () => readCommandLine(ROLLBACK, args, {});
    expect(read).toThrow(Usage);
    expect(read).toThrow(`Usage:${BOTH}`);
  },
);

const BENCH = { quick: "", only: "row" };

test("a command without a target reads a switch and an option with a value", () => {
  expect(readOptions("bench", BENCH, ["--quick", "--only=form"])).toEqual({
    ...{ values: { only: "form" }, switches: new Set(["quick"]) },
  });
});

const OF_BENCH = "npm run bench -- [--quick] [--only {row}]";

test.each([
  { what: "a word", script: "bench", args: ["form"], says: `npm run bench takes no "form". Type: ${OF_BENCH}` },
  { what: "an unknown option", script: "bench", args: ["--fast"], says: `Unknown option '--fast'. Type: ${OF_BENCH}` },
  { what: "no value", script: "bench", args: ["--only"], says: `argument missing. Type: ${OF_BENCH}` },
  { what: "a word", script: "docs", args: ["x"], says: 'npm run docs takes no "x". Type: npm run docs' },
  { what: "a word", script: "start", args: ["x"], says: 'npm start takes no "x". Type: npm start' },
])("$script with $what is refused in one line: $says", ({ script, args, says }) => {
  const read = () => readOptions(script, script === "bench" ? BENCH : {}, args);
  expect(read).toThrow(says);
  expect(read).not.toThrow(/\n/);
});

test("--help shows the usage of a command without a target, which is no failure", () => {
  const read = () => readOptions("bench", BENCH, ["--help"]);
  expect(read).toThrow(Usage);
  expect(read).toThrow(`Usage: ${OF_BENCH}`);
});

test("a module is started also where its path leads through a link", async () => {
  const folder = await mkdtemp(join(tmpdir(), "link-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  symlinkSync(join(root, "tools"), join(folder, "tools"), "junction");
  const { argv } = process;
  onTestFinished(() => {
    process.argv = argv;
  });
  process.argv = [process.execPath, join(folder, "tools/build.ts")];
  const [build, others] = ["tools/build.ts", "tools/documents.ts"].map((path) => pathToFileURL(join(root, path)).href);
  expect([isStarted(String(build)), isStarted(String(others))]).toEqual([true, false]);
});
