import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { startFaultyBackend } from "../../support/faults/faulty-backend";
import type { Fault, FaultyProxy } from "../../support/faults/faulty-proxy";
import {
  accountWebhooks,
  enterCard,
  mails,
  post,
  rows,
  signUp,
  stripeAt,
  stripeStateOf,
} from "../../support/visitors/visitor";
import { type RunningWorker, runScheduled } from "../../support/workers/workers";

const HOUR = 60 * 60_000;
/** The local token (functions/subscription-api/wrangler.toml). */
const OPERATOR_TOKEN = "only-for-local-development-never-for-a-deployment";

describe("the cron handler", () => {
  let api: RunningWorker;
  let stripe: RunningWorker;
  let proxy: FaultyProxy;
  beforeAll(async () => {
    const backend = await startFaultyBackend();
    ({ api, stripe, proxy } = backend);
    return backend.dispose;
  });
  afterEach(() => proxy.repair());

  const rowOf = async (email: string) => (await rows(api, "SELECT * FROM sign_ups WHERE email = ?", email))[0];
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

  /** Lets time pass for one sign-up: it was made so long ago, and is looked at now. */
  async function grow(email: string, age: number): Promise<void> {
    await rows(api, "UPDATE sign_ups SET created_at = ?, check_at = ? WHERE email = ?", ago(age), ago(1), email);
  }

  const atStripe = (email: string) => stripeStateOf(stripe, email);

  it("deletes a sign-up that has no card after 24 hours: setup intent, customer and row", async () => {
    await signUp(api, { email: "abandoned@example.com" });
    const row = await rowOf("abandoned@example.com");
    await grow("abandoned@example.com", 24 * HOUR);
    await runScheduled(api);

    expect(await rowOf("abandoned@example.com")).toBeUndefined();
    const intent = await stripeAt(stripe).setupIntents.retrieve(String(row?.stripe_setup_intent_id));
    expect(intent).toMatchObject({ status: "canceled", cancellation_reason: "abandoned" });
    expect((await atStripe("abandoned@example.com")).customers).toEqual([]);
  });

  it("leaves a younger one alone, and looks again when it is three times as old, at the latest after 24 hours", async () => {
    await signUp(api, { email: "young@example.com" });
    await grow("young@example.com", 5 * HOUR);
    await runScheduled(api);
    const row = await rowOf("young@example.com");
    expect(row).toMatchObject({ status: "pending" });
    expect(Math.round((Date.parse(String(row?.check_at)) - Date.now()) / HOUR)).toBe(10);

    await grow("young@example.com", 20 * HOUR);
    await runScheduled(api);
    expect(Math.round((Date.parse(String((await rowOf("young@example.com"))?.check_at)) - Date.now()) / HOUR)).toBe(4);
  });

  it("begins the trial of a card whose webhook never came, even after 24 hours", async () => {
    const { clientSecret } = await signUp(api, { email: "unheard@example.com" });
    await enterCard(stripe.url, clientSecret);
    await grow("unheard@example.com", 25 * HOUR);
    await runScheduled(api);

    expect(await rowOf("unheard@example.com")).toMatchObject({ status: "trialing" });
    expect((await atStripe("unheard@example.com")).subscriptions).toHaveLength(1);
    await expect.poll(() => mails(stripe, "unheard@example.com")).toHaveLength(1);
    expect(await accountWebhooks(stripe, "unheard@example.com")).toHaveLength(1);
  });

  it("deletes at Stripe what a lost answer kept from the row", async () => {
    proxy.breakAt("POST /v1/customers", "lose-answer");
    expect((await signUp(api, { email: "orphan@example.com" })).status).toBe(503);
    proxy.repair();
    expect(await rowOf("orphan@example.com")).toMatchObject({ stripe_customer_id: null });
    expect((await atStripe("orphan@example.com")).customers).toHaveLength(1);

    await grow("orphan@example.com", 24 * HOUR);
    await runScheduled(api);
    expect(await rowOf("orphan@example.com")).toBeUndefined();
    expect((await atStripe("orphan@example.com")).customers).toEqual([]);
  });

  it.each([
    ["before the setup intent is canceled", "POST /v1/setup_intents/", "refuse"],
    ["after the setup intent was canceled", "POST /v1/setup_intents/", "lose-answer"],
    ["before the customer is deleted", "DELETE /v1/customers/", "refuse"],
    ["after the customer was deleted", "DELETE /v1/customers/", "lose-answer"],
    ["with Stripe's error although the customer was deleted", "DELETE /v1/customers/", "500-after"],
  ] satisfies [string, string, Fault][])("finishes a deletion that was cut off %s", async (name, line, fault) => {
    const email = `cut-${name.toLowerCase().replaceAll(/\W/g, "-")}@example.com`;
    await signUp(api, { email });
    await grow(email, 24 * HOUR);
    proxy.breakAt(line, fault);
    await runScheduled(api);
    expect(await rowOf(email)).toMatchObject({ status: "pending" });

    proxy.repair();
    await grow(email, 24 * HOUR);
    await runScheduled(api);
    expect(await rowOf(email)).toBeUndefined();
    expect((await atStripe(email)).customers).toEqual([]);
  });

  it.each([
    ["before the card is made the default", "POST /v1/customers/", "refuse"],
    ["after the card was made the default", "POST /v1/customers/", "lose-answer"],
    ["before the subscription is made", "POST /v1/subscriptions", "refuse"],
    ["after the subscription was made", "POST /v1/subscriptions", "lose-answer"],
    ["with an error that Stripe repeats", "POST /v1/subscriptions", "500-before"],
    ["with an error although the subscription was made", "POST /v1/subscriptions", "500-after"],
    ["while Stripe has too many requests", "POST /v1/subscriptions", "429"],
    ["while Stripe still works on it", "POST /v1/subscriptions", "409"],
  ] satisfies [string, string, Fault][])("finishes a trial that was cut off %s, once", async (name, line, fault) => {
    const email = `trial-${name.toLowerCase().replaceAll(/\W/g, "-")}@example.com`;
    const { clientSecret } = await signUp(api, { email });
    await enterCard(stripe.url, clientSecret);
    proxy.breakAt(line, fault);
    // The visitor's next sign-up finds the card, and fails where it is broken.
    expect((await signUp(api, { email })).status).toBe(fault === "409" ? 409 : 503);
    expect(await rowOf(email)).toMatchObject({ status: "active", stripe_subscription_id: null });

    proxy.repair();
    await grow(email, HOUR);
    await runScheduled(api);
    expect(await rowOf(email)).toMatchObject({ status: "trialing" });
    expect((await atStripe(email)).subscriptions).toHaveLength(1);
    await expect.poll(() => mails(stripe, email)).toHaveLength(1);
  });

  it("deletes the sign-ups that another one with their e-mail has superseded", async () => {
    const first = await signUp(api, { email: "rival@example.com" }, "rival-1");
    const second = await signUp(api, { email: "rival@example.com" }, "rival-2");
    await enterCard(stripe.url, first.clientSecret);
    await enterCard(stripe.url, second.clientSecret);
    expect((await signUp(api, { email: "rival@example.com" }, "rival-1")).status).toBe(200);
    expect((await signUp(api, { email: "rival@example.com" }, "rival-2")).status).toBe(409);
    await grow("rival@example.com", 1 * HOUR);
    await runScheduled(api);

    const left = await rows(api, "SELECT status, idempotency_key FROM sign_ups WHERE email = 'rival@example.com'");
    expect(left).toContainEqual({ status: "trialing", idempotency_key: "rival-1" });
    await grow("rival@example.com", 48 * HOUR);
    await runScheduled(api);
    expect(await rows(api, "SELECT status FROM sign_ups WHERE email = 'rival@example.com' ORDER BY status")).toEqual([
      { status: "trialing" },
    ]);
    expect((await atStripe("rival@example.com")).customers).toHaveLength(1);
  });

  it.each([
    ["before", "refuse"],
    ["after", "lose-answer"],
  ] satisfies [string, Fault][])(
    "lets an erasure that was cut off %s Stripe deleted the customer be repeated",
    async (when, fault) => {
      const email = `erased-${when}@example.com`;
      const { clientSecret } = await signUp(api, { email });
      await enterCard(stripe.url, clientSecret);
      await signUp(api, { email });
      const erase = () =>
        post(`${api.url}/operator/erase`, JSON.stringify({ email }), { authorization: `Bearer ${OPERATOR_TOKEN}` });
      proxy.breakAt("DELETE /v1/customers/", fault);
      expect((await erase()).status).toBe(503);
      expect(await rowOf(email)).toMatchObject({ status: "trialing" });

      proxy.repair();
      expect(JSON.parse((await erase()).text)).toEqual({ erased: 1 });
      expect(await rowOf(email)).toBeUndefined();
      expect((await atStripe(email)).customers).toEqual([]);
    },
  );

  it("asks Stripe about a trial that should be over when no webhook told", async () => {
    const { clientSecret } = await signUp(api, { email: "silent@example.com" });
    await enterCard(stripe.url, clientSecret);
    await signUp(api, { email: "silent@example.com" });
    const row = await rowOf("silent@example.com");
    await stripeAt(stripe).subscriptions.update(String(row?.stripe_subscription_id), { trial_end: "now" });
    await grow("silent@example.com", 5 * 24 * HOUR);
    await runScheduled(api);

    expect(await rowOf("silent@example.com")).toMatchObject({ status: "active", check_at: null });
  });

  it("goes on with the others when one fails, and forgets events of thirty days ago", async () => {
    await rows(
      api,
      "INSERT INTO stripe_events VALUES ('evt_old', 'x', ?), ('evt_new', 'x', ?)",
      ago(30 * 24 * HOUR + 1),
      ago(30 * 24 * HOUR - HOUR),
    );
    await signUp(api, { email: "fails@example.com" });
    await signUp(api, { email: "works@example.com" });
    const failing = await rowOf("fails@example.com");
    proxy.breakAt(`GET /v1/setup_intents/${failing?.stripe_setup_intent_id}`, "500-before");
    await grow("fails@example.com", 24 * HOUR);
    await grow("works@example.com", 24 * HOUR);
    await runScheduled(api);

    expect(await rowOf("works@example.com")).toBeUndefined();
    expect(await rowOf("fails@example.com")).toMatchObject({ status: "pending" });
    await expect
      .poll(() => api.logs)
      .toContainEqual(expect.objectContaining({ event: "sign_up_reconcile_failed", signUpId: failing?.id }));
    expect(await rows(api, "SELECT id FROM stripe_events")).toEqual([{ id: "evt_new" }]);
  });
});
