import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdir, mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { JSDOM } from "jsdom";
import * as z from "zod";
import { readOptionsOrExit } from "../tools/command-line";
import { askThisMachineDirectly } from "../tools/no-proxy";

/* `npm test` and `npm run test:release`: runs the scripts of a tier in turn and sums their tests up. */

askThisMachineDirectly(process.env);

const root = fileURLToPath(new URL("..", import.meta.url));

/** npm's own script. On Windows, `npm` is a batch file, which Node starts only in a shell. */
const npm = z.string("Start the tests with npm test or npm run test:release.").parse(process.env.npm_execpath);

/** The scripts of package.json, by tier; scripts on one line run at the same time. */
const TIERS: Record<string, string[][]> = {
  test: [["build"], ["typecheck", "lint", "test:unit"], ["test:workers"], ["test:browser"]],
  release: [["build"], ["test:long"], ["test:commands"], ["test:releases"]],
};

/** Options with which each runner also writes a report file. */
const REPORTING: Record<string, (file: string) => string[]> = {
  vitest: (file) => ["--reporter=default", "--reporter=junit", `--outputFile.junit=${file}`],
  playwright: () => ["--reporter=list,junit"],
};

/** What tests/support/watchdog.ts says before it ends a process, whose tests are in no report. */
const ENDLESS = /^An endless loop in: (.*)$/gm;

const [tier = ""] = process.argv.slice(2);
readOptionsOrExit(tier === "test" ? "test" : `test:${tier}`, {}, process.argv.slice(3));

type Outcome = { script: string; seconds: number; passed: number; failed: string[] };

async function run(script: string, command: string): Promise<Outcome> {
  const file = join(reports, `${script.replace(":", "-")}.xml`);
  const runner = Object.keys(REPORTING).find((name) => command.startsWith(name)) ?? "";
  const started = performance.now();
  const ofTests = {
    CI: "1",
    WRANGLER_SEND_METRICS: "false",
    PLAYWRIGHT_JUNIT_OUTPUT_FILE: file,
    TEST_RESULTS: reports,
  };
  const child = spawn(process.execPath, [npm, "run", "--silent", script, "--", ...(REPORTING[runner]?.(file) ?? [])], {
    cwd: root,
    env: { ...process.env, ...ofTests },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => void output.push(chunk));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  const { passed, failed } = await testsIn(file);
  for (const [, name = ""] of String(Buffer.concat(output)).matchAll(ENDLESS)) failed.push(name);
  // A type error, or tests that cannot be loaded.
  if (code !== 0 && failed.length === 0) failed.push(script);
  const outcome = { script, seconds: Math.round((performance.now() - started) / 1000), passed, failed };
  if (failed.length > 0) console.log(`\n${Buffer.concat(output)}`);
  console.log(lineOf(outcome));
  return outcome;
}

/** The tests in a report in JUnit's format; none where there is no report. */
async function testsIn(file: string): Promise<Pick<Outcome, "passed" | "failed">> {
  const text = await readFile(file, "utf8").catch(() => "<testsuites/>");
  const { document } = new JSDOM(text, { contentType: "text/xml" }).window;
  const cases = [...document.querySelectorAll("testcase")];
  const failed = cases.filter((test) => test.querySelector("failure, error"));
  const passed = cases.filter((test) => !test.querySelector("failure, error, skipped")).length;
  return { passed, failed: failed.map((test) => `${test.getAttribute("classname")} > ${test.getAttribute("name")}`) };
}

function lineOf({ script, seconds, passed, failed }: Outcome): string {
  const counts = [passed > 0 && `${passed} passed`, failed.length > 0 && `${failed.length} failed`].filter(Boolean);
  const time = `${seconds} s`.padStart(6);
  return `${failed.length === 0 ? "✓" : "✗"} ${script.padEnd(14)} ${time}  ${counts.join(", ")}`.trimEnd();
}

await mkdir(join(root, "build"), { recursive: true });
/** A folder for each run, so that two runs in one checkout do not meet. */
const reports = await mkdtemp(join(root, "build/test-results-"));
process.once("exit", () => rmSync(reports, { recursive: true, force: true }));
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));
const outcomes: Outcome[] = [];
for (const together of TIERS[tier] ?? []) {
  if (outcomes.some(({ script, failed }) => script === "build" && failed.length > 0)) break;
  const names = together.filter((name) => !outcomes.some(({ script }) => script === name));
  outcomes.push(...(await Promise.all(names.map((name) => run(name, scripts[name] ?? "")))));
}
const failed = outcomes.flatMap((outcome) => outcome.failed);
const lines = outcomes.map((outcome) => [lineOf(outcome), ...outcome.failed.map((name) => `    ${name}`)].join("\n"));
const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
console.log(`\n${lines.join("\n")}\n\n${passed} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
