import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { Miniflare, type WorkerOptions } from "miniflare";
import { Pool } from "undici";
import { buildWhatChanged } from "../../tools/build";
import { readOptionsOrExit } from "../../tools/command-line";
import { bindingsOf } from "../../tools/wrangler/worker-settings";
import { root } from "../../tools/wrangler/wrangler";
import { fields } from "../support/person";
import { formHeaders } from "../support/visitors/site-visitor";
import { type SlowVisit, visitOnSlowPhone } from "./slow-phone";

/*
 * `npm run bench` (Linux): the CPU time of a page, divided by the CPU time of a Worker that returns the
 * same bytes as a constant, in one run; then a new process's first request, and the form on a slow phone. `--quick` tries it;
 * `--only form` measures the rows or tables whose names have this word; `--write` puts the tables into docs/performance.md.
 */

const { values, switches } = readOptionsOrExit("bench", { quick: "", write: "", only: "row" });
const [isQuick, isWritten] = [switches.has("quick"), switches.has("write")];
const only = (values.only ?? "").toLowerCase();
const isWanted = (what: string) => what.toLowerCase().includes(only);
if (isWritten && (isQuick || only !== "")) {
  console.error("Only a whole run is published: npm run bench -- --write");
  process.exit(1);
}

const [ROUNDS, WARM_UP_MS] = isQuick ? [3, 500] : [11, 4_000];
/** A round alternates between site and constant in short slices, so that the machine's noise meets both. */
const SLICE_MS = 200;
const CONNECTIONS = 16;
/** The runtime writes these itself. */
const RUNTIME_HEADERS = new Set(["content-length", "transfer-encoding", "connection", "keep-alive", "date"]);

const form = `/subscription/${fields.package_id}`;
/** `slices`: in a round, for each of site and constant. */
type Subject = { what: string; path: string; status: number; atMost?: number; slices?: number; body?: string };
const sent = { path: form, slices: 30 };
const subjects: Subject[] = [
  { what: "Home page", path: "/", status: 200 },
  { what: "Pricing page", path: "/pricing", status: 200 },
  { what: "Terms", path: "/terms", status: 200 },
  { what: "Form page", path: form, status: 200 },
  { what: "Not found", path: "/no-such-page", status: 404 },
  { ...sent, what: "Form sent, answered 303", status: 303, atMost: 14, body: `${new URLSearchParams(fields)}` },
  {
    ...sent,
    what: "Form sent, answered 422",
    status: 422,
    atMost: 25,
    body: `${new URLSearchParams({ ...fields, city: "x" })}`,
  },
].filter(({ what }) => isWanted(what));
const [FIRST_REQUEST, ON_PHONE] = ["First request", "The form on a slow phone"];
if (subjects.length === 0 && !isWanted(FIRST_REQUEST) && !isWanted(ON_PHONE)) {
  console.error(`No row or table has "${only}" in its name.`);
  process.exit(1);
}
await buildWhatChanged();

/** Bypasses Miniflare's own Worker, which would take most of the measured time. */
const direct = { unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }] };
const { compatibilityDate, ...settings } = bindingsOf(".");
const site: WorkerOptions = {
  ...settings,
  ...direct,
  compatibilityDate,
  name: "site",
  assets: undefined,
  serviceBindings: { SUBSCRIPTION_API: "upstream", ASSETS: { disk: { path: join(root, "public") } } },
  modules: [{ type: "ESModule", path: join(root, "build/site/site.js") }],
};
const script = 'export default { fetch: async () => Response.json({ client_secret: "seti_1Bench_secret_Bench" }) };';
const upstream = { name: "upstream", modules: true as const, script };
const handleRuntimeStdio = (...outputs: Readable[]) => outputs.forEach((output) => void output.resume());

const alone = new Miniflare({ workers: [site, upstream], handleRuntimeStdio });
const { origin } = await alone.unsafeGetDirectURL("site");
/** A Worker that returns the site's answer as a constant. */
async function constantOf(subject: Subject): Promise<WorkerOptions> {
  const response = await fetch(origin + subject.path, { ...requestOf(subject, origin), redirect: "manual" });
  const headers = [...response.headers].filter(([name]) => !RUNTIME_HEADERS.has(name));
  const script = `const body = new TextEncoder().encode(${JSON.stringify(await response.text())});
    const init = { status: ${response.status}, headers: new Headers(${JSON.stringify(headers)}) };
    export default { fetch: () => new Response(body, init) };`;
  return { ...direct, name: subject.what, compatibilityDate, modules: true, script };
}
const constants: WorkerOptions[] = [];
for (const subject of subjects) constants.push(await constantOf(subject));
/** With the site's bindings, whose services the process starts too. */
const constantForm = { ...site, ...(await constantOf({ what: "First form page", path: form, status: 200 })) };
await alone.dispose();

const both = new Miniflare({ workers: [site, upstream, ...constants], handleRuntimeStdio });
await both.ready;
const pid = workerdPid();
const [rows, others, onPhone]: [string[], string[], string[]] = [[], [], []];
/** Adds a row with the median of values to a table. */
function addRow(table: string[], what: string, values: number[], atMost: number, unit = " ms", digits = 0): void {
  const sorted = values.sort((one, other) => one - other).map((value) => value.toFixed(digits));
  const median = sorted[sorted.length >> 1];
  const limit = `≤ ${atMost}${unit}: ${Number(median) <= atMost ? "met" : "**missed**"}`;
  table.push(`| ${what} | ${median}${unit} (${sorted[0]}–${sorted.at(-1)}) | ${limit} |`);
  console.log(table.at(-1));
}

for (const subject of subjects) {
  const { what, atMost = 2 } = subject;
  const urls = await Promise.all(["site", what].map(async (name) => (await both.unsafeGetDirectURL(name)).origin));
  addRow(rows, what, await ratiosOf(subject, urls), atMost, "×", 2);
}
await both.dispose();

if (isWanted(FIRST_REQUEST)) {
  const more: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const cost = await firstRequestMs([site, upstream], form);
    more.push(cost - (await firstRequestMs([constantForm, upstream], form)));
  }
  addRow(others, "CPU of a new process until its first form page, more than for a constant", more, 160);
}
if (isWanted(ON_PHONE)) {
  const visits = await visitOnSlowPhone(ROUNDS);
  const valuesOf = (key: keyof SlowVisit) => visits.map((visit) => visit[key]);
  addRow(onPhone, "Longest task", valuesOf("longestTask"), 120);
  addRow(onPhone, "INP of the first key", valuesOf("firstKey"), 150);
  addRow(onPhone, "INP of “Payment”", valuesOf("payment"), 150);
}
if (isWritten) {
  const path = join(root, "docs/performance.md");
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`;
  const measured = `Measured on ${new Date().toISOString().slice(0, 10)}: ${machine}.\n`;
  const inMs = ["", "| What | Time | Limit |", "| --- | --- | --- |", ...others];
  const phone = ["", "| The form on a slow phone | Time | Limit |", "| --- | --- | --- |", ...onPhone];
  const inConstants = ["| What | CPU, in constants | Limit |", "| --- | --- | --- |", ...rows];
  const table = [measured, ...inConstants, ...inMs, ...phone].join("\n");
  const document = readFileSync(path, "utf8");
  writeFileSync(path, document.replace(/(<!-- bench -->\n)[\s\S]*(\n<!-- \/bench -->)/, `$1${table}$2`));
}

/** Site and constant take turns at going first. @param urls of the site and of the constant */
async function ratiosOf(subject: Subject, urls: string[]): Promise<number[]> {
  const pools = urls.map((url) => new Pool(url, { connections: CONNECTIONS }));
  const [site, constant] = pools;
  if (!site || !constant) throw new Error("A ratio needs two Workers");
  for (const pool of pools) await cpuOf(pool, subject, WARM_UP_MS);
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const spent = new Map(pools.map((pool) => [pool, { cpu: 0, count: 0 }]));
    for (let slice = 0; slice < (subject.slices ?? 5); slice += 1) {
      for (const pool of slice % 2 === 0 ? pools : pools.toReversed()) {
        const { cpu, count } = await cpuOf(pool, subject, SLICE_MS);
        const sum = spent.get(pool);
        if (sum) Object.assign(sum, { cpu: sum.cpu + cpu, count: sum.count + count });
      }
    }
    const perRequest = (pool: Pool) => {
      const { cpu, count } = spent.get(pool) ?? { cpu: Number.NaN, count: 1 };
      return cpu / count;
    };
    ratios.push(perRequest(site) / perRequest(constant));
  }
  for (const pool of pools) await pool.close();
  return ratios;
}

/** The CPU time of workerd in milliseconds, and the number of requests that it answered. */
async function cpuOf(pool: Pool, subject: Subject, forMs: number): Promise<{ cpu: number; count: number }> {
  const before = cpuMs(pid);
  const end = performance.now() + forMs;
  let count = 0;
  const request = { path: subject.path, ...requestOf(subject, origin) };
  const askOn = async () => {
    for (; performance.now() < end; count += 1) {
      const answer = await pool.request(request);
      await answer.body.dump();
      if (answer.statusCode !== subject.status) throw new Error(`${subject.path} was answered ${answer.statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, askOn));
  return { cpu: cpuMs(pid) - before, count };
}

function requestOf({ body }: Subject, origin: string) {
  if (body === undefined) return { method: "GET" as const };
  return { method: "POST" as const, headers: { ...formHeaders(origin), Cookie: "seen=1" }, body };
}

/**
 * The CPU time of a new workerd process, from its start until it has answered one request, in milliseconds.
 * @param workers the first one answers
 */
async function firstRequestMs(workers: WorkerOptions[], path: string): Promise<number> {
  const runtime = new Miniflare({ workers, handleRuntimeStdio });
  const { origin } = await runtime.unsafeGetDirectURL(String(workers[0]?.name));
  const answer = await fetch(origin + path);
  await answer.arrayBuffer();
  const spent = cpuMs(workerdPid());
  await runtime.dispose();
  return spent;
}

/** The newest workerd of this process. */
function workerdPid(): number {
  return Number(execFileSync("pgrep", ["-n", "-P", String(process.pid), "workerd"], { encoding: "utf8" }));
}

/** Of all threads, to the nanosecond: https://docs.kernel.org/scheduler/sched-stats.html */
function cpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
}
