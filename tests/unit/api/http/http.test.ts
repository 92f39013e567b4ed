import { afterEach, expect, test, vi } from "vitest";
import { SENDER_HEADER } from "../../../../app/contract/site-headers";
import { LOCAL_SECRETS } from "../../../../functions/subscription-api/local-development";
import { apiInProcess } from "../../../support/api-in-process/api";
import { DEPLOYED } from "../../../support/api-in-process/settings";
import { eventOf, sign } from "../../../support/stripe-events";

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
  ["POST /subscription", {}, 415, 415, 404],
  ["POST /subscription", JSON_TYPE, 422, 422, 404],
  ["POST /webhooks/../subscription", JSON_TYPE, 422, 422, 404],
  ["GET /subscription/status/a-token", {}, 404, 404, 404],
  ["GET /webhooks/stripe", {}, 405, 404, 405],
  ["POST /webhooks/stripe", {}, 400, 404, 400],
  ["POST /operator/export", {}, 401, 404, 401],
  ["POST /operator/export", OPERATOR, 200, 404, 401],
  ["GET /operator/export", OPERATOR, 404, 404, 401],
])("%s with %j: %i here in public, %i to the site, %i to a deployment's public", async (line, headers, ...expected) => {
  const [method = "", path = ""] = line.split(" ");
  const init = { method, headers, ...(method === "POST" && { body: PERSON }) };
  const local = apiInProcess();
  const answers = [await local.ask(path, init), await local.ask(path, init, "site")];
  const deployed = apiInProcess(DEPLOYED_API);
  deployed.rows("UPDATE cron_runs SET ran_at = ?", new Date().toISOString());
  answers.push(await deployed.ask(`https://api.example${path}`, init));
  expect(answers.map(({ status }) => status)).toEqual(expected);
  for (const { status, headers } of answers) expect(headers.get("allow")).toBe(status === 405 ? "POST" : null);
});

test.each([
  ["site", "198.51.100.7", "198.51.100.7"],
  ["site", "2001:db8:1:2::/64", "2001:db8:1:2::/64"],
  ["site", "", "203.0.113.9"],
  ["site", "a b", "203.0.113.9"],
  ["site", "1".repeat(65), "203.0.113.9"],
  ["public", "198.51.100.7", "203.0.113.9"],
] as const)("at the %s entrypoint a sign-up of the sender %j counts as one of %s", async (entrypoint, named, key) => {
  const counted: string[] = [];
  const limit = async (of: { key: string }) => ({ success: counted.push(of.key) > 0 });
  const { ask } = apiInProcess({ settings: { SIGNUP_RATE_LIMIT: { limit } } });
  const sender: Record<string, string> = named === "" ? {} : { [SENDER_HEADER]: named };
  const headers = { ...JSON_TYPE, ...sender, "cf-connecting-ip": "203.0.113.9" };
  await ask("/subscription", { method: "POST", headers, body: "{}" }, entrypoint);
  expect(counted).toEqual([key]);
});

test("a body that takes longer than ten seconds is refused then", async () => {
  vi.useFakeTimers();
  const answered = vi.fn();
  // Node sends a stream as a body only with `duplex`, which the types of Workers lack.
  const sent = { method: "POST", headers: JSON_TYPE, body: new ReadableStream(), ...{ duplex: "half" } };
  const slow = apiInProcess().ask("/subscription", sent);
  void slow.then(answered);
  await vi.advanceTimersByTimeAsync(9_999);
  expect(answered).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(await (await slow).json()).toMatchObject({ status: 408, title: "The body did not arrive in time" });
});

test.each<[string, Record<string, string>, string | RegExp]>([
  ["the sender's, up to 64 characters", { "x-request-id": "a".repeat(64), "cf-ray": "8f1b-SEA" }, "a".repeat(64)],
  ["Cloudflare's if the sender's is too long", { "x-request-id": "a".repeat(65), "cf-ray": "8f1b-SEA" }, "8f1b-SEA"],
  ["Cloudflare's if the sender's is invalid", { "x-request-id": "a b", "cf-ray": "8f1b-SEA" }, "8f1b-SEA"],
  ["a new UUID if Cloudflare's is invalid", { "cf-ray": "@8f1b" }, UUID],
  ["a new UUID if there is none", {}, UUID],
])("the request ID is %s, in the answer and in the log", async (_, headers, expected) => {
  const { ask, logged } = apiInProcess();
  const id = (await ask("/", { headers })).headers.get("x-request-id");
  expect(id).toMatch(expected);
  expect(logged).toMatchObject([{ event: "request", request_id: id }]);
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

test("messages that cannot be sent after the answer are in the log alone, under the request's ID", async () => {
  const { ask, settled, logged } = apiInProcess({
    io: async (sql, effect) => {
      if (sql.includes("outbox")) throw new RangeError("of ada@example.com");
      return effect();
    },
  });
  const body = eventOf("customer.subscription.updated", { object: "subscription", id: "sub_9", customer: "cus_9" });
  const headers = { "stripe-signature": sign(body), "x-request-id": "of-stripe" };
  expect((await ask("/webhooks/stripe", { method: "POST", body, headers })).status).toBe(200);
  await settled();
  const line = { level: "error", event: "dispatch_failed", request_id: "of-stripe" };
  expect(logged).toContainEqual(expect.objectContaining(line));
});

test.each([
  ["with wrong settings", { LINK_SECRET: "too-short-a-secret" }],
  ["in maintenance", { MAINTENANCE: "true" }],
])("%s the cron handler does nothing, and neither answer nor log has a setting's value", async (_, settings) => {
  const { ask, runScheduled, logged, rows } = apiInProcess({ settings });
  const text = await (await ask("/health")).text();
  await runScheduled();
  expect(text + JSON.stringify(logged)).not.toContain("too-short");
  expect(rows("SELECT ran_at FROM cron_runs")).toEqual([{ ran_at: null }]);
});
