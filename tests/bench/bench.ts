import { execFileSync } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { measureAttacks } from "./attacks";
import { type Row, shortened, tableOf, writeTable } from "./report";
import { measureSubject, subjects } from "./subjects";
import { measureWeights } from "./weights";
import { benchFolder, root } from "./workerd";

/*
 * `npm run bench`: what the site costs, beside the least that it could cost, in the same runtime and the same run.
 *   --write   puts the tables into docs/performance/benchmark.md
 *   --quick   fewer and shorter rounds, to try the benchmark itself
 *   --attacks only what single requests of an attacker cost
 */

const options = new Set(process.argv.slice(2));
const isQuick = options.has("--quick");
const course = isQuick ? { rounds: 2, seconds: 1, warmUp: 1 } : { rounds: 11, seconds: 1, warmUp: 4 };

console.log("── Build");
await rm(benchFolder, { recursive: true, force: true });
execFileSync("npm", ["run", "--silent", "build:site"], {
  cwd: root,
  env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
  stdio: ["ignore", "ignore", "inherit"],
});
await mkdir(benchFolder, { recursive: true });

let highestLoad = loadavg()[0] ?? 0;
const rows: Row[] = [];
if (!options.has("--attacks")) {
  for (const subject of subjects) {
    console.log(`── ${subject.what}`);
    rows.push(await measureSubject(subject, course));
    highestLoad = Math.max(highestLoad, loadavg()[0] ?? 0);
  }
  rows.push(...(await measureWeights()));
}
console.log("── Attacks");
const attacks = await measureAttacks({ ...course, rounds: isQuick ? 1 : 3 });
highestLoad = Math.max(highestLoad, loadavg()[0] ?? 0);

const processors = cpus();
const machine = `${processors.length} × ${processors[0]?.model.trim() ?? "unknown CPU"}, Node ${process.versions.node}`;
const measured = `Measured on ${new Date().toISOString().slice(0, 10)}: ${machine}, load average up to ${highestLoad.toFixed(1)}.`;
for (const [mark, table] of [
  ["bench", rows],
  ["attacks", attacks],
] as const) {
  if (table.length === 0) continue;
  console.log(`\n${tableOf(table, measured)}`);
  if (options.has("--write")) await writeTable(mark, tableOf(mark === "attacks" ? shortened(table) : table, measured));
}
