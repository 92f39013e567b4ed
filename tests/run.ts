import { spawn } from "node:child_process";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";

/*
 * `npm test`: every check and every suite, one after the other; the last line sums the tests up. A step that fails
 * without naming a failed test (a type error, a suite that cannot be loaded) counts as one.
 */

const root = fileURLToPath(new URL("..", import.meta.url));
const reports = join(root, "build/test-results");

type Counts = { passed: number; failed: number };

type Suite = {
  /** The npm script. */
  script: string;
  /** Options that make it write a JSON report besides what it shows. */
  reporting: (file: string) => { args: string[]; env?: Record<string, string> };
  report: z.ZodType<Counts>;
};

const vitestReport = z
  .object({ numPassedTests: z.number(), numFailedTests: z.number() })
  .transform((report) => ({ passed: report.numPassedTests, failed: report.numFailedTests }));

const playwrightReport = z
  .object({ stats: z.object({ expected: z.number(), flaky: z.number(), unexpected: z.number() }) })
  .transform(({ stats }) => ({ passed: stats.expected + stats.flaky, failed: stats.unexpected }));

const vitest = (file: string) => ({
  args: ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`],
});

const playwright = (file: string) => ({
  args: ["--reporter=list,json"],
  env: { PLAYWRIGHT_JSON_OUTPUT_NAME: file },
});

const suites: Suite[] = [
  { script: "test:unit", reporting: vitest, report: vitestReport },
  { script: "test:edge", reporting: vitest, report: vitestReport },
  { script: "test:browser", reporting: playwright, report: playwrightReport },
];

async function main(): Promise<Counts> {
  const total: Counts = { passed: 0, failed: 0 };
  await rm(reports, { recursive: true, force: true });
  await mkdir(reports, { recursive: true });
  for (const script of ["typecheck", "lint"]) {
    if (!(await run(script))) total.failed += 1;
  }
  if (!(await run("build"))) return { ...total, failed: total.failed + 1 };
  for (const suite of suites) {
    const counts = await test(suite);
    total.passed += counts.passed;
    total.failed += counts.failed;
  }
  return total;
}

async function test({ script, reporting, report }: Suite): Promise<Counts> {
  const file = join(reports, `${script.replace(":", "-")}.json`);
  const { args, env } = reporting(file);
  const succeeded = await run(script, args, env);
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return { passed: 0, failed: 1 };
  const counts = report.parse(JSON.parse(text));
  return { ...counts, failed: Math.max(counts.failed, succeeded ? 0 : 1) };
}

/** Runs an npm script and shows its output. */
function run(script: string, args: string[] = [], env: Record<string, string> = {}): Promise<boolean> {
  console.log(`\n── ${script}`);
  const child = spawn("npm", ["run", "--silent", script, "--", ...args], {
    cwd: root,
    env: { ...process.env, CI: "1", WRANGLER_SEND_METRICS: "false", ...env },
    stdio: ["ignore", "inherit", "inherit"],
  });
  return new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("close", (code) => resolve(code === 0));
  });
}

const { passed, failed } = await main();
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
