import { beforeAll, describe, expect, test } from "vitest";
import { scryptPasswords } from "../../../functions/subscription-api/sign-ups/password/password";
import { deliver, newCard, setupEvent } from "../../support/stripe/set-up-card";
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

  test("stores the password as a scrypt hash that verifies, and no client secret [G10]", async () => {
    const [row] = await rows(api, "SELECT * FROM sign_ups WHERE email = 'whole@example.com'");
    const hash = String(row?.password_hash);

    expect(hash).toMatch(/^\$scrypt\$ln=\d+,r=8,p=5\$/);
    expect(await scryptPasswords().verify(validRequest.password, hash)).toBe(true);
    expect(JSON.stringify(row)).not.toContain(validRequest.password);
    expect(JSON.stringify(row)).not.toContain(clientSecret);
  });

  test("takes the sign-up from its card to the trial, the email and the account webhook with the hash [S13] [S15]", async () => {
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

  test("writes no personal data to the log [F6]", () => {
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
    const backend = await startBackend({ vars: { ONE_TRIAL_PER_PERSON: "true" } });
    ({ api, stripe } = backend);
    return backend.dispose;
  });

  const statusOf = async (email: string) =>
    (await rows(api, "SELECT status FROM sign_ups WHERE email = ? ORDER BY created_at", email)).map(
      (row) => row.status,
    );

  test("creates one row, customer and setup intent for 50 concurrent requests with one key [G1] [D1]", async () => {
    const answers = await times(50, () => signUp(api, { email: "g1@example.com" }, "key-g1"));

    const created = answers.filter(({ status }) => status === 200);
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    expect(new Set(created.map(({ clientSecret }) => clientSecret)).size).toBe(1);
    expect(await rows(api, "SELECT 1 FROM sign_ups WHERE email = 'g1@example.com'")).toHaveLength(1);
    const { customers, setupIntents } = await stripeStateOf(stripe, "g1@example.com");
    expect(customers).toHaveLength(1);
    expect(setupIntents).toHaveLength(1);
  });

  test("gives one of 20 concurrent sign-ups with one email a trial, and no other a subscription at Stripe [G2]", async () => {
    const answers = await times(20, (index) => signUp(api, { email: "g2@example.com" }, `key-g2-${index}`));
    await times(20, (index) => enterCard(stripe.url, answers[index]?.clientSecret, newCard()));

    const ended = [...Array(19).fill("ended"), "trialing"];
    await expect
      .poll(async () => (await statusOf("g2@example.com")).sort(), { timeout: 30_000, interval: 200 })
      .toEqual(ended);
    const { customers, subscriptions } = await stripeStateOf(stripe, "g2@example.com");
    expect(customers).toHaveLength(20);
    expect(subscriptions).toHaveLength(1);
    await expect.poll(() => startMailsOf(stripe, "g2@example.com")).toHaveLength(1);
  });

  test("gives exactly one of 30 concurrent sign-ups with one card a trial, and no other keeps the card [H10]", async () => {
    const card = newCard();
    const emails = Array.from({ length: 30 }, (_, index) => `h10-${index}@example.com`);
    const answers = await Promise.all(emails.map((email) => signUp(api, { email })));
    await Promise.all(answers.map(({ clientSecret }) => enterCard(stripe.url, clientSecret, card)));

    const states = "SELECT status, used_cards, count(*) AS n FROM sign_ups WHERE email LIKE 'h10-%' GROUP BY 1, 2";
    await expect
      .poll(() => rows(api, states))
      .toEqual([
        { status: "pending", used_cards: 1, n: 29 },
        { status: "trialing", used_cards: 0, n: 1 },
      ]);
    const atStripe = await Promise.all(emails.map((email) => stripeStateOf(stripe, email)));
    expect(atStripe.flatMap(({ subscriptions }) => subscriptions)).toHaveLength(1);
    const used = atStripe.flatMap(({ setupIntents }) => setupIntents.flatMap(({ payment_method: id }) => id ?? []));
    const owners = used.map(async (id) => (await stripeAt(stripe).paymentMethods.retrieve(String(id))).customer);
    expect((await Promise.all(owners)).filter((owner) => owner !== null)).toHaveLength(1);
  });

  test("processes a signed event once, however often it is delivered [G7]", async () => {
    const email = "g7@example.com";
    const { clientSecret } = await signUp(api, { email });
    await enterCard(stripe.url, clientSecret, newCard());
    await expect.poll(() => startMailsOf(stripe, email)).toHaveLength(1);
    const state = () => rows(api, "SELECT * FROM sign_ups WHERE email = ?", email);
    const before = await state();
    const event = await setupEvent(stripe, "setup_intent.succeeded", clientSecret, "evt_g7");
    expect(await times(10, () => deliver(api, event))).toEqual(Array(10).fill(200));
    expect((await post(`${api.url}/webhooks/stripe`, event, { "stripe-signature": "t=1,v1=x" })).status).toBe(400);
    expect(await state()).toEqual(before);
    expect(await startMailsOf(stripe, email)).toHaveLength(1);
    expect(await accountWebhooks(stripe, email)).toHaveLength(1);
    expect(await rows(api, "SELECT 1 FROM stripe_events WHERE id = 'evt_g7'")).toHaveLength(1);
  });

  test("answers a duplicate with a plain 409, and stores SQL as text [G4] [G5]", async () => {
    const company_name = "x'); DROP TABLE sign_ups;--";
    const { clientSecret } = await signUp(api, { email: "g5@example.com", company_name });
    await enterCard(stripe.url, clientSecret, newCard());
    await expect.poll(() => statusOf("g5@example.com")).toEqual(["trialing"]);
    expect(await rows(api, "SELECT company_name FROM sign_ups WHERE email = 'g5@example.com'")).toEqual([
      { company_name },
    ]);

    const answer = await signUp(api, { email: " G5@Example.com " });
    expect(answer).toMatchObject({ status: 409, contentType: "application/problem+json" });
    expect(answer.text).not.toMatch(/D1_ERROR|SQLITE_/);
  });

  test("writes no personal data to the log [F6]", () => {
    const log = JSON.stringify(api.logs);
    expect(log).toContain("trial_started");
    expect(log).toContain("message_sent");
    expect(log).not.toMatch(/@|example\.com|Lovelace|Engines|2125550123|Analytical|_secret_|scrypt|St James/);
  });
});
