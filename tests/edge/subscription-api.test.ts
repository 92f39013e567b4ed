import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { onFaultyDatabase } from "../support/faulty-database";
import { type FaultyProxy, startFaultyProxy } from "../support/faulty-proxy";
import { deliverEvent, eventOf, sign } from "../support/stripe-events";
import { enterCard, mails, post, rows, signUp, stripeAt, times, validRequest } from "../support/visitor";
import { type RunningWorker, startBackend, startStripeSimulator, startSubscriptionApi } from "../support/workers";

describe("the subscription API with the simulator", () => {
  let api: RunningWorker;
  let stripe: RunningWorker;
  let dispose: () => Promise<void>;

  beforeAll(async () => {
    ({ api, stripe, dispose } = await startBackend());
  });
  afterAll(() => dispose());

  const statusOf = async (email: string) =>
    (await rows(api, "SELECT status FROM sign_ups WHERE email = ? ORDER BY created_at", email)).map(
      (row) => row.status,
    );

  it("stores what was sent and answers with a setup intent's client secret", async () => {
    const answer = await signUp(api, { email: "first@example.com" });

    expect(answer.status).toBe(200);
    expect(answer.clientSecret).toMatch(/^seti_\w+_secret_\w+$/);
    const [row] = await rows(api, "SELECT * FROM sign_ups WHERE email = 'first@example.com'");
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
    const intent = await stripeAt(stripe).setupIntents.retrieve(String(row?.stripe_setup_intent_id));
    expect(intent).toMatchObject({
      usage: "off_session",
      customer: row?.stripe_customer_id,
      metadata: { sign_up_id: row?.id },
    });
  });

  it("keeps neither the password nor the client secret", async () => {
    const { clientSecret } = await signUp(api, { email: "secrets@example.com" });

    const stored = JSON.stringify(await rows(api, "SELECT * FROM sign_ups WHERE email = 'secrets@example.com'"));
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
    const found = await rows(api, "SELECT stripe_customer_id FROM sign_ups WHERE email = 'g1@example.com'");
    expect(found).toHaveLength(1);
    const intents = await stripeAt(stripe).setupIntents.list({ customer: String(found[0]?.stripe_customer_id) });
    expect(intents.data).toHaveLength(1);
  });

  it("gives one of 50 concurrent sign-ups with one e-mail a trial, and no other a subscription at Stripe (G2)", async () => {
    const answers = await times(50, (index) => signUp(api, { email: "g2@example.com" }, `key-g2-${index}`));
    await times(50, (index) => enterCard(stripe.url, answers[index]?.clientSecret));

    const ended = [...Array(49).fill("superseded"), "trialing"];
    await expect.poll(async () => (await statusOf("g2@example.com")).sort(), { timeout: 30_000 }).toEqual(ended);
    const client = stripeAt(stripe);
    const customers = await client.customers.list({ email: "g2@example.com", limit: 100 });
    const trials = await times(50, (index) =>
      client.subscriptions.list({ customer: String(customers.data[index]?.id), status: "all" }),
    );
    expect(trials.flatMap(({ data }) => data)).toHaveLength(1);
    await expect.poll(() => mails(stripe, "g2@example.com")).toHaveLength(1);
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
    const company_name = "x'); DROP TABLE sign_ups;--";
    expect((await signUp(api, { email: "g4@example.com", company_name })).status).toBe(200);
    expect(await rows(api, "SELECT company_name FROM sign_ups WHERE email = 'g4@example.com'")).toEqual([
      { company_name },
    ]);
  });

  it("answers a duplicate with a plain 409 (G5)", async () => {
    const { clientSecret } = await signUp(api, { email: "g5@example.com" });
    await enterCard(stripe.url, clientSecret);
    await expect.poll(() => statusOf("g5@example.com")).toEqual(["trialing"]);

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
    expect(log).toContain("trial_started");
    expect(log).toContain("message_sent");
    expect(log).not.toMatch(/@|example\.com|Lovelace|Engines|2125550123|Analytical|_secret_|scrypt|St James/);
  });

  it("answers unknown addresses and methods with a problem, and keeps what they hold out of the log", async () => {
    expect((await post(`${api.url}/nothing/ada@example.com?email=ada@example.com`, "")).status).toBe(404);
    await expect.poll(() => api.logs).toContainEqual(expect.objectContaining({ event: "request", status: 404 }));
    expect(JSON.stringify(api.logs)).not.toContain("ada@");
    const wrongMethod = await fetch(`${api.url}/subscription`);
    expect(wrongMethod.status).toBe(405);
    expect(wrongMethod.headers.get("allow")).toBe("POST");
  });

  it("says that it is healthy", async () => {
    const response = await fetch(`${api.url}/health`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: "ok", dead_messages: 0 });
  });
});

describe("when Stripe or the database fails", () => {
  let api: RunningWorker;
  let stripe: RunningWorker;
  let proxy: FaultyProxy;
  let databaseFault: Parameters<typeof onFaultyDatabase>[0] = () => undefined;
  beforeAll(async () => {
    stripe = await startStripeSimulator({ webhookUrl: "http://localhost:9/nowhere" });
    proxy = await startFaultyProxy(stripe.url);
    const wrapper = onFaultyDatabase((call) => databaseFault(call));
    api = await startSubscriptionApi({ simulatorUrl: proxy.url, wrapper });
  });
  afterEach(() => {
    proxy.repair();
    databaseFault = () => undefined;
  });
  afterAll(() => Promise.all([api.dispose(), stripe.dispose(), proxy.dispose()]));

  /** The unchanged retry of a sign-up has to end at one row, one customer and one setup intent, whose secret it gets. */
  async function expectOneSignUp(email: string, key: string) {
    const retried = await signUp(api, { email }, key);
    expect(retried).toMatchObject({ status: 200 });
    expect(await rows(api, "SELECT 1 FROM sign_ups WHERE email = ?", email)).toHaveLength(1);
    const customers = await stripeAt(stripe).customers.list({ email });
    expect(customers.data).toHaveLength(1);
    const intents = await stripeAt(stripe).setupIntents.list({ customer: String(customers.data[0]?.id) });
    expect(intents.data).toHaveLength(1);
    expect(retried.clientSecret).toBe(intents.data[0]?.client_secret);
  }

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
    ["without an answer", "/v1/setup_intents", "stall", 503],
  ] as const)(
    "a retry after a crash %s ends at one customer and one setup intent (G6)",
    async (name, path, fault, status) => {
      const key = name.toLowerCase().replaceAll(" ", "-");
      proxy.breakAt(`POST ${path}`, fault);
      const broken = await signUp(api, { email: `${key}@example.com` }, key);
      proxy.repair();

      expect(broken).toMatchObject({ status, contentType: "application/problem+json" });
      await expectOneSignUp(`${key}@example.com`, key);
    },
  );

  it.each([
    ["the first look", "SELECT * FROM sign_ups WHERE idempotency_key", "refuse"],
    ["the row, before it is written", "INSERT INTO sign_ups", "refuse"],
    ["the row, after it was written", "INSERT INTO sign_ups", "lose-answer"],
    ["the customer, before it is noted", "UPDATE sign_ups SET stripe_customer_id", "refuse"],
    ["the customer, after it was noted", "UPDATE sign_ups SET stripe_customer_id", "lose-answer"],
    ["the setup intent, before it is noted", "UPDATE sign_ups SET stripe_setup_intent_id", "refuse"],
    ["the setup intent, after it was noted", "UPDATE sign_ups SET stripe_setup_intent_id", "lose-answer"],
  ] as const)(
    "a retry after the database failed at %s ends at one customer and one setup intent",
    async (name, sql, fault) => {
      const key = name.replaceAll(/\W+/g, "-");
      databaseFault = (call) => (call.sql.startsWith(sql) ? fault : undefined);
      const broken = await signUp(api, { email: `${key}@example.com` }, key);
      databaseFault = () => undefined;

      expect(broken).toMatchObject({ status: 500, contentType: "application/problem+json" });
      expect(broken.text).not.toMatch(/D1_ERROR|Network connection lost/);
      await expectOneSignUp(`${key}@example.com`, key);
    },
  );

  it.each(["SELECT 1 FROM stripe_events", "UPDATE sign_ups AS mine", "INSERT INTO outbox"])(
    "a webhook that the database fails at %s is refused, so that Stripe sends it again",
    async (sql) => {
      const email = `${sql.toLowerCase().replaceAll(/\W+/g, "-")}@example.com`;
      const { clientSecret } = await signUp(api, { email });
      await enterCard(stripe.url, clientSecret);
      const row = async () => (await rows(api, "SELECT * FROM sign_ups WHERE email = ?", email))[0];
      const payload = eventOf("setup_intent.succeeded", {
        id: (await row())?.stripe_setup_intent_id,
        customer: (await row())?.stripe_customer_id,
        metadata: { sign_up_id: (await row())?.id },
      });
      databaseFault = (call) => (call.sql.startsWith(sql) ? "refuse" : undefined);
      expect((await deliverEvent(api, payload, sign(payload))).status).toBe(500);
      expect(await row()).not.toMatchObject({ status: "trialing" });

      databaseFault = () => undefined;
      expect((await deliverEvent(api, payload, sign(payload))).status).toBe(200);
      expect(await row()).toMatchObject({ status: "trialing" });
      await expect.poll(() => mails(stripe, email)).toHaveLength(1);
    },
  );

  it("a retry long after Stripe has forgotten its keys finds what was made", async () => {
    proxy.breakAt("POST /v1/setup_intents", "lose-answer");
    await signUp(api, { email: "late@example.com" }, "late");
    proxy.repair();
    const long = new Date(Date.now() - 23.5 * 60 * 60_000).toISOString();
    await rows(api, "UPDATE sign_ups SET created_at = ? WHERE email = 'late@example.com'", long);
    // What the keys would lead to is gone: only looking finds it.
    proxy.decide(({ method, path }) => (method === "POST" && path === "/v1/setup_intents" ? "500-before" : undefined));
    await expectOneSignUp("late@example.com", "late");
  });
});

/** What a deployment sets in place of the local addresses and pretend secrets. */
const DEPLOYED = {
  STRIPE_API_URL: undefined,
  STRIPE_SECRET_KEY: "sk_test_0123456789abcdef0123",
  STRIPE_WEBHOOK_SECRET: "whsec_0123456789abcdef0123",
  MAIL_API_URL: "https://mail.example/emails",
  MAIL_API_KEY: "re_0123456789abcdef0123",
  CONSOLE_WEBHOOK_URL: undefined,
  CONSOLE_WEBHOOK_SECRET: undefined,
  OPERATOR_TOKEN: undefined,
};

describe("the configuration", () => {
  let api: RunningWorker | undefined;
  afterEach(() => api?.dispose());

  it.each([
    [
      "production without keys",
      { STRIPE_SECRET_KEY: undefined, STRIPE_WEBHOOK_SECRET: undefined, STRIPE_API_URL: undefined },
      ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"],
    ],
    [
      "production with the local keys and addresses",
      { STRIPE_API_URL: undefined },
      [
        "CONSOLE_WEBHOOK_SECRET",
        "CONSOLE_WEBHOOK_URL",
        "MAIL_API_KEY",
        "MAIL_API_URL",
        "OPERATOR_TOKEN",
        "STRIPE_SECRET_KEY",
        "STRIPE_WEBHOOK_SECRET",
      ],
    ],
    [
      "a publishable key in the secret one's place",
      { STRIPE_SECRET_KEY: "pk_live_0123456789abcdef0123" },
      ["STRIPE_SECRET_KEY"],
    ],
    [
      "pk_live with sk_test",
      {
        ...DEPLOYED,
        STRIPE_SECRET_KEY: "sk_test_0123456789abcdef0123",
        STRIPE_WEBHOOK_SECRET: "whsec_0123456789abcdef0123",
        STRIPE_PUBLISHABLE_KEY: "pk_live_0123456789abcdef0123",
      },
      ["STRIPE_PUBLISHABLE_KEY", "STRIPE_SECRET_KEY"],
    ],
    ["no way to send mail", { MAIL_API_URL: undefined }, ["MAIL_API_URL"]],
    ["a mail provider without its key", { MAIL_API_KEY: undefined }, ["MAIL_API_KEY"]],
    ["a console without its secret", { CONSOLE_WEBHOOK_SECRET: undefined }, ["CONSOLE_WEBHOOK_SECRET"]],
    ["a console reached over plain http", { CONSOLE_WEBHOOK_URL: "http://console.example/" }, ["CONSOLE_WEBHOOK_URL"]],
    ["a short operator's token", { OPERATOR_TOKEN: "short" }, ["OPERATOR_TOKEN"]],
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

  it("is healthy in production once the catalogue's prices are Stripe's own", async () => {
    api = await startSubscriptionApi({ vars: DEPLOYED });
    const health = async () => {
      const response = await fetch(`${api?.url}/health`);
      return { status: response.status, body: await response.json() };
    };

    expect(await health()).toMatchObject({ status: 503, body: { keys: ["packages"] } });
    await rows(api, "UPDATE packages SET stripe_price_id = 'price_0123456789abcdef' || name");
    expect(await health()).toEqual({ status: 200, body: { status: "ok", dead_messages: 0 } });
  });

  it("is not healthy while the database lacks a migration", async () => {
    api = await startSubscriptionApi();
    await rows(api, "DROP TABLE outbox");

    const health = await fetch(`${api.url}/health`);
    expect(health.status).toBe(503);
    expect(await health.json()).toMatchObject({ keys: ["DB"] });
  });
});
