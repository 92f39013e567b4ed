import { vi } from "vitest";
import * as z from "zod";
import { createApi } from "../../../functions/subscription-api/app";
import { databaseInMemory } from "../database/database-in-memory";
import type { Io } from "./database";
import { SETTINGS } from "./runtime";

type Api = ReturnType<typeof createApi>;
type Context = ConstructorParameters<Api["SiteApi"]>[0];

const executionContext = z.custom<Context>((value) => typeof value === "object" && value !== null);

/** Hashes that take no time. */
const passwords = {
  hash: async (password: string) => `hash of ${password}`,
  verify: async (password: string, stored: string) => stored === `hash of ${password}`,
};

/** What the receivers at the other end answer, if anything. */
export type Upstream = (url: URL, request: Request) => Response | Promise<Response>;

type Options = {
  /** Bindings in place of those of local development. */
  settings?: Record<string, unknown>;
  /** Stripe, the mail provider and the console. */
  upstream?: Upstream;
  /** Passes on what is sent to the database, or fails. */
  io?: Io;
};

/**
 * The subscription API with a database in memory, in this process. What it logs and what it sends is kept, until
 * `vi.restoreAllMocks()`.
 */
export function apiOverMemory({ settings = {}, upstream = () => Response.json({ data: [] }), io }: Options = {}) {
  const memory = databaseInMemory(io);
  const env = { ...SETTINGS, DB: memory.db, RELEASE: { id: "a-release" }, ...settings };
  const logged: Record<string, unknown>[] = [];
  for (const level of ["info", "warn", "error"] as const)
    vi.spyOn(console, level).mockImplementation((line) => logged.push({ on: level, ...JSON.parse(line) }));
  /** Method and URL of each call, in order. */
  const calls: string[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (given, init) => {
    const request = new Request(given, init);
    calls.push(`${request.method} ${request.url}`);
    return upstream(new URL(request.url), request);
  });

  const { publicApi, SiteApi } = createApi(passwords);
  const background: Promise<unknown>[] = [];
  const context = executionContext.parse({
    waitUntil: (work: Promise<unknown>) => background.push(work),
    passThroughOnException() {},
  });
  const entrances = {
    public: async (request: Request) => publicApi.fetch(request, env, context),
    site: async (request: Request) => new SiteApi(context, env).fetch(request),
  };

  return {
    ...memory,
    logged,
    calls,
    /** @param where a path of the public entrance, or a URL */
    async ask(where: string, init: RequestInit = {}, entrance: keyof typeof entrances = "public") {
      return entrances[entrance](new Request(new URL(where, "http://localhost:8788"), init));
    },
    /** Comes to its end when all that goes on after the answers has. */
    async settled() {
      for (const work of background) await work;
    },
    runScheduled: () => publicApi.scheduled(null, env),
  };
}
