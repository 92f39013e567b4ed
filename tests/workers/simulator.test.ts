import { afterAll, expect, test } from "vitest";
import { enterCard, post, stripeAt } from "../support/visitors/visitor";
import { startStripeSimulator } from "../support/workers/workers";

const DAY = 86_400;

/* As Stripe, where API and site rely on it: one example of each kind. */

const simulator = await startStripeSimulator();
const stripe = stripeAt(simulator);
afterAll(simulator.dispose);

/** A setup intent as the API makes it. */
async function newIntent(email: string) {
  const { id: customer } = await stripe.customers.create({ email });
  const kind = { usage: "off_session" as const, allowed_payment_method_types: ["card" as const] };
  const { id, client_secret } = await stripe.setupIntents.create({ customer, ...kind });
  return { id, customer, secret: client_secret ?? "" };
}

test.each([
  ["500-before", [500, 0], [500, 0]],
  ["500-after", [500, 1], [500, 1]],
  ["429", [429, 0], [200, 1]],
  ["no-fault", [200, 1], [200, 1]],
])("after %s an idempotency key has this answer and the next, and so many customers", async (fault, first, next) => {
  const email = `${fault}@example.com`;
  const create = async (more: Record<string, string> = {}) => {
    const headers = { authorization: "Bearer sk_test_local", "content-type": "application/x-www-form-urlencoded" };
    const body = String(new URLSearchParams({ email }));
    const { status } = await post(`${simulator.url}/v1/customers`, body, {
      ...headers,
      "idempotency-key": fault,
      ...more,
    });
    return [status, (await stripe.customers.list({ email })).data.length];
  };
  expect([await create({ "simulator-fault": fault }), await create()]).toEqual([first, next]);
});

test.each([
  ["4242424242424242", 200, "succeeded", 400],
  ["4000000000000002", 402, "requires_payment_method", 200],
])(
  "a card %s is answered %i, its setup intent is %s, and the next card gets %i",
  async (number, answer, state, again) => {
    const { id, secret } = await newIntent(`${number}@example.com`);
    const { status } = await enterCard(simulator.url, secret, number);
    expect([status, (await stripe.setupIntents.retrieve(id)).status]).toEqual([answer, state]);
    expect((await enterCard(simulator.url, secret)).status).toBe(again);
  },
);

test("the clock ends a trial, charges, tries a declined charge again, and ends what is canceled", async () => {
  const { id, customer, secret } = await newIntent("ada@example.com");
  await enterCard(simulator.url, secret);
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
  expect(await (await fetch(`${simulator.url}/dashboard/${customer}`)).text()).not.toContain("1970");
});
