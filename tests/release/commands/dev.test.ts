import { existsSync, readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { WebSocket } from "undici";
import { afterAll, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { neighbors } from "../../../tools/neighbors";
import { apiOf, callApi } from "../../../tools/operator/call-api";
import { sourceFrame } from "../../../tools/start/source-frames";
import { checkOut } from "./checkout";
import { freePorts, poll, startIn, stop } from "./started";

/* `npm run dev` as a developer uses it, in a checkout and on ports of its own. */

const checkout = await checkOut();
afterAll(checkout.dispose);
const start = startIn(checkout);

const ROUTE = "app/routes/subscription.tsx";
const ANSWER = "functions/subscription-api/http/health.ts";

/** The number of the first line of a file that has these words. */
function lineOf(file: string, words: string): number {
  const lines = readFileSync(join(checkout.folder, file), "utf8").split("\n");
  return lines.findIndex((line) => line.includes(words)) + 1;
}

const THROWS = 'throw new Error("NCBOOM");';
const THROWN = [
  { file: ROUTE, at: /export async function loader.*\n/, code: `if (request.url.includes("fails")) ${THROWS}` },
  { file: ANSWER, at: /return async \(c\) => \{\n/, code: `if (c.req.url.includes("fails")) ${THROWS}` },
];

test.each(["start", "dev"])("npm run %s shows an error's message and its place in the source", async (script) => {
  for (const { file, at, code } of THROWN) {
    const before = readFileSync(join(checkout.folder, file), "utf8");
    onTestFinished(() => writeFile(join(checkout.folder, file), before));
    await checkout.change(file, (text) => text.replace(at, `$&  ${code}\n`));
  }
  const port = await freePorts();
  const started = await start(port, script);
  for (const path of [`${port}/subscription?fails`, `${port + 1}/health?fails`])
    expect((await fetch(`http://localhost:${path}`)).status, path).toBe(500);
  const log = () => started.lines.join("\n");
  for (const { file, code } of THROWN) await expect.poll(log).toContain(`${file}:${lineOf(file, code)}:`);
  expect(log().match(/"error":"Error","message":"NCBOOM"/g)).toHaveLength(2);
  await stop(started, port);
});

const LOGS = `if (c.req.url.includes("logs")) {
  console.log("a line of mine", { one: 1 });
  console.error(new Error("an error of mine"));
  void Promise.reject(new Error("nobody handles it"));
}`;

/** npm run dev waits for it after each reload. */
const NEVER_WELL = `if (c.req.url.includes("loaded")) return c.text("It is loaded");
await scheduler.wait(1_000_000);`;

test("npm run dev shows a developer's lines, and an error while a module loads: also in the browser, until it is fixed", async () => {
  const save = (file: string, text: string) => writeFile(join(checkout.folder, file), text);
  const [usual, route] = [ANSWER, ROUTE].map((file) => readFileSync(join(checkout.folder, file), "utf8"));
  if (!usual || !route) throw new Error("The files are empty");
  onTestFinished(async () => {
    await save(ANSWER, usual);
    await save(ROUTE, route);
  });
  await save(ANSWER, `${usual}\nthrow new TypeError("NCBOOM");\n`);
  const port = await freePorts();
  const started = await start(port, "dev");
  const answerOf = async (path: string) => {
    const answer = await fetch(`http://localhost:${path}`);
    return `${answer.status} ${await answer.text()}`;
  };
  const log = () => started.lines.join("\n");
  const loading = (file: string, text: string) =>
    `NCBOOM\n    at ${file}:${text.split("\n").findIndex((line) => line.includes("NCBOOM")) + 1}:`;
  const broken = [
    {
      file: ANSWER,
      text: `${usual}\nthrow new TypeError("NCBOOM");\n`,
      fixed: usual.replace(THROWN[1]?.at ?? "", `$&${LOGS}\n`),
    },
    { file: ROUTE, text: `${route}\nthrow new TypeError("NCBOOM");\n`, fixed: route },
  ];
  for (const { file, text, fixed } of broken) {
    await save(file, text);
    await expect.poll(log).toContain(loading(file, text));
    for (const path of [`${port}/pricing`, `${port + 1}/health`]) {
      await expect.poll(() => answerOf(path)).toMatch(/^500 /);
      expect(await answerOf(path)).toContain(loading(file, text));
    }
    await save(file, fixed);
    for (const path of [`${port}/pricing`, `${port + 1}/health`])
      await expect.poll(() => answerOf(path)).toMatch(/^200 /);
  }
  await answerOf(`${port + 1}/health?logs`);
  for (const line of [
    "a line of mine { one: 1 }",
    "Error: an error of mine",
    "Unhandled rejection: Error: nobody handles it",
  ])
    await expect.poll(() => started.lines).toContain(line);
  await expect.poll(log).toMatch(new RegExp(`nobody handles it\n +at ${ANSWER}:\\d+:`));
  await save(ANSWER, usual.replace(THROWN[1]?.at ?? "", `$&${NEVER_WELL}\n`));
  await expect.poll(() => answerOf(`${port + 1}/health?loaded`)).toBe("200 It is loaded");
  await stop(started, port, "SIGHUP");
});

const message = z.looseObject({
  id: z.number().optional(),
  method: z.string().optional(),
  params: z.looseObject({ url: z.string().optional(), hitBreakpoints: z.array(z.string()).optional() }).optional(),
  result: z.looseObject({ breakpointId: z.string().optional() }).optional(),
});

/** A debugger's connection to a Worker: https://chromedevtools.github.io/devtools-protocol/v8/Debugger/ */
async function debuggerAt(url: string) {
  const socket = new WebSocket(url, { headers: { origin: "http://localhost" } });
  onTestFinished(() => socket.close());
  const messages: z.output<typeof message>[] = [];
  socket.addEventListener("message", ({ data }) => void messages.push(message.parse(JSON.parse(String(data)))));
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  const send = (id: number, method: string, params: object = {}) => socket.send(JSON.stringify({ id, method, params }));
  /** Waits for a message. */
  async function received(isIt: (one: z.output<typeof message>) => boolean) {
    await expect.poll(() => messages.some(isIt)).toBe(true);
    return messages.find(isIt);
  }
  return { send, received };
}

/** The number, from zero, of the line of a bundle that was made from a line of the source. */
function lineInBundle(bundle: string, place: string): number {
  const lines = readFileSync(new URL(bundle), "utf8").split("\n");
  const isFrom = (text: string, line: number) =>
    sourceFrame(`at it (${bundle}:${line + 1}:${text.search(/\S/) + 1})`).includes(`${place}:`);
  return lines.findIndex(isFrom);
}

test("a debugger stops npm run dev at breakpoints in the site's route and in the API", async () => {
  const port = await freePorts();
  const started = await start(port, "dev");
  expect(started.lines).toContain(`  debugger          localhost:${port + 3}`);
  for (const { worker, file, words, asked } of [
    {
      worker: "citewell-site-local",
      file: ROUTE,
      words: "await currentStep(request",
      asked: `${port}/subscription?new`,
    },
    { worker: "citewell-subscription-api-local", file: ANSWER, words: '"cache-control"', asked: `${port + 1}/health` },
  ]) {
    const { send, received } = await debuggerAt(`ws://localhost:${port + 3}/${worker}`);
    send(1, "Debugger.enable");
    const script = await received(({ params }) => /\/build\/[\w-]+\/(site|index)\.js$/.test(params?.url ?? ""));
    const url = String(script?.params?.url);
    send(2, "Debugger.setBreakpointByUrl", { url, lineNumber: lineInBundle(url, `${file}:${lineOf(file, words)}`) });
    const set = await received(({ id }) => id === 2);
    const answer = fetch(`http://localhost:${asked}`);
    const paused = await received(({ method }) => method === "Debugger.paused");
    expect(paused?.params?.hitBreakpoints, file).toEqual([set?.result?.breakpointId]);
    send(3, "Debugger.resume");
    expect((await answer).status).toBe(200);
  }
  await stop(started, port);
});

test("npm run dev serves a saved change without a failed request, also one saved while it starts, and tells pages to load themselves again", async () => {
  const port = await freePorts();
  await rm(join(checkout.folder, "build"), { recursive: true });
  const bundled = join(checkout.folder, "build/subscription-api/index.js");
  const starting = start(port, "dev");
  await expect.poll(() => existsSync(bundled)).toBe(true);
  const whileStarting = 'if (c.req.url.includes("early")) return c.text("Saved while it starts");';
  await checkout.change(ANSWER, (text) => text.replace(/return async \(c\) => \{\n/, `$&  ${whileStarting}\n`));
  const started = await starting;
  const early = async () => (await fetch(`http://localhost:${port + 1}/health?early`)).text();
  await expect.poll(early).toBe("Saved while it starts");

  const said = async (sentence: RegExp, change: () => Promise<unknown>) => {
    const before = started.lines.length;
    await change();
    await expect.poll(() => started.lines.slice(before).join("\n")).toMatch(sentence);
  };
  const site = `http://localhost:${port}`;
  const pricing = async () => (await fetch(`${site}/pricing`)).text();
  const [, script = "", build = ""] = /<script src="([^"]+)" data-build="(\d+)">/.exec(await pricing()) ?? [];
  expect(await (await fetch(site + script)).text()).toContain("location.reload()");
  const edit = (change: (code: string) => string) => checkout.change("app/pricing/pricing-content.ts", change);

  const polled = poll(port);
  await said(/^Reloaded: site$/m, () => edit((code) => code.replace(/title: "[^"]*"/, 'title: "Saved"')));
  expect(await polled(), "answers while the Workers are loaded again").toEqual([200, 200, 200]);
  expect(await pricing()).toContain("Saved</h1>");
  const socket = new WebSocket(`ws://localhost:${port}/live-reload?build=${build}`);
  expect(await new Promise((resolve) => socket.addEventListener("message", ({ data }) => resolve(data)))).toBe(
    "reload",
  );

  const migration = join(checkout.folder, "functions/subscription-api/migrations/0099_new.sql");
  await said(/^Reloaded: subscription-api$/m, () => writeFile(migration, "CREATE TABLE a_new_one (id TEXT)"));
  expect((await fetch(`http://localhost:${port + 1}/health`)).status).toBe(200);
  const newFile = join(checkout.folder, "public/new.txt");
  await said(/^Reloaded: settings and static files$/m, () => writeFile(newFile, "a new file"));
  expect(await (await fetch(`${site}/new.txt`)).text()).toBe("a new file");
  await said(/^Reloaded: site$/m, () =>
    checkout.change("wrangler.toml", (text) => text.replace("http://localhost:8789/p/login", "https://acme.com/login")),
  );
  expect(await pricing()).toContain("https://acme.com/login");
  const plans = "app/contract/plans.ts";
  await said(/^Reloaded: site/m, () =>
    checkout.change(plans, (text) => text.replace(/(?<=, priceCents: )[\d_]+/, "1_999")),
  );
  const catalog = await callApi(apiOf("local", { ...neighbors, env: { PORT: String(port) } }), "catalog");
  expect(catalog, "the API's prices").toMatchObject({
    prices: expect.arrayContaining([expect.objectContaining({ price_cents: 1_999 })]),
  });
  await said(/pricing-content\.ts/, () => edit((code) => `${code}\nconst = 1;\n`));
  expect(await pricing()).toContain("Saved</h1>");
  await said(/^Restart npm run dev to use package\.json\.$/m, () =>
    checkout.change("package.json", (text) => `${text}\n`),
  );
  await stop(started, port);
});
