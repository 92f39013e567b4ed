import { afterAll, expect, test } from "vitest";
import { enterCard, stripeAt } from "../support/visitors/visitor";
import { startStripeSimulator } from "../support/workers/workers";

const DAY = 86_400;

/* The clock of the simulated Stripe, by which a trial goes on: one journey. */

const simulator = await startStripeSimulator();
const stripe = stripeAt(simulator);
afterAll(simulator.dispose);

test("the clock ends a trial, charges, tries a declined charge again, and ends what is canceled", async () => {
  const { id: customer } = await stripe.customers.create({ email: "ada@example.com" });
  const kind = { usage: "off_session" as const, allowed_payment_method_types: ["card" as const] };
  const { id, client_secret } = await stripe.setupIntents.create({ customer, ...kind });
  await enterCard(simulator.url, client_secret ?? undefined);
  const card = String((await stripe.setupIntents.retrieve(id)).payment_method);
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card } });
  const { id: subscription } = await stripe.subscriptions.create({
    ...{ customer, items: [{ price: "price_standard" }], trial_period_days: 5 },
    trial_settings: { end_behavior: { missing_payment_method: "cancel" } },
  });
  for (const [fields, expected] of [
    [{ action: "none" }, ["trialing", "paid", 0, 0]],
    [{ seconds: String(5 * DAY) }, ["active", "draft", 50_000, 0]],
    [{ action: "next" }, ["active", "paid", 50_000, 1]],
    [{ action: "next" }, ["active", "draft", 50_000, 0]],
    [{ action: "fail" }, ["active", "draft", 50_000, 0]],
    [{ action: "next" }, ["past_due", "open", 50_000, 1]],
    [{ action: "next" }, ["active", "paid", 50_000, 2]],
    [{ action: "cancel at the end" }, ["active", "paid", 50_000, 2]],
    [{ action: "next" }, ["canceled", "paid", 50_000, 2]],
  ] as const) {
    await fetch(`${simulator.url}/dashboard/${customer}`, { method: "POST", body: new URLSearchParams(fields) });
    const { status } = await stripe.subscriptions.retrieve(subscription);
    const [invoice] = (await stripe.invoices.list({ subscription, limit: 1 })).data;
    const state = [status, invoice?.status, invoice?.amount_due, invoice?.attempt_count];
    expect(state, JSON.stringify(fields)).toEqual(expected);
  }
});
