import { mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test, vi } from "vitest";
import { readCommandLine, readOptions } from "../../../tools/command-line";
import { isStarted, ToolError, Usage } from "../../../tools/failures";
import { root } from "../../../tools/wrangler/wrangler";

/* Every command names its target, and an option that npm takes for itself is noticed. */

const TARGETS = ["production", "staging"] as const;
const ROLLBACK = { script: "rollback", targets: TARGETS, word: "commit", options: { "keep-prices": "" } };
const OPTIONS = { email: "email", "send-again": "message" };
const EXPORT = { script: "export", targets: ["production", "local"] as const, options: OPTIONS, required: ["email"] };
const BENCH = { quick: "", only: "row" };

test("a target, a word, an option with a value and a switch are read", () => {
  const rollback = { target: "staging", word: "abc", values: {}, switches: new Set(["keep-prices"]) };
  expect(readCommandLine(ROLLBACK, ["staging", "abc", "--keep-prices"], {})).toEqual(rollback);
  // To npm the option means something else.
  const environment = { npm_config_email: "me@acme.com" };
  const ofExport = { target: "local", word: "", values: { email: "ada@example.com" }, switches: new Set() };
  expect(readCommandLine(EXPORT, ["local", "--email", "ada@example.com"], environment)).toEqual(ofExport);
  const ofBench = { values: { only: "form" }, switches: new Set(["quick"]) };
  expect(readOptions("bench", BENCH, ["--quick", "--only=form"])).toEqual(ofBench);
});

const TO_PRODUCTION = "npm run rollback production {commit} [-- --keep-prices]";
const TO_STAGING = "npm run rollback staging {commit} [-- --keep-prices]";
const BOTH = `\n  ${TO_PRODUCTION}\n  ${TO_STAGING}`;
const EXPORT_USAGE = "npm run export local -- --email {email} [--send-again {message}]";
const NO_DASHES = `The target is a word without dashes, not --staging. Type:\n  ${TO_STAGING}`;
const TAKEN = "for itself: options come after a separate --. Type:";

test.each<{ args: string[]; env?: NodeJS.ProcessEnv; says: string }>([
  { args: [], says: `npm run rollback needs a target. Type:${BOTH}` },
  { args: ["prod", "abc"], says: `npm run rollback has no target "prod". Type:${BOTH}` },
  { args: ["--staging", "abc"], says: NO_DASHES },
  { args: ["abc"], env: { npm_config_staging: "true" }, says: NO_DASHES },
  { args: ["staging"], says: `The commit is missing. Type:\n  ${TO_STAGING}` },
  { args: ["staging", "abc", "def"], says: `"def" is one word too many. Type:\n  ${TO_STAGING}` },
  { args: ["staging", "abc", "--force"], says: `Unknown option '--force'. Type:${BOTH}` },
  {
    args: ["staging", "abc"],
    env: { npm_config_keep_prices: "true" },
    says: `npm took --keep-prices ${TAKEN}\n  npm run rollback staging {commit} -- --keep-prices`,
  },
])("npm run rollback $args beside $env is refused, and told what to type", ({ args, env = {}, says }) => {
  expect(() => readCommandLine(ROLLBACK, args, env)).toThrow(new ToolError(says));
});

test.each<{ args: string[]; env?: NodeJS.ProcessEnv; says: string }>([
  { args: ["local"], says: `--email is missing. Type:\n  ${EXPORT_USAGE}` },
  { args: ["local", "ada", "--email", "a@b.c"], says: `"ada" is one word too many. Type:\n  ${EXPORT_USAGE}` },
  { args: ["local", "--email"], says: "argument missing. Type:" },
  { args: ["local", "--email", ""], says: "--email has no value. Type:" },
  { args: ["local", "--email=a@b.c", "--email=d@e.f"], says: "--email is there twice. Type:" },
  // npm leaves the value as a word.
  { args: ["local", "a@b.c"], env: { npm_config_email: "true" }, says: `npm took --email ${TAKEN}\n  ${EXPORT_USAGE}` },
])("npm run export $args beside $env is refused, and told how its options go", ({ args, env = {}, says }) => {
  expect(() => readCommandLine(EXPORT, args, env)).toThrow(says);
});

const BENCH_USAGE = "npm run bench -- [--quick] [--only {row}]";

test("--help and -h show the usage, also after a target, which is no failure", () => {
  for (const args of [["--help"], ["staging", "-h"]])
    expect(() => readCommandLine(ROLLBACK, args, {})).toThrow(new Usage(`Usage:${BOTH}`));
  expect(() => readOptions("bench", BENCH, ["-h"])).toThrow(new Usage(`Usage: ${BENCH_USAGE}`));
});

test.each([
  { script: "bench", options: BENCH, args: ["form"], says: `npm run bench takes no "form". Type: ${BENCH_USAGE}` },
  { script: "bench", options: BENCH, args: ["--fast"], says: `Unknown option '--fast'. Type: ${BENCH_USAGE}` },
  { script: "start", options: {}, args: ["x"], says: 'npm start takes no "x". Type: npm start' },
])("$script $args is refused in one line: $says", ({ script, options, args, says }) => {
  expect(() => readOptions(script, options, args)).toThrow(new ToolError(says));
});

test("a module is started also where its path leads through a link", () => {
  const folder = mkdtempSync(join(tmpdir(), "link-"));
  symlinkSync(join(root, "tools"), join(folder, "tools"), "junction");
  vi.spyOn(process, "argv", "get").mockReturnValue([process.execPath, join(folder, "tools/build.ts")]);
  const [build, others] = ["tools/build.ts", "tools/documents.ts"].map((path) => pathToFileURL(join(root, path)).href);
  expect([isStarted(String(build)), isStarted(String(others))]).toEqual([true, false]);
});
