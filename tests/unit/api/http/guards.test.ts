import { afterEach, expect, test, vi } from "vitest";
import { RATE_LIMIT_KEY_HEADER } from "../../../../app/contract/site-headers";
import { COMMANDS } from "../../../../functions/subscription-api/http/operator-commands";
import { LOCAL_SECRETS } from "../../../../functions/subscription-api/local-development";
import { apiInProcess } from "../../../support/api-in-process/api";
import { DEPLOYED } from "../../../support/api-in-process/settings";
import { NAMED_SENDERS } from "../../../support/named-senders";

afterEach(() => void vi.useRealTimers());

const JSON_TYPE = { "content-type": "application/json" };
const PERSON = JSON.stringify({ email: "ada@example.com" });
const TOKEN = LOCAL_SECRETS.OPERATOR_TOKEN;
const OPERATOR = { ...JSON_TYPE, authorization: `Bearer ${TOKEN}` };

const JSON_IN_CAPITALS = { "content-type": "Application/JSON ; charset=utf-8" };
const JSON_SEQUENCE = { "content-type": "application/json-seq" };
const NO_JSON = "The body must be application/json";
const WRONG_TOKEN = "The operator token is missing or wrong";

test.each<{ request: string; headers?: Record<string, string>; here: number; toSite: number; deployed: number }>([
  { request: "GET /health", here: 200, toSite: 404, deployed: 200 },
  { request: "GET /openapi.json", here: 200, toSite: 404, deployed: 200 },
  { request: "GET /subscription", here: 405, toSite: 405, deployed: 404 },
  { request: "POST /subscription", headers: JSON_IN_CAPITALS, here: 422, toSite: 422, deployed: 404 },
  { request: "POST /subscription", headers: JSON_SEQUENCE, here: 415, toSite: 415, deployed: 404 },
  { request: "GET /subscription/packages/an-id", here: 200, toSite: 200, deployed: 404 },
  { request: "GET /webhooks/stripe", here: 405, toSite: 404, deployed: 405 },
  { request: "POST /webhooks/stripe", here: 400, toSite: 404, deployed: 400 },
  { request: "POST /operator/export", here: 401, toSite: 404, deployed: 401 },
  { request: "POST /operator/export", headers: OPERATOR, here: 200, toSite: 404, deployed: 401 },
])("$request with $headers: $here here, $toSite from the site, $deployed from outside to a deployment", async (row) => {
  const { request, headers = {}, here, toSite, deployed } = row;
  const [method = "", path = ""] = request.split(" ");
  const init = { method, headers, ...(method === "POST" && { body: PERSON }) };
  const local = apiInProcess();
  const remote = apiInProcess({ settings: { ...DEPLOYED, OPERATOR_TOKEN: "a-token-of-a-deployment-0123456789-abc" } });
  remote.rows("UPDATE cron_runs SET ran_at = ?", new Date().toISOString());
  const answer = await local.ask(path, init);
  expect(answer).toHaveStatus(here);
  if (here === 405) expect(answer).toBeProblem(405, "Only POST is allowed");
  expect(answer.headers.get("Allow")).toBe(here === 405 ? "POST" : null);
  expect(await local.ask(path, init, "site")).toHaveStatus(toSite);
  expect(await remote.ask(`https://api.example${path}`, init)).toHaveStatus(deployed);
});

test("no header opens a deployment's sign-up to the network, and plain http is refused to everybody", async () => {
  const { ask } = apiInProcess({ settings: DEPLOYED });
  const asSite = { [RATE_LIMIT_KEY_HEADER]: "127.0.0.1", "cf-worker": "citewell.dev" };
  const asLocal = { host: "localhost", "x-forwarded-host": "localhost", "cf-connecting-ip": "127.0.0.1" };
  const init = { method: "POST", headers: { ...JSON_TYPE, ...asSite, ...asLocal }, body: PERSON };
  expect(await ask("https://api.example/subscription", init)).toBeProblem(404, "Not found");
  expect(await ask("http://api.example/subscription", init, "site")).toBeProblem(403, "Only https is allowed");
});

test("local settings serve no other machine, unless they have a HOST", async () => {
  const refused =
    "These local settings serve this machine only. To serve other devices, start with HOST=0.0.0.0 npm start.";
  expect(await apiInProcess().ask("http://192.0.2.1/health")).toBeProblem(421, refused);
  const { ask } = apiInProcess({ settings: { HOST: "192.0.2.1" } });
  expect(await ask("http://192.0.2.1/health")).toHaveStatus(200);
});

test.each<{ named?: string; cloudflare?: object; entrypoint: "site" | "public"; key: string }>([
  { entrypoint: "site", named: "2001:db8:1:2::/64", key: "2001:db8:1:2::/64" },
  { entrypoint: "site", named: undefined, key: "203.0.113.9" },
  { entrypoint: "site", named: "a b", key: "203.0.113.9" },
  { entrypoint: "site", named: "1".repeat(65), key: "203.0.113.9" },
  { entrypoint: "public", named: "198.51.100.7", key: "203.0.113.9" },
  { entrypoint: "public", named: "198.51.100.7", cloudflare: {}, key: "unknown" },
])("at the $entrypoint entrypoint the key $named counts for $key, whatever sender other headers name", async (row) => {
  const { entrypoint, named, cloudflare = { "cf-connecting-ip": "203.0.113.9" }, key } = row;
  const counted: string[] = [];
  const limit = async ({ key }: { key: string }) => ({ success: counted.push(key) > 0 });
  const { ask } = apiInProcess({ settings: { SIGNUP_RATE_LIMIT: { limit } } });
  const { [RATE_LIMIT_KEY_HEADER]: _, ...others } = NAMED_SENDERS;
  const fromSite: Record<string, string> = named === undefined ? {} : { [RATE_LIMIT_KEY_HEADER]: named };
  const headers = { ...JSON_TYPE, ...others, ...fromSite, ...cloudflare };
  await ask("/subscription", { method: "POST", headers, body: "{}" }, entrypoint);
  expect(counted).toEqual([key]);
});

/** Node sends a stream as a body only with `duplex`, which the types of Workers lack. */
const streaming = (body: ReadableStream) => ({ method: "POST", headers: JSON_TYPE, body, ...{ duplex: "half" } });

test("the form of a sender over the limit is answered before its body arrives; a status or a failing limit is not refused", async () => {
  const limiter = { limit: async () => ({ success: false }) };
  const { ask, post, settled } = apiInProcess({ settings: { ...DEPLOYED, SIGNUP_RATE_LIMIT: limiter } });
  const answer = await ask("https://api.example/subscription", streaming(new ReadableStream()), "site");
  expect(answer).toBeProblem(429, "Too many requests");
  expect(answer).toHaveHeader("Retry-After", "60");
  const status = await ask("https://api.example/subscription/status/a-token", {}, "site");
  expect(status).toBeProblem(404, "Not found");
  limiter.limit = () => Promise.reject(new RangeError("of ada@example.com"));
  expect(await post()).toHaveStatus(200);
  await settled();
});

test.each([
  { path: "/subscription", headers: JSON_TYPE, kib: 16, withinLimit: 400 },
  { path: "/webhooks/stripe", headers: {}, kib: 256, withinLimit: 400 },
  { path: "/operator/export", headers: OPERATOR, kib: 16, withinLimit: 422 },
])("$path takes a body of $kib KiB and not a byte more", async ({ path, headers, kib, withinLimit }) => {
  const { ask } = apiInProcess();
  const send = (bytes: number) => ask(path, { method: "POST", headers, body: "x".repeat(bytes) });
  expect(await send(kib * 1024)).toHaveStatus(withinLimit);
  expect(await send(kib * 1024 + 1)).toBeProblem(413, `The body is larger than ${kib} KiB`);
});

test("a body that breaks off is refused at once, and a slow one after ten seconds", async () => {
  const { ask } = apiInProcess();
  const body = new ReadableStream({ start: (stream) => stream.error(new TypeError("Lost")) });
  expect(await ask("/subscription", streaming(body))).toBeProblem(400, "The body is incomplete");
  vi.useFakeTimers();
  const answered = vi.fn();
  const slow = ask("/subscription", streaming(new ReadableStream())).finally(answered);
  await vi.advanceTimersByTimeAsync(9_999);
  expect(answered).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(await slow).toBeProblem(408, "The body did not arrive in time");
});

test.each<{ what: string; headers?: object; settings?: object; status?: number; problem?: string }>([
  { what: "no token", headers: { authorization: "Bearer " } },
  { what: "a token that lacks a character", headers: { authorization: `Bearer ${TOKEN.slice(0, -1)}` } },
  { what: "the token as a password", headers: { authorization: `Basic ${btoa(`a:${TOKEN}`)}` } },
  { what: "the token, where the API has none", settings: { OPERATOR_TOKEN: "" }, status: 404, problem: "Not found" },
  // Another site's form could send it.
  { what: "a form's body", headers: { "content-type": "text/plain" }, status: 415, problem: NO_JSON },
])("every command with $what is refused, a wrong token with a log line", async (row) => {
  const { headers, settings, status = 401, problem = WRONG_TOKEN } = row;
  const { ask, logged } = apiInProcess({ settings: { ...settings } });
  for (const command of Object.keys(COMMANDS)) {
    const init = { method: "POST", headers: { ...OPERATOR, ...headers }, body: PERSON };
    const answer = await ask(`/operator/${command}`, init);
    expect(answer).toBeProblem(status, problem);
    expect(answer.headers.get("WWW-Authenticate")).toBe(status === 401 ? "Bearer" : null);
  }
  const refused = logged.filter(({ level, event }) => level === "warn" && event === "operator_refused");
  expect(refused).toHaveLength(status === 401 ? Object.keys(COMMANDS).length : 0);
});
