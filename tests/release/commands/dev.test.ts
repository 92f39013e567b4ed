import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { WebSocket } from "undici";
import { afterAll, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { sourceFrame } from "../../../tools/start/source-frames";
import { SOON } from "../../support/workers/workers";
import { checkOut } from "./checkout";
import { freePorts } from "./ports";
import { poll, startIn, stop } from "./started";

/* `npm run dev` as a developer uses it, in a checkout and on ports of its own. */

const checkout = await checkOut();
afterAll(checkout.dispose);
const start = startIn(checkout.folder);

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
  for (const { file, code } of THROWN) await expect.poll(log, SOON).toContain(`${file}:${lineOf(file, code)}:`);
  expect(log().match(/"error":"Error","message":"NCBOOM"/g)).toHaveLength(2);
  await stop(started, port);
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

test("npm run dev says who uses the debugger's port", async () => {
  const port = await freePorts();
  const holder = createServer().listen(port + 3, "127.0.0.1");
  onTestFinished(() => void holder.close());
  await once(holder, "listening");
  const { output, exitCode } = await checkout.run("dev", [], { PORT: String(port) });
  expect(output).toContain(`Port ${port + 3} is in use by process ${process.pid} `);
  expect(exitCode).toBe(1);
});

test("npm run dev serves a saved change without a failed request, and tells pages to load themselves again", async () => {
  const port = await freePorts();
  const started = await start(port, "dev");
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
  await said(/pricing-content\.ts/, () => edit((code) => `${code}\nconst = 1;\n`));
  expect(await pricing()).toContain("Saved</h1>");
  await said(/^Restart npm run dev to use package\.json\.$/m, () =>
    checkout.change("package.json", (text) => `${text}\n`),
  );
  await stop(started, port);
});
