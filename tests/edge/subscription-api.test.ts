import Stripe from "stripe";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type RunningWorker, startBackend, startStripeSimulator, startSubscriptionApi } from "../workers";
import { type FaultyProxy, startFaultyProxy } from "./faulty-proxy";
import { enterCard, post, rows, signUp, validRequest } from "./visitor";

const WEBHOOK_SECRET = "whsec_local_development_only";

const times = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

const stripeAt = (url: string) =>
  new Stripe("sk_test_local", { protocol: "http", host: "localhost", port: new URL(url).port, maxNetworkRetries: 0 });

describe("the subscription API with the simulator", () => {
  let api: RunningWorker;
  let stripe: RunningWorker;
  let dispose: () => Promise<void>;

  beforeAll(async () => {
    ({ api, stripe, dispose } = await startBackend());
  });
  afterAll(() => dispose());

  const statusOf = async (email: string) =>
    (await rows(api, "SELECT status FROM subscriptions WHERE email = ? ORDER BY created_at", email)).map(
      (row) => row.status,
    );

  it("stores what was sent and answers with a setup intent's client secret", async () => {
    const answer = await signUp(api, { email: "first@example.com" });

    expect(answer.status).toBe(200);
    expect(answer.clientSecret).toMatch(/^seti_\w+_secret_\w+$/);
    const [row] = await rows(api, "SELECT * FROM subscriptions WHERE email = 'first@example.com'");
    expect(row).toMatchObject({
      status: "pending",
      package_id: validRequest.package_id,
      phone: "2125550123",
      company_name: "Engines & Sons",
      zip_code: "10001",
      stripe_subscription_id: null,
      trial_end: null,
    });
    expect(row?.stripe_customer_id).toMatch(/^cus_/);
    const intent = await stripeAt(stripe.url).setupIntents.retrieve(String(row?.stripe_setup_intent_id));
    expect(intent).toMatchObject({
      usage: "off_session",
      customer: row?.stripe_customer_id,
      metadata: { subscription_id: row?.id },
    });
  });

  it("keeps neither the password nor the client secret", async () => {
    const { clientSecret } = await signUp(api, { email: "secrets@example.com" });

    const stored = JSON.stringify(await rows(api, "SELECT * FROM subscriptions WHERE email = 'secrets@example.com'"));
    expect(stored).not.toContain(validRequest.password);
    expect(stored).not.toContain(clientSecret);
    expect(stored).toContain("$scrypt$ln=14,r=8,p=5$");
  });

  it("ignores fields that the contract does not have", async () => {
    const answer = await signUp(api, {
      email: "extra@example.com",
      confirmPassword: "x",
      status: "active",
      __proto__: 1,
    });
    expect(answer.status).toBe(200);
    expect(await statusOf("extra@example.com")).toEqual(["pending"]);
  });

  it("makes one row, customer and setup intent of 50 concurrent requests with one key (G1)", async () => {
    const answers = await times(50, () => signUp(api, { email: "g1@example.com" }, "key-g1"));

    const created = answers.filter(({ status }) => status === 200);
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    expect(new Set(created.map(({ clientSecret }) => clientSecret)).size).toBe(1);
    const found = await rows(api, "SELECT stripe_customer_id FROM subscriptions WHERE email = 'g1@example.com'");
    expect(found).toHaveLength(1);
    const intents = await stripeAt(stripe.url).setupIntents.list({ customer: String(found[0]?.stripe_customer_id) });
    expect(intents.data).toHaveLength(1);
  });

  it("lets one of 50 concurrent sign-ups with one e-mail become active (G2)", async () => {
    const answers = await times(50, (index) => signUp(api, { email: "g2@example.com" }, `key-g2-${index}`));
    await times(50, (index) => enterCard(stripe.url, answers[index]?.clientSecret));

    await expect.poll(() => statusOf("g2@example.com"), { timeout: 20_000 }).not.toContain("pending");
    const statuses = await statusOf("g2@example.com");
    expect(statuses.filter((status) => status === "active")).toHaveLength(1);
    expect(statuses.filter((status) => status === "superseded")).toHaveLength(49);
  });

  it.each([
    ["malformed JSON with 400", "{", "application/json", 400],
    ["JSON that is no object with 400", "[]", "application/json", 400],
    ["another content type with 415", JSON.stringify(validRequest), "text/plain", 415],
    [
      "a body over 16 KB with 413",
      JSON.stringify({ ...validRequest, city: "x".repeat(17_000) }),
      "application/json",
      413,
    ],
  ])("answers %s (G3)", async (_name, body, contentType, status) => {
    const answer = await post(`${api.url}/subscription`, body, { "content-type": contentType });
    expect(answer).toMatchObject({ status, contentType: "application/problem+json" });
  });

  it("answers a bad field and an unknown package with 422 and the field (G3)", async () => {
    const badFields = await signUp(api, { zipCode: "1000", email: "nobody" });
    expect(badFields.status).toBe(422);
    expect(badFields.errors).toEqual({
      zipCode: ["ZIP code must be at least 5 characters"],
      email: ["Please enter a valid email address"],
    });
    const unknownPackage = await signUp(api, { package_id: "00000000-0000-4000-8000-000000000000" });
    expect(unknownPackage.status).toBe(422);
    expect(unknownPackage.errors).toEqual({ package_id: ["Invalid subscription ID"] });
  });

  it("refuses an idempotency key that is not printable ASCII or over 255 characters", async () => {
    expect((await signUp(api, {}, "x".repeat(256))).status).toBe(400);
    expect((await signUp(api, {}, "a b")).status).toBe(400);
  });

  it("stores SQL as text (G4)", async () => {
    const company_name = "x'); DROP TABLE subscriptions;--";
    expect((await signUp(api, { email: "g4@example.com", company_name })).status).toBe(200);
    expect(await rows(api, "SELECT company_name FROM subscriptions WHERE email = 'g4@example.com'")).toEqual([
      { company_name },
    ]);
  });

  it("answers a duplicate with a plain 409 (G5)", async () => {
    const { clientSecret } = await signUp(api, { email: "g5@example.com" });
    await enterCard(stripe.url, clientSecret);
    await expect.poll(() => statusOf("g5@example.com")).toEqual(["active"]);

    const answer = await signUp(api, { email: " G5@Example.com " });
    expect(answer).toMatchObject({ status: 409, contentType: "application/problem+json" });
    expect(answer.text).not.toMatch(/D1_ERROR|SQLITE_/);
  });

  it("takes a new sign-up when the last one never got a card", async () => {
    await signUp(api, { email: "again@example.com" });
    expect((await signUp(api, { email: "again@example.com" })).status).toBe(200);
  });

  it("gives no secret to another payload or another password under the same key", async () => {
    const first = await signUp(api, { email: "key@example.com" }, "key-reused");
    const edited = await signUp(api, { email: "key@example.com", city: "Boston" }, "key-reused");
    const otherPassword = await signUp(api, { email: "key@example.com", password: "An0ther-one" }, "key-reused");
    const unchanged = await signUp(api, { email: "key@example.com" }, "key-reused");

    expect([edited.status, otherPassword.status]).toEqual([422, 422]);
    expect(edited.text + otherPassword.text).not.toContain("_secret_");
    expect(unchanged.clientSecret).toBe(first.clientSecret);
  });

  it("writes no personal data to the log", () => {
    const log = JSON.stringify(api.logs);
    expect(log).toContain("card_set_up");
    expect(log).not.toMatch(/example\.com|Lovelace|2125550123|Analytical|_secret_|St James/);
  });

  it("answers unknown addresses and methods with a problem", async () => {
    expect((await post(`${api.url}/nothing`, "")).status).toBe(404);
    const wrongMethod = await fetch(`${api.url}/subscription`);
    expect(wrongMethod.status).toBe(405);
    expect(wrongMethod.headers.get("allow")).toBe("POST");
  });

  it("says that it is healthy", async () => {
    const response = await fetch(`${api.url}/health`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: "ok" });
  });
});

describe("webhooks", () => {
  let api: RunningWorker;
  let stripe: RunningWorker;
  beforeAll(async () => {
    // The simulator's own webhooks go nowhere: here the tests send them.
    stripe = await startStripeSimulator({ webhookUrl: "http://localhost:9/nowhere" });
    api = await startSubscriptionApi({ simulatorUrl: stripe.url });
  });
  afterAll(() => Promise.all([api.dispose(), stripe.dispose()]));

  const { webhooks } = new Stripe("sk_test_local");
  const now = () => Math.floor(Date.now() / 1000);
  const deliver = (payload: string, signature?: string) =>
    post(`${api.url}/webhooks/stripe`, payload, signature === undefined ? {} : { "stripe-signature": signature });
  const sign = (payload: string, secret = WEBHOOK_SECRET, timestamp = now()) =>
    webhooks.generateTestHeaderString({ payload, secret, timestamp });
  const event = (type: string, object: object, id = `evt_${crypto.randomUUID()}`) =>
    JSON.stringify({ id, object: "event", api_version: "2026-10-28.endive", created: now(), type, data: { object } });

  async function pendingSignUp(email: string) {
    await signUp(api, { email });
    const [row] = await rows(api, "SELECT * FROM subscriptions WHERE email = ?", email);
    return {
      object: "setup_intent",
      id: row?.stripe_setup_intent_id,
      customer: row?.stripe_customer_id,
      status: "succeeded",
      metadata: { subscription_id: row?.id },
    };
  }

  it("refuses what Stripe did not sign just now, byte for byte (G7)", async () => {
    const payload = event("setup_intent.succeeded", await pendingSignUp("forged@example.com"));
    const refused = [
      await deliver(payload),
      await deliver(payload, ""),
      await deliver(payload, sign(payload, "whsec_another_secret_altogether")),
      await deliver(payload, sign(payload, WEBHOOK_SECRET, now() - 301)),
      await deliver(payload.replace("succeeded", "Succeeded"), sign(payload)),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
    expect(await rows(api, "SELECT status FROM subscriptions WHERE email = 'forged@example.com'")).toEqual([
      { status: "pending" },
    ]);
  });

  it("processes a valid event once, however often it comes (G7)", async () => {
    const payload = event("setup_intent.succeeded", await pendingSignUp("once@example.com"), "evt_once");
    const state = () => rows(api, "SELECT status, updated_at FROM subscriptions WHERE email = 'once@example.com'");

    expect((await deliver(payload, sign(payload))).status).toBe(200);
    const processed = await state();
    expect(processed).toMatchObject([{ status: "active" }]);
    const repeated = await times(10, () => deliver(payload, sign(payload)));

    expect(repeated.every(({ status }) => status === 200)).toBe(true);
    expect(await state()).toEqual(processed);
    expect(await rows(api, "SELECT count(*) AS n FROM stripe_events WHERE id = 'evt_once'")).toEqual([{ n: 1 }]);
  });

  it("takes unknown types, extra fields, long ids and foreign setup intents, and does nothing (G8)", async () => {
    const payloads = [
      event("invoice.upcoming", { object: "invoice", extra: { deep: [1] } }),
      event("customer.created", { id: "c".repeat(255) }, "e".repeat(255)),
      event("setup_intent.succeeded", { id: "seti_foreign", customer: null, metadata: {} }),
      event(
        "setup_intent.succeeded",
        {
          id: "s".repeat(255),
          customer: "cus_x",
          metadata: { subscription_id: crypto.randomUUID() },
        },
        "f".repeat(255),
      ),
    ];
    const before = await rows(api, "SELECT * FROM subscriptions");
    for (const payload of payloads) expect((await deliver(payload, sign(payload))).status).toBe(200);
    expect(await rows(api, "SELECT * FROM subscriptions")).toEqual(before);
  });

  it("asks Stripe for the card when a webhook was lost: the next sign-up is a duplicate", async () => {
    const { clientSecret } = await signUp(api, { email: "lost@example.com" });
    await enterCard(stripe.url, clientSecret);

    expect((await signUp(api, { email: "lost@example.com" })).status).toBe(409);
    expect(await rows(api, "SELECT status FROM subscriptions WHERE email = 'lost@example.com'")).toEqual([
      { status: "active" },
    ]);
  });
});

describe("when Stripe fails", () => {
  let api: RunningWorker;
  let stripe: RunningWorker;
  let proxy: FaultyProxy;
  beforeAll(async () => {
    stripe = await startStripeSimulator({ webhookUrl: "http://localhost:9/nowhere" });
    proxy = await startFaultyProxy(stripe.url);
    api = await startSubscriptionApi({ simulatorUrl: proxy.url });
  });
  afterEach(() => proxy.repair());
  afterAll(() => Promise.all([api.dispose(), stripe.dispose(), proxy.dispose()]));

  it.each([
    ["before the customer is made", "/v1/customers", "refuse"],
    ["after the customer was made", "/v1/customers", "lose-answer"],
    ["before the setup intent is made", "/v1/setup_intents", "refuse"],
    ["after the setup intent was made", "/v1/setup_intents", "lose-answer"],
  ] as const)("a retry after a crash %s ends at one customer and one setup intent (G6)", async (name, path, fault) => {
    const email = `${name.replaceAll(" ", "-")}@example.com`;
    proxy.breakAt(`POST ${path}`, fault);
    const broken = await signUp(api, { email }, name.replaceAll(" ", "-"));
    proxy.repair();
    const retried = await signUp(api, { email }, name.replaceAll(" ", "-"));

    expect(broken).toMatchObject({ status: 503, contentType: "application/problem+json" });
    expect(retried.status).toBe(200);
    const found = await rows(api, "SELECT stripe_customer_id FROM subscriptions WHERE email = ?", email);
    expect(found).toHaveLength(1);
    const intents = (await stripeAt(stripe.url).setupIntents.list({ limit: 100 })).data.filter(
      ({ customer }) => customer === found[0]?.stripe_customer_id,
    );
    expect(intents).toHaveLength(1);
    expect(retried.clientSecret).toBe(intents[0]?.client_secret);
  });
});

describe("the configuration", () => {
  let api: RunningWorker | undefined;
  afterEach(() => api?.dispose());

  it.each([
    [
      "production without keys",
      { STRIPE_SECRET_KEY: undefined, STRIPE_WEBHOOK_SECRET: undefined, STRIPE_API_URL: undefined },
      ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"],
    ],
    ["production with the local keys", { STRIPE_API_URL: undefined }, ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"]],
    [
      "a publishable key in the secret one's place",
      { STRIPE_SECRET_KEY: "pk_live_0123456789abcdef0123" },
      ["STRIPE_SECRET_KEY"],
    ],
    [
      "pk_live with sk_test",
      {
        STRIPE_API_URL: undefined,
        STRIPE_SECRET_KEY: "sk_test_0123456789abcdef0123",
        STRIPE_WEBHOOK_SECRET: "whsec_0123456789abcdef0123",
        STRIPE_PUBLISHABLE_KEY: "pk_live_0123456789abcdef0123",
      },
      ["STRIPE_PUBLISHABLE_KEY", "STRIPE_SECRET_KEY"],
    ],
    ["a Stripe address that is not this machine", { STRIPE_API_URL: "https://stripe.example" }, ["STRIPE_API_URL"]],
    ["a live key for a local Stripe", { STRIPE_SECRET_KEY: "sk_live_0123456789abcdef0123" }, ["STRIPE_API_URL"]],
  ])("with %s every route refuses and names the keys, not their values (G9)", async (_name, vars, keys) => {
    api = await startSubscriptionApi({ vars });

    const health = await fetch(`${api.url}/health`);
    const answer = await signUp(api);
    expect(health.status).toBe(503);
    expect(answer).toMatchObject({ status: 503, contentType: "application/problem+json", keys });
    expect(answer.text).not.toMatch(/_live_|_test_|whsec_|stripe\.example/);
    const { logs } = api;
    await expect.poll(() => logs).toContainEqual(expect.objectContaining({ event: "configuration_invalid", keys }));
  });
});
