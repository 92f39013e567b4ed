import { vi } from "vitest";
import * as z from "zod";
import { createApi } from "../../../functions/subscription-api/app";
import type { PasswordHasher } from "../../../functions/subscription-api/sign-ups/password/password";
import { cheapPasswords } from "../cheap-passwords";
import type { Io } from "./database";
import { databaseInMemory } from "./database";
import { Scheduler } from "./scheduler";
import { SETTINGS } from "./settings";
import { Stripe } from "./stripe-model";

type Api = ReturnType<typeof createApi>;
type Context = ConstructorParameters<Api["SiteApi"]>[0];

const executionContext = z.custom<Context>((value) => typeof value === "object" && value !== null);

/** The services called by the API: Stripe, the email provider, the console. */
export type Upstream = (url: URL, request: Request) => Response | Promise<Response>;

type Options = {
  /** Bindings that override the local ones. */
  settings?: Record<string, unknown>;
  /** Replaces the model of Stripe and the receivers. */
  upstream?: Upstream;
  /** Passes on what is sent to the database, or fails. */
  io?: Io;
  passwords?: PasswordHasher;
  /** Receives the Stripe model's events, which are not delivered otherwise. */
  tell?: Stripe["tell"];
};

const nobody = () => {};

/**
 * The subscription API in this process, over SQLite and the model of Stripe. It keeps what it logs and what it sends,
 * in place of console and `fetch`, which Vitest restores before the next test.
 */
export function apiInProcess(options: Options = {}) {
  const { settings = {}, io, passwords = cheapPasswords, tell = nobody } = options;
  const memory = databaseInMemory(io);
  const model = new Stripe(new Scheduler(Date.now()), tell, nobody);
  const { upstream = answersOf(model) } = options;
  const env = { ...SETTINGS, DB: memory.d1, ...settings };
  const logged: Record<string, unknown>[] = [];
  for (const level of ["info", "warn", "error"] as const)
    vi.spyOn(console, level).mockImplementation((line) => logged.push({ on: level, ...JSON.parse(line) }));
  /** Method and URL of each call, in order. */
  const calls: string[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (given, init) => {
    const request = new Request(given, init);
    calls.push(`${request.method} ${request.url}`);
    // The request's own signal may be collected as garbage while nothing answers.
    const signal = init?.signal;
    const aborted = new Promise<never>((_resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
    return Promise.race([upstream(new URL(request.url), request), aborted]);
  });

  const { publicApi, SiteApi } = createApi(() => passwords);
  const background: Promise<unknown>[] = [];
  const context = executionContext.parse({
    waitUntil: (work: Promise<unknown>) => background.push(work),
    passThroughOnException() {},
  });
  const entrypoints = {
    public: async (request: Request) => publicApi.fetch(request, env, context),
    site: async (request: Request) => new SiteApi(context, env).fetch(request),
  };

  return {
    ...memory,
    env,
    model,
    logged,
    calls,
    /** @param where a path of the public entrypoint, or a URL */
    async ask(where: string, init: RequestInit = {}, entrypoint: keyof typeof entrypoints = "public") {
      return entrypoints[entrypoint](new Request(new URL(where, "http://localhost:8788"), init));
    },
    /** Resolves when all background work has ended. */
    async settled() {
      for (const work of background) await work;
    },
    runScheduled: () => publicApi.scheduled(null, env),
  };
}

/** Answers of the model, and of receivers that accept everything. */
export function answersOf(model: Stripe): Upstream {
  return async (url, request) => {
    if (!url.pathname.startsWith("/v1/")) return Response.json({ data: [] });
    const key = request.headers.get("idempotency-key") ?? undefined;
    const { status, text } = model.request(request.method, url, await request.text(), key);
    return new Response(text, { status, headers: { "content-type": "application/json" } });
  };
}
