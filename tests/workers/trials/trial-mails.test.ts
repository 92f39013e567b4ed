import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type FaultyBackend, startFaultyBackend } from "../../support/faults/faulty-backend";
import { anotherCard, inPortal } from "../../support/stripe/portal";
import { deliver, rowOf } from "../../support/stripe/set-up-card";
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

  test("say at its start what was agreed to and when, the plan, the first charge, the card, and how to cancel [T1] [T5]", async () => {
    const row = await onTrial("start@example.com");
    await expect.poll(() => mails(stripe, "start@example.com")).toHaveLength(1);
    const [mail] = await mails(stripe, "start@example.com");
    const end = dayOf(row.trial_end);
    const agreed = `${dayOf(row.created_at)}, ${String(row.created_at).slice(11, 16)} UTC`;
    for (const form of [mail?.text, mail?.html]) {
      expect(form).toContain("STANDARD");
      expect(form).toContain("We haven’t charged your card.");
      expect(form).toContain(
        `Unless you cancel before then, we’ll charge $500.00 plus any tax to your Visa ending in 4242 on ${end}, and then every month until you cancel.`,
      );
      expect(form).toContain(`on ${agreed}, with our terms: http://localhost:8787/terms`);
      expect(form).toContain(`${PORTAL}start%40example.com`);
    }
    expect(mail?.text).toContain(`First payment: $500.00 plus any tax, on ${end}`);
    expect(mail?.text).toContain("Card: Visa ending in 4242");
    expect(mail?.text).toContain(`Free trial: 5 days, until ${end}, ${String(row.trial_end).slice(11, 16)} UTC`);
    expect(mail?.text).toContain("To cancel, to change your card or to see your invoices, open the customer portal");
  });

  test("remind once, two days before its end, although Stripe tells of the end when the trial begins [T2]", async () => {
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
    expect(await latest("remind@example.com")).toContain("we’ll charge $500.00 plus any tax to your Visa");
  });

  test("name the card that the portal has made the default one, which is also the one that is charged [T5] [T6]", async () => {
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
});
