import { beforeAll, describe, expect, it } from "vitest";
import { scryptPasswords } from "../../../functions/subscription-api/sign-ups/password/password";
import { fastApi } from "../../support/fast-api/build";
import {
  accountWebhooks,
  enterCard,
  mails,
  post,
  rows,
  signUp,
  stripeAt,
  stripeStateOf,
  times,
  validRequest,
} from "../../support/visitors/visitor";
import { type RunningWorker, startBackend } from "../../support/workers/workers";

const OTHER_REQUEST = { status: 422, title: "The Idempotency-Key was used for another request" };

describe("the built Worker with the simulator", () => {
  let api: RunningWorker;
  let stripe: RunningWorker;
  let clientSecret: string | undefined;

  beforeAll(async () => {
    const backend = await startBackend();
    ({ api, stripe } = backend);
    ({ clientSecret } = await signUp(api, { email: "whole@example.com" }, "whole"));
    return backend.dispose;
  });

  it("stores the password as a scrypt hash that verifies, and no client secret [G10]", async () => {
    const [row] = await rows(api, "SELECT * FROM sign_ups WHERE email = 'whole@example.com'");
    const hash = String(row?.password_hash);

    expect(hash).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$/);
    expect(await scryptPasswords.verify(validRequest.password, hash)).toBe(true);
    expect(JSON.stringify(row)).not.toContain(validRequest.password);
    expect(JSON.stringify(row)).not.toContain(clientSecret);
  });

  it("gives the secret to the unchanged request again, and not to one with another password", async () => {
    const unchanged = await signUp(api, { email: "whole@example.com" }, "whole");
    const otherPassword = await signUp(api, { email: "whole@example.com", password: "An0ther-one" }, "whole");

    expect(unchanged.clientSecret).toBe(clientSecret);
    expect(otherPassword).toMatchObject(OTHER_REQUEST);
    expect(otherPassword.text).not.toContain("_secret_");
  });

  it("takes the sign-up from its card to the trial, the mail and the account webhook with the hash [S13] [S15]", async () => {
    await enterCard(stripe.url, clientSecret);

    await expect.poll(() => accountWebhooks(stripe, "whole@example.com")).toHaveLength(1);
    await expect.poll(() => startMailsOf(stripe, "whole@example.com")).toHaveLength(1);
    const [row] = await rows(api, "SELECT * FROM sign_ups WHERE email = 'whole@example.com'");
    const [webhook] = await accountWebhooks(stripe, "whole@example.com");
    expect(row).toMatchObject({ status: "trialing" });
    expect(webhook?.data).toMatchObject({ id: row?.id, password_hash: row?.password_hash });
    expect(JSON.stringify(webhook)).not.toContain(validRequest.password);
    expect((await stripeStateOf(stripe, "whole@example.com")).subscriptions).toMatchObject([{ status: "trialing" }]);
  });

  it("writes no personal data to the log [F6]", () => {
    const log = JSON.stringify(api.logs);
    expect(log).toContain("trial_started");
    expect(log).not.toMatch(/@|example\.com|Lovelace|Engines|2125550123|Analytical|_secret_|scrypt|St James/);
  });
});

const startMailsOf = async (stripe: RunningWorker, email: string) =>
  (await mails(stripe, email)).filter(({ subject }) => subject.includes("trial has started"));

describe("the subscription API with the simulator", () => {
  let api: RunningWorker;
  let stripe: RunningWorker;

  beforeAll(async () => {
    const backend = await startBackend(await fastApi());
    ({ api, stripe } = backend);
    return backend.dispose;
  });

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

  it("ignores fields that the contract does not have [B13]", async () => {
    const answer = await signUp(api, {
      email: "extra@example.com",
      confirmPassword: "x",
      status: "active",
      __proto__: 1,
    });
    expect(answer.status).toBe(200);
    expect(await statusOf("extra@example.com")).toEqual(["pending"]);
  });

  it("makes one row, customer and setup intent of 50 concurrent requests with one key [G1] [D1]", async () => {
    const answers = await times(50, () => signUp(api, { email: "g1@example.com" }, "key-g1"));

    const created = answers.filter(({ status }) => status === 200);
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    expect(new Set(created.map(({ clientSecret }) => clientSecret)).size).toBe(1);
    expect(await rows(api, "SELECT 1 FROM sign_ups WHERE email = 'g1@example.com'")).toHaveLength(1);
    const { customers, setupIntents } = await stripeStateOf(stripe, "g1@example.com");
    expect(customers).toHaveLength(1);
    expect(setupIntents).toHaveLength(1);
  });

  it("gives one of 50 concurrent sign-ups with one e-mail a trial, and no other a subscription at Stripe [G2]", async () => {
    const answers = await times(50, (index) => signUp(api, { email: "g2@example.com" }, `key-g2-${index}`));
    await times(50, (index) => enterCard(stripe.url, answers[index]?.clientSecret));

    const ended = [...Array(49).fill("superseded"), "trialing"];
    await expect
      .poll(async () => (await statusOf("g2@example.com")).sort(), { timeout: 30_000, interval: 200 })
      .toEqual(ended);
    const { customers, subscriptions } = await stripeStateOf(stripe, "g2@example.com");
    expect(customers).toHaveLength(50);
    expect(subscriptions).toHaveLength(1);
    await expect.poll(() => startMailsOf(stripe, "g2@example.com")).toHaveLength(1);
  });

  it.each([
    ["malformed JSON with 400", "{", "application/json", 400, "The body must be a JSON object"],
    ["JSON that is no object with 400", "[]", "application/json", 400, "The body must be a JSON object"],
    ["another content type with 415", "{}", "text/plain", 415, "The body must be application/json"],
    [
      "a body over 16 KB with 413",
      JSON.stringify({ ...validRequest, city: "x".repeat(17_000) }),
      "application/json",
      413,
      "The body is larger than 16 KiB",
    ],
  ])("answers %s [G3]", async (_name, body, contentType, status, title) => {
    const answer = await post(`${api.url}/subscription`, body, { "content-type": contentType });
    expect(answer).toMatchObject({ status, contentType: "application/problem+json", title });
  });

  it("answers a bad field and an unknown package with 422 and the field [G3]", async () => {
    const badFields = await signUp(api, { zipCode: "1000", email: "nobody" });
    expect(badFields).toMatchObject({ status: 422, title: "Some fields are not valid" });
    expect(badFields.errors).toEqual({
      zipCode: ["ZIP code must be at least 5 characters"],
      email: ["Please enter a valid email address"],
    });
    const unknownPackage = await signUp(api, { package_id: "00000000-0000-4000-8000-000000000000" });
    expect(unknownPackage.status).toBe(422);
    expect(unknownPackage.errors).toEqual({ package_id: ["Invalid subscription ID"] });
  });

  it("refuses an idempotency key that is not printable ASCII or over 255 characters", async () => {
    const refused = { status: 400, title: "The Idempotency-Key header is invalid" };
    expect(await signUp(api, {}, "x".repeat(256))).toMatchObject(refused);
    expect(await signUp(api, {}, "a b")).toMatchObject(refused);
  });

  it("stores SQL as text [G4]", async () => {
    const company_name = "x'); DROP TABLE sign_ups;--";
    expect((await signUp(api, { email: "g4@example.com", company_name })).status).toBe(200);
    expect(await rows(api, "SELECT company_name FROM sign_ups WHERE email = 'g4@example.com'")).toEqual([
      { company_name },
    ]);
  });

  it("answers a duplicate with a plain 409 [G5]", async () => {
    const { clientSecret } = await signUp(api, { email: "g5@example.com" });
    await enterCard(stripe.url, clientSecret);
    await expect.poll(() => statusOf("g5@example.com")).toEqual(["trialing"]);

    const answer = await signUp(api, { email: " G5@Example.com " });
    const title = "A subscription with this information already exists";
    expect(answer).toMatchObject({ status: 409, contentType: "application/problem+json", title });
    expect(answer.text).not.toMatch(/D1_ERROR|SQLITE_/);
  });

  it.each(["canceled", "superseded"])(
    "answers the same form again with 409 once its sign-up is %s [G5]",
    async (status) => {
      const email = `${status}@example.com`;
      await signUp(api, { email }, status);
      await rows(api, "UPDATE sign_ups SET status = ? WHERE email = ?", status, email);
      const again = await signUp(api, { email }, status);
      expect(again.status).toBe(409);
      expect(again.text).not.toContain("_secret_");
    },
  );

  it("replaces the sign-up of another key, and never its own [S18]", async () => {
    const email = "replaced@example.com";
    const send = (key: string, replaces: string) =>
      post(`${api.url}/subscription`, JSON.stringify({ ...validRequest, email }), {
        "content-type": "application/json",
        "idempotency-key": key,
        "replaces-idempotency-key": replaces,
      });
    const statuses = () => rows(api, "SELECT idempotency_key AS key, status FROM sign_ups WHERE email = ?", email);
    expect((await send("first", "first")).status).toBe(200);
    expect((await send("first", "first")).status).toBe(200);
    expect(await statuses()).toEqual([{ key: "first", status: "pending" }]);
    expect((await send("second", "first")).status).toBe(200);
    expect((await send("third", "with a space")).status).toBe(200);
    expect(await statuses()).toEqual([
      { key: "first", status: "superseded" },
      { key: "second", status: "pending" },
      { key: "third", status: "pending" },
    ]);
  });

  it("gives up the oldest of more than fifty sign-ups of one address that wait for a card [H3]", async () => {
    await rows(
      api,
      `INSERT INTO sign_ups (id, idempotency_key, email, password_hash, phone, company_name, full_name, address, city,
         state, zip_code, country, created_at, updated_at)
       SELECT 'waiting ' || value, 'waiting ' || value, 'crowd@example.com', '', '', '', '', '', '', '', '', '', ?1, ?1
         FROM json_each(?2)`,
      new Date(Date.now() - 60_000).toISOString(),
      JSON.stringify(Array.from({ length: 50 }, (_, index) => index)),
    );
    expect((await signUp(api, { email: "crowd@example.com" })).status).toBe(200);
    await expect
      .poll(() =>
        rows(api, "SELECT count(*) AS n FROM sign_ups WHERE email = 'crowd@example.com' AND status = 'pending'"),
      )
      .toEqual([{ n: 50 }]);
  });

  it("takes a new sign-up when the last one never got a card", async () => {
    await signUp(api, { email: "again@example.com" });
    expect((await signUp(api, { email: "again@example.com" })).status).toBe(200);
  });

  it("gives no secret to another payload or another password under the same key [D2]", async () => {
    const first = await signUp(api, { email: "key@example.com" }, "key-reused");
    const edited = await signUp(api, { email: "key@example.com", city: "Boston" }, "key-reused");
    const otherPassword = await signUp(api, { email: "key@example.com", password: "An0ther-one" }, "key-reused");
    const unchanged = await signUp(api, { email: "key@example.com" }, "key-reused");

    expect([edited, otherPassword]).toMatchObject([OTHER_REQUEST, OTHER_REQUEST]);
    expect(edited.text + otherPassword.text).not.toContain("_secret_");
    expect(unchanged.clientSecret).toBe(first.clientSecret);
  });

  it.each([
    ["package_id", "0b1f6c8e-2f57-4d3b-8c61-94e3a7d5f220"],
    ["email", "another@example.com"],
    ["phone", "2125550124"],
    ["company_name", "Looms & Sons"],
    ["full_name", "Ada King"],
    ["address", "13 St James's Square"],
    ["city", "Boston"],
    ["state", "MA"],
    ["zipCode", "10002"],
    ["country", "Canada"],
  ])("takes a request with another %s under the same key for another one [D2]", async (field, value) => {
    const email = `${field.toLowerCase()}@example.com`;
    const { clientSecret } = await signUp(api, { email }, `other-${field}`);
    const other = await signUp(api, { email, [field]: value }, `other-${field}`);
    expect(other).toMatchObject(OTHER_REQUEST);
    expect(other.text).not.toContain("_secret_");
    expect((await signUp(api, { email }, `other-${field}`)).clientSecret).toBe(clientSecret);
  });

  it("writes no personal data to the log [F6]", () => {
    const log = JSON.stringify(api.logs);
    expect(log).toContain("trial_started");
    expect(log).toContain("message_sent");
    expect(log).not.toMatch(/@|example\.com|Lovelace|Engines|2125550123|Analytical|_secret_|scrypt|St James/);
  });

  it("answers unknown paths and methods with a problem, and keeps what they hold out of the log [F6]", async () => {
    const unknown = await post(`${api.url}/nothing/ada@example.com?email=ada@example.com`, "");
    expect(unknown).toMatchObject({ status: 404, contentType: "application/problem+json", title: "Not found" });
    await expect.poll(() => api.logs).toContainEqual(expect.objectContaining({ event: "request", status: 404 }));
    expect(JSON.stringify(api.logs)).not.toContain("ada@");
    const wrongMethod = await fetch(`${api.url}/subscription`);
    expect(wrongMethod.status).toBe(405);
    expect(wrongMethod.headers.get("allow")).toBe("POST");
    expect(await wrongMethod.json()).toMatchObject({ title: "Only POST is allowed" });
  });

  it("says that it is healthy", async () => {
    const response = await fetch(`${api.url}/health`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      status: "ok",
      release: expect.stringMatching(/.+/),
      commit: "unknown",
      dead_messages: 0,
      due_messages: expect.any(Number),
      oldest_due_seconds: expect.any(Number),
      last_cron_run: null,
    });
  });
});
