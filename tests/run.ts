import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";

/*
 * `npm test`: every check and every suite; the last line sums the tests up. What needs no build runs beside it. A step
 * that fails without naming a failed test (a type error, a suite that cannot be loaded) counts as one.
 */

const root = fileURLToPath(new URL("..", import.meta.url));
const reports = join(root, "build/test-results");

type Counts = { passed: number; failed: number };

/** What came of a script. `names` are its failed tests. */
type Outcome = Counts & { script: string; seconds: number; names: string[] };

/** What a test runner's command line has to say, and how its JSON report is read. */
type Runner = {
  /** Options that make it write the report besides what it shows. */
  reporting: (file: string) => { args: string[]; env?: Record<string, string> };
  report: z.ZodType<Counts & { names: string[] }>;
};

/** As the terminal has it; FORCE_COLOR and NO_COLOR decide first. */
const isColoured = process.stdout.hasColors?.() ?? (process.env.FORCE_COLOR ?? "0") !== "0";

const [bold, red, green] = [coloured(1), coloured(31), coloured(32)];

const vitest: Runner = {
  reporting: (file) => ({
    args: [
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${file}`,
      // It would take a CI for a terminal.
      ...(isColoured ? [] : ["--no-color"]),
    ],
  }),
  report: z
    .object({
      numPassedTests: z.number(),
      numFailedTests: z.number(),
      testResults: z.array(
        z.object({
          name: z.string(),
          status: z.string(),
          assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
        }),
      ),
    })
    .transform(({ numPassedTests, numFailedTests, testResults }) => ({
      passed: numPassedTests,
      failed: numFailedTests,
      names: testResults.flatMap(({ name, status, assertionResults }) => {
        const tests = assertionResults.filter((test) => test.status === "failed");
        const file = relative(root, name);
        if (tests.length === 0) return status === "failed" ? [`${file} cannot be run`] : [];
        return tests.map(({ fullName }) => `${file} > ${fullName}`);
      }),
    })),
};

const playwrightSpec = z.object({ title: z.string(), file: z.string(), ok: z.boolean() });

const playwrightSuite = z.object({
  specs: z.array(playwrightSpec).default([]),
  get suites() {
    return z.array(playwrightSuite).default([]);
  },
});

const playwright: Runner = {
  reporting: (file) => ({ args: ["--reporter=list,json"], env: { PLAYWRIGHT_JSON_OUTPUT_NAME: file } }),
  report: z
    .object({
      stats: z.object({ expected: z.number(), flaky: z.number(), unexpected: z.number() }),
      suites: z.array(playwrightSuite),
    })
    .transform(({ stats, suites }) => ({
      passed: stats.expected + stats.flaky,
      failed: stats.unexpected,
      names: suites
        .flatMap(specsOf)
        .filter(({ ok }) => !ok)
        .map(({ file, title }) => `${file} > ${title}`),
    })),
};

function specsOf({ specs, suites }: z.output<typeof playwrightSuite>): z.output<typeof playwrightSpec>[] {
  return [...specs, ...suites.flatMap(specsOf)];
}

async function main(): Promise<Outcome[]> {
  await rm(reports, { recursive: true, force: true });
  await mkdir(reports, { recursive: true });
  const [built, typecheck, lint, unit] = await Promise.all([
    check("build"),
    check("typecheck"),
    check("lint"),
    suite("test:unit", vitest, "if it fails"),
  ]);
  const outcomes = [built, typecheck, lint, unit];
  if (built.failed === 0) {
    // Both wait much of their time, so they share the machine.
    const suites = [suite("test:edge", vitest, "as it comes"), suite("test:browser", playwright, "if it fails")];
    outcomes.push(...(await Promise.all(suites)));
  }
  return outcomes;
}

/** Runs a script that has no tests: only its failure counts. */
async function check(script: string): Promise<Outcome> {
  const { succeeded, seconds } = await run(script, "if it fails");
  return { script, seconds, passed: 0, failed: succeeded ? 0 : 1, names: [] };
}

/** Runs a script of tests and counts them by its report. */
async function suite(script: string, { reporting, report }: Runner, shown: Shown): Promise<Outcome> {
  const file = join(reports, `${script.replace(":", "-")}.json`);
  const { args, env } = reporting(file);
  const { succeeded, seconds } = await run(script, shown, args, env);
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return { script, seconds, passed: 0, failed: 1, names: [] };
  const counts = report.parse(JSON.parse(text));
  return { script, seconds, ...counts, failed: Math.max(counts.failed, succeeded ? 0 : 1) };
}

/** When a script's output is shown: as it comes, or only if it fails, so that others can run at the same time. */
type Shown = "as it comes" | "if it fails";

const running = new Set<ChildProcess>();

/**
 * Runs an npm script in a process group of its own.
 * @returns whether it succeeded, and how long it took
 */
function run(
  script: string,
  shown: Shown,
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<{ succeeded: boolean; seconds: number }> {
  const started = performance.now();
  const isLive = shown === "as it comes";
  if (isLive) console.log(bold(`\n── ${script}`));
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
      if (!isLive) console.log(`── ${script} ${succeeded ? green("passed") : red("failed")} after ${seconds} s`);
      if (!isLive && !succeeded) console.log(Buffer.concat(output).toString());
      resolve({ succeeded, seconds });
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

/** One line for each script, and one for each test that failed. */
function summaryOf({ script, seconds, passed, failed, names }: Outcome): string[] {
  const sign = failed === 0 ? green("✓") : red("✗");
  const counts = [passed > 0 && `${passed} passed`, failed > 0 && red(`${failed} failed`)].filter(
    (part) => part !== false,
  );
  const line = `${sign} ${script.padEnd(14)}${`${seconds} s`.padStart(7)}  ${counts.join(", ")}`.trimEnd();
  return [line, ...names.map((name) => `    ${red(name)}`)];
}

function coloured(code: number): (text: string) => string {
  return (text) => (isColoured ? `\u001b[${code}m${text}\u001b[0m` : text);
}

const outcomes = await main();
const sum = (which: keyof Counts) => outcomes.reduce((total, counts) => total + counts[which], 0);
console.log(`\n${bold("── Summary")}\n${outcomes.flatMap(summaryOf).join("\n")}`);
console.log(`\n${sum("passed")} passed, ${sum("failed")} failed`);
process.exitCode = sum("failed") === 0 ? 0 : 1;
