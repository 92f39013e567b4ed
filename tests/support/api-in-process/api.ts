import { Ajv2020 } from "ajv/dist/2020";
import { expect, onTestFinished, vi } from "vitest";
import * as z from "zod";
import { createApi } from "../../../functions/subscription-api/app";
import { type Config, readConfig } from "../../../functions/subscription-api/config";
import { openApi } from "../../../functions/subscription-api/http/openapi";
import type { PasswordHasher } from "../../../functions/subscription-api/sign-ups/password/password";
import { cheapPasswords } from "../cheap-passwords";
import { validRequest } from "../visitors/visitor";
import type { Io } from "./database";
import { databaseInMemory } from "./database";
import { Scheduler } from "./scheduler";
import { SETTINGS } from "./settings";
import { Stripe } from "./stripe-model";

type Api = ReturnType<typeof createApi>;
type Context = ConstructorParameters<Api["SiteApi"]>[0];

const executionContext = z.custom<Context>();

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

/** What the tests' sign-ups type, and secrets; no log line may have any of it. */
const PERSONAL = /\w@\w|%40|Lovelace|Engines|2125550123|Analytical|St James|_secret_|\$scrypt/;

const ANSWERS = z.record(z.string(), z.object({ content: z.record(z.string(), z.unknown()) }));

/** The API's description, as far as it is checked. */
const description = z
  .object({ paths: z.record(z.string(), z.record(z.string(), z.object({ responses: ANSWERS }))) })
  .parse(openApi());

const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(openApi(), "openapi");

const accepted = z.object({ client_secret: z.string(), status_url: z.string() });

const nobody = () => {};

/**
 * The subscription API in this process, over SQLite and the model of Stripe. It keeps what it logs and what it sends,
 * in place of console and `fetch`, which Vitest restores before the next test. Each answer is checked against the API's
 * own description; at the end of the test, no log line may have personal data and no background work may be left.
 */
export function apiInProcess(options: Options = {}) {
  const { settings = {}, io, passwords = cheapPasswords, tell = nobody } = options;
  const memory = databaseInMemory(io);
  const model = new Stripe(new Scheduler(Date.now()), tell, nobody);
  const { upstream = answersOf(model) } = options;
  const env: Record<string, unknown> = { ...SETTINGS, DB: memory.d1, ...settings };
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
  const background = new Set<Promise<unknown>>();
  const context = executionContext.parse({
    waitUntil: (work: Promise<unknown>) => {
      const watched = work.finally(() => background.delete(watched));
      background.add(watched);
    },
    passThroughOnException() {},
  });
  /** Resolves when all background work has ended. */
  const settled = async () => {
    while (background.size > 0) await Promise.all(background);
  };
  onTestFinished(() => {
    expect(background.size, "background work is left: await settled()").toBe(0);
    for (const line of logged) expect(JSON.stringify(line), "personal data in the log").not.toMatch(PERSONAL);
  });

  /** @param where a path of the public entrypoint, or a URL */
  async function ask(where: string, init: RequestInit = {}, entrypoint: "public" | "site" = "public") {
    const request = new Request(new URL(where, "http://localhost:8788"), init);
    const response = await (entrypoint === "public"
      ? publicApi.fetch(request, env, context)
      : new SiteApi(context, env).fetch(request));
    // The site's entrypoint has the routes of sign-ups alone.
    if (entrypoint === "public" || where.includes("/subscription")) await expectDescribed(request, response);
    return response;
  }
  /** Posts a form as the site does. */
  const post = (fields: object = {}, sent: Record<string, string> = {}) => {
    const headers = { "content-type": "application/json", ...sent };
    const body = JSON.stringify({ ...validRequest, ...fields });
    const origin = env.STRIPE_API_URL === undefined ? "https://api.example" : "";
    return ask(`${origin}/subscription`, { method: "POST", headers, body }, "site");
  };

  return {
    ...{ ...memory, env, model, logged, calls, settled, ask, post },
    /** Posts a form, and sets up a card of its own. Returns the sign-up's id. */
    async onTrial(fields: object = {}, card: string = crypto.randomUUID()): Promise<string> {
      const { status_url, client_secret } = accepted.parse(await (await post(fields)).json());
      model.confirm(client_secret.split("_secret_")[0] ?? "", card, false);
      expect(await (await ask(status_url, {}, "site")).json()).toMatchObject({ status: "trial" });
      await settled();
      const [row] = memory.rows("SELECT id FROM sign_ups ORDER BY created_at DESC, rowid DESC LIMIT 1");
      return String(row?.id);
    },
    runScheduled: () => publicApi.scheduled(null, env),
  };
}

/** Fails if a described route gives an answer that is not described, or a 429 or 503 does not say when to try again. */
async function expectDescribed({ method, url }: Request, response: Response): Promise<void> {
  const { status, headers } = response;
  if (status === 429 || status === 503) expect(headers.get("retry-after"), `Retry-After of ${status}`).toMatch(/^\d+$/);
  const path = new URL(url).pathname.replace(/^(\/subscription\/status\/)[^/]+$/, "$1{token}");
  const described = description.paths[path]?.[method.toLowerCase()];
  if (!described) return;
  const [type = ""] = Object.keys(described.responses[status]?.content ?? {});
  expect([path, status, headers.get("content-type")?.split(";")[0]]).toEqual([path, status, type]);
  const names = ["paths", path, method.toLowerCase(), "responses", String(status), "content", type, "schema"];
  const pointer = names.map((name) => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
  const body: unknown = await response.clone().json();
  ajv.validate({ $ref: `openapi#/${pointer}` }, body);
  expect(ajv.errors, JSON.stringify(body)).toBeNull();
}

/** What valid settings mean. */
export function configurationOf(env: Record<string, unknown>): Config {
  const result = readConfig({ ...env });
  if (result.status === "invalid") throw new Error(JSON.stringify(result.problems));
  return result.configuration;
}

/**
 * Answers of the model, and of receivers that accept everything.
 * @param fails whether Stripe answers with a 500, before or after its work
 */
export function answersOf(model: Stripe, fails?: "before" | "after"): Upstream {
  return async (url, request) => {
    if (!url.pathname.startsWith("/v1/")) return Response.json({ data: [] });
    const key = request.headers.get("idempotency-key") ?? undefined;
    const { status, text } = model.request(request.method, url, await request.text(), key, fails);
    return new Response(text, { status, headers: { "content-type": "application/json" } });
  };
}
