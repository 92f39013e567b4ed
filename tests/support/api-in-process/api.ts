import { Ajv2020 } from "ajv/dist/2020";
import StripeClient from "stripe";
import { expect, onTestFinished, vi } from "vitest";
import * as z from "zod";
import { createApi } from "../../../functions/subscription-api/app";
import { openApi } from "../../../functions/subscription-api/http/openapi";
import type { PasswordHasher } from "../../../functions/subscription-api/passwords/scrypt";
import { Stripe, type StripeFault, TooManyCalls } from "../../simulation/stripe/stripe-model";
import { cheapPasswords } from "../cheap-passwords";
import { rememberText } from "../matchers/received";
import { PERSONAL, validRequest } from "../person";
import { databaseInMemory, type Io } from "./database";
import { Scheduler } from "./scheduler";
import { SETTINGS } from "./settings";
import type { Answer } from "./stripe-objects";

type Options = {
  /** Bindings that override the local ones. */
  settings?: Record<string, unknown>;
  /** Wraps each call to the database, for example to make it fail. */
  io?: Io;
  passwords?: PasswordHasher;
  /** Receives the Stripe model's events. Without it, they are not delivered. */
  tell?: Stripe["emit"];
};

type Said = Answer | Response | undefined;
/** Answers in place of the model or a receiver. Returning `undefined` leaves the answer to them. */
export type Instead = (url: URL, request: Request) => Said | Promise<Said>;

const description = openApi("http://localhost:8788");
const { paths } = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) }).parse(description);
const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(description, "openapi");

const executionContext = z.custom<ConstructorParameters<ReturnType<typeof createApi>["SiteApi"]>[0]>();
const accepted = z.object({ client_secret: z.string(), status_url: z.string() });

/**
 * The subscription API in this process, on SQLite and the model of Stripe. Replaces console and `fetch` to record logs and calls;
 * Vitest restores both before the next test. Checks the answers of described routes against the description. After the test, fails if a
 * log line has personal data or background work is still running.
 */
export function apiInProcess({ settings, io, passwords = cheapPasswords, tell = () => {} }: Options = {}) {
  const memory = databaseInMemory(io);
  const model = new Stripe(new Scheduler(Date.now()), tell);
  let env: Record<string, unknown> = { ...SETTINGS, DB: memory.d1, ...settings };
  const logged: Record<string, unknown>[] = [];
  for (const level of ["info", "warn", "error"] as const)
    vi.spyOn(console, level).mockImplementation((line) => logged.push({ on: level, ...JSON.parse(line) }));
  // Retries without a pause.
  for (const delay of ["getInitialNetworkRetryDelay", "getMaxNetworkRetryDelay"] as const)
    vi.spyOn(StripeClient.prototype, delay).mockReturnValue(0.001);
  /** All outgoing calls in order: method and path for Stripe, method and URL for others. */
  const calls: string[] = [];
  /** The same calls with the parameters of their bodies or queries. */
  const sent: { call: string; params: Record<string, string>; key: string | null; redirect: RequestRedirect }[] = [];
  /** Replacement answers, by the beginning of the call that they apply to. */
  const instead = new Map<string, Answer | Instead>();
  /** @param body the request's, which is quicker to read than a copy of the request */
  async function answer(request: Request, body: unknown): Promise<Response> {
    const url = new URL(request.url);
    const call = `${request.method} ${url.pathname.startsWith("/v1/") ? url.pathname.slice(4) : url}`;
    const params = Object.fromEntries(new URLSearchParams(typeof body === "string" && body !== "" ? body : url.search));
    calls.push(call);
    sent.push({ call, params, key: request.headers.get("idempotency-key"), redirect: request.redirect });
    const given = [...instead].find(([beginning]) => call.startsWith(beginning))?.[1];
    const said = typeof given === "function" ? await given(url, request) : given;
    if (said instanceof Response) return said;
    return said ? responseOf(said) : answersOf(model)(url, request);
  }
  let loop: TooManyCalls | undefined;
  /** After too many calls, waits forever, so that the test times out and reports the loop. */
  const unlessLoop = (error: unknown): Promise<never> | never => {
    if (!(error instanceof TooManyCalls)) throw error;
    loop ??= error;
    return new Promise(() => {});
  };
  vi.spyOn(globalThis, "fetch").mockImplementation((given, init) => {
    // The request's own signal may be garbage-collected while nothing answers.
    const signal = init?.signal;
    const aborted = new Promise<never>((_resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
    return Promise.race([answer(new Request(given, init), init?.body).catch(unlessLoop), aborted]);
  });

  const { publicApi, SiteApi } = createApi(passwords);
  const background = new Set<Promise<unknown>>();
  const context = executionContext.parse({
    waitUntil: (work: Promise<unknown>) => {
      const watched = work.finally(() => background.delete(watched));
      background.add(watched);
    },
  });
  /** Resolves when all background work is done. */
  const settled = async () => {
    while (background.size > 0) await Promise.all(background);
  };
  onTestFinished(() => {
    expect(loop?.message).toBeUndefined();
    expect(background.size, "background work is left: await settled()").toBe(0);
    for (const line of logged) expect(JSON.stringify(line), "personal data in the log").not.toMatch(PERSONAL);
  });

  /** @param where a path of the public entrypoint, or a URL */
  async function ask(where: string, init: RequestInit = {}, entrypoint: "public" | "site" = "public") {
    const request = new Request(new URL(where, "http://localhost:8788"), init);
    const asked =
      entrypoint === "public" ? publicApi.fetch(request, env, context) : new SiteApi(context, env).fetch(request);
    const response = await rememberText(await asked);
    // The site's entrypoint only has the sign-up routes.
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

  /** Sends an operator's command. */
  const operate = (command: string, body: object = {}) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${env.OPERATOR_TOKEN}` };
    return ask(`/operator/${command}`, { method: "POST", headers, body: JSON.stringify(body) });
  };

  return {
    ...memory,
    env,
    model,
    logged,
    calls,
    sent,
    instead,
    settled,
    ask,
    post,
    operate,
    /** Posts a form and sets up a new card for it. Returns the sign-up's ID. */
    async onTrial(fields: object = {}, card: string = crypto.randomUUID()): Promise<string> {
      const { status_url, client_secret } = accepted.parse(await (await post(fields)).json());
      model.confirm(client_secret.split("_secret_")[0] ?? "", card, false);
      expect(await (await ask(status_url, {}, "site")).json()).toMatchObject({ status: "trial" });
      await settled();
      const isDue = "state = 'due' AND next_attempt_at <= ?";
      expect(memory.rows(`SELECT kind FROM outbox WHERE ${isDue}`, new Date().toISOString()), "not sent").toEqual([]);
      const [row] = memory.rows("SELECT id FROM sign_ups ORDER BY created_at DESC, rowid DESC LIMIT 1");
      return String(row?.id);
    },
    runScheduled: () => publicApi.scheduled(null, env),
    /** Another release's or an operator's settings, from the next request on. */
    deploy(settings: Record<string, unknown>): void {
      env = { ...env, ...settings };
    },
  };
}

/** Fails if a described route's answer is not in the description, or a 429 or 503 does not say when to try again. */
async function expectDescribed({ method, url }: Request, response: Response): Promise<void> {
  const { status, headers } = response;
  if (status === 429 || status === 503) expect(headers.get("retry-after"), `Retry-After of ${status}`).toMatch(/^\d+$/);
  const path = new URL(url).pathname
    .replace(/(?<=\/status\/)[^/]+$/, "{token}")
    .replace(/(?<=\/packages\/)[^/]+$/, "{package_id}");
  const operation = method.toLowerCase();
  if (!paths[path]?.[operation]) return;
  const type = headers.get("content-type")?.split(";")[0] ?? "";
  const names = ["paths", path, operation, "responses", String(status), "content", type, "schema"];
  const pointer = names.map((name) => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
  const validate = ajv.getSchema(`openapi#/${pointer}`);
  const body: unknown = await response.clone().json();
  expect(validate?.(body), `${path} ${status} ${type}: ${JSON.stringify([body, validate?.errors])}`).toBe(true);
}

/**
 * Answers calls with the model of Stripe, and with receivers that accept everything.
 * @param fails makes Stripe fail or refuse
 */
export function answersOf(model: Stripe, fails?: StripeFault) {
  return async (url: URL, request: Request): Promise<Response> => {
    if (!url.pathname.startsWith("/v1/")) return Response.json({ data: [] });
    const key = request.headers.get("idempotency-key") ?? undefined;
    return responseOf(model.request(request.method, url, await request.text(), key, fails));
  };
}

function responseOf({ status, text, isReplayed }: Answer): Response {
  const replayed = isReplayed && { "idempotent-replayed": "true" };
  return new Response(text, { status, headers: { "content-type": "application/json", ...replayed } });
}
