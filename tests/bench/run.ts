import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { fields } from "../support/site-visitor";
import { measureInteraction, measurePages, openBrowser } from "./browser-pages";
import { sentPage, startBareForwarder, startConstant, startStaticAsset, startUpstreamWorkerd } from "./controls";
import { compressed, startEdgeServer } from "./edge-server";
import { buildLargeCatalogue } from "./large-catalogue";
import { type Load, measureInTurn, send, type Target } from "./load";
import { residentMiB } from "./process-figures";
import { inWords, percent, type Row, tableOf, writeReadme, writeReport } from "./report";
import { root } from "./root";
import { startSiteWorkerd } from "./site-worker";
import { checkedStartUp, firstAnswer, pagesMadeFor, workerBytes } from "./start-up";
import { ratioOf } from "./statistics";
import type { RunningWorkerd } from "./workerd";

/*
 * `npm run bench`: what the site costs, beside the least that it could cost, in the same runtime and the same run.
 *   --readme  puts the table into README.md
 *   --full    sends a million requests where the default sends 100,000
 *   --quick   fewer and shorter rounds, to try the benchmark itself
 */

const options = new Set(process.argv.slice(2));
const isQuick = options.has("--quick");
const length = isQuick ? { rounds: 2, seconds: 1, warmUp: 1 } : { rounds: 15, seconds: 1, warmUp: 3 };
const fewer = { ...length, rounds: Math.min(length.rounds, 9) };
/** The sign-up's post runs much more code than a page, which takes longer to get warm. */
const warmer = { ...length, warmUp: isQuick ? 1 : 10 };
/** Paints differ more from one load to the next than requests do. */
const PAGE_LOADS = isQuick ? 2 : 9;
const MANY = options.has("--full") ? 1_000_000 : isQuick ? 5_000 : 100_000;
const CONNECTIONS = 16;
const PAGES = ["/", "/pricing", "/privacy", "/terms", "/subscription"];

const rows: Row[] = [];
const figures: Record<string, unknown> = {};
const loads: number[] = [];
const running: { dispose(): unknown }[] = [];

/** Ends with the run, however that ends. */
async function held<Server extends { dispose(): unknown }>(starting: Promise<Server>): Promise<Server> {
  const server = await starting;
  running.push(server);
  return server;
}

function step(title: string): void {
  loads.push(loadavg()[0] ?? Number.NaN);
  console.log(`── ${title}`);
}

const get = (server: RunningWorkerd, path = "/", connections = CONNECTIONS): Target => ({
  server,
  path,
  connections,
  expects: 200,
});

const cpuRatio = (site: Load, control: Load) =>
  site.cpuPerRequest && control.cpuPerRequest ? ratioOf(site.cpuPerRequest, control.cpuPerRequest) : Number.NaN;

const described = ({ requestsPerSecond, cpuPerRequest }: Load) =>
  `${inWords(requestsPerSecond, "requests/s")}, ${inWords(cpuPerRequest, "µs CPU")}`;

async function measureHome(site: RunningWorkerd): Promise<Load> {
  step("The home page and its controls");
  const page = await sentPage(site.url);
  const results = await measureInTurn(
    {
      site: get(site),
      bytes: get(await held(startConstant("constant-bytes", page, "bytes"))),
      string: get(await held(startConstant("constant-string", page, "string"))),
      asset: get(await held(startStaticAsset(page)), "/page.html"),
    },
    length,
  );
  figures.home = results;
  const judged = (control: Load) => ({ value: cpuRatio(results.site, control), unit: "×", target: 1.5 }) as const;
  rows.push(
    {
      what: "Home page, CPU beside a constant of bytes",
      result: described(results.site),
      control: described(results.bytes),
      judged: judged(results.bytes),
    },
    {
      what: "… beside a constant string",
      result: "",
      control: described(results.string),
      judged: judged(results.string),
    },
    { what: "… beside the runtime's file server", result: "", control: described(results.asset) },
  );
  return results.bytes;
}

async function measurePost(): Promise<void> {
  step("The sign-up's post and the bare forwarder");
  const upstream = await held(startUpstreamWorkerd());
  // A process of its own: what posts leave behind would be in the way of the pages, whose controls are fresh.
  const site = await held(startSiteWorkerd({ name: "post", subscriptionApiUrl: upstream.url }));
  const page = await (await fetch(`${site.url}/subscription`)).text();
  const nonce = /name="form_nonce" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const form = new URLSearchParams({ ...fields, form_nonce: nonce }).toString();
  const post = (server: RunningWorkerd): Target => ({
    server,
    path: "/subscription",
    connections: CONNECTIONS,
    form,
    expects: 303,
  });
  const results = await measureInTurn(
    { site: post(site), forwarder: post(await held(startBareForwarder(upstream.url))) },
    warmer,
  );
  figures.post = results;
  const value = ratioOf(results.site.requestsPerSecond, results.forwarder.requestsPerSecond);
  rows.push({
    what: "Sign-up post, requests/s beside a bare forwarder",
    result: described(results.site),
    control: described(results.forwarder),
    judged: { value, unit: "×", target: 0.5, atLeast: true },
  });
}

async function measureConnections(site: RunningWorkerd): Promise<void> {
  step("1 and 500 connections");
  const constant = await held(startConstant("constant-connections", await sentPage(site.url), "bytes"));
  for (const connections of [1, 500]) {
    const results = await measureInTurn(
      { site: get(site, "/", connections), constant: get(constant, "/", connections) },
      fewer,
    );
    figures[`connections-${connections}`] = results;
    rows.push({
      what: `Home page with ${connections} connection${connections === 1 ? "" : "s"}`,
      result: described(results.site),
      control: described(results.constant),
      judged: { value: cpuRatio(results.site, results.constant), unit: "×", target: 1.5 },
    });
  }
}

async function measureCatalogue(site: RunningWorkerd): Promise<void> {
  step("4 and 400 plans");
  const large = await held(startSiteWorkerd({ name: "large-catalogue", ...(await buildLargeCatalogue(400)) }));
  for (const [plans, server] of [
    [4, site],
    [400, large],
  ] as const) {
    const page = await sentPage(`${server.url}/pricing`);
    const constant = await held(startConstant(`constant-${plans}`, page, "bytes"));
    const results = await measureInTurn({ site: get(server, "/pricing"), constant: get(constant, "/pricing") }, fewer);
    figures[`plans-${plans}`] = { bytes: page.body.length, ...results };
    rows.push({
      what: `Pricing page with ${plans} plans, ${Math.round(page.body.length / 1024)} KiB`,
      result: described(results.site),
      control: described(results.constant),
      judged: { value: cpuRatio(results.site, results.constant), unit: "×", target: 1.5 },
    });
  }
}

async function measureMany(): Promise<void> {
  step(`${MANY.toLocaleString("en-US")} requests`);
  const fresh = await held(startSiteWorkerd({ name: "many" }));
  const constant = await held(startConstant("constant-many", await sentPage(fresh.url), "bytes"));
  const servers = { site: get(fresh), constant: get(constant) };
  const memory = () => ({ site: residentMiB(fresh.pid), constant: residentMiB(constant.pid) });
  const before = { load: await measureInTurn(servers, fewer), memory: memory() };
  for (const server of Object.values(servers)) await send(server, MANY);
  const after = { load: await measureInTurn(servers, fewer), memory: memory() };
  figures.many = { requests: MANY, before, after };
  // The runtime gives memory back late, and here has no limit: what the constant takes is its own doing.
  const grown = (name: "site" | "constant") =>
    `${described(after.load[name])}, memory ${mib(before.memory[name])} → ${mib(after.memory[name])}`;
  rows.push(
    {
      what: `Home page after ${MANY.toLocaleString("en-US")} requests`,
      result: grown("site"),
      control: grown("constant"),
      judged: { value: cpuRatio(after.load.site, after.load.constant), unit: "×", target: 1.5 },
    },
    { what: "… beside itself before", result: described(after.load.site), control: described(before.load.site) },
  );
}

function mib(memory: number | undefined): string {
  return memory === undefined ? "n/a" : `${memory.toFixed(0)} MiB`;
}

async function measureWorker(): Promise<void> {
  step("The Worker's size and start");
  const [bytes, start, renders, check] = [
    await workerBytes(),
    await firstAnswer(5),
    await pagesMadeFor(100),
    await checkedStartUp(),
  ];
  figures.worker = { bytes, start, renders, check };
  rows.push(
    {
      what: "The Worker's script, gzip",
      result: `${(bytes / 1024).toFixed(0)} KiB`,
      judged: { value: bytes, unit: "bytes", target: 200 * 1024 },
    },
    {
      what: "From the start of workerd to its first page",
      result: inWords(start, "ms"),
      control:
        check === undefined ? "`wrangler check startup` samples nothing here" : `script alone: ${check.toFixed(0)} ms`,
    },
    {
      what: "Renders for 100 first visitors at once",
      result: String(renders),
      judged: { value: renders, unit: "renders", target: 1 },
    },
  );
}

async function measureWeights(site: RunningWorkerd): Promise<void> {
  step("Weights");
  const weights: Record<string, unknown> = {};
  for (const path of PAGES) {
    const response = await fetch(site.url + path, { headers: { accept: "text/html" } });
    const html = await response.text();
    const headers = [...response.headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 19);
    const [gzip, brotli] = [compressed(html, "gzip").length + headers, compressed(html, "br").length + headers];
    const scripts = path === "/subscription" ? await scriptBytes(html) : 0;
    weights[path] = { html: html.length, headers, gzip, brotli, scripts };
    const judged = { value: gzip, unit: "bytes", target: 14_600 } as const;
    rows.push({
      what: `Weight of ${path}, headers included`,
      result: `${gzip.toLocaleString("en-US")} bytes gzip, ${brotli.toLocaleString("en-US")} brotli`,
      ...(path !== "/subscription" && { judged }),
    });
    if (scripts > 0) {
      const judgedScripts = { value: scripts, unit: "bytes", target: 95_000 } as const;
      rows.push({
        what: `Scripts of ${path}, brotli`,
        result: `${scripts.toLocaleString("en-US")} bytes`,
        judged: judgedScripts,
      });
    }
  }
  figures.weights = weights;
}

/** Of everything that a page names to be loaded at once. */
async function scriptBytes(html: string): Promise<number> {
  const paths = [...html.matchAll(/rel="modulepreload" href="([^"]+)"|\b(?:from|import) "([^"]+\.js)"/g)].map(
    ([, preloaded, imported]) => preloaded ?? imported ?? "",
  );
  const files = await Promise.all([...new Set(paths)].map((path) => readFile(join(root, "public", path))));
  return files.reduce((sum, file) => sum + brotliCompressSync(file).length, 0);
}

async function measureBrowser(site: RunningWorkerd): Promise<void> {
  step("In the browser");
  const inline = await held(startEdgeServer(site.url, "inline"));
  const linked = await held(startEdgeServer(site.url, "linked"));
  const browser = await openBrowser();
  try {
    const marketing = PAGES.filter((path) => path !== "/subscription");
    const pages = await measurePages(
      browser,
      [
        ...marketing.flatMap((path) => [
          { name: path, server: inline, path },
          { name: `${path} linked`, server: linked, path },
        ]),
        { name: "/subscription", server: inline, path: "/subscription" },
      ],
      PAGE_LOADS,
    );
    figures.pages = Object.fromEntries(pages);
    for (const path of marketing) {
      const [one, two] = [pages.get(path), pages.get(`${path} linked`)];
      if (!one || !two) continue;
      rows.push(
        {
          what: `First paint of ${path}, beside itself as two requests`,
          result: `${inWords(one.firstPaint, "ms")}, largest ${inWords(one.largestPaint, "ms")}`,
          control: inWords(two.firstPaint, "ms"),
          judged: { value: ratioOf(one.firstPaint, two.firstPaint), unit: "×", target: 0.8 },
        },
        {
          what: `Requests that the first paint of ${path} waits for`,
          result: `${one.requestsForPaint}; ${one.requestsBeforePaint} begin before it; ${one.requests} in all`,
          judged: { value: one.requestsForPaint, unit: "requests", target: 1 },
        },
      );
    }
    const signup = pages.get("/subscription");
    if (signup) {
      rows.push({
        what: "Sign-up: total blocking time",
        result: `${inWords(signup.blockingTime, "ms")}; first paint ${inWords(signup.firstPaint, "ms")}, ${signup.requests} requests`,
        judged: { value: signup.blockingTime, unit: "ms", target: 50 },
      });
    }
    const interaction = {
      fast: await measureInteraction(browser, inline, false),
      slow: await measureInteraction(browser, inline, true),
    };
    figures.interaction = interaction;
    for (const [speed, words] of [
      ["fast", "unthrottled"],
      ["slow", "4× CPU"],
    ] as const) {
      for (const [act, title] of [
        ["typing", "a character"],
        ["leaving", "leaving a field"],
      ] as const) {
        const measured = interaction[speed][act];
        rows.push({
          what: `Sign-up: script for ${title}, ${words}`,
          result: inWords(measured, "ms"),
          judged: { value: measured, unit: "ms", target: 16 },
        });
      }
    }
  } finally {
    await browser.close();
  }
}

async function main(): Promise<void> {
  step("Build");
  execFileSync("npm", ["run", "--silent", "build:site"], {
    cwd: root,
    env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const site = await held(startSiteWorkerd());

  const control = await measureHome(site);
  await measurePost();
  await measureConnections(site);
  await measureCatalogue(site);
  await measureMany();
  await measureWorker();
  await measureWeights(site);
  await measureBrowser(site);
  step("Report");

  const processors = cpus();
  const report = {
    date: new Date().toISOString().slice(0, 10),
    machine: `${processors.length} × ${processors[0]?.model.trim() ?? "unknown CPU"}, Node ${process.versions.node}`,
    noise: `How noisy it was: the rounds of the constant lie ${percent(control.requestsPerSecond)} of their median apart, the load average went up to ${Math.max(...loads).toFixed(1)}.`,
    rows,
    figures,
  };
  await writeReport(report);
  if (options.has("--readme")) await writeReadme(report);
  console.log(`\n${tableOf(report)}\n\nbuild/bench/report.json has everything that was measured.`);
}

try {
  await main();
} finally {
  await Promise.all(running.map((server) => server.dispose()));
}
