import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";
import { AREAS } from "./areas";

/*
 * `npm run mutate`: changes the rules one place at a time, and lists the changes that no test notices. `-- guard` takes one
 * area, `-- api --files "functions/subscription-api/outbox/*.ts"` a part of it, `-- --all` what an earlier run has found too.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { files: { type: "string" }, all: { type: "boolean", default: false } },
});

type Counts = { noticed: number; all: number };

/** @returns the mutants of each folder */
async function mutate(name: string, files: string[]): Promise<Map<string, Counts>> {
  const stryker = new Stryker({
    mutate: values.files === undefined ? files : [values.files],
    testRunner: "vitest",
    vitest: { configFile: "tests/bench/mutation/vitest.mutation.config.ts", related: false },
    plugins: ["@stryker-mutator/vitest-runner"],
    coverageAnalysis: "perTest",
    // Words of pages, emails and logs, names of columns, SQL: too many, and the simulation's faults change the SQL.
    mutator: { excludedMutations: ["StringLiteral"] },
    // What runs once, when a module is loaded, would have all tests run for it. It is not counted either.
    ignoreStatic: true,
    concurrency: 1,
    timeoutMS: 30_000,
    dryRunTimeoutMinutes: 15,
    incremental: true,
    incrementalFile: `build/mutation/${name}.incremental.json`,
    force: values.all,
    ignorePatterns: ["build", "public/build", ".wrangler", ".releases", ".cache", "test-results", "docs", "*.log"],
    tempDirName: "build/mutation/sandbox",
    reporters: ["progress-append-only", "clear-text", "json"],
    jsonReporter: { fileName: `build/mutation/${name}.json` },
    clearTextReporter: { allowColor: false, reportTests: false, skipFull: true },
    // tsx and Vite check no types.
    disableTypeChecks: false,
  });
  const folders = new Map<string, Counts>();
  for (const { fileName, status, static: whenLoaded } of await stryker.runMutationTest()) {
    if (whenLoaded || !["Killed", "Timeout", "Survived", "NoCoverage"].includes(status)) continue;
    const counts = folders.get(dirname(fileName)) ?? { noticed: 0, all: 0 };
    counts.all += 1;
    if (status === "Killed" || status === "Timeout") counts.noticed += 1;
    folders.set(dirname(fileName), counts);
  }
  return folders;
}

for (const name of positionals.length > 0 ? positionals : Object.keys(AREAS)) {
  const area = AREAS[name];
  if (!area) throw new Error(`There is no area ${name}; there are ${Object.keys(AREAS).join(", ")}`);
  for (const [folder, { noticed, all }] of await mutate(name, area)) {
    console.log(`${folder}: ${noticed} of ${all} (${((100 * noticed) / all).toFixed(1)} %)`);
  }
}
