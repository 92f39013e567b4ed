import { describe, expect, test } from "vitest";
import { LOCAL_SECRETS } from "../../../functions/subscription-api/local-development";
import { apiInProcess } from "../../support/api-in-process/api";
import { DEPLOYED } from "../../support/api-in-process/settings";
import { validRequest } from "../../support/visitors/visitor";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const OPERATOR = {
  authorization: `Bearer ${LOCAL_SECRETS.OPERATOR_TOKEN}`,
  "content-type": "application/json",
};
const PERSON = JSON.stringify({ email: "ada@example.com" });

describe("the request ID", () => {
  test.each<[string, Record<string, string>, string | RegExp]>([
    ["the sender's", { "x-request-id": "of-the-site", "cf-ray": "8f1b-SEA" }, "of-the-site"],
    ["the sender's, up to 64 characters", { "x-request-id": "a".repeat(64) }, "a".repeat(64)],
    ["Cloudflare's if the sender's is too long", { "x-request-id": "a".repeat(65), "cf-ray": "8f1b-SEA" }, "8f1b-SEA"],
    ["Cloudflare's if the sender's is invalid", { "x-request-id": "a b", "cf-ray": "8f1b-SEA" }, "8f1b-SEA"],
    ["Cloudflare's, up to 64 characters", { "cf-ray": "8".repeat(64) }, "8".repeat(64)],
    ["a new UUID if Cloudflare's is too long", { "cf-ray": "8".repeat(65) }, UUID],
    ["a new UUID if Cloudflare's has a space", { "cf-ray": "8f1b SEA" }, UUID],
    ["a new UUID if Cloudflare's has an @", { "cf-ray": "@8f1b" }, UUID],
    ["a new UUID if Cloudflare's is empty", { "cf-ray": "" }, UUID],
    ["a new UUID if there is none", {}, UUID],
  ])("is %s, in the response and in the log", async (_, headers, expected) => {
    const { ask, logged } = apiInProcess();
    const id = (await ask("/", { headers })).headers.get("x-request-id");
    if (typeof expected === "string") expect(id).toBe(expected);
    else expect(id).toMatch(expected);
    expect(logged).toMatchObject([{ event: "request", request_id: id }]);
  });

  test("differs for each request", async () => {
    const { ask } = apiInProcess();
    const ids = await Promise.all([1, 2].map(async () => (await ask("/")).headers.get("x-request-id")));
    expect(new Set(ids).size).toBe(2);
  });
});

describe("the headers of an API response", () => {
  const POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  test.each([
    ["https", "max-age=63072000; includeSubDomains"],
    ["http", null],
  ])("keep a browser from rendering it; over %s Strict-Transport-Security is %s [H14]", async (scheme, hsts) => {
    const { ask } = apiInProcess();
    for (const [path, status] of [
      ["/health", 200],
      ["/operator", 401],
      ["/nowhere", 404],
      ["/subscription", 405],
    ] as const) {
      const answer = await ask(`${scheme}://localhost${path}`);
      expect(answer.status).toBe(status);
      expect(answer.headers.get("strict-transport-security")).toBe(hsts);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "cache-control": "no-store",
        "content-security-policy": POLICY,
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "x-request-id": expect.stringMatching(UUID),
      });
    }
  });
});

test.each<[string, string, string, number, string?]>([
  ["GET", "/health", "/health", 200],
  ["GET", "/subscription/status/ada@example.com", "/subscription/status/:token", 404],
  ["POST", "/links/not-me/ada@example.com", "/links/not-me/:token", 404],
  ["GET", "/operator/ada@example.com", "/operator/*", 401],
  ["GET", "/ada@example.com", "unknown", 404, "/[email]"],
  ["GET", `/link/${"t".repeat(40)}`, "unknown", 404, "/link/…"],
])("%s %s is logged as %s, without an address or a token [F6]", async (method, path, route, status, loggedAs) => {
  const { ask, logged } = apiInProcess();
  await ask(path, { method });
  expect(logged.at(-1)).toEqual({
    ...{ on: "info", level: "info", event: "request", method, route, status },
    ...(loggedAs !== undefined && { path: loggedAs }),
    request_id: expect.any(String),
  });
  expect(JSON.stringify(logged)).not.toContain("ada@");
});

test.each([
  ["GET /", "anybody", 404, 404],
  ["GET /health", "anybody", 200, 404],
  ["GET /openapi.json", "anybody", 200, 404],
  ["GET /subscription", "anybody", 405, 405],
  ["PUT /subscription", "anybody", 405, 405],
  ["POST /subscription", "anybody", 415, 415],
  ["GET /subscription/status/a-token", "anybody", 404, 404],
  ["GET /webhooks/stripe", "anybody", 405, 404],
  ["POST /webhooks/stripe", "anybody", 400, 404],
  ["GET /operator", "anybody", 401, 404],
  ["GET /operator", "the operator", 200, 404],
  ["POST /operator/export", "anybody", 401, 404],
  ["POST /operator/export", "the operator", 200, 404],
  ["GET /operator/export", "the operator", 404, 404],
  ["POST /operator/erase", "anybody", 401, 404],
  ["POST /operator/erase", "the operator", 200, 404],
  ["POST /operator/catalog", "anybody", 401, 404],
  ["GET /operator/send-again?all=dead", "anybody", 401, 404],
  ["GET /operator/send-again?all=dead", "the operator", 200, 404],
])("%s by %s gives %i at the public entrypoint and %i at the site's [H1]", async (line, who, atPublic, atSite) => {
  const { ask } = apiInProcess();
  const [method = "", path = ""] = line.split(" ");
  const headers = who === "the operator" ? OPERATOR : {};
  const init = { method, headers, ...(method === "POST" && { body: PERSON }) };
  for (const [entrypoint, status] of [
    ["public", atPublic],
    ["site", atSite],
  ] as const) {
    const answer = await ask(path, init, entrypoint);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("allow")).toBe(status === 405 ? "POST" : null);
    if (status === 404) expect(await answer.json()).toMatchObject({ title: "Not found" });
    if (status === 405) expect(await answer.json()).toMatchObject({ title: "Only POST is allowed" });
  }
});

describe("the public entrypoint of a deployment without a shared secret", () => {
  const post = (path: string, headers: Record<string, string> = {}, method = "POST") =>
    apiInProcess({ settings: DEPLOYED }).ask(`https://api.example${path}`, { method, headers, body: "{}" });

  test.each([
    "/subscription",
    "/subscription/",
    "/Subscription",
    "//subscription",
    "/%73ubscription",
    "/subscription%2f",
    "/subscription/x",
    "/subscription?secret=",
    "/webhooks/../subscription",
    "/health/subscription",
  ])("refuses sign-ups at %s with every method [H1]", async (path) => {
    for (const method of ["POST", "PUT", "PROPFIND"]) expect((await post(path, {}, method)).status).toBe(404);
  });

  test.each<Record<string, string>>([
    { "subscription-api-secret": "" },
    { "subscription-api-secret": "undefined" },
    { "subscription-sender": "127.0.0.1", "cf-worker": "citewell.dev" },
    { host: "localhost", "x-forwarded-host": "localhost", "cf-connecting-ip": "127.0.0.1" },
    OPERATOR,
  ])("still refuses sign-ups with the headers %j [H1]", async (headers) => {
    expect((await post("/subscription", headers)).status).toBe(404);
  });

  test("has no operator routes without a token [G12]", async () => {
    expect((await post("/operator/export", { authorization: "Bearer " })).status).toBe(404);
  });
});

test("an event without Stripe's signature is refused and logged [G7] [G12]", async () => {
  const { ask, logged } = apiInProcess();
  expect((await ask("/webhooks/stripe", { method: "POST", body: "{}" })).status).toBe(400);
  expect(logged).toContainEqual({
    on: "warn",
    level: "warn",
    event: "webhook_refused",
    request_id: expect.any(String),
  });
});

test.each([
  ["malformed JSON", "{", {}, 400, "The body must be a JSON object"],
  ["JSON other than an object", "[]", {}, 400, "The body must be a JSON object"],
  ["deeply nested JSON", "[".repeat(8_000), {}, 400, "The body must be a JSON object"],
  ["another content type", "{}", { "content-type": "text/plain" }, 415, "The body must be application/json"],
  ["a key with a space", "{}", { "idempotency-key": "a b" }, 400, "The Idempotency-Key header is invalid"],
  [
    "a key of 256 characters",
    "{}",
    { "idempotency-key": "x".repeat(256) },
    400,
    "The Idempotency-Key header is invalid",
  ],
  ["missing fields", "{}", {}, 422, "Some fields are not valid"],
])("a sign-up with %s is refused with a problem document [G3]", async (_, body, headers, status, title) => {
  const json = { "content-type": "application/json" };
  const answer = await apiInProcess().ask("/subscription", { method: "POST", body, headers: { ...json, ...headers } });
  expect(answer.status).toBe(status);
  expect(answer.headers.get("content-type")).toBe("application/problem+json");
  expect(await answer.json()).toMatchObject({ title });
});

test("an unknown plan is refused at its field [G3]", async () => {
  const body = JSON.stringify({ ...validRequest, package_id: "00000000-0000-4000-8000-000000000000" });
  const headers = { "content-type": "application/json" };
  const answer = await apiInProcess().ask("/subscription", { method: "POST", body, headers });
  expect(answer.status).toBe(422);
  expect(await answer.json()).toMatchObject({ errors: { package_id: ["Invalid subscription ID"] } });
});

test.each([
  ["/subscription", 16],
  ["/webhooks/stripe", 256],
  ["/operator/export", 16],
  ["/operator/erase", 16],
  ["/operator/send-again", 16],
])("%s accepts a body of at most %i KiB [H2]", async (path, kib) => {
  const { ask } = apiInProcess();
  const post = (bytes: number) => ask(path, { method: "POST", body: "x".repeat(bytes), headers: OPERATOR });
  const refused = await post(kib * 1024 + 1);
  expect(refused.status).toBe(413);
  expect(await refused.json()).toMatchObject({ title: `The body is larger than ${kib} KiB` });
  expect((await post(kib * 1024)).status).not.toBe(413);
});

describe("invalid settings", () => {
  const WRONG = { LINK_SECRET: "too-short-a-secret", HASH_SECRET: "too-short-a-secret" };
  const REFUSED = { level: "error", event: "configuration_invalid", keys: ["HASH_SECRET", "LINK_SECRET"] };

  test.each(["public", "site"] as const)(
    "are named at the %s entrypoint, without their values [G9]",
    async (entrypoint) => {
      const { ask, logged } = apiInProcess({ settings: WRONG });
      const answer = await ask("/subscription", { method: "POST", body: "{" }, entrypoint);
      expect(answer.status).toBe(503);
      const text = await answer.text();
      expect(JSON.parse(text)).toMatchObject({
        title: "The service is not configured",
        keys: ["HASH_SECRET", "LINK_SECRET"],
      });
      expect(text + JSON.stringify(logged)).not.toContain("too-short");
      expect(logged).toMatchObject([REFUSED, { event: "request", status: 503 }]);
    },
  );

  test("stop the cron handler before any work [G9]", async () => {
    const { runScheduled, logged, rows } = apiInProcess({ settings: WRONG });
    await runScheduled();
    expect(logged).toMatchObject([REFUSED]);
    expect(rows("SELECT ran_at FROM cron_runs")).toEqual([{ ran_at: null }]);
  });
});

test("an unexpected error gives a problem document without details", async () => {
  const io = () => Promise.reject(new RangeError("ada@example.com"));
  const { ask, logged } = apiInProcess({ io });
  const answer = await ask("/operator/export", { method: "POST", body: PERSON, headers: OPERATOR });
  expect(answer.status).toBe(500);
  expect(await answer.text()).not.toContain("ada@");
  expect(logged).toMatchObject([
    { event: "request_failed", error: "RangeError" },
    { event: "request", status: 500 },
  ]);
});
