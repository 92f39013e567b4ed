import { execFileSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { cpus } from "node:os";
import { unstable_readConfig } from "wrangler";
import * as z from "zod";
import { root } from "../bench/root";
import { benchFolder } from "../bench/servers/workerd";
import { type Capacity, tableOfCosts, tableOfLimits, tableOfPrices, writeDocument } from "./document";
import { measureApi } from "./measure-api";
import { measureSite } from "./measure-site";

/*
 * `npm run capacity`: what a page, a form, a sign-up and a webhook cost, and what follows by the published prices.
 *   --write   puts the tables into docs/capacity.md
 *   --quick   fewer sign-ups and shorter rounds, to try the command itself
 */

const options = new Set(process.argv.slice(2));
const isQuick = options.has("--quick");

execFileSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
await mkdir(benchFolder, { recursive: true });

const { ratelimits } = unstable_readConfig(
  { config: `${root}/wrangler.toml`, env: "production" },
  { hideWarnings: true },
);
const limits = z.array(z.object({ name: z.string(), simple: z.object({ limit: z.number(), period: z.number() }) }));
const total = limits.parse(ratelimits).find(({ name }) => name === "SIGNUP_TOTAL_RATE_LIMIT")?.simple;
if (!total) throw new Error("wrangler.toml has no SIGNUP_TOTAL_RATE_LIMIT");

const measured: Capacity = {
  site: await measureSite(isQuick ? { rounds: 1, seconds: 1, warmUp: 1 } : { rounds: 5, seconds: 1, warmUp: 4 }),
  api: await measureApi(isQuick ? 2 : 20),
  formsPerMinute: (total.limit * 60) / total.period,
};
const processors = cpus();
const machine = `${processors.length} × ${processors[0]?.model.trim() ?? "unknown CPU"}`;
const tables = {
  measured: `Measured on ${new Date().toISOString().slice(0, 10)}: ${machine}, Node ${process.versions.node}.`,
  costs: tableOfCosts(measured),
  prices: tableOfPrices(measured),
  limits: tableOfLimits(measured),
};
console.log(Object.values(tables).join("\n\n"));
if (options.has("--write")) await writeDocument(tables);
