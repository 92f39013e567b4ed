import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";

/*
 * `npm test`: every check and every suite; the last line sums the tests up. What needs no build runs beside it. A step
 * that fails without naming a failed test (a type error, a suite that cannot be loaded) counts as one.
 */

const root = fileURLToPath(new URL("..", import.meta.url));
const reports = join(root, "build/test-results");

type Counts = { passed: number; failed: number };

/** What a test runner's command line has to say, and how its JSON report is read. */
type Runner = {
  /** Options that make it write the report besides what it shows. */
  reporting: (file: string) => { args: string[]; env?: Record<string, string> };
  report: z.ZodType<Counts>;
};

const vitest: Runner = {
  reporting: (file) => ({ args: ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`] }),
  report: z
    .object({ numPassedTests: z.number(), numFailedTests: z.number() })
    .transform((report) => ({ passed: report.numPassedTests, failed: report.numFailedTests })),
};

const playwright: Runner = {
  reporting: (file) => ({ args: ["--reporter=list,json"], env: { PLAYWRIGHT_JSON_OUTPUT_NAME: file } }),
  report: z
    .object({ stats: z.object({ expected: z.number(), flaky: z.number(), unexpected: z.number() }) })
    .transform(({ stats }) => ({ passed: stats.expected + stats.flaky, failed: stats.unexpected })),
};

async function main(): Promise<Counts> {
  await rm(reports, { recursive: true, force: true });
  await mkdir(reports, { recursive: true });
  const [built, typecheck, lint, unit] = await Promise.all([
    check("build"),
    check("typecheck"),
    check("lint"),
    suite("test:unit", vitest, "if it fails"),
  ]);
  const counts = [built, typecheck, lint, unit];
  if (built.failed === 0) {
    counts.push(await suite("test:edge", vitest, "as it comes"));
    counts.push(await suite("test:browser", playwright, "as it comes"));
  }
  return {
    passed: counts.reduce((sum, { passed }) => sum + passed, 0),
    failed: counts.reduce((sum, { failed }) => sum + failed, 0),
  };
}

/** Runs a script that has no tests: only its failure counts. */
async function check(script: string): Promise<Counts> {
  return { passed: 0, failed: (await run(script, "if it fails")) ? 0 : 1 };
}

/** Runs a script of tests and counts them by its report. */
async function suite(script: string, { reporting, report }: Runner, shown: Shown): Promise<Counts> {
  const file = join(reports, `${script.replace(":", "-")}.json`);
  const { args, env } = reporting(file);
  const succeeded = await run(script, shown, args, env);
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return { passed: 0, failed: 1 };
  const counts = report.parse(JSON.parse(text));
  return { ...counts, failed: Math.max(counts.failed, succeeded ? 0 : 1) };
}

/** When a script's output is shown: as it comes, or only if it fails, so that others can run at the same time. */
type Shown = "as it comes" | "if it fails";

const running = new Set<ChildProcess>();

/**
 * Runs an npm script in a process group of its own.
 * @returns whether it succeeded
 */
function run(script: string, shown: Shown, args: string[] = [], env: Record<string, string> = {}): Promise<boolean> {
  const started = performance.now();
  const isLive = shown === "as it comes";
  if (isLive) console.log(`\n── ${script}`);
  const child = spawn("npm", ["run", "--silent", script, "--", ...args], {
    cwd: root,
    env: { ...process.env, CI: "1", WRANGLER_SEND_METRICS: "false", ...env },
    stdio: isLive ? ["ignore", "inherit", "inherit"] : ["ignore", "pipe", "pipe"],
    detached: true,
  });
  running.add(child);
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => output.push(chunk));
  return new Promise((resolve) => {
    const end = (succeeded: boolean) => {
      running.delete(child);
      const seconds = Math.round((performance.now() - started) / 1000);
      if (!isLive) console.log(`── ${script} ${succeeded ? "passed" : "failed"} after ${seconds} s`);
      if (!isLive && !succeeded) console.log(Buffer.concat(output).toString());
      resolve(succeeded);
    };
    child.once("error", () => end(false));
    child.once("close", (code) => end(code === 0));
  });
}

// Ctrl-C ends every group: npm, the test runner, and the Workers and browsers that it started.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    for (const { pid } of running) if (pid !== undefined) process.kill(-pid, signal);
    process.exit(1);
  });
}

const { passed, failed } = await main();
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
