import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { expectOneSignUp } from "../../support/faults/expect-one-sign-up";
import { type FaultyBackend, startFaultyBackend } from "../../support/faults/faulty-backend";
import { deliverEvent, eventOf, sign } from "../../support/stripe/stripe-events";
import { enterCard, mails, rows, signUp, validRequest } from "../../support/visitors/visitor";

describe("the subscription API when Stripe or the database fails", () => {
  let backend: FaultyBackend;
  beforeAll(async () => {
    backend = await startFaultyBackend();
  });
  afterEach(() => backend.proxy.repair());
  afterAll(() => backend.dispose());

  it.each([
    ["before the customer is made", "/v1/customers", "refuse", 503],
    ["after the customer was made", "/v1/customers", "lose-answer", 503],
    ["before the setup intent is made", "/v1/setup_intents", "refuse", 503],
    ["after the setup intent was made", "/v1/setup_intents", "lose-answer", 503],
    ["with a 500 that Stripe repeats for the customer", "/v1/customers", "500-before", 503],
    ["with a 500 although the customer was made", "/v1/customers", "500-after", 503],
    ["with a 500 that Stripe repeats for the setup intent", "/v1/setup_intents", "500-before", 503],
    ["with a 500 although the setup intent was made", "/v1/setup_intents", "500-after", 503],
    ["with too many requests", "/v1/customers", "429", 503],
    ["while the same call still runs", "/v1/setup_intents", "409", 409],
  ] as const)(
    "a retry after a crash %s ends at one customer and one setup intent [G6]",
    async (name, path, fault, status) => {
      const { api, proxy } = backend;
      const key = name.toLowerCase().replaceAll(" ", "-");
      proxy.breakAt(`POST ${path}`, fault);
      const broken = await signUp(api, { email: `${key}@example.com` }, key);
      proxy.repair();

      expect(broken).toMatchObject({ status, contentType: "application/problem+json" });
      await expectOneSignUp(backend, `${key}@example.com`, key);
    },
  );

  it.each([
    ["is away", "refuse", 503, "5"],
    ["works on the same call", "409", 409, "2"],
  ] as const)("while Stripe %s the answer says when to come back [G6]", async (name, fault, status, retryAfter) => {
    const { api, proxy } = backend;
    proxy.breakAt("POST /v1/customers", fault);
    const answer = await fetch(`${api.url}/subscription`, {
      method: "POST",
      headers: { "content-type": "application/json", connection: "close" },
      body: JSON.stringify({ ...validRequest, email: `${name.replaceAll(" ", "-")}@example.com` }),
    });
    await answer.text();
    proxy.repair();
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([status, retryAfter]);
  });

  it.each([
    ["the first look", "SELECT * FROM sign_ups WHERE idempotency_key", "refuse"],
    ["the row, before it is written", "INSERT INTO sign_ups", "refuse"],
    ["the row, after it was written", "INSERT INTO sign_ups", "lose-answer"],
    ["the customer, before it is noted", "UPDATE sign_ups SET stripe_customer_id", "refuse"],
    ["the customer, after it was noted", "UPDATE sign_ups SET stripe_customer_id", "lose-answer"],
    ["the setup intent, before it is noted", "UPDATE sign_ups SET stripe_setup_intent_id", "refuse"],
    ["the setup intent, after it was noted", "UPDATE sign_ups SET stripe_setup_intent_id", "lose-answer"],
  ] as const)(
    "a retry after the database failed at %s ends at one customer and one setup intent [G5] [G6]",
    async (name, sql, fault) => {
      const { api, proxy } = backend;
      const key = name.replaceAll(/\W+/g, "-");
      proxy.decideDatabase((call) => (call.sql.startsWith(sql) ? fault : undefined));
      const broken = await signUp(api, { email: `${key}@example.com` }, key);
      proxy.repair();

      expect(broken).toMatchObject({ status: 503, contentType: "application/problem+json" });
      expect(broken.text).not.toMatch(/D1_ERROR|Network connection lost/);
      await expectOneSignUp(backend, `${key}@example.com`, key);
    },
  );

  it.each(["SELECT 1 FROM stripe_events", "INSERT INTO trial_claims", "INSERT INTO outbox"])(
    "a webhook that the database fails at %s is refused, so that Stripe sends it again [G7]",
    async (sql) => {
      const { api, stripe, proxy } = backend;
      const email = `${sql.toLowerCase().replaceAll(/\W+/g, "-")}@example.com`;
      const { clientSecret } = await signUp(api, { email });
      await enterCard(stripe.url, clientSecret);
      const row = async () => (await rows(api, "SELECT * FROM sign_ups WHERE email = ?", email))[0];
      const payload = eventOf("setup_intent.succeeded", {
        id: (await row())?.stripe_setup_intent_id,
        customer: (await row())?.stripe_customer_id,
        metadata: { sign_up_id: (await row())?.id },
      });
      proxy.decideDatabase((call) => (call.sql.startsWith(sql) ? "refuse" : undefined));
      expect((await deliverEvent(api, payload, sign(payload))).status).toBe(503);
      expect(await row()).not.toMatchObject({ status: "trialing" });

      proxy.repair();
      expect((await deliverEvent(api, payload, sign(payload))).status).toBe(200);
      expect(await row()).toMatchObject({ status: "trialing" });
      await expect.poll(() => mails(stripe, email)).toHaveLength(1);
    },
  );

  it("a retry long after Stripe has forgotten its keys finds what was created [G6]", async () => {
    const { api, proxy } = backend;
    proxy.breakAt("POST /v1/setup_intents", "lose-answer");
    await signUp(api, { email: "late@example.com" }, "late");
    proxy.repair();
    const long = new Date(Date.now() - 23.5 * 60 * 60_000).toISOString();
    await rows(api, "UPDATE sign_ups SET created_at = ? WHERE email = 'late@example.com'", long);
    // The simulator still knows the keys, and Stripe would not: only looking may lead to what is there.
    proxy.breakAt("POST /v1/setup_intents", "refuse");
    await expectOneSignUp(backend, "late@example.com", "late");
  });
});
