import { afterEach, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { fastApi } from "../../support/fast-api/build";
import { startFaultyBackend } from "../../support/faults/faulty-backend";
import type { FaultyProxy } from "../../support/faults/faulty-proxy";
import { CARDS, deliver, rowOf, setupEvent } from "../../support/stripe/set-up-card";
import {
  enterCard,
  mails,
  rows,
  signUp,
  stripeAt,
  stripeStateOf,
  times,
  validRequest,
} from "../../support/visitors/visitor";
import { type RunningWorker, runScheduled, startBackend } from "../../support/workers/workers";

describe("declined cards, with Stripe's own webhooks", () => {
  let api: RunningWorker;
  let stripe: RunningWorker;
  beforeAll(async () => {
    const backend = await startBackend(await fastApi());
    ({ api, stripe } = backend);
    return backend.dispose;
  });

  it("five end the sign-up and its setup intent; the log says so, and the same form makes a new sign-up [H3]", async () => {
    const email = "tester@example.com";
    const { clientSecret } = await signUp(api, { email }, "tester");
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect((await enterCard(stripe.url, clientSecret, CARDS.declined)).status).toBe(402);
    }
    await expect.poll(() => rowOf(api, email)).toMatchObject({ status: "superseded", end_reason: "cards-failed" });

    const good = await enterCard(stripe.url, clientSecret);
    expect(good).toMatchObject({ status: 400, body: { error: { code: "setup_intent_unexpected_state" } } });
    const { id, declined_cards } = await rowOf(api, email);
    expect(declined_cards).toBe(5);
    await expect
      .poll(() => api.logs)
      .toContainEqual(
        expect.objectContaining({ level: "warn", event: "sign_up_ended", signUpId: id, reason: "cards-failed" }),
      );
    expect((await stripeStateOf(stripe, email)).subscriptions).toEqual([]);

    const again = await signUp(api, { email }, "tester");
    expect(again.status).toBe(200);
    expect(again.clientSecret).not.toBe(clientSecret);
    await enterCard(stripe.url, again.clientSecret);
    await expect.poll(() => rowOf(api, email)).toMatchObject({ status: "trialing" });
  });

  it("sixty as fast as they can be sent, and then a good one, are no trial [H3]", async () => {
    const email = "sixty@example.com";
    const { clientSecret } = await signUp(api, { email });
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 60; attempt += 1) {
      statuses.push((await enterCard(stripe.url, clientSecret, CARDS.declined)).status);
    }
    await enterCard(stripe.url, clientSecret);
    await expect.poll(() => rowOf(api, email)).toMatchObject({ status: "superseded", end_reason: "cards-failed" });
    expect(statuses.at(-1)).toBe(400);
    expect((await stripeStateOf(stripe, email)).subscriptions).toEqual([]);
  });

  it("four and a good one are a trial [H3]", async () => {
    const email = "unlucky@example.com";
    const { clientSecret } = await signUp(api, { email });
    for (let attempt = 0; attempt < 4; attempt += 1) await enterCard(stripe.url, clientSecret, CARDS.declined);
    await expect.poll(() => rowOf(api, email)).toMatchObject({ declined_cards: 4 });
    await enterCard(stripe.url, clientSecret);
    await expect.poll(() => rowOf(api, email)).toMatchObject({ status: "trialing" });
  });

  it("Radar reads that it is a free trial, for which plan, and whose", async () => {
    const email = "radar@example.com";
    const { clientSecret } = await signUp(api, { email });
    const { id, stripe_customer_id, stripe_setup_intent_id } = await rowOf(api, email);
    const client = stripeAt(stripe);
    expect(clientSecret).toContain(String(stripe_setup_intent_id));
    expect(await client.setupIntents.retrieve(String(stripe_setup_intent_id))).toMatchObject({
      metadata: { is_free_trial: "true", package_id: validRequest.package_id, sign_up_id: id },
    });
    expect(await client.customers.retrieve(String(stripe_customer_id))).toMatchObject({
      email,
      name: "Ada Lovelace",
      address: { line1: "12 St James's Square", postal_code: "10001", country: "US" },
    });
  });
});

describe("declined cards, with events that the test delivers", () => {
  let api: RunningWorker;
  let stripe: RunningWorker;
  let proxy: FaultyProxy;
  beforeAll(async () => {
    const backend = await startFaultyBackend();
    ({ api, stripe, proxy } = backend);
    return backend.dispose;
  });
  afterEach(() => proxy.repair());

  /** A sign-up with declined cards, of which the API has not heard. */
  async function declined(email: string, count: number) {
    const { clientSecret } = await signUp(api, { email });
    for (let attempt = 0; attempt < count; attempt += 1) await enterCard(stripe.url, clientSecret, CARDS.declined);
    const event = (id: string) => setupEvent(stripe, "setup_intent.setup_failed", clientSecret, `evt_${email}_${id}`);
    const fail = async (id: string) => deliver(api, await event(id));
    return { clientSecret, event, fail };
  }

  it("an event counts once, however often it comes [H3]", async () => {
    const { event } = await declined("repeated@example.com", 1);
    const same = await event("same");
    expect(await times(30, () => deliver(api, same))).toEqual(Array(30).fill(200));
    expect(await deliver(api, same)).toBe(200);
    expect(await rowOf(api, "repeated@example.com")).toMatchObject({ status: "pending", declined_cards: 1 });
  });

  it("late events do not end a trial that has begun [H3]", async () => {
    const email = "late@example.com";
    const { clientSecret, fail } = await declined(email, 5);
    await enterCard(stripe.url, clientSecret);
    expect(await deliver(api, await setupEvent(stripe, "setup_intent.succeeded", clientSecret))).toBe(200);
    for (const id of ["1", "2", "3", "4", "5"]) expect(await fail(id)).toBe(200);
    expect(await rowOf(api, email)).toMatchObject({ status: "trialing", end_reason: null });
    expect((await stripeStateOf(stripe, email)).subscriptions).toMatchObject([{ status: "trialing" }]);
  });

  it("a good card whose event comes after the fifth failure starts no trial, and is detached [H3]", async () => {
    const email = "sixth@example.com";
    const { clientSecret, fail } = await declined(email, 5);
    for (const id of ["1", "2", "3", "4"]) await fail(id);
    const { body } = await enterCard(stripe.url, clientSecret);
    const succeeded = await setupEvent(stripe, "setup_intent.succeeded", clientSecret);
    expect(await fail("5")).toBe(200);
    expect(await deliver(api, succeeded)).toBe(200);
    expect(await rowOf(api, email)).toMatchObject({ status: "superseded", end_reason: "cards-failed" });
    expect((await stripeAt(stripe).paymentMethods.retrieve(body.payment_method)).customer).toBeNull();
    expect((await stripeStateOf(stripe, email)).subscriptions).toEqual([]);
    expect(await mails(stripe, email)).toEqual([]);
  });

  it("a good card that is set up while the fifth failure ends the sign-up is detached, and the event is taken [H3]", async () => {
    const email = "between@example.com";
    const { clientSecret, fail } = await declined(email, 5);
    for (const id of ["1", "2", "3", "4"]) await fail(id);
    const { stripe_setup_intent_id } = await rowOf(api, email);
    // The API still reads that the intent is open, and then cannot cancel it any more.
    const reading = proxy.hold(`GET /v1/setup_intents/${stripe_setup_intent_id}`);
    const fifth = fail("5");
    const letGo = await reading;
    const { body } = await enterCard(stripe.url, clientSecret);
    letGo();
    expect(await fifth).toBe(200);
    expect(await rowOf(api, email)).toMatchObject({ status: "superseded", end_reason: "cards-failed" });
    expect((await stripeAt(stripe).paymentMethods.retrieve(body.payment_method)).customer).toBeNull();
    expect((await stripeStateOf(stripe, email)).subscriptions).toEqual([]);
  });

  it("a question how it stands, while the fifth failure detaches the card, starts no trial [H3]", async () => {
    const email = "asks@example.com";
    const { text, clientSecret } = await signUp(api, { email });
    for (let attempt = 0; attempt < 5; attempt += 1) await enterCard(stripe.url, clientSecret, CARDS.declined);
    const fail = async (id: string) =>
      deliver(api, await setupEvent(stripe, "setup_intent.setup_failed", clientSecret, `evt_${email}_${id}`));
    for (const id of ["1", "2", "3", "4"]) await fail(id);
    const { body } = await enterCard(stripe.url, clientSecret);
    const succeeded = await setupEvent(stripe, "setup_intent.succeeded", clientSecret);
    const { payment_method } = body;
    const detaching = proxy.hold(`POST /v1/payment_methods/${payment_method}/detach`);
    const fifth = fail("5");
    const letGo = await detaching;
    const asked = await (await fetch(z.object({ status_url: z.string() }).parse(JSON.parse(text)).status_url)).json();
    expect(await deliver(api, succeeded)).toBe(200);
    letGo();
    expect(asked).toEqual({ status: "ended" });
    expect(await fifth).toBe(200);
    expect(await rowOf(api, email)).toMatchObject({ status: "superseded", end_reason: "cards-failed" });
    expect((await stripeStateOf(stripe, email)).subscriptions).toEqual([]);
  });

  it.each(["refuse", "lose-answer", "500-before", "429"] as const)(
    "the cron handler finishes an end that Stripe's failure cut off (%s) [H3]",
    async (fault) => {
      const email = `cut-${fault}@example.com`;
      const { clientSecret, fail } = await declined(email, 5);
      for (const id of ["1", "2", "3", "4"]) await fail(id);
      proxy.breakAt("POST /v1/setup_intents/", fault);
      await fail("5");
      // Where only the answer is lost, Stripe is asked how the intent stands.
      const status = fault === "lose-answer" ? "superseded" : "pending";
      expect(await rowOf(api, email)).toMatchObject({ declined_cards: 5, status });

      proxy.repair();
      await runScheduled(api);
      expect(await rowOf(api, email)).toMatchObject({ status: "superseded", end_reason: "cards-failed" });
      expect((await enterCard(stripe.url, clientSecret)).status).toBe(400);
      await rows(api, "UPDATE sign_ups SET check_at = '2026-01-01' WHERE email = ?", email);
      await runScheduled(api);
      expect(await rows(api, "SELECT 1 FROM sign_ups WHERE email = ?", email)).toEqual([]);
      expect((await stripeStateOf(stripe, email)).customers).toEqual([]);
    },
  );

  it("an event about another setup intent than the sign-up's counts nothing [H3]", async () => {
    const { fail: _, clientSecret } = await declined("mine@example.com", 1);
    const { id: victim } = await rowOf(api, "mine@example.com");
    await signUp(api, { email: "other@example.com" });
    const { stripe_setup_intent_id: otherIntent } = await rowOf(api, "other@example.com");
    const payload = await setupEvent(stripe, "setup_intent.setup_failed", clientSecret);
    const forged = payload.replace(clientSecret?.split("_secret_")[0] ?? "", String(otherIntent));
    expect(await deliver(api, forged)).toBe(200);
    expect(await rowOf(api, "mine@example.com")).toMatchObject({ id: victim, declined_cards: 0 });
  });

  it("a signed event about a setup intent that is open at Stripe, or another's, activates nothing [H13]", async () => {
    const { clientSecret } = await signUp(api, { email: "open@example.com" });
    const other = await signUp(api, { email: "attacker@example.com" });
    await enterCard(stripe.url, other.clientSecret);
    const succeeded = async (change: object) => {
      const intent = await stripeAt(stripe).setupIntents.retrieve(clientSecret?.split("_secret_")[0] ?? "");
      const { id, customer, metadata } = intent;
      return JSON.stringify({
        id: `evt_${crypto.randomUUID()}`,
        object: "event",
        type: "setup_intent.succeeded",
        data: { object: { id, customer, metadata, status: "succeeded", ...change } },
      });
    };
    const { stripe_setup_intent_id: theirIntent, stripe_customer_id: theirCustomer } = await rowOf(
      api,
      "attacker@example.com",
    );
    for (const change of [
      {},
      { id: theirIntent },
      { id: theirIntent, customer: theirCustomer },
      { customer: theirCustomer },
      { id: "seti_nobody" },
    ]) {
      expect(await deliver(api, await succeeded(change))).toBe(200);
      expect(await rowOf(api, "open@example.com")).toMatchObject({ status: "pending" });
    }
    // Also where no answer of Stripe was heard when the sign-up was made.
    const recorded = await rowOf(api, "open@example.com");
    await rows(
      api,
      "UPDATE sign_ups SET stripe_customer_id = NULL, stripe_setup_intent_id = NULL WHERE id = ?",
      recorded.id,
    );
    expect(await deliver(api, await succeeded({ id: theirIntent, customer: theirCustomer }))).toBe(200);
    expect(await rowOf(api, "open@example.com")).toMatchObject({ status: "pending" });
    expect(await mails(stripe, "open@example.com")).toEqual([]);
    expect((await stripeStateOf(stripe, "open@example.com")).subscriptions).toEqual([]);

    await enterCard(stripe.url, clientSecret);
    expect(await deliver(api, await succeeded({}))).toBe(200);
    expect(await rowOf(api, "open@example.com")).toMatchObject({ status: "trialing" });
  });
});
