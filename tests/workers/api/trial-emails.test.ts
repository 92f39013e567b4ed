import { afterAll, describe, expect, test } from "vitest";
import { anotherCard, inPortal } from "../../support/stripe/portal";
import { deliver, rowOf } from "../../support/stripe/set-up-card";
import { eventOf } from "../../support/stripe/stripe-events";
import { enterCard, mails, rows, signUp, stripeAt } from "../../support/visitors/visitor";
import { runScheduled, startBackend } from "../../support/workers/workers";

const PAST = "2026-01-01T00:00:00.000Z";

const dayOf = (time: unknown) =>
  new Date(String(time)).toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" });

const { api, stripe, dispose } = await startBackend();
afterAll(dispose);

describe("emails about a trial", () => {
  async function onTrial(email: string) {
    const { clientSecret } = await signUp(api, { email });
    await enterCard(stripe.url, clientSecret);
    await expect.poll(() => rowOf(api, email)).toMatchObject({ status: "trialing" });
    return rowOf(api, email);
  }

  /** What Stripe sends about a subscription. */
  async function tell(type: string, subscriptionId: unknown) {
    const subscription = await stripeAt(stripe).subscriptions.retrieve(String(subscriptionId));
    expect(await deliver(api, eventOf(`customer.subscription.${type}`, subscription))).toBe(200);
  }

  /** Lets the day of the reminder come. */
  async function remind(id: unknown) {
    await rows(api, "UPDATE outbox SET next_attempt_at = ? WHERE sign_up_id = ? AND state = 'due'", PAST, id);
    await runScheduled(api);
  }

  test("name at its start the agreement and its time, the plan, the first charge and the card, from Stripe's data [T1] [T5]", async () => {
    const row = await onTrial("start@example.com");
    await expect.poll(() => mails(stripe, "start@example.com")).toHaveLength(1);
    const [mail] = await mails(stripe, "start@example.com");
    const end = dayOf(row.trial_end);
    const agreed = `${dayOf(row.created_at)}, ${String(row.created_at).slice(11, 16)} UTC`;
    for (const form of [mail?.text, mail?.html]) {
      expect(form).toContain(
        `we’ll charge $500.00 USD to your Visa ending in 4242 on or after ${end} (UTC), and then every`,
      );
      expect(form).toContain(`on ${agreed}, with our `);
      expect(form).toContain("http://localhost:8787/terms");
      expect(form).toContain("http://localhost:8789/p/login/test?prefilled_email=start%40example.com");
      expect(form).not.toContain("Analytical-3ngine");
    }
    expect(mail?.text).toContain(`Free trial: 5 days, until ${end}, ${String(row.trial_end).slice(11, 16)} UTC`);
  });

  test("remind once, two days before its end, and name the card chosen in the portal, which is charged [T2] [T5] [T6]", async () => {
    const email = "remind@example.com";
    const row = await onTrial(email);
    await expect.poll(() => mails(stripe, email)).toHaveLength(1);
    // It comes three days before the end, or at the start of a short trial: here at the start, and again.
    for (const _ of [1, 2]) await tell("trial_will_end", row.stripe_subscription_id);
    await inPortal(stripe, email, anotherCard("4000000000000341"));
    await runScheduled(api);
    expect(await mails(stripe, email)).toHaveLength(1);
    for (const _ of [1, 2]) await remind(row.id);
    const [reminder, ...others] = await mails(stripe, email);
    expect(others).toMatchObject([{ subject: "Your Citewell trial has started" }]);
    expect(reminder?.subject).toBe(`Your Citewell trial ends on ${dayOf(row.trial_end)} (UTC)`);
    expect(reminder?.text).toContain("we’ll charge $500.00 USD to your Visa ending in 0341");

    const subscription = await stripeAt(stripe).subscriptions.retrieve(String(row.stripe_subscription_id));
    expect(subscription.default_payment_method).toBeNull();
    // The new card fails: it was the one that was asked.
    await stripeAt(stripe).subscriptions.update(subscription.id, { trial_end: "now" });
    await expect.poll(() => rowOf(api, email)).toMatchObject({ status: "past_due" });
  });

  test('after a charge "This wasn\'t me" refunds it, and a mail says so [H4] [T10]', async () => {
    const email = "charged@example.com";
    const row = await onTrial(email);
    await expect.poll(() => mails(stripe, email)).toHaveLength(1);
    const [start] = await mails(stripe, email);
    await stripeAt(stripe).subscriptions.update(String(row.stripe_subscription_id), { trial_end: "now" });
    await expect.poll(() => rowOf(api, email)).toMatchObject({ status: "active" });
    const [link = ""] = /http\S+not-me\S+/.exec(start?.text ?? "") ?? [];
    expect(await (await fetch(link)).text()).toContain("If the card was charged, we refund the charge");
    expect((await fetch(link, { method: "POST" })).status).toBe(200);
    await expect.poll(() => mails(stripe, email)).toHaveLength(2);
    const [told] = await mails(stripe, email);
    expect(told?.subject).toBe("Your Citewell payment is refunded");
    expect(told?.text).toContain("refunded $500.00 USD to the card");
    const { data } = await stripeAt(stripe).events.list({ type: "refund.created" });
    expect(data).toMatchObject([{ data: { object: { amount: 50_000, status: "succeeded" } } }]);
    expect(api.logs).toContainEqual(expect.objectContaining({ event: "charge_reported", refunded_cents: 50_000 }));
  });
});
