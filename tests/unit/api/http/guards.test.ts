import { afterEach, expect, test, vi } from "vitest";
import { RATE_LIMIT_KEY_HEADER } from "../../../../app/contract/site-headers";
import { LOCAL_SECRETS } from "../../../../functions/subscription-api/local-development";
import { apiInProcess } from "../../../support/api-in-process/api";
import { DEPLOYED } from "../../../support/api-in-process/settings";
import { validRequest } from "../../../support/person";

/* Who may call each route, and which bodies are accepted. */

afterEach(() => void vi.useRealTimers());

const JSON_TYPE = { "content-type": "application/json" };
const FORM = JSON.stringify(validRequest);
const PERSON = JSON.stringify({ email: "ada@example.com" });
const TOKEN = LOCAL_SECRETS.OPERATOR_TOKEN;
const OPERATOR = { ...JSON_TYPE, authorization: `Bearer ${TOKEN}` };

type Expected = { here: number; toSite: number; deployed: number };

test.each<{ request: string; headers?: Record<string, string> } & Expected>([
  { request: "GET /", here: 404, toSite: 404, deployed: 404 },
  { request: "GET /health", here: 200, toSite: 404, deployed: 200 },
  { request: "GET /openapi.json", here: 200, toSite: 404, deployed: 200 },
  { request: "GET /subscription", here: 405, toSite: 405, deployed: 404 },
  { request: "POST /subscription", here: 415, toSite: 415, deployed: 404 },
  { request: "POST /subscription", headers: JSON_TYPE, here: 422, toSite: 422, deployed: 404 },
  { request: "POST /webhooks/../subscription", headers: JSON_TYPE, here: 422, toSite: 422, deployed: 404 },
  { request: "GET /subscription/status/a-token", here: 404, toSite: 404, deployed: 404 },
  { request: "GET /webhooks/stripe", here: 405, toSite: 404, deployed: 405 },
  { request: "POST /webhooks/stripe", here: 400, toSite: 404, deployed: 400 },
  { request: "POST /operator/export", here: 401, toSite: 404, deployed: 401 },
  { request: "POST /operator/export", headers: OPERATOR, here: 200, toSite: 404, deployed: 401 },
  { request: "GET /operator/export", headers: OPERATOR, here: 404, toSite: 404, deployed: 401 },
])(
  "$request with $headers: $here from this machine, $toSite from the site, $deployed from the network to a deployment",
  async ({ request, headers = {}, ...expected }) => {
    const [method = "", path = ""] = request.split(" ");
    const init = { method, headers, ...(method === "POST" && { body: PERSON }) };
    const local = apiInProcess();
    const deployed = apiInProcess({
      settings: { ...DEPLOYED, OPERATOR_TOKEN: "a-token-of-a-deployment-0123456789-abc" },
    });
    deployed.rows("UPDATE cron_runs SET ran_at = ?", new Date().toISOString());
    const statuses = {
      here: (await local.ask(path, init)).status,
      toSite: (await local.ask(path, init, "site")).status,
      deployed: (await deployed.ask(`https://api.example${path}`, init)).status,
    };
    expect(statuses).toEqual(expected);
  },
);

test.each([{ path: "/subscription" }, { path: "/webhooks/stripe" }])(
  "a GET of $path is told that only POST is allowed",
  async ({ path }) => {
    const answer = await apiInProcess().ask(path);
    expect(answer).toBeProblem(405, "Only POST is allowed");
    expect(answer).toHaveHeader("Allow", "POST");
  },
);

test.each<{ how: string; headers: Record<string, string> }>([
  { how: "the site's headers", headers: { [RATE_LIMIT_KEY_HEADER]: "127.0.0.1", "cf-worker": "citewell.dev" } },
  { how: "a local host", headers: { host: "localhost", "x-forwarded-host": "localhost" } },
  { how: "a local address", headers: { "cf-connecting-ip": "127.0.0.1" } },
])("$how do not open a deployment's sign-up to the network", async ({ headers }) => {
  const { ask } = apiInProcess({ settings: DEPLOYED });
  const init = { method: "POST", headers: { ...JSON_TYPE, ...headers }, body: FORM };
  expect(await ask("https://api.example/subscription", init)).toBeProblem(404, "Not found");
});

test("plain http is refused by a deployment", async () => {
  const { ask } = apiInProcess({ settings: DEPLOYED });
  const init = { method: "POST", headers: JSON_TYPE, body: FORM };
  expect(await ask("http://api.example/subscription", init, "site")).toBeProblem(403, "Only https is allowed");
});

test("local settings serve no other machine", async () => {
  const { ask } = apiInProcess();
  expect(await ask("http://192.0.2.1/health")).toBeProblem(
    421,
    "These local settings serve this machine only. To serve other devices, start with HOST=0.0.0.0 npm start.",
  );
});

test("local settings with a HOST serve other machines", async () => {
  const { ask } = apiInProcess({ settings: { HOST: "192.0.2.1" } });
  expect(await ask("http://192.0.2.1/health")).toHaveStatus(200);
});

/** The rate limit keys of the sign-ups that an API gets. */
function countingApi() {
  const counted: string[] = [];
  const limit = async ({ key }: { key: string }) => ({ success: counted.push(key) > 0 });
  return { ...apiInProcess({ settings: { SIGNUP_RATE_LIMIT: { limit } } }), counted };
}

test.each<{ named?: string; entrypoint: "site" | "public"; key: string }>([
  { entrypoint: "site", named: "198.51.100.7", key: "198.51.100.7" },
  { entrypoint: "site", named: "2001:db8:1:2::/64", key: "2001:db8:1:2::/64" },
  { entrypoint: "site", named: undefined, key: "203.0.113.9" },
  { entrypoint: "site", named: "a b", key: "203.0.113.9" },
  { entrypoint: "site", named: "1".repeat(65), key: "203.0.113.9" },
  { entrypoint: "public", named: "198.51.100.7", key: "203.0.113.9" },
])(
  "at the entrypoint $entrypoint a form with the rate limit key $named counts for $key",
  async ({ entrypoint, named, key }) => {
    const { ask, counted } = countingApi();
    const fromSite: Record<string, string> = named === undefined ? {} : { [RATE_LIMIT_KEY_HEADER]: named };
    const headers = { ...JSON_TYPE, ...fromSite, "cf-connecting-ip": "203.0.113.9" };
    await ask("/subscription", { method: "POST", headers, body: "{}" }, entrypoint);
    expect(counted).toEqual([key]);
  },
);

/** A body that fails the test if it is read. */
const unreadBody = () =>
  new ReadableStream({ pull: () => Promise.reject(new Error("Nobody may read this")) }, { highWaterMark: 0 });
/** Node sends a stream as a body only with `duplex`, which the types of Workers lack. */
const streaming = (body: ReadableStream) => ({ method: "POST", headers: JSON_TYPE, body, ...{ duplex: "half" } });

test("a sender over the limit is answered before its body is read", async () => {
  const limiter = { limit: async () => ({ success: false }) };
  const { ask } = apiInProcess({ settings: { SIGNUP_RATE_LIMIT: limiter } });
  const answer = await ask("/subscription", streaming(unreadBody()), "site");
  expect(answer).toBeProblem(429, "Too many requests");
  expect(answer).toHaveHeader("Retry-After", "60");
});

test("a form is accepted while the rate limit fails", async () => {
  const limiter = { limit: () => Promise.reject(new RangeError("of ada@example.com")) };
  const { post, settled } = apiInProcess({ settings: { ...DEPLOYED, SIGNUP_RATE_LIMIT: limiter } });
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

test("a body that breaks off is refused with 400", async () => {
  const { ask } = apiInProcess();
  const body = new ReadableStream({ start: (stream) => stream.error(new TypeError("Lost")) });
  expect(await ask("/subscription", streaming(body))).toBeProblem(400, "The body is incomplete");
});

test("a body that takes longer than ten seconds is refused then", async () => {
  vi.useFakeTimers();
  const answered = vi.fn();
  const slow = apiInProcess().ask("/subscription", streaming(new ReadableStream()));
  void slow.then(answered);
  await vi.advanceTimersByTimeAsync(9_999);
  expect(answered).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(await slow).toBeProblem(408, "The body did not arrive in time");
});

test.each([
  { type: "application/json", status: 200 },
  { type: "Application/JSON; charset=utf-8", status: 200 },
  { type: "text/plain", status: 415 },
  { type: "application/json-seq", status: 415 },
])("a form of the type $type is answered with $status", async ({ type, status }) => {
  const { ask, settled } = apiInProcess();
  const init = { method: "POST", headers: { "content-type": type }, body: FORM };
  expect(await ask("/subscription", init, "site")).toHaveStatus(status);
  await settled();
});

test.each([
  { what: "no token", authorization: "Bearer " },
  { what: "a token that lacks a character", authorization: `Bearer ${TOKEN.slice(0, -1)}` },
  { what: "a token with a character more", authorization: `Bearer ${TOKEN}x` },
  { what: "the token as a password", authorization: `Basic ${btoa(`a:${TOKEN}`)}` },
])("a command with $what is refused", async ({ authorization }) => {
  const { ask } = apiInProcess();
  const answer = await ask("/operator/export", {
    method: "POST",
    headers: { ...JSON_TYPE, authorization },
    body: PERSON,
  });
  expect(answer).toBeProblem(401, "The operator token is missing or wrong");
  expect(answer).toHaveHeader("WWW-Authenticate", "Bearer");
});

test("without the setting OPERATOR_TOKEN there are no commands", async () => {
  const { ask } = apiInProcess({ settings: { OPERATOR_TOKEN: "" } });
  const init = { method: "POST", headers: OPERATOR, body: PERSON };
  expect(await ask("/operator/export", init)).toBeProblem(404, "Not found");
});

test("a command whose body is not JSON is refused, since another site's form could send it", async () => {
  const { ask } = apiInProcess();
  const init = { method: "POST", headers: { ...OPERATOR, "content-type": "text/plain" }, body: PERSON };
  expect(await ask("/operator/export", init)).toBeProblem(415, "The body must be application/json");
});
