import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { fastApi } from "../../support/fast-api/build";
import { type FaultyBackend, startFaultyBackend } from "../../support/faults/faulty-backend";
import { type FastStripe, startFastStripe } from "../../support/stripe/fast-stripe";
import { rowOf } from "../../support/stripe/set-up-card";
import { post, rows, signUp, validRequest } from "../../support/visitors/visitor";
import { answersWith, resets, startUpstream, type Upstream } from "../../support/workers/upstream";
import { type RunningWorker, runScheduled, startSubscriptionApi } from "../../support/workers/workers";

describe("what Stripe refuses", () => {
  let backend: FaultyBackend;
  beforeAll(async () => {
    backend = await startFaultyBackend();
  });
  afterEach(() => backend.proxy.repair());
  afterAll(() => backend.dispose());

  it("an e-mail address: it is a 422 on the field, and the next try of the visitor begins anew [G13]", async () => {
    const { api } = backend;
    const email = "ada@stripe.invalid";
    const refused = await signUp(api, { email }, "refused");
    expect(refused).toMatchObject({ status: 422, errors: { email: ["Please enter a valid email address"] } });
    expect(refused.text).not.toContain(email);
    expect(await rows(api, "SELECT 1 FROM sign_ups WHERE email = ?", email)).toEqual([]);
    expect((await signUp(api, { email: "ada@stripe.example" }, "refused")).status).toBe(200);
  });

  it("is logged with its type, code, parameter, status and request id, and nothing that somebody typed [G14] [F6]", async () => {
    const { api, proxy } = backend;
    await signUp(api, { email: "logged@stripe.invalid" });
    const refused = {
      event: "stripe_failed",
      level: "warn",
      type: "invalid_request_error",
      code: "email_invalid",
      param: "email",
      status: 400,
      stripe_request_id: expect.stringMatching(/^req_\w+$/),
    };
    await expect.poll(() => api.logs).toContainEqual(expect.objectContaining(refused));

    proxy.breakAt("POST /v1/customers", "429");
    await signUp(api, { email: "limited@example.com" });
    const limited = { event: "stripe_failed", type: "rate_limit_error", code: "rate_limit", status: 429 };
    await expect.poll(() => api.logs).toContainEqual(expect.objectContaining(limited));

    proxy.breakAt("POST /v1/customers", "refuse");
    await signUp(api, { email: "unreachable@example.com" });
    const unreachable = { event: "stripe_failed", type: "StripeConnectionError" };
    await expect.poll(() => api.logs).toContainEqual(expect.objectContaining(unreachable));
    expect(JSON.stringify(api.logs)).not.toMatch(/@|stripe\.invalid|Lovelace|Invalid email/);
  });
});

describe("the health of the API", () => {
  let stripe: Upstream;
  beforeAll(async () => {
    stripe = await startUpstream();
  });
  afterAll(() => stripe.dispose());

  /** An API that asks for the first time. */
  async function health() {
    const api = await startSubscriptionApi({ simulatorUrl: stripe.url, ...(await fastApi()) });
    const asked = async () => {
      const response = await fetch(`${api.url}/health`);
      const { keys, detail }: Record<string, unknown> = JSON.parse(await response.text());
      return { status: response.status, keys, detail };
    };
    const [first, calls, second] = [await asked(), stripe.calls.length, await asked()];
    expect(second).toEqual(first);
    // Not for every request.
    expect(stripe.calls).toHaveLength(calls);
    await expect.poll(() => api.logs.some(({ event }) => event === "stripe_inaccessible")).toBe(first.status !== 200);
    await api.dispose();
    return first;
  }

  const error = (type: string) => JSON.stringify({ error: { type, message: "sk_test_local is none of ours" } });

  it.each([
    ["a wrong key", 401, "STRIPE_SECRET_KEY", "Stripe does not know the secret key"],
    [
      "a missing permission",
      403,
      "STRIPE_SECRET_KEY",
      "The secret key may not read: customers, setup intents, payment methods, subscriptions, invoices, prices, products",
    ],
    ["an outage", 503, "stripe", "Stripe cannot be reached"],
  ])("tells %s from the rest [G15]", async (_, status, key, detail) => {
    stripe.answers(answersWith(status, error("invalid_request_error")));
    expect(await health()).toEqual({ status: 503, keys: [key], detail });
  });

  it("names what a restricted key may not read, and does not take a lost connection for it [G15]", async () => {
    const lacks = answersWith(403, error("invalid_request_error"));
    const has = answersWith(200, JSON.stringify({ data: [] }));
    stripe.answers((response, call) => (call.url.startsWith("/v1/prices") ? lacks : has)(response, call));
    expect(await health()).toMatchObject({ status: 503, detail: "The secret key may not read: prices, products" });

    stripe.answers(resets);
    expect(await health()).toMatchObject({ status: 503, keys: ["stripe"] });
    stripe.answers(has);
    expect(await health()).toMatchObject({ status: 200 });
  });
});

describe("a Stripe that takes six seconds", () => {
  let api: RunningWorker;
  let stripe: FastStripe;
  beforeAll(async () => {
    stripe = await startFastStripe();
    api = await startSubscriptionApi({ simulatorUrl: stripe.url, ...(await fastApi()) });
  });
  afterAll(async () => {
    await api.dispose();
    stripe.dispose();
  });

  it("is too slow for a visitor, who hears so within the site's ten seconds [G16]", async () => {
    stripe.delay(() => 6_000);
    const started = performance.now();
    expect((await signUp(api, { email: "slow@example.com" })).status).toBe(503);
    expect(performance.now() - started).toBeLessThan(9_500);
  });

  it("holds up nobody who replaces a sign-up: the earlier one ends after the answer [S18] [G16]", async () => {
    const send = (key: string, replaces: string) =>
      post(`${api.url}/subscription`, JSON.stringify({ ...validRequest, email: "replaces@example.com" }), {
        "content-type": "application/json",
        "idempotency-key": key,
        "replaces-idempotency-key": replaces,
      });
    const statusOf = async (key: string) =>
      (await rows(api, "SELECT status FROM sign_ups WHERE idempotency_key = ?", key))[0];
    stripe.delay((call) => (call.endsWith("/cancel") ? 3_500 : 0));
    expect((await send("earlier", "none")).status).toBe(200);
    expect((await send("later", "earlier")).status).toBe(200);
    expect(await statusOf("earlier")).toEqual({ status: "pending" });
    await expect.poll(() => statusOf("earlier"), { timeout: 10_000 }).toEqual({ status: "superseded" });
    expect(await statusOf("later")).toEqual({ status: "pending" });

    stripe.delay((call) => (call.endsWith("/cancel") ? 300 : 0));
    expect((await send("latest", "later")).status).toBe(200);
    expect(await statusOf("later")).toEqual({ status: "superseded" });
  });

  it("is waited for where nobody else waits [G16]", async () => {
    const email = "waits@example.com";
    stripe.delay(() => 0);
    expect((await signUp(api, { email })).status).toBe(200);
    const { id, stripe_setup_intent_id: intent } = await rowOf(api, email);
    await rows(api, "UPDATE sign_ups SET check_at = '2026-01-01', created_at = '2026-01-01' WHERE id = ?", id);
    stripe.forgetCalls();
    stripe.delay((call) => (call.startsWith(`GET /v1/setup_intents/${intent}`) ? 6_000 : 0));
    await runScheduled(api);
    expect(stripe.calls.filter((call) => call.startsWith("GET /v1/setup_intents"))).toHaveLength(1);
    expect(await rows(api, "SELECT 1 FROM sign_ups WHERE id = ?", id)).toEqual([]);
  });
});
