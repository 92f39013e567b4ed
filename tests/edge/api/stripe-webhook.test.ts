import { beforeAll, describe, expect, it } from "vitest";
import { startFaultyBackend } from "../../support/faults/faulty-backend";
import type { FaultyProxy } from "../../support/faults/faulty-proxy";
import { deliverEvent, eventOf, secondsNow, sign, WEBHOOK_SECRET } from "../../support/stripe/stripe-events";
import { accountWebhooks, enterCard, mails, rows, signUp, stripeAt, times } from "../../support/visitors/visitor";
import { type RunningWorker, runScheduled } from "../../support/workers/workers";

const DAY_MS = 24 * 60 * 60_000;
const PAST = "2026-01-01T00:00:00.000Z";

describe("the webhook of Stripe", () => {
  let api: RunningWorker;
  let stripe: RunningWorker;
  let proxy: FaultyProxy;
  beforeAll(async () => {
    const backend = await startFaultyBackend();
    ({ api, stripe, proxy } = backend);
    return backend.dispose;
  });

  const deliver = (payload: string, signature?: string) => deliverEvent(api, payload, signature);
  const rowOf = async (email: string) => (await rows(api, "SELECT * FROM sign_ups WHERE email = ?", email))[0];

  /** A sign-up whose card is set up, of which the API has not heard: its setup intent as an event shows it. */
  async function cardSetUp(email: string, fields: Record<string, unknown> = {}) {
    const { clientSecret } = await signUp(api, { email, ...fields });
    await enterCard(stripe.url, clientSecret);
    const row = await rowOf(email);
    return {
      object: "setup_intent",
      id: row?.stripe_setup_intent_id,
      customer: row?.stripe_customer_id,
      status: "succeeded",
      metadata: { sign_up_id: row?.id },
    };
  }

  it("refuses what Stripe did not sign just now, byte for byte, and says so in the log [G7] [G12]", async () => {
    const payload = eventOf("setup_intent.succeeded", await cardSetUp("forged@example.com"));
    const refused = [
      await deliver(payload),
      await deliver(payload, ""),
      await deliver(payload, sign(payload, "whsec_another_secret_altogether")),
      await deliver(payload, sign(payload, WEBHOOK_SECRET, secondsNow() - 301)),
      await deliver(payload.replace("succeeded", "Succeeded"), sign(payload)),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
    await expect.poll(() => api.logs.filter(({ event }) => event === "webhook_refused")).toHaveLength(5);
    expect(await rows(api, "SELECT status FROM sign_ups WHERE email = 'forged@example.com'")).toEqual([
      { status: "pending" },
    ]);
  });

  it("says of a thin event that the endpoint has the wrong payload style, and of an unsigned one nothing [G17]", async () => {
    const said = (event: string) => api.logs.filter((line) => line.event === event).length;
    const refusedBefore = said("webhook_refused");
    // https://docs.stripe.com/api/v2/core/events/event-types
    const related_object = { id: "seti_1", type: "setup_intent", url: "/v1/setup_intents/seti_1" };
    const thin = { id: "evt_test_65", object: "v2.core.event", type: "v1.setup_intent.succeeded", livemode: false };
    const payload = JSON.stringify({ ...thin, created: "2026-11-22T09:00:00.000Z", related_object });

    const signed = await deliver(payload, sign(payload));
    expect(signed.status).toBe(400);
    expect(signed.text).toContain("sends thin events; it must send snapshots");
    await expect.poll(() => said("webhook_thin")).toBe(1);
    expect(said("webhook_refused")).toBe(refusedBefore);

    expect((await deliver(payload)).text).toContain("The signature is missing");
    await expect.poll(() => said("webhook_refused")).toBe(refusedBefore + 1);
    expect(said("webhook_thin")).toBe(1);
  });

  it("processes a valid event once, however often it comes [G7]", async () => {
    const payload = eventOf("setup_intent.succeeded", await cardSetUp("once@example.com"), "evt_once");
    const state = () => rows(api, "SELECT status, updated_at FROM sign_ups WHERE email = 'once@example.com'");

    const delayed = sign(payload, WEBHOOK_SECRET, secondsNow() - 280);
    expect(await deliver(payload, delayed)).toMatchObject({ status: 200, text: '{"received":true}' });
    const processed = await state();
    expect(processed).toMatchObject([{ status: "trialing" }]);
    const repeated = await times(10, () => deliver(payload, sign(payload)));

    expect(new Set(repeated.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['200 {"received":true}']),
    );
    await expect
      .poll(() => api.logs.filter(({ event, eventId }) => event === "event_processed" && eventId === "evt_once"))
      .toMatchObject([{ type: "setup_intent.succeeded", outcome: "trialing" }]);
    expect(await state()).toEqual(processed);
    await expect.poll(() => mails(stripe, "once@example.com")).toHaveLength(1);
    expect(await accountWebhooks(stripe, "once@example.com")).toHaveLength(1);
    expect(await rows(api, "SELECT count(*) AS n FROM stripe_events WHERE id = 'evt_once'")).toEqual([{ n: 1 }]);
  });

  it("takes unknown types, extra fields, long ids and foreign setup intents, and does nothing [G8]", async () => {
    const payloads = [
      eventOf("invoice.upcoming", { object: "invoice", extra: { deep: [1] } }),
      eventOf("customer.created", { id: "c".repeat(255) }, "e".repeat(255)),
      eventOf("setup_intent.succeeded", { id: "seti_foreign", customer: null, metadata: {} }),
      eventOf(
        "setup_intent.succeeded",
        {
          id: "s".repeat(255),
          customer: "cus_x",
          metadata: { sign_up_id: crypto.randomUUID() },
        },
        "f".repeat(255),
      ),
    ];
    const before = await rows(api, "SELECT * FROM sign_ups");
    for (const payload of payloads) expect((await deliver(payload, sign(payload))).status).toBe(200);
    expect(await rows(api, "SELECT * FROM sign_ups")).toEqual(before);
  });

  it("asks Stripe once about the paid invoice of somebody else [G7] [G8]", async () => {
    const payload = eventOf("invoice.paid", { object: "invoice", id: "in_foreign", amount_paid: 100 });
    const asked: string[] = [];
    proxy.watch(({ path }) => asked.push(path));
    for (let time = 0; time < 2; time += 1) expect((await deliver(payload, sign(payload))).status).toBe(200);
    proxy.watch(() => {});
    expect(asked.filter((path) => path.includes("in_foreign"))).toHaveLength(1);
  });

  it("ends a sign-up whose card was set up after five had failed, and keeps neither card nor event [H3] [G7]", async () => {
    const setUp = await cardSetUp("failed-too-often@example.com");
    await rows(api, "UPDATE sign_ups SET declined_cards = 5 WHERE id = ?", setUp.metadata.sign_up_id);
    const payload = eventOf("setup_intent.succeeded", setUp, "evt_failed_too_often");
    expect((await deliver(payload, sign(payload))).status).toBe(200);
    expect(await rowOf("failed-too-often@example.com")).toMatchObject({
      status: "superseded",
      end_reason: "cards-failed",
    });
    expect(await rows(api, "SELECT id FROM stripe_events WHERE id = 'evt_failed_too_often'")).toHaveLength(1);
    const cards = await stripeAt(stripe).paymentMethods.list({ customer: String(setUp.customer) });
    expect(cards.data).toEqual([]);
  });

  it("asks Stripe for the card when a webhook was lost: the next sign-up is a duplicate", async () => {
    const { clientSecret } = await signUp(api, { email: "lost@example.com" });
    await enterCard(stripe.url, clientSecret);

    expect((await signUp(api, { email: "lost@example.com" })).status).toBe(409);
    expect(await rows(api, "SELECT status FROM sign_ups WHERE email = 'lost@example.com'")).toEqual([
      { status: "trialing" },
    ]);
    await expect.poll(() => mails(stripe, "lost@example.com")).toHaveLength(1);
  });

  it("begins the trial: default card, five days, the package's price, canceled at the end without a card [S15]", async () => {
    const payload = eventOf("setup_intent.succeeded", await cardSetUp("begins@example.com"));
    const before = Date.now();
    expect((await deliver(payload, sign(payload))).status).toBe(200);

    const row = await rowOf("begins@example.com");
    const customer = await stripeAt(stripe).customers.retrieve(String(row?.stripe_customer_id));
    const trial = await stripeAt(stripe).subscriptions.retrieve(String(row?.stripe_subscription_id));
    expect(row).toMatchObject({
      status: "trialing",
      trial_end: new Date(Number(trial.trial_end) * 1000).toISOString(),
    });
    expect(Number(trial.trial_end) * 1000 - before).toBeGreaterThan(5 * DAY_MS - 10_000);
    expect(Number(trial.trial_end) * 1000 - before).toBeLessThan(5 * DAY_MS + 10_000);
    expect(trial).toMatchObject({
      customer: row?.stripe_customer_id,
      status: "trialing",
      items: { data: [{ price: { id: "price_standard", unit_amount: 50_000 } }] },
      metadata: { sign_up_id: row?.id },
      trial_settings: { end_behavior: { missing_payment_method: "cancel" } },
    });
    // The customer's card decides, so that a later change of it counts.
    expect(trial.default_payment_method).toBeNull();
    expect(customer).toMatchObject({ invoice_settings: { default_payment_method: expect.stringMatching(/^pm_/) } });
  });

  it("gives a sign-up without a package its trial, which nothing can be charged for and which ends by itself", async () => {
    const payload = eventOf(
      "setup_intent.succeeded",
      await cardSetUp("planless@example.com", { package_id: undefined }),
    );
    expect((await deliver(payload, sign(payload))).status).toBe(200);

    const row = await rowOf("planless@example.com");
    expect(row).toMatchObject({ status: "trialing", package_id: null, stripe_subscription_id: null });
    expect(row?.check_at).toBe(row?.trial_end);
    await expect.poll(() => mails(stripe, "planless@example.com")).toHaveLength(1);
    expect((await mails(stripe, "planless@example.com"))[0]?.text).toContain("nothing will be charged");
    expect((await accountWebhooks(stripe, "planless@example.com"))[0]?.data).toMatchObject({ package: null });

    await rows(api, "UPDATE sign_ups SET trial_end = ?1, check_at = ?1 WHERE id = ?2", PAST, row?.id);
    await runScheduled(api);
    expect(await rowOf("planless@example.com")).toMatchObject({ status: "canceled", check_at: null });
  });

  it("takes over a subscription that sales made for a customer without a plan", async () => {
    const payload = eventOf("setup_intent.succeeded", await cardSetUp("sales@example.com", { package_id: undefined }));
    await deliver(payload, sign(payload));
    const row = await rowOf("sales@example.com");
    const made = await stripeAt(stripe).subscriptions.create({
      customer: String(row?.stripe_customer_id),
      items: [{ price: "price_lite" }],
    });
    const created = eventOf("customer.subscription.created", made);

    expect((await deliver(created, sign(created))).status).toBe(200);
    expect(await rowOf("sales@example.com")).toMatchObject({ status: "active", stripe_subscription_id: made.id });
  });

  /** A sign-up on trial, and its subscription as Stripe has it. */
  async function onTrial(email: string) {
    const payload = eventOf("setup_intent.succeeded", await cardSetUp(email));
    await deliver(payload, sign(payload));
    const row = await rowOf(email);
    return stripeAt(stripe).subscriptions.retrieve(String(row?.stripe_subscription_id));
  }

  it("follows a subscription from its trial to its payment and its end", async () => {
    const trial = await onTrial("follows@example.com");
    const paid = await stripeAt(stripe).subscriptions.update(trial.id, { trial_end: "now" });
    const updated = eventOf("customer.subscription.updated", paid);
    await deliver(updated, sign(updated));
    expect(await rowOf("follows@example.com")).toMatchObject({ status: "active", check_at: null });

    const canceled = await stripeAt(stripe).subscriptions.cancel(trial.id);
    const deleted = eventOf("customer.subscription.deleted", canceled);
    await deliver(deleted, sign(deleted));
    expect(await rowOf("follows@example.com")).toMatchObject({ status: "canceled" });
    expect((await signUp(api, { email: "follows@example.com" })).status).toBe(409);
  });

  it("marks a subscription past due when the card fails at the trial's end", async () => {
    const { clientSecret } = await signUp(api, { email: "pastdue@example.com" });
    await enterCard(stripe.url, clientSecret, "4000000000000341");
    expect((await signUp(api, { email: "pastdue@example.com" })).status).toBe(409);
    const row = await rowOf("pastdue@example.com");
    const failed = await stripeAt(stripe).subscriptions.update(String(row?.stripe_subscription_id), {
      trial_end: "now",
    });

    const updated = eventOf("customer.subscription.updated", failed);
    await deliver(updated, sign(updated));
    expect(await rowOf("pastdue@example.com")).toMatchObject({ status: "past_due" });
  });

  it("ends at the state that Stripe has, in whatever order and however often the events come", async () => {
    const trial = await onTrial("order@example.com");
    const client = stripeAt(stripe);
    const created = eventOf("customer.subscription.created", trial);
    const updated = eventOf(
      "customer.subscription.updated",
      await client.subscriptions.update(trial.id, { trial_end: "now" }),
    );
    const deleted = eventOf("customer.subscription.deleted", await client.subscriptions.cancel(trial.id));

    for (const payload of [deleted, updated, created, deleted]) {
      expect((await deliver(payload, sign(payload))).status).toBe(200);
      expect(await rowOf("order@example.com")).toMatchObject({ status: "canceled" });
    }
    const again = eventOf("customer.subscription.updated", trial);
    const answers = await times(10, (index) => {
      const payload = again.replace(/"id":"evt_[^"]+"/, `"id":"evt_order_${index}"`);
      return deliver(payload, sign(payload));
    });
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(await rowOf("order@example.com")).toMatchObject({ status: "canceled" });
  });

  it("does not write what it read before another event changed the row", async () => {
    const trial = await onTrial("stale@example.com");
    const reading = proxy.hold(`GET /v1/subscriptions/${trial.id}`);
    const early = eventOf("customer.subscription.updated", trial);
    const earlyAnswer = deliver(early, sign(early));
    // Stripe has said that the trial runs, but the API has not heard it yet. Meanwhile the trial is canceled.
    const letGo = await reading;
    const late = eventOf("customer.subscription.deleted", await stripeAt(stripe).subscriptions.cancel(trial.id));
    expect((await deliver(late, sign(late))).status).toBe(200);
    letGo();

    expect((await earlyAnswer).status).toBe(200);
    expect(await rowOf("stale@example.com")).toMatchObject({ status: "canceled" });
  });

  it("reminds of the trial's end once, and not of a trial that is over", async () => {
    const trial = await onTrial("reminded@example.com");
    for (const id of ["evt_remind_1", "evt_remind_2"]) {
      const payload = eventOf("customer.subscription.trial_will_end", trial, id);
      expect((await deliver(payload, sign(payload))).status).toBe(200);
    }
    await rows(api, "UPDATE outbox SET next_attempt_at = ? WHERE sign_up_id = ?", PAST, trial.metadata.sign_up_id);
    await runScheduled(api);
    await expect.poll(() => mails(stripe, "reminded@example.com")).toHaveLength(2);
    expect((await mails(stripe, "reminded@example.com")).map(({ subject }) => subject)).toEqual([
      expect.stringMatching(/^Your Citewell trial ends on \w+ \d+, \d{4}$/),
      "Your Citewell trial has started",
    ]);

    const over = await onTrial("over@example.com");
    await expect.poll(() => mails(stripe, "over@example.com")).toHaveLength(1);
    await stripeAt(stripe).subscriptions.cancel(over.id);
    const payload = eventOf("customer.subscription.trial_will_end", over);
    await deliver(payload, sign(payload));
    await rows(api, "UPDATE outbox SET next_attempt_at = ? WHERE sign_up_id = ?", PAST, over.metadata.sign_up_id);
    await runScheduled(api);
    const reminders = "SELECT state, drop_reason FROM outbox WHERE kind = 'trial-ending' AND sign_up_id = ?";
    expect(await rows(api, reminders, over.metadata.sign_up_id)).toEqual([
      { state: "dropped", drop_reason: "trial-over" },
    ]);
    expect(await mails(stripe, "over@example.com")).toHaveLength(1);
  });
});
