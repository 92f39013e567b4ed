import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { Miniflare, type WorkerOptions } from "miniflare";
import { Pool } from "undici";
import { bindingsOf } from "../tools/wrangler/worker-settings";
import { root } from "../tools/wrangler/wrangler";
import { fields } from "./support/person";
import { formHeaders } from "./support/visitors/site-visitor";

/*
 * `npm run bench` (Linux, after `npm run build`): the CPU time of a page, divided by the CPU time of a Worker that returns the
 * same bytes as a constant, in one run. `--quick` tries it; `--write` puts the table into docs/performance.md.
 */

const [isQuick, isWritten] = ["--quick", "--write"].map((flag) => process.argv.includes(flag));
if (isQuick && isWritten) {
  console.error("A quick run is too noisy to publish: npm run bench -- --write");
  process.exit(1);
}
const [ROUNDS, WARM_UP_MS] = isQuick ? [3, 500] : [11, 4_000];
const ROUND_MS = 1_000;
const CONNECTIONS = 16;
/** The runtime writes these itself. */
const RUNTIME_HEADERS = new Set(["content-length", "transfer-encoding", "connection", "keep-alive", "date"]);

const form = `/subscription/${fields.package_id}`;
type Subject = { what: string; path: string; status: number; atMost?: number; body?: string };
const subjects: Subject[] = [
  { what: "Home page", path: "/", status: 200 },
  { what: "Pricing page", path: "/pricing", status: 200 },
  { what: "Terms", path: "/terms", status: 200 },
  { what: "Form page", path: form, status: 200 },
  { what: "Not found", path: "/no-such-page", status: 404 },
  { what: "Form sent, answered 303", path: form, status: 303, atMost: 12, body: `${new URLSearchParams(fields)}` },
];

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
const constants: WorkerOptions[] = [];
for (const subject of subjects) {
  const response = await fetch(origin + subject.path, { ...requestOf(subject, origin), redirect: "manual" });
  const headers = [...response.headers].filter(([name]) => !RUNTIME_HEADERS.has(name));
  const script = `const body = new TextEncoder().encode(${JSON.stringify(await response.text())});
    const init = { status: ${response.status}, headers: new Headers(${JSON.stringify(headers)}) };
    export default { fetch: () => new Response(body, init) };`;
  constants.push({ ...direct, name: subject.what, compatibilityDate, modules: true, script });
}
await alone.dispose();

const both = new Miniflare({ workers: [site, upstream, ...constants], handleRuntimeStdio });
await both.ready;
const pid = Number(execFileSync("pgrep", ["-n", "-P", String(process.pid), "workerd"], { encoding: "utf8" }));
const rows: string[] = [];
for (const subject of subjects) {
  const { what, atMost = 2 } = subject;
  const urls = await Promise.all(["site", what].map(async (name) => (await both.unsafeGetDirectURL(name)).origin));
  const ratios = (await ratiosOf(subject, urls)).sort((one, other) => one - other).map((ratio) => ratio.toFixed(2));
  const median = ratios[ROUNDS >> 1];
  const verdict = Number(median) <= atMost ? "met" : "**missed**";
  rows.push(`| ${what} | ${median}× (${ratios[0]}–${ratios.at(-1)}) | ≤ ${atMost}×: ${verdict} |`);
  console.log(rows.at(-1));
}
await both.dispose();
if (isWritten) {
  const path = join(root, "docs/performance.md");
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`;
  const measured = `Measured on ${new Date().toISOString().slice(0, 10)}: ${machine}.\n`;
  const table = [measured, "| What | CPU, in constants | Limit |", "| --- | --- | --- |", ...rows].join("\n");
  const document = readFileSync(path, "utf8");
  writeFileSync(path, document.replace(/(<!-- bench -->\n)[\s\S]*(\n<!-- \/bench -->)/, `$1${table}$2`));
}

/** Site and constant are first in turn, so that noise meets both. */
async function ratiosOf(subject: Subject, urls: string[]): Promise<number[]> {
  for (const url of urls) await cpuPerRequest(url, subject, WARM_UP_MS);
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const costs: number[] = [];
    const isSiteFirst = round % 2 === 0;
    for (const url of isSiteFirst ? urls : urls.toReversed()) costs.push(await cpuPerRequest(url, subject, ROUND_MS));
    const [first = Number.NaN, second = Number.NaN] = costs;
    ratios.push(isSiteFirst ? first / second : second / first);
  }
  return ratios;
}

/** In clock ticks. */
async function cpuPerRequest(url: string, subject: Subject, forMs: number): Promise<number> {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const before = cpuTicks();
  const end = performance.now() + forMs;
  let count = 0;
  const askOn = async () => {
    for (; performance.now() < end; count += 1) {
      const answer = await pool.request({ path: subject.path, ...requestOf(subject, url) });
      await answer.body.dump();
      if (answer.statusCode !== subject.status) throw new Error(`${subject.path} was answered ${answer.statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, askOn));
  await pool.close();
  return (cpuTicks() - before) / count;
}

/** utime and stime of workerd, after its name in parentheses: fields 14 and 15 of proc(5). */
function cpuTicks(): number {
  const line = readFileSync(`/proc/${pid}/stat`, "utf8");
  const columns = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return Number(columns[11]) + Number(columns[12]);
}

function requestOf({ body }: Subject, origin: string) {
  if (body === undefined) return { method: "GET" as const };
  return { method: "POST" as const, headers: { ...formHeaders(origin), Cookie: "seen=1" }, body };
}
