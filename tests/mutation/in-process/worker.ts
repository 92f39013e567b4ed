import { AsyncLocalStorage } from "node:async_hooks";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Miniflare } from "miniflare";
import { expect, vi } from "vitest";
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from "wrangler";
import * as z from "zod";
import { d1Of, MemoryDatabase } from "../../support/api-in-process/database";
import type { RunningWorker, WorkerPlan } from "../../support/workers/miniflare";

export type { RunningWorker, Vars, WorkerPlan, Wrapper } from "../../support/workers/miniflare";

/*
 * Stands in for tests/support/workers/miniflare.ts: what a Worker is made of runs in this process, behind a server of
 * Node, so that Stryker's mutants are active in it. The database is that of the simulation.
 */

const root = fileURLToPath(new URL("../../..", import.meta.url));

type Handler = {
  fetch(request: Request, env: object, context: object): Response | Promise<Response>;
  scheduled?(controller: object, env: object, context: object): Promise<void>;
};
type Outbound = (request: Request) => Response | Promise<Response>;
type Running = Pick<RunningWorker, "logs" | "output"> & { outbound?: Outbound | undefined };

const handler = z.custom<Handler>((value) => typeof value === "object" && value !== null && "fetch" in value);
const miniflare = z.custom<Miniflare>((value) => typeof value === "object" && value !== null);
const outboundService = z.custom<Outbound>((value) => typeof value === "function").optional();
const limits = z.record(z.string(), z.object({ simple: z.object({ limit: z.number(), period: z.number() }) }));

const running = forAllFiles(() => {
  const storage = new AsyncLocalStorage<Running>();
  watchGlobals(storage);
  return storage;
});
const context = { waitUntil: (work: Promise<unknown>) => void work.catch(() => {}), passThroughOnException() {} };

/** What a Worker writes is its own, and what it sends may be caught by its test. */
function watchGlobals(running: AsyncLocalStorage<Running>): void {
  for (const level of ["log", "info", "warn", "error"] as const) {
    const write = console[level];
    console[level] = (...given: unknown[]) => {
      const worker = running.getStore();
      if (worker === undefined) return write.apply(console, given);
      const line = given.map(String).join(" ");
      worker.output.push(line);
      if (line.startsWith("{")) worker.logs.push(JSON.parse(line));
    };
  }
  const send = globalThis.fetch;
  globalThis.fetch = async (...given) => {
    const outbound = running.getStore()?.outbound;
    if (outbound === undefined) return send(...given);
    return running.exit(async () => outbound(new Request(...given)));
  };
}
/** Modules are new in each file of tests, the process is not. */
function forAllFiles(make: () => AsyncLocalStorage<Running>): AsyncLocalStorage<Running> {
  const key = Symbol.for("running Workers");
  const known = z.instanceof(AsyncLocalStorage<Running>).safeParse(Reflect.get(globalThis, key)).data;
  const storage = known ?? make();
  Reflect.set(globalThis, key, storage);
  return storage;
}

export async function startWorker(plan: WorkerPlan): Promise<RunningWorker> {
  const { folder, environment, vars = {}, wrapper, port } = plan;
  const options = { ...settingsOf(folder, environment), ...plan.miniflare };
  const worker: Running = { logs: [], output: [], outbound: outboundService.parse(options.outboundService) };
  const database = new MemoryDatabase();
  const DB = d1Of(database, async (_, effect) => {
    await new Promise((resolve) => setImmediate(resolve));
    return effect();
  });
  const bound = Object.entries({ ...options.bindings, ...vars }).filter(([, value]) => value !== undefined);
  const env = {
    ...Object.fromEntries(bound),
    ...Object.fromEntries(
      Object.entries(limits.parse(options.ratelimits ?? {})).map(([name, { simple }]) => [name, limiter(simple)]),
    ),
    ...(options.sendsMail === true && { EMAIL: { send: async () => {} } }),
    ...Object.fromEntries(
      Object.entries(wrapper?.services ?? {}).map(([name, serve]) => [
        name,
        { fetch: async (url: string, init?: RequestInit) => serve(new Request(url, init)) },
      ]),
    ),
    DB,
    RELEASE: { id: "in-process", tag: "", timestamp: "" },
    ASSETS: { fetch: async () => new Response(null, { status: 404 }) },
  };
  const { make, dispose: end = () => {} } = await makerOf(plan, env);
  let made: { test: string | undefined; handler: Handler } | undefined;
  // Anew for each test, so that what a Worker does when it starts counts as done by that test.
  const handlerNow = () => {
    const test = expect.getState().currentTestName;
    if (made?.test !== test || made === undefined) {
      made = { test, handler: wrapper ? wrapped(wrapper.script, make()) : make() };
    }
    return made.handler;
  };
  const ask = (request: Request) => running.run(worker, async () => handlerNow().fetch(request, env, context));

  // As lenient as workerd is with what only an attacker sends.
  const server = createServer({ maxHeaderSize: 64 * 1024, insecureHTTPParser: true }, (incoming, outgoing) => {
    ask(requestOf(incoming))
      .then((response) => give(response, outgoing))
      .catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port ?? 0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return {
    url: `http://localhost:${address.port}`,
    mf: miniflare.parse({
      getD1Database: async () => DB,
      dispatchFetch: (url: string, init: RequestInit) => ask(new Request(url, init)),
      getWorker: async () => ({
        scheduled: (controller: object) =>
          running
            .run(worker, async () => handlerNow().scheduled?.(controller, env, context))
            .then(
              () => ({ outcome: "ok" }),
              () => ({ outcome: "exception" }),
            ),
      }),
    }),
    logs: worker.logs,
    output: worker.output,
    said: [],
    async dispose() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      end();
    },
  };
}

function settingsOf(folder: string, environment = "") {
  const config = unstable_readConfig({ config: join(root, folder, "wrangler.toml"), env: environment });
  return unstable_getMiniflareWorkerOptions(config).workerOptions as Record<string, unknown> & { bindings?: object };
}

async function makerOf(
  { folder, bundle }: WorkerPlan,
  env: object,
): Promise<{ make(): Handler; dispose?: () => void }> {
  if (folder.endsWith("stripe-simulator")) {
    const simulator = (await import("./simulator")).startSimulator(env);
    return { make: () => simulator, dispose: simulator.dispose };
  }
  if (folder === ".") {
    const { makeSite } = await import("./site");
    return { make: () => handler.parse(makeSite()) };
  }
  // The API keeps something in its modules: they are new for each Worker, as in an isolate of its own.
  vi.resetModules();
  const { makeApi } = await import("./api");
  return { make: () => handler.parse(makeApi({ fast: bundle.endsWith("fast-api.js") })) };
}

/** A wrapper's module as a function of the Worker in it. */
function wrapped(script: string, worker: Handler): Handler {
  const body = script.replace(/import (\w+) from "\.\/worker\.js";/, "const $1 = built;");
  return handler.parse(new Function("built", body.replace("export default", "return"))(worker));
}

function limiter({ limit, period }: { limit: number; period: number }) {
  const counts = new Map<string, number>();
  return {
    async limit({ key }: { key: string }) {
      const counted = `${Math.floor(Date.now() / 1000 / period)} ${key}`;
      counts.set(counted, (counts.get(counted) ?? 0) + 1);
      return { success: (counts.get(counted) ?? 0) <= limit };
    },
  };
}

function requestOf(incoming: IncomingMessage): Request {
  const { method = "GET", url = "/", headersDistinct } = incoming;
  const headers = new Headers();
  for (const [name, values] of Object.entries(headersDistinct)) {
    for (const value of values ?? [])
      if (!/^(connection|transfer-encoding|keep-alive)$/.test(name)) headers.append(name, value);
  }
  const hasBody = method !== "GET" && method !== "HEAD";
  const init = {
    method,
    headers,
    redirect: "manual" as const,
    ...(hasBody && { body: bytesOf(incoming), duplex: "half" }),
  };
  return new Request(`http://${headers.get("host") ?? "localhost"}${url}`, init);
}

function bytesOf(incoming: IncomingMessage): ReadableStream {
  const chunks = incoming.iterator({ destroyOnReturn: false });
  return new ReadableStream({
    type: "bytes",
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) {
        controller.close();
        controller.byobRequest?.respond(0);
      } else controller.enqueue(new Uint8Array(value));
    },
  });
}

function give(response: Response, outgoing: ServerResponse): void {
  const headers = [...response.headers].filter(([name]) => name !== "set-cookie");
  outgoing.writeHead(response.status, [
    ...headers.flat(),
    ...response.headers.getSetCookie().flatMap((cookie) => ["set-cookie", cookie]),
  ]);
  if (response.body === null) outgoing.end();
  else {
    Readable.from(chunksOf(response.body.getReader()))
      .on("error", () => outgoing.destroy())
      .pipe(outgoing);
  }
}

async function* chunksOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
}

/** A TCP port that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return address === null || typeof address === "string" ? 0 : address.port;
}
