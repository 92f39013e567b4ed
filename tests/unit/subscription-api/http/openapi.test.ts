import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020";
import { afterEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { OPENAPI_FILE, openApi } from "../../../../tools/openapi";
import { answersOf, apiInProcess, type Upstream } from "../../../support/api-in-process/api";
import { DEPLOYED } from "../../../support/api-in-process/settings";
import { eventOf, sign } from "../../../support/stripe/stripe-events";
import { validRequest } from "../../../support/visitors/visitor";

/* Real answers of the API against its description: each has a documented status, type and form. */

const document = z
  .object({
    paths: z.record(
      z.string(),
      z.record(
        z.string(),
        z.object({
          responses: z.record(
            z.string(),
            z.object({
              headers: z.object({}).optional(),
              content: z.record(z.string(), z.object({ schema: z.json() })),
            }),
          ),
        }),
      ),
    ),
  })
  .parse(openApi());

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(openApi(), "openapi");

const STATUS = "/subscription/status/{token}";
const seen = new Set<string>();

async function expectDocumented(method: "get" | "post", path: string, response: Response): Promise<void> {
  const { status } = response;
  const documented = document.paths[path]?.[method]?.responses[status];
  const [type = ""] = Object.keys(documented?.content ?? {});
  expect([path, status, response.headers.get("content-type")?.split(";")[0]]).toEqual([path, status, type]);
  const pointer = ["paths", path, method, "responses", status, "content", type, "schema"]
    .map((key) => String(key).replaceAll("~", "~0").replaceAll("/", "~1"))
    .map(encodeURIComponent);
  const body = z.record(z.string(), z.unknown()).parse(await response.json());
  ajv.validate({ $ref: `openapi#/${pointer.join("/")}` }, body);
  expect(ajv.errors, JSON.stringify(body)).toBeNull();
  if (response.headers.has("retry-after")) expect(documented?.headers).toBeDefined();
  seen.add(`${path} ${status}${status >= 400 && body.type !== "about:blank" ? ` ${body.type}` : ""}`);
}

afterEach(() => {
  vi.useRealTimers();
});

const SECRET = { SUBSCRIPTION_API_SECRET: "s".repeat(32) };
const FULL = { limit: async () => ({ success: false }) };
const JSON_TYPE = { "content-type": "application/json" };

type Sent = {
  settings?: Record<string, unknown>;
  entrypoint?: "public" | "site";
  origin?: string;
  headers?: Record<string, string>;
  body?: BodyInit;
  /** Forms that were sent before. */
  before?: number;
  upstream?: Upstream;
  isBroken?: boolean;
};

const stripeSays =
  (status: number, error: object): Upstream =>
  ({ pathname }) =>
    pathname.startsWith("/v1/") ? Response.json({ error }, { status }) : Response.json({ data: [] });
const DOWN = stripeSays(503, { type: "api_error" });
const BUSY = stripeSays(409, { type: "idempotency_error" });
const MEANINGLESS: Upstream = () => Response.json({ data: [{}] });

function apiWith({ settings = {}, upstream, isBroken = false }: Sent) {
  let isAsked = false;
  const api = apiInProcess({
    settings,
    io: async (label, effect) => {
      if (isBroken && isAsked) throw new Error(`A fault of our own at ${label}`);
      return effect();
    },
    ...(upstream && { upstream: (...given) => (isAsked ? upstream(...given) : answersOf(api.model)(...given)) }),
  });
  return { ...api, begin: () => (isAsked = true) };
}

async function posted(sent: Sent): Promise<Response> {
  const { ask, begin } = apiWith(sent);
  const { entrypoint = "site", origin = "", headers = {}, body = JSON.stringify(validRequest), before = 0 } = sent;
  const post = (key: string) =>
    ask(
      `${origin}/subscription`,
      // Node sends a stream as a body only with `duplex`, which the types of Workers lack.
      { method: "POST", headers: { ...JSON_TYPE, "idempotency-key": key, ...headers }, body, ...{ duplex: "half" } },
      entrypoint,
    );
  for (let index = 0; index < before; index += 1) await post(`earlier-${index}`);
  begin();
  return post("the-key");
}

test("the file that the API serves is the one that its schemas make: npm run openapi", async () => {
  expect(JSON.parse(readFileSync(OPENAPI_FILE, "utf8"))).toEqual(openApi());
  const served = await apiInProcess().ask("/openapi.json");
  expect(await served.json()).toEqual(openApi());
});

// The last test is about those before it.
describe("the documented answers", { shuffle: false }, () => {
  describe("POST /subscription", () => {
    test.each<[number, string, Sent]>([
      [200, "a form", {}],
      [400, "a body that is no object", { body: "[]" }],
      [400, "an invalid key", { headers: { "idempotency-key": "a b" } }],
      [401, "no secret", { entrypoint: "public", settings: SECRET }],
      [403, "plain http", { settings: DEPLOYED, origin: "http://api.example" }],
      [404, "the public host", { settings: DEPLOYED, origin: "https://api.example", entrypoint: "public" }],
      [409, "the request's first try under way", { upstream: BUSY }],
      [413, "a long body", { body: "x".repeat(17_000) }],
      [415, "text", { headers: { "content-type": "text/plain" } }],
      [421, "another host", { entrypoint: "public", origin: "http://192.0.2.1" }],
      [422, "an empty form", { body: "{}" }],
      [
        422,
        "an address that Stripe refuses",
        { upstream: stripeSays(400, { type: "invalid_request_error", code: "email_invalid" }) },
      ],
      [429, "a limit reached", { settings: { SIGNUP_RATE_LIMIT: FULL } }],
      [429, "an address's day used up", { settings: { SIGN_UPS_PER_EMAIL_A_DAY: "1" }, before: 1 }],
      [429, "a network's day used up", { settings: { ...SECRET, SIGN_UPS_PER_NETWORK_A_DAY: "1" }, before: 1 }],
      [500, "a fault", { isBroken: true }],
      [502, "an answer of Stripe that makes no sense", { upstream: MEANINGLESS }],
      [503, "Stripe down", { upstream: DOWN }],
      [503, "maintenance", { settings: { MAINTENANCE: "true" } }],
      [503, "a wrong setting", { settings: { LINK_SECRET: "short" } }],
    ])("answers %i to %s as documented", async (status, _, sent) => {
      const response = await posted(sent);
      expect(response.status).toBe(status);
      await expectDocumented("post", "/subscription", response);
    });

    test("answers 408 to a body that does not arrive, as documented", async () => {
      vi.useFakeTimers();
      const slow = new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(1)) });
      const asked = posted({ body: slow });
      await vi.advanceTimersByTimeAsync(11_000);
      await expectDocumented("post", "/subscription", await asked);
    });

    test("answers 409 to an address that has had its trial, as documented", async () => {
      const { ask, rows } = apiWith({});
      const post = (key: string) =>
        ask("/subscription", {
          method: "POST",
          headers: { ...JSON_TYPE, "idempotency-key": key },
          body: JSON.stringify(validRequest),
        });
      await post("one");
      rows("UPDATE sign_ups SET status = 'card_set_up'");
      await expectDocumented("post", "/subscription", await post("two"));
    });
  });

  /** The path of its status. */
  async function signUp({ ask }: ReturnType<typeof apiWith>, email = validRequest.email): Promise<string> {
    const body = JSON.stringify({ ...validRequest, email });
    const response = await ask("/subscription", { method: "POST", headers: JSON_TYPE, body }, "site");
    return new URL(z.object({ status_url: z.string() }).parse(await response.json()).status_url).pathname;
  }

  describe("the status of a sign-up", () => {
    const states: [string, string][] = [
      ["pending", "status = 'pending'"],
      ["trial", "status = 'trialing', trial_end = '2026-12-01T00:00:00.000Z'"],
      ["ended", "status = 'ended', end_reason = 'replaced'"],
    ];

    test.each(states)("is %s as documented", async (status, columns) => {
      const api = apiWith({});
      const url = await signUp(api);
      api.rows(`UPDATE sign_ups SET ${columns}`);
      const response = await api.ask(url);
      expect(await response.clone().json()).toMatchObject({ status });
      await expectDocumented("get", STATUS, response);
    });

    test("asks for another card as documented", async () => {
      const api = apiWith({ settings: { ONE_TRIAL_PER_PERSON: "true" } });
      for (const email of ["ada@example.com", "grace@example.com"]) {
        const url = await signUp(api, email);
        const [row] = api.rows("SELECT stripe_setup_intent_id AS id FROM sign_ups WHERE email = ?", email);
        api.model.confirm(String(row?.id), "one card", false);
        const response = await api.ask(url);
        const status = email.startsWith("ada") ? "trial" : "card_used";
        expect(await response.clone().json()).toMatchObject({ status });
        await expectDocumented("get", STATUS, response);
      }
    });

    test.each<[number, string, Sent & { path?: string }]>([
      [401, "no secret", { settings: SECRET, entrypoint: "public" }],
      [403, "plain http", { settings: DEPLOYED, origin: "http://api.example", path: "/subscription/status/a" }],
      [404, "an unknown token", { path: "/subscription/status/a" }],
      [421, "another host", { origin: "http://192.0.2.1", entrypoint: "public", path: "/subscription/status/a" }],
      [500, "a fault", { isBroken: true }],
      [502, "an answer of Stripe that makes no sense", { upstream: MEANINGLESS }],
      [503, "Stripe down", { upstream: DOWN }],
    ])("answers %i to %s as documented", async (status, _, sent) => {
      const { entrypoint = "site", origin = "", path } = sent;
      const api = apiWith(sent);
      const url = path ?? (await signUp(api));
      api.begin();
      const response = await api.ask(origin + url, {}, entrypoint);
      expect(response.status).toBe(status);
      await expectDocumented("get", STATUS, response);
    });
  });

  describe("POST /webhooks/stripe", () => {
    const EVENT = eventOf("customer.subscription.updated", { id: "sub_1", object: "subscription", customer: "cus_1" });

    test.each<[number, string, Sent & { isSigned?: boolean }]>([
      [200, "an event", {}],
      [400, "a wrong signature", { isSigned: false }],
      [403, "plain http", { settings: DEPLOYED, origin: "http://api.example" }],
      [413, "a long body", { body: "x".repeat(300_000) }],
      [421, "another host", { origin: "http://192.0.2.1" }],
      [500, "a fault", { isBroken: true }],
      [503, "maintenance", { settings: { MAINTENANCE: "true" } }],
    ])("answers %i to %s as documented", async (status, _, sent) => {
      const { ask, begin } = apiWith(sent);
      begin();
      const { origin = "", body = EVENT, isSigned = true } = sent;
      const signature = isSigned && typeof body === "string" ? sign(body) : "t=1,v1=0";
      const headers = { ...JSON_TYPE, "stripe-signature": signature };
      const response = await ask(`${origin}/webhooks/stripe`, { method: "POST", headers, body });
      expect(response.status).toBe(status);
      await expectDocumented("post", "/webhooks/stripe", response);
    });
  });

  test.each<[number, Sent]>([
    [200, {}],
    [403, { settings: DEPLOYED, origin: "http://api.example" }],
    [421, { origin: "http://192.0.2.1" }],
    [503, { settings: { LINK_SECRET: "short" } }],
  ])("GET /health answers %i as documented", async (status, sent) => {
    const response = await apiWith(sent).ask(`${sent.origin ?? ""}/health`);
    expect(response.status).toBe(status);
    await expectDocumented("get", "/health", response);
  });

  test("each documented answer to a sign-up and to its status was given above", () => {
    const documented = (["/subscription", STATUS] as const).flatMap((path) =>
      Object.values(document.paths[path] ?? {}).flatMap(({ responses }) =>
        Object.keys(responses).map((status) => `${path} ${status}`),
      ),
    );
    expect(documented.filter((one) => ![...seen].some((given) => given.startsWith(one)))).toEqual([]);
  });
});
