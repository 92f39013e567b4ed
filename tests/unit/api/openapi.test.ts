import { expect, test, vi } from "vitest";
import { openApi } from "../../../functions/subscription-api/http/openapi";
import { trialClaims } from "../../../functions/subscription-api/limits/trial-claims";
import { answersOf, apiInProcess, type Upstream } from "../../support/api-in-process/api";
import { description } from "../../support/api-in-process/openapi";
import { DEPLOYED, SETTINGS } from "../../support/api-in-process/settings";
import { validRequest } from "../../support/visitors/visitor";

/* Each answer that the description has is given here once; the helper that asks compares the two. */

const SUBSCRIPTION = "POST /subscription";
const STATUS = "GET /subscription/status/{token}";

const stripeSays =
  (status: number, error: object): Upstream =>
  ({ pathname }) =>
    pathname.startsWith("/v1/") ? Response.json({ error }, { status }) : Response.json({ data: [] });

type Case = {
  settings?: Record<string, unknown>;
  origin?: string;
  entrypoint?: "public" | "site";
  headers?: Record<string, string>;
  body?: BodyInit;
  /** In place of the token of a pending sign-up. */
  token?: string;
  /** Stripe's answers from then on. */
  upstream?: Upstream;
  isBroken?: boolean;
  /** SQL for the sign-up that is there. */
  change?: string;
};

const DOWN: Case = { upstream: stripeSays(503, { type: "api_error" }) };
const BUSY: Case = { upstream: stripeSays(409, { type: "idempotency_error" }) };
const MEANINGLESS: Case = { upstream: () => Response.json({ data: [{}] }) };
const PLAIN_HTTP: Case = { settings: DEPLOYED, origin: "http://api.example" };
const ELSEWHERE: Case = { origin: "http://192.0.2.1", entrypoint: "public" };
const WRONG: Case = { settings: { LINK_SECRET: "short" } };
const [claim] = trialClaims({ hashSecret: String(SETTINGS.HASH_SECRET), onePerPerson: false }).emailsOf(
  validRequest.email,
);
const HAD_TRIAL = `INSERT INTO trial_claims (hash) VALUES ('${claim}')`;
const never = () => new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(1)) });

const cases: [operation: string, status: number, what: Case][] = [
  [SUBSCRIPTION, 200, {}],
  [SUBSCRIPTION, 400, { body: "[]" }],
  [SUBSCRIPTION, 400, { headers: { "idempotency-key": "a b" } }],
  [SUBSCRIPTION, 403, PLAIN_HTTP],
  [SUBSCRIPTION, 404, { settings: DEPLOYED, origin: "https://api.example", entrypoint: "public" }],
  [SUBSCRIPTION, 408, { body: never() }],
  [SUBSCRIPTION, 409, BUSY],
  [SUBSCRIPTION, 409, { change: HAD_TRIAL }],
  [SUBSCRIPTION, 413, { body: "x".repeat(17_000) }],
  [SUBSCRIPTION, 415, { headers: { "content-type": "text/plain" } }],
  [SUBSCRIPTION, 421, ELSEWHERE],
  [SUBSCRIPTION, 422, { body: "{}" }],
  [SUBSCRIPTION, 422, { upstream: stripeSays(400, { type: "invalid_request_error", code: "email_invalid" }) }],
  [
    SUBSCRIPTION,
    422,
    { body: JSON.stringify({ ...validRequest, package_id: "00000000-0000-4000-8000-000000000000" }) },
  ],
  [SUBSCRIPTION, 429, { settings: { SIGNUP_RATE_LIMIT: { limit: async () => ({ success: false }) } } }],
  [SUBSCRIPTION, 500, { isBroken: true }],
  [SUBSCRIPTION, 502, MEANINGLESS],
  [SUBSCRIPTION, 503, DOWN],
  [SUBSCRIPTION, 503, WRONG],
  [STATUS, 200, {}],
  [STATUS, 200, { change: "UPDATE sign_ups SET status = 'trialing', trial_end = '2026-12-01T00:00:00.000Z'" }],
  [STATUS, 200, { change: "UPDATE sign_ups SET status = 'ended', end_reason = 'replaced'" }],
  [STATUS, 403, { ...PLAIN_HTTP, token: "a" }],
  [STATUS, 404, { token: "a" }],
  [STATUS, 421, { ...ELSEWHERE, token: "a" }],
  [STATUS, 500, { isBroken: true }],
  [STATUS, 502, MEANINGLESS],
  [STATUS, 503, DOWN],
];

test.each(cases)("%s answers %i as described", async (operation, status, what) => {
  const { settings = {}, origin = "", entrypoint, headers = {}, upstream, isBroken, change } = what;
  let hasBegun = false;
  const api = apiInProcess({
    settings,
    io: async (_, effect) => {
      if (isBroken && hasBegun) throw new Error("A fault of our own");
      return effect();
    },
    upstream: (...given) => (hasBegun && upstream ? upstream(...given) : answersOf(api.model)(...given)),
  });
  const [method = "", template = ""] = operation.split(" ");
  const isStatus = operation === STATUS;
  const needsSignUp = (isStatus && what.token === undefined) || change !== undefined;
  const created = needsSignUp ? await (await api.post()).json() : {};
  await api.settled();
  const path =
    isStatus && what.token === undefined
      ? new URL(String(Reflect.get(Object(created), "status_url"))).pathname
      : template;
  if (change) api.rows(change);
  hasBegun = true;
  const { body = JSON.stringify(validRequest) } = what;
  if (body instanceof ReadableStream) vi.useFakeTimers();
  const asked = api.ask(
    origin + path.replace("{token}", what.token ?? ""),
    {
      method,
      headers: { "content-type": "application/json", ...headers },
      // Node sends a stream as a body only with `duplex`, which the types of Workers lack.
      ...(method === "POST" && { body, ...{ duplex: "half" } }),
    },
    entrypoint ?? "site",
  );
  if (body instanceof ReadableStream) await vi.advanceTimersByTimeAsync(10_000);
  vi.useRealTimers();
  expect((await asked).status).toBe(status);
  await api.settled();
});

test("the description is served, and each of its answers to a sign-up and its status has a case above", async () => {
  expect(await (await apiInProcess().ask("/openapi.json")).json()).toEqual(openApi());
  const described = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) =>
      Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} ${status}`),
    ),
  );
  const given = new Set(cases.map(([operation, status]) => `${operation} ${status}`));
  // Two requests at once.
  expect(described.filter((one) => !given.has(one)).sort()).toEqual([`${STATUS} 409`]);
});
