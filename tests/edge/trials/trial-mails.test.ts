import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type FaultyBackend, startFaultyBackend } from "../../support/faults/faulty-backend";
import { anotherCard, inPortal } from "../../support/stripe/portal";
import { deliver, rowOf, setupEvent } from "../../support/stripe/set-up-card";
import { eventOf } from "../../support/stripe/stripe-events";
import { enterCard, mails, rows, signUp, stripeAt } from "../../support/visitors/visitor";
import { type RunningWorker, runScheduled } from "../../support/workers/workers";

const DAY_MS = 24 * 60 * 60_000;
const PAST = "2026-01-01T00:00:00.000Z";
const PORTAL = "http://localhost:8789/p/login/test?prefilled_email=";

const dayOf = (time: unknown) =>
  new Date(String(time)).toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" });

describe("the mails about a trial", () => {
  let backend: FaultyBackend;
  let api: RunningWorker;
  let stripe: RunningWorker;
  beforeAll(async () => {
    backend = await startFaultyBackend();
    ({ api, stripe } = backend);
    // Stripe's webhooks arrive.
    backend.webhooks.repair();
  });
  afterEach(() => backend.proxy.repair());
  afterAll(() => backend.dispose());

  async function onTrial(email: string, fields: Record<string, unknown> = {}) {
    const { clientSecret } = await signUp(api, { email, ...fields });
    await enterCard(stripe.url, clientSecret);
    await expect.poll(() => rowOf(api, email)).toMatchObject({ status: "trialing" });
    return rowOf(api, email);
  }

  /** What Stripe sends about a subscription. */
  async function tell(type: string, subscriptionId: unknown) {
    const subscription = await stripeAt(stripe).subscriptions.retrieve(String(subscriptionId));
    expect(await deliver(api, eventOf(`customer.subscription.${type}`, subscription))).toBe(200);
  }

  const reminder = async (id: unknown) =>
    (await rows(api, "SELECT * FROM outbox WHERE kind = 'trial-ending' AND sign_up_id = ?", id))[0];

  /** Lets the day of the reminder come. */
  async function remind(id: unknown) {
    await rows(api, "UPDATE outbox SET next_attempt_at = ? WHERE sign_up_id = ? AND state = 'due'", PAST, id);
    await runScheduled(api);
  }

  const subjects = async (email: string) => (await mails(stripe, email)).map(({ subject }) => subject);
  const latest = async (email: string) => (await mails(stripe, email))[0]?.text ?? "";

  it("say at its start what was agreed to and when, the plan, the first charge, the card, and how to cancel [T1] [T5]", async () => {
    const row = await onTrial("start@example.com");
    await expect.poll(() => mails(stripe, "start@example.com")).toHaveLength(1);
    const [mail] = await mails(stripe, "start@example.com");
    const end = dayOf(row.trial_end);
    const agreed = `${dayOf(row.created_at)}, ${String(row.created_at).slice(11, 16)} UTC`;
    for (const form of [mail?.text, mail?.html]) {
      expect(form).toContain("STANDARD");
      expect(form).toContain("Your card was not charged.");
      expect(form).toContain(
        `Unless you cancel before then, $500.00 plus any tax will be taken from your card, Visa ending in 4242, on ${end}, and then every month until you cancel.`,
      );
      expect(form).toContain(`on ${agreed}, with our terms: http://localhost:8787/terms`);
      expect(form).toContain(`${PORTAL}start%40example.com`);
    }
    expect(mail?.text).toContain(`First payment: $500.00 plus any tax, on ${end}`);
    expect(mail?.text).toContain("Card: Visa ending in 4242");
    expect(mail?.text).toContain(`Free trial: 5 days, until ${end}, ${String(row.trial_end).slice(11, 16)} UTC`);
    expect(mail?.text).toContain("To cancel, to change your card or to see your invoices, open the customer portal");
  });

  it("remind once, two days before its end, although Stripe tells of the end when the trial begins [T2]", async () => {
    const row = await onTrial("remind@example.com");
    await expect.poll(() => mails(stripe, "remind@example.com")).toHaveLength(1);
    for (const _ of [1, 2]) await tell("trial_will_end", row.stripe_subscription_id);
    await runScheduled(api);

    expect(await subjects("remind@example.com")).toEqual(["Your Citewell trial has started"]);
    const due = Date.parse(String(row.trial_end)) - 2 * DAY_MS;
    expect(await reminder(row.id)).toMatchObject({ state: "due", next_attempt_at: new Date(due).toISOString() });

    await remind(row.id);
    await remind(row.id);
    expect(await subjects("remind@example.com")).toEqual([
      `Your Citewell trial ends on ${dayOf(row.trial_end)}`,
      "Your Citewell trial has started",
    ]);
    expect(await latest("remind@example.com")).toContain("$500.00 plus any tax will be taken from your card");
  });

  it("do not remind of a trial of two days: the mail at its start has said everything [T2]", async () => {
    const row = await onTrial("short@example.com", { package_id: undefined });
    const made = await stripeAt(stripe).subscriptions.create({
      customer: String(row.stripe_customer_id),
      items: [{ price: "price_lite" }],
      trial_period_days: 2,
    });
    await tell("created", made.id);
    await tell("trial_will_end", made.id);
    expect(await rowOf(api, "short@example.com")).toMatchObject({ stripe_subscription_id: made.id });
    expect(await reminder(row.id)).toBeUndefined();
  });

  it("tell who has cancelled in the portal that nothing will be charged [T3] [T5]", async () => {
    const email = "portal@example.com";
    const row = await onTrial(email);
    const id = String(row.stripe_subscription_id);
    const end = dayOf(row.trial_end);
    await tell("trial_will_end", id);
    await inPortal(stripe, email, { intent: "cancel", subscription: id });
    const canceled = await stripeAt(stripe).subscriptions.retrieve(id);
    expect(canceled).toMatchObject({ status: "trialing", cancel_at: canceled.trial_end, cancel_at_period_end: false });
    const heard = () =>
      api.logs.filter(({ type, outcome }) => type === "customer.subscription.updated" && outcome === "trialing");
    await expect.poll(heard).not.toHaveLength(0);

    await remind(row.id);
    expect(await latest(email)).toContain(
      `You have cancelled your subscription. It ends on ${end}, and nothing will be charged.`,
    );
    expect(await latest(email)).toContain("First payment: none");
    expect(await latest(email)).not.toMatch(/\$500|will be taken/);
  });

  it("tell who has cancelled in the portal, and renewed there, what will be charged [T3] [T5]", async () => {
    const email = "renewed@example.com";
    const row = await onTrial(email);
    const id = String(row.stripe_subscription_id);
    await tell("trial_will_end", id);
    await inPortal(stripe, email, { intent: "cancel", subscription: id });
    await inPortal(stripe, email, { intent: "renew", subscription: id });
    await remind(row.id);
    expect(await latest(email)).toContain("Unless you cancel before then, $500.00 plus any tax will be taken");
  });

  it("read a cancellation that the API or the Dashboard has made too [T3]", async () => {
    const email = "dashboard@example.com";
    const row = await onTrial(email);
    await tell("trial_will_end", row.stripe_subscription_id);
    await stripeAt(stripe).subscriptions.update(String(row.stripe_subscription_id), { cancel_at_period_end: true });
    await remind(row.id);
    expect(await latest(email)).toContain("You have cancelled your subscription.");
    expect(await latest(email)).not.toContain("$500");
  });

  it("name the card that the portal has made the default one, which is also the one that is charged [T5] [T6]", async () => {
    const email = "new-card@example.com";
    const row = await onTrial(email);
    await tell("trial_will_end", row.stripe_subscription_id);
    await inPortal(stripe, email, anotherCard("4000000000000341"));
    await remind(row.id);
    expect(await latest(email)).toContain("Card: Visa ending in 0341");

    const subscription = await stripeAt(stripe).subscriptions.retrieve(String(row.stripe_subscription_id));
    expect(subscription.default_payment_method).toBeNull();
    // The new card fails: it was the one that was asked.
    await stripeAt(stripe).subscriptions.update(subscription.id, { trial_end: "now" });
    await expect.poll(() => rowOf(api, email)).toMatchObject({ status: "past_due" });
  });

  it("name the plan that the portal has changed to, with its price [T3] [T5]", async () => {
    const email = "another-plan@example.com";
    const row = await onTrial(email);
    await expect.poll(() => latest(email)).toContain("Plan: STANDARD\n");
    const found = await stripeAt(stripe).subscriptions.retrieve(String(row.stripe_subscription_id));
    const changed = await stripeAt(stripe).subscriptions.update(found.id, {
      items: [{ id: found.items.data[0]?.id, price: "price_lite" }],
      proration_behavior: "create_prorations",
    });
    expect(changed).toMatchObject({ status: "trialing", trial_end: found.trial_end });

    await remind(row.id);
    expect(await latest(email)).toContain("Plan: LITE\nTrial ends: ");
    expect(await latest(email)).toContain("$200.00 plus any tax will be taken from your card");
    expect(await latest(email)).not.toMatch(/STANDARD|\$500/);
  });

  it("name the plan that sales has chosen for a sign-up without one [T3]", async () => {
    const email = "by-sales@example.com";
    const row = await onTrial(email, { package_id: undefined });
    await expect.poll(() => latest(email)).toContain("Plan: not chosen yet\n");
    const made = await stripeAt(stripe).subscriptions.create({
      customer: String(row.stripe_customer_id),
      items: [{ price: "price_mini" }],
      trial_period_days: 4,
    });
    await tell("created", made.id);
    await tell("trial_will_end", made.id);
    await remind(row.id);
    expect(await latest(email)).toContain("Plan: MINI\nTrial ends: ");
    expect(await latest(email)).toContain("First payment: $100.00 plus any tax");
  });

  it("are dropped when they are no longer true, and the outbox and the log say why [T4]", async () => {
    const over = await onTrial("over@example.com");
    await tell("trial_will_end", over.stripe_subscription_id);
    // The webhook of the end is lost.
    backend.webhooks.decide(() => "refuse");
    await stripeAt(stripe).subscriptions.update(String(over.stripe_subscription_id), { trial_end: "now" });
    await remind(over.id);
    backend.webhooks.repair();
    expect(await reminder(over.id)).toMatchObject({ state: "dropped", drop_reason: "invoiced" });

    const longer = await onTrial("longer@example.com");
    await tell("trial_will_end", longer.stripe_subscription_id);
    const key = `trial-ending/${longer.id}/another end`;
    await rows(api, "UPDATE outbox SET key = ? WHERE kind = 'trial-ending' AND sign_up_id = ?", key, longer.id);
    await remind(longer.id);
    expect(await reminder(longer.id)).toMatchObject({ state: "dropped", drop_reason: "another-end" });

    expect(await subjects("over@example.com")).toEqual(["Your Citewell trial has started"]);
    expect(await subjects("longer@example.com")).toEqual(["Your Citewell trial has started"]);
    for (const [signUpId, reason] of [
      [over.id, "invoiced"],
      [longer.id, "another-end"],
    ]) {
      const line = { event: "message_dropped", kind: "trial-ending", signUpId, reason };
      expect(api.logs).toContainEqual(expect.objectContaining(line));
    }
  });

  it("wait until Stripe can be asked [T3]", async () => {
    const email = "unasked@example.com";
    const { clientSecret } = await signUp(api, { email });
    await enterCard(stripe.url, clientSecret);
    backend.proxy.decide(({ path }) =>
      path.includes("expand") && path.includes("subscriptions") ? "500-before" : undefined,
    );
    await deliver(api, await setupEvent(stripe, "setup_intent.succeeded", clientSecret));
    await expect.poll(() => rowOf(api, email)).toMatchObject({ status: "trialing" });
    const { id } = await rowOf(api, email);
    const failure = { event: "message_failed", kind: "trial-started", signUpId: id, reason: "stripe-failed" };
    await expect.poll(() => api.logs).toContainEqual(expect.objectContaining(failure));
    expect(await mails(stripe, email)).toEqual([]);

    backend.proxy.repair();
    await remind(id);
    await expect.poll(() => subjects(email)).toContain("Your Citewell trial has started");
  });
});
