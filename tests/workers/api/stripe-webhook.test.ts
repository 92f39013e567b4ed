import { beforeAll, describe, expect, test } from "vitest";
import { startFaultyBackend } from "../../support/faults/faulty-backend";
import type { FaultyProxy } from "../../support/faults/faulty-proxy";
import { deliverEvent, eventOf, secondsNow, sign, WEBHOOK_SECRET } from "../../support/stripe/stripe-events";
import { accountWebhooks, enterCard, mails, rows, signUp, stripeAt, times } from "../../support/visitors/visitor";
import type { RunningWorker } from "../../support/workers/workers";

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

  test("refuses what Stripe did not sign just now, byte for byte, and says so in the log [G7] [G12]", async () => {
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

  test("processes a valid event once, however often it comes [G7]", async () => {
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

  /** A sign-up on trial, and its subscription as Stripe has it. */
  async function onTrial(email: string) {
    const payload = eventOf("setup_intent.succeeded", await cardSetUp(email));
    await deliver(payload, sign(payload));
    const row = await rowOf(email);
    return stripeAt(stripe).subscriptions.retrieve(String(row?.stripe_subscription_id));
  }

  test("ends at the state that Stripe has, in whatever order and however often the events come", async () => {
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
  });

  test("does not write what it read before another event changed the row", async () => {
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
});
