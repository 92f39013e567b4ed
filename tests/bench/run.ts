import { execFileSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { measureAttacks } from "./attacks";
import { type Report, type Row, tableOf, tableOfAttacks, writeDocument } from "./report";
import { root } from "./root";
import { benchFolder } from "./servers/workerd";
import { measureStartUp } from "./start-up";
import { measureSubject, subjects } from "./subjects";
import { measureWeights } from "./weights";

/*
 * `npm run bench`: what the site costs, beside the least that it could cost, in the same runtime and the same run.
 *   --write   puts the table into docs/benchmark.md
 *   --quick   fewer and shorter rounds, to try the benchmark itself
 *   --attacks only what single requests of an attacker cost
 */

const options = new Set(process.argv.slice(2));
const isQuick = options.has("--quick");
const course = isQuick ? { rounds: 2, seconds: 1, warmUp: 1 } : { rounds: 11, seconds: 1, warmUp: 4 };
const starts = isQuick ? 1 : 7;

let highestLoad = 0;

function step(title: string): void {
  highestLoad = Math.max(highestLoad, loadavg()[0] ?? 0);
  console.log(`── ${title}`);
}

step("Build");
await rm(benchFolder, { recursive: true, force: true });
execFileSync("npm", ["run", "--silent", "build:site"], {
  cwd: root,
  env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
  stdio: ["ignore", "ignore", "inherit"],
});
await mkdir(benchFolder, { recursive: true });

const rows: Row[] = [];
if (!options.has("--attacks")) {
  for (const subject of subjects) {
    step(subject.what);
    rows.push(await measureSubject(subject, course));
  }
  step("Start-up");
  rows.push(...(await measureStartUp(starts)));
  step("Weights");
  rows.push(...(await measureWeights()));
}
step("Attacks");
const attacks = await measureAttacks({ ...course, rounds: isQuick ? 1 : 3 });
step("Report");

const processors = cpus();
const report: Report = {
  date: new Date().toISOString().slice(0, 10),
  machine: `${processors.length} × ${processors[0]?.model.trim() ?? "unknown CPU"}, Node ${process.versions.node}`,
  load: highestLoad,
  rows,
  attacks,
};
await writeFile(join(benchFolder, "report.json"), `${JSON.stringify(report, undefined, 2)}\n`);
if (options.has("--write")) await writeDocument(report);
if (rows.length > 0) console.log(`\n${tableOf(report)}`);
console.log(`\n${tableOfAttacks(report)}\n\nbuild/bench/report.json has every round.`);
