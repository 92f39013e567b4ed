import { expect, test } from "vitest";
import * as z from "zod";
import { SENDER_HEADER } from "../../../../app/contract/site-headers";
import { LOCAL_SECRETS } from "../../../../functions/subscription-api/local-development";
import { apiInProcess, type Instead } from "../../../support/api-in-process/api";
import { DEPLOYED } from "../../../support/api-in-process/settings";
import { refusal } from "../../../support/api-in-process/stripe-objects";
import { validRequest } from "../../../support/person";

/* One line an answer; the helper that asks compares each with the API's description. */

type Case = RequestInit & {
  settings?: Record<string, unknown>;
  /** The site's when absent. */
  entrypoint?: "public";
  /** Stripe's answers and the database's error, after the sign-up. */
  upstream?: Instead;
  breaks?: string;
  /** The body's length. */
  kib?: number;
  /** SQL for a sign-up that was made before. */
  change?: string;
};

const SIGN_UP = "POST /subscription";
const STATUS = "GET of its status";
const EXPORT = "POST /operator/export";
const WEBHOOK = "POST /webhooks/stripe";
const BYTE = 1 / 1024;

const stripeSays = (...error: Parameters<typeof refusal>) => {
  const { status, text } = refusal(...error);
  return { upstream: () => new Response(text, { status, headers: { "content-type": "application/json" } }) };
};
const DOWN: Case = stripeSays(503, "", "api_error");
const BUSY: Case = stripeSays(409, "", "idempotency_error");
const MEANINGLESS: Case = { upstream: () => Response.json({ data: [{}] }) };
const REFUSED: Case = stripeSays(400, "email_invalid");
const HTTPS = "https://api.example";
const SITE: Case = { settings: DEPLOYED };
const PUBLIC: Case = { ...SITE, entrypoint: "public" };
const FORGED = { "subscription-api-secret": "undefined", [SENDER_HEADER]: "127.0.0.1", "cf-worker": "citewell.dev" };
const PROXIED = { host: "localhost", "x-forwarded-host": "localhost", "cf-connecting-ip": "127.0.0.1" };
const ELSEWHERE = "http://192.0.2.1";
const LOCAL_ONLY =
  "These local settings serve this machine only. To serve other devices, start with HOST=0.0.0.0 npm start.";
const OTHER_HOST: Case = { settings: { HOST: "192.0.2.1" }, entrypoint: "public" };
const WRONG: Case = { settings: { LINK_SECRET: "too-short-a-secret" } };
const MAINTENANCE: Case = { settings: { MAINTENANCE: "true" }, entrypoint: "public" };
const BEARER = `Bearer ${LOCAL_SECRETS.OPERATOR_TOKEN}`;
const NO_TOKEN = "The operator token is missing or wrong, by Bearer";
const BASIC = `Basic ${btoa(`a:${LOCAL_SECRETS.OPERATOR_TOKEN}`)}`;
const NO_JSON = "The body must be application/json";
const operator = (body: object, authorization = BEARER, type = "application/json"): Case => ({
  ...{ body: JSON.stringify(body), entrypoint: "public", headers: { authorization, "content-type": type } },
});
const PERSON = { email: validRequest.email };
const AT_YESTERDAY = { restored_to: "yesterday", stopped_at: "2026-11-22T12:00:00Z" };
const TIMES_WANTED = "The body must be JSON with restored_to and stopped_at";
const KEY_WANTED = "The body must be JSON with send_again, the key of a message, or nothing";
const NOT_CONFIGURED = 'The service is not configured, again in 60 s, ["LINK_SECRET"]';
const limitFails = () => Promise.reject(new RangeError("of ada@example.com"));
/** Its body is not read. */
const FULL: Case = {
  settings: { SIGNUP_RATE_LIMIT: { limit: async () => ({ success: false }) } },
  body: new ReadableStream({ pull: () => Promise.reject(new Error("Nobody may read this")) }, { highWaterMark: 0 }),
};
const UNSOLD: Case = { body: JSON.stringify({ ...validRequest, package_id: "00000000-0000-4000-8000-000000000000" }) };
const LOST: Case = { body: new ReadableStream({ start: (stream) => stream.error(new TypeError("Lost")) }) };
const END = "2026-12-01T00:00:00.000Z";
const standing = (status: string): Case => ({
  change: `UPDATE sign_ups SET status = '${status}', trial_end = '${END}'`,
});
const ofKey = (columns: string): Case => ({
  ...{ change: `UPDATE sign_ups SET idempotency_key = 'k', ${columns}`, headers: { "idempotency-key": "k" } },
});
const UNKNOWN = "GET /subscription/status/a";
const PROVIDER_ODD = "The payment provider gave an unexpected answer";
const PROVIDER_DOWN = "The payment provider is unavailable, again in 5 s";
const DATABASE_DOWN = "The database is unavailable, again in 2 s";
const OUR_FAULT = "Internal server error";
const IN_PROGRESS = "The same request is still in progress, again in 2 s, type request-in-progress";

/** Levels of the log line about a failure; other answers have none. */
const FAILURES = new Map([
  ...[OUR_FAULT, PROVIDER_ODD, PROVIDER_DOWN, IN_PROGRESS].map((words) => [words, "error"] as const),
  [DATABASE_DOWN, "warn"] as const,
]);
const members = z.record(z.string(), z.unknown());

test.each<[operation: string, origin: string, what: Case, status: number, words: string]>([
  [SIGN_UP, "http://127.0.0.1:9", {}, 200, "status at http://127.0.0.1:9"],
  [SIGN_UP, HTTPS, SITE, 200, "status at https://api.example"],
  [SIGN_UP, "", { body: "[]" }, 400, "The body must be a JSON object"],
  [SIGN_UP, "", { body: "{" }, 400, "The body must be a JSON object"],
  [SIGN_UP, "", LOST, 400, "The body is incomplete"],
  [SIGN_UP, "", { headers: { "idempotency-key": "a b" } }, 400, "The Idempotency-Key header is invalid"],
  [SIGN_UP, "", { headers: { "idempotency-key": "k".repeat(255) } }, 200, "status at http://localhost:8788"],
  [SIGN_UP, "", { headers: { "idempotency-key": "k".repeat(256) } }, 400, "The Idempotency-Key header is invalid"],
  [SIGN_UP, "http://api.example", SITE, 403, "Only https is allowed"],
  [SIGN_UP, HTTPS, { ...PUBLIC, headers: FORGED }, 404, "Not found"],
  [SIGN_UP, HTTPS, { ...PUBLIC, headers: PROXIED }, 404, "Not found"],
  [SIGN_UP, "", BUSY, 409, IN_PROGRESS],
  [SIGN_UP, "", ofKey("status = 'canceled'"), 409, "A subscription with this information already exists"],
  [
    SIGN_UP,
    "",
    ofKey("declined_cards = 5"),
    409,
    "The end of an earlier try is still in progress, again in 1 s, type request-in-progress",
  ],
  [SIGN_UP, "", ofKey("city = 'Boston'"), 422, "The Idempotency-Key was used for another request"],
  [SIGN_UP, "", { kib: 16 + BYTE }, 413, "The body is larger than 16 KiB"],
  [SIGN_UP, "", { kib: 16 }, 400, "The body must be a JSON object"],
  [WEBHOOK, "", { kib: 256 + BYTE, entrypoint: "public" }, 413, "The body is larger than 256 KiB"],
  [WEBHOOK, "", { kib: 256, entrypoint: "public" }, 400, "The signature is missing, wrong or too old"],
  [EXPORT, "", { ...operator({}), kib: 16 + BYTE }, 413, "The body is larger than 16 KiB"],
  [EXPORT, "", { ...operator({}), kib: 16 }, 422, "The body must be JSON with an email"],
  [SIGN_UP, "", { headers: { "content-type": "text/plain" } }, 415, NO_JSON],
  [SIGN_UP, ELSEWHERE, { entrypoint: "public" }, 421, LOCAL_ONLY],
  ["GET /subscription", ELSEWHERE, OTHER_HOST, 405, "Only POST is allowed"],
  [SIGN_UP, "", REFUSED, 422, 'Some fields are not valid, {"email":["Please enter a valid email address"]}'],
  [SIGN_UP, "", UNSOLD, 422, 'Some fields are not valid, {"package_id":["Invalid subscription ID"]}'],
  [SIGN_UP, "", { settings: { SIGNUP_RATE_LIMIT: { limit: limitFails } } }, 200, "status at http://localhost:8788"],
  [SIGN_UP, "", FULL, 429, "Too many requests, again in 60 s"],
  [UNKNOWN, "", FULL, 404, "Not found"],
  [SIGN_UP, "", MEANINGLESS, 502, PROVIDER_ODD],
  [SIGN_UP, "", { breaks: "D1 DB is overloaded" }, 503, DATABASE_DOWN],
  [SIGN_UP, "", { breaks: "D1_ERROR: UNIQUE constraint failed for ada@example.com" }, 500, OUR_FAULT],
  [SIGN_UP, "", DOWN, 503, PROVIDER_DOWN],
  [SIGN_UP, "", WRONG, 503, NOT_CONFIGURED],
  ["GET /health", "", MAINTENANCE, 503, 'Down for maintenance, again in 60 s, ["MAINTENANCE"]'],
  [EXPORT, "", { ...MAINTENANCE, ...operator(PERSON) }, 200, ""],
  [EXPORT, "", operator(PERSON, "Bearer "), 401, NO_TOKEN],
  [EXPORT, "", operator(PERSON, BEARER.slice(0, -1)), 401, NO_TOKEN],
  [EXPORT, "", operator(PERSON, `${BEARER}x`), 401, NO_TOKEN],
  [EXPORT, "", operator(PERSON, BASIC), 401, NO_TOKEN],
  [EXPORT, "", operator(PERSON, BEARER, "text/plain"), 415, NO_JSON],
  [EXPORT, "", operator(PERSON, BEARER, "application/json-seq"), 415, NO_JSON],
  [EXPORT, "", { ...operator(PERSON), settings: { OPERATOR_TOKEN: "" } }, 404, "Not found"],
  ["POST /operator/erase", "", operator({ email: "nobody" }), 422, "The body must be JSON with an email"],
  ["POST /operator/after-restore", "", operator(AT_YESTERDAY), 422, TIMES_WANTED],
  ["POST /operator/messages", "", operator({ send_again: 1 }), 422, KEY_WANTED],
  [STATUS, "", {}, 200, "pending"],
  [STATUS, "", standing("trialing"), 200, `trial, until ${END}`],
  [STATUS, "", standing("active"), 200, `trial, until ${END}`],
  [STATUS, "", standing("past_due"), 200, `trial, until ${END}`],
  [STATUS, "", standing("canceled"), 200, "ended"],
  [STATUS, "", { change: "UPDATE sign_ups SET declined_cards = 5" }, 200, "ended"],
  [STATUS, "", { ...BUSY, ...standing("card_set_up") }, 200, "pending"],
  [STATUS, "", MEANINGLESS, 502, PROVIDER_ODD],
  [STATUS, "", DOWN, 503, PROVIDER_DOWN],
])("%s at %j, %j: %i, %s", async (operation, origin, what, status, words) => {
  const { settings = {}, entrypoint = "site", headers, upstream, breaks, kib, change, ...init } = what;
  let hasBegun = false;
  const api = apiInProcess({
    settings,
    io: async (_, effect) => {
      if (breaks && hasBegun) throw new Error(breaks);
      return effect();
    },
  });
  const made = operation === STATUS || change ? members.parse(await (await api.post()).json()) : {};
  await api.settled();
  if (change) api.rows(change);
  hasBegun = true;
  if (upstream) api.instead.set("", upstream);
  const [method = "", path = ""] = operation.split(" ");
  // Node sends a stream as a body only with `duplex`, which the types of Workers lack.
  const body = kib ? "x".repeat(kib * 1024) : JSON.stringify(validRequest);
  const sent = { body, ...init, ...(kib && { body }), ...{ duplex: "half" } };
  const where = operation === STATUS ? String(made.status_url) : origin + path;
  const all = { "content-type": "application/json", ...headers };
  const answer = await api.ask(where, { method, headers: all, ...(method === "POST" && sent) }, entrypoint);
  await api.settled();
  const { title, type, errors, keys, status_url: url, status: state, trial_end } = members.parse(await answer.json());
  const [again, wanted] = ["retry-after", "www-authenticate"].map((name) => answer.headers.get(name));
  const said = [
    ...[title, errors && JSON.stringify(errors), again && `again in ${again} s`, keys && JSON.stringify(keys)],
    wanted && `by ${wanted}`,
    ...[
      url && `status at ${new URL(String(url)).origin}`,
      typeof state === "string" && state,
      trial_end && `until ${trial_end}`,
      typeof type === "string" && type !== "about:blank" && type.replace("urn:problem-type:subscription-api:", "type "),
    ],
  ];
  expect([answer.status, said.filter(Boolean).join(", ")]).toEqual([status, words]);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const failures = api.logged.filter(({ event }) => /^request_failed$|failed_in_passing$/.test(String(event)));
  expect(failures.map(({ level }) => level)).toEqual([FAILURES.get(words) ?? []].flat());
});
