import { HTTPException } from "hono/http-exception";
import { afterEach, describe, expect, test, vi } from "vitest";
import { REQUEST_IN_PROGRESS } from "../../../app/contract/problem-types";
import { SENDER_HEADER } from "../../../app/contract/site-headers";
import { errorResponse } from "../../../functions/subscription-api/http/problem";
import { LOCAL_SECRETS } from "../../../functions/subscription-api/local-development";
import { PaymentsError } from "../../../functions/subscription-api/stripe/client";
import { apiInProcess } from "../../support/api-in-process/api";
import { DEPLOYED } from "../../support/api-in-process/settings";
import { eventOf, sign } from "../../support/stripe/stripe-events";
import { validRequest } from "../../support/visitors/visitor";

afterEach(() => {
  vi.useRealTimers();
});

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const JSON_TYPE = { "content-type": "application/json" };
const OPERATOR = { ...JSON_TYPE, authorization: `Bearer ${LOCAL_SECRETS.OPERATOR_TOKEN}` };
const PERSON = JSON.stringify({ email: "ada@example.com" });
const DEPLOYED_API = { settings: { ...DEPLOYED, OPERATOR_TOKEN: "a-token-of-a-deployment-0123456789-abc" } };

test.each([
  ["GET /", {}, 404, 404, 404],
  ["GET /health", {}, 200, 404, 200],
  ["GET /openapi.json", {}, 200, 404, 200],
  ["GET /subscription", {}, 405, 405, 404],
  ["PUT /subscription", {}, 405, 405, 404],
  ["POST /subscription", {}, 415, 415, 404],
  ["POST /subscription", JSON_TYPE, 422, 422, 404],
  ["POST /subscription/", JSON_TYPE, 404, 404, 404],
  ["POST /%73ubscription", JSON_TYPE, 422, 422, 404],
  ["POST /webhooks/../subscription", JSON_TYPE, 422, 422, 404],
  ["GET /subscription/status/a-token", {}, 404, 404, 404],
  ["GET /webhooks/stripe", {}, 405, 404, 405],
  ["POST /webhooks/stripe", {}, 400, 404, 400],
  ["GET /operator", OPERATOR, 404, 404, 401],
  ["POST /operator/export", {}, 401, 404, 401],
  ["POST /operator/export", OPERATOR, 200, 404, 401],
  ["GET /operator/export", OPERATOR, 404, 404, 401],
])(
  "%s with %j gives %i here in public, %i to the site, %i to the public of a deployment",
  async (line, headers, ...expected) => {
    const [method = "", path = ""] = line.split(" ");
    const init = { method, headers, ...(method === "POST" && { body: PERSON }) };
    const local = apiInProcess();
    const atLocal = [await local.ask(path, init), await local.ask(path, init, "site")];
    const deployed = apiInProcess(DEPLOYED_API);
    deployed.rows("UPDATE cron_runs SET ran_at = ?", new Date().toISOString());
    const answers = [...atLocal, await deployed.ask(`https://api.example${path}`, init)];
    expect(answers.map(({ status }) => status)).toEqual(expected);
    for (const { status, headers } of answers) expect(headers.get("allow")).toBe(status === 405 ? "POST" : null);
  },
);

test.each<Record<string, string>>([
  { "subscription-api-secret": "undefined" },
  { [SENDER_HEADER]: "127.0.0.1", "cf-worker": "citewell.dev" },
  { host: "localhost", "x-forwarded-host": "localhost", "cf-connecting-ip": "127.0.0.1" },
])("no header opens the public entrypoint of a deployment for sign-ups: %j", async (headers) => {
  const init = { method: "POST", headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(validRequest) };
  const { ask, rows } = apiInProcess(DEPLOYED_API);
  expect((await ask("https://api.example/subscription", init)).status).toBe(404);
  expect(rows("SELECT 1 FROM sign_ups")).toEqual([]);
});

test.each<[string, string | undefined, number]>([
  ["https", undefined, 405],
  ["https", "{", 405],
  ["https", '{"scheme":"https"}', 405],
  ["https", '{"scheme":"http"}', 403],
  ["http", '{"scheme":"https"}', 403],
])("over %s, where Cloudflare reports %s, a deployment answers %i", async (scheme, visitor, status) => {
  const headers: Record<string, string> = visitor === undefined ? {} : { "cf-visitor": visitor };
  expect(
    (await apiInProcess(DEPLOYED_API).ask(`${scheme}://api.example/subscription`, { headers }, "site")).status,
  ).toBe(status);
  if (status === 403)
    expect((await apiInProcess(DEPLOYED_API).ask(`${scheme}://api.example/health`, { headers })).status).toBe(403);
});

test("local settings serve this machine only, unless HOST says otherwise", async () => {
  for (const path of ["/subscription", "/health"])
    expect((await apiInProcess().ask(`http://192.0.2.1${path}`)).status).toBe(421);
  const open = apiInProcess({ settings: { HOST: "192.0.2.1" } });
  expect((await open.ask("http://192.0.2.1/subscription")).status).toBe(405);
});

test.each([
  ["site", "198.51.100.7", "198.51.100.7"],
  ["site", "2001:db8:1:2::/64", "2001:db8:1:2::/64"],
  ["site", undefined, "203.0.113.9"],
  ["site", "a b", "203.0.113.9"],
  ["site", "1".repeat(65), "203.0.113.9"],
  ["public", "198.51.100.7", "203.0.113.9"],
] as const)(
  "at the %s entrypoint a sign-up of the named sender %s counts as one of %s",
  async (entrypoint, named, key) => {
    const counted: string[] = [];
    const limit = async (of: { key: string }) => ({ success: counted.push(of.key) > 0 });
    const { ask } = apiInProcess({ settings: { SIGNUP_RATE_LIMIT: { limit } } });
    const headers = {
      ...JSON_TYPE,
      "cf-connecting-ip": "203.0.113.9",
      ...(named !== undefined && { [SENDER_HEADER]: named }),
    };
    await ask("/subscription", { method: "POST", headers, body: "{}" }, entrypoint);
    expect(counted).toEqual([key]);
  },
);

test("a sender over the limit is refused before its body is read; while the limiter fails everybody passes", async () => {
  const full = apiInProcess({ settings: { SIGNUP_RATE_LIMIT: { limit: async () => ({ success: false }) } } });
  const body = new ReadableStream(
    { pull: () => Promise.reject(new Error("Nobody may read this")) },
    { highWaterMark: 0 },
  );
  // Node sends a stream as a body only with `duplex`, which the types of Workers lack.
  const init = { method: "POST", headers: JSON_TYPE, body, ...{ duplex: "half" } };
  const refused = await full.ask("/subscription", init);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
  expect((await full.ask("/subscription/status/a-token")).status).toBe(404);

  const limit = () => Promise.reject(new RangeError("of ada@example.com"));
  const { post, logged, settled } = apiInProcess({ settings: { SIGNUP_RATE_LIMIT: { limit } } });
  expect((await post()).status).toBe(200);
  expect(logged).toContainEqual(expect.objectContaining({ event: "rate_limiter_failed", error: "RangeError" }));
  await settled();
});

test.each([
  ["/subscription", 16],
  ["/webhooks/stripe", 256],
  ["/operator/export", 16],
])("%s takes a body of at most %i KiB", async (path, kib) => {
  const { ask } = apiInProcess();
  const send = (bytes: number) => ask(path, { method: "POST", body: "x".repeat(bytes), headers: OPERATOR });
  expect((await send(kib * 1024 + 1)).status).toBe(413);
  expect((await send(kib * 1024)).status).not.toBe(413);
});

test("a body that breaks off is refused at once, and one that takes longer than ten seconds then", async () => {
  const send = (body: ReadableStream) =>
    apiInProcess().ask("/subscription", { method: "POST", headers: JSON_TYPE, body, ...{ duplex: "half" } });
  expect((await send(new ReadableStream({ start: (stream) => stream.error(new TypeError("Lost")) }))).status).toBe(400);
  vi.useFakeTimers();
  const answered = vi.fn();
  const slow = send(new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(1)) }));
  void slow.then(answered);
  await vi.advanceTimersByTimeAsync(9_999);
  expect(answered).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect((await slow).status).toBe(408);
});

describe("the request ID", () => {
  test.each<[string, Record<string, string>, string | RegExp]>([
    ["the sender's, up to 64 characters", { "x-request-id": "a".repeat(64), "cf-ray": "8f1b-SEA" }, "a".repeat(64)],
    ["Cloudflare's if the sender's is too long", { "x-request-id": "a".repeat(65), "cf-ray": "8f1b-SEA" }, "8f1b-SEA"],
    ["Cloudflare's if the sender's is invalid", { "x-request-id": "a b", "cf-ray": "8f1b-SEA" }, "8f1b-SEA"],
    ["a new UUID if Cloudflare's is invalid", { "cf-ray": "@8f1b" }, UUID],
    ["a new UUID if there is none", {}, UUID],
  ])("is %s, in the answer and in the log", async (_, headers, expected) => {
    const { ask, logged } = apiInProcess();
    const id = (await ask("/", { headers })).headers.get("x-request-id");
    expect(id).toMatch(expected);
    expect(logged).toMatchObject([{ event: "request", request_id: id }]);
  });
});

test.each([
  ["https", "max-age=63072000; includeSubDomains"],
  ["http", null],
])("over %s every answer keeps a browser from rendering it; Strict-Transport-Security is %s", async (scheme, hsts) => {
  const { ask } = apiInProcess();
  for (const path of ["/health", "/operator/export", "/nowhere", "/subscription"]) {
    const { headers } = await ask(`${scheme}://localhost${path}`);
    expect(headers.get("strict-transport-security")).toBe(hsts);
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
    });
    for (const name of ["access-control-allow-origin", "server", "x-powered-by"]) expect(headers.has(name)).toBe(false);
  }
});

test.each<[string, string, object]>([
  ["GET", "/health", { route: "/health", status: 200 }],
  ["GET", "/subscription/status/ada@example.com", { route: "/subscription/status/:token", status: 404 }],
  ["POST", "/links/not-me/ada@example.com", { route: "/links/not-me/:token", status: 404 }],
  ["GET", "/ada@example.com", { route: "unknown", status: 404, path: "/[email]" }],
  ["GET", `/link/${"t".repeat(40)}`, { route: "unknown", status: 404, path: "/link/…" }],
])("%s %s is logged by its route, without an address or a token", async (method, path, fields) => {
  const { ask, logged } = apiInProcess();
  await ask(path, { method });
  const request_id = expect.any(String);
  expect(logged.at(-1)).toEqual({ on: "info", level: "info", event: "request", method, request_id, ...fields });
});

const FAILED = { level: "error", event: "request_failed" };

test.each<[Error, number, string | null, object | undefined]>([
  [new Error("D1_ERROR: Network connection lost."), 503, "2", { level: "warn", event: "database_failed_in_passing" }],
  [new Error("Failed", { cause: new Error("D1 DB is overloaded") }), 503, "2", { level: "warn" }],
  [new Error("D1_ERROR: UNIQUE constraint failed for ada@example.com"), 500, null, FAILED],
  [new PaymentsError("in-progress"), 409, "2", FAILED],
  [new PaymentsError("email-refused"), 502, null, FAILED],
  [new PaymentsError("unexpected-answer"), 502, null, FAILED],
  [new PaymentsError("failed"), 503, "5", FAILED],
  [new PaymentsError("unavailable", new TypeError("of ada@example.com")), 503, "5", FAILED],
  [new HTTPException(403, { message: "ada@example.com" }), 403, null, undefined],
])("%s gives %i, and neither answer nor log quotes it", async (error, status, retryAfter, line) => {
  const logged: unknown[] = [];
  for (const level of ["warn", "error"] as const)
    vi.spyOn(console, level).mockImplementation((text) => logged.push(JSON.parse(text)));
  const answer = errorResponse(error);
  const text = await answer.text();
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([status, retryAfter]);
  expect(JSON.parse(text)).toMatchObject({ type: status === 409 ? REQUEST_IN_PROGRESS : "about:blank", status });
  expect(logged).toMatchObject(line ? [line] : []);
  expect(text + JSON.stringify(logged)).not.toMatch(/\w@\w|D1_ERROR|UNIQUE/);
});

test("the status URL of a sign-up is on the requested origin, where the site asks for it", async () => {
  const { ask, settled } = apiInProcess();
  const init = { method: "POST", headers: JSON_TYPE, body: JSON.stringify(validRequest) };
  const answer = await (await ask("http://127.0.0.1:9/subscription", init)).json();
  expect(answer).toMatchObject({
    status_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:9\/subscription\/status\/\S+$/),
  });
  await settled();
});

test("after the answer messages are sent, under the request's ID; a failure is in the log alone", async () => {
  const event = eventOf("customer.subscription.updated", { object: "subscription", id: "sub_9", customer: "cus_9" });
  const init = {
    method: "POST",
    body: event,
    headers: { "stripe-signature": sign(event), "x-request-id": "of-stripe" },
  };
  const due =
    "INSERT INTO outbox (key, sign_up_id, kind, next_attempt_at, created_at) VALUES ('a key', ?, 'card-used', '', '')";
  const sends = apiInProcess();
  sends.rows(due, (await sends.signUp()).id);
  expect((await sends.ask("/webhooks/stripe", init)).status).toBe(200);
  await sends.settled();
  expect(sends.logged).toContainEqual(expect.objectContaining({ event: "message_sent", request_id: "of-stripe" }));

  const fails = apiInProcess({
    io: async (sql, effect) => {
      if (sql.includes("UPDATE outbox")) throw new RangeError("of ada@example.com");
      return effect();
    },
  });
  fails.rows(due, (await fails.signUp()).id);
  expect((await fails.ask("/webhooks/stripe", init)).status).toBe(200);
  await fails.settled();
  expect(fails.logged).toContainEqual(expect.objectContaining({ level: "error", event: "dispatch_failed" }));
});

test("maintenance refuses everybody but the operator, and wrong settings everybody; the answer names the settings alone", async () => {
  const { ask } = apiInProcess({ settings: { MAINTENANCE: "true" } });
  expect((await ask("/subscription", { method: "POST" })).status).toBe(503);
  expect((await ask("/operator/export", { method: "POST", headers: OPERATOR, body: PERSON })).status).toBe(200);
  for (const entrypoint of ["public", "site"] as const) {
    const wrong = apiInProcess({ settings: { LINK_SECRET: "too-short-a-secret" } });
    const answer = await wrong.ask("/subscription", { method: "POST", body: "{" }, entrypoint);
    const text = await answer.text();
    expect(answer.status).toBe(503);
    expect(JSON.parse(text)).toMatchObject({ title: "The service is not configured", keys: ["LINK_SECRET"] });
    expect(text + JSON.stringify(wrong.logged)).not.toContain("too-short");
    await wrong.runScheduled();
    expect(wrong.rows("SELECT ran_at FROM cron_runs")).toEqual([{ ran_at: null }]);
  }
});
