import { afterAll, expect, test } from "vitest";
import { enterCard, stripeAt } from "../support/visitors/visitor";
import { startStripeSimulator } from "../support/workers/workers";

const DAY = 86_400;
const DECLINED_LATER = "4000000000000341";

/* As Stripe, where the API relies on it: one example of each kind. */

const simulator = await startStripeSimulator({ misused: true });
const stripe = stripeAt(simulator);
afterAll(simulator.dispose);

/** Posts a form as the API does. */
function send(path: string, form: Record<string, string>, more: Record<string, string> = {}) {
  const headers = { authorization: "Bearer sk_test_local", ...more };
  return fetch(`${simulator.url}/v1/${path}`, { method: "POST", headers, body: new URLSearchParams(form) });
}

async function newIntent() {
  const { id: customer } = await stripe.customers.create({ email: `${crypto.randomUUID()}@example.com` });
  const card = { usage: "off_session" as const, allowed_payment_method_types: ["card" as const] };
  const { id, client_secret } = await stripe.setupIntents.create({ customer, ...card });
  return { id, customer, secret: String(client_secret) };
}

/** A subscription on trial with a card, as the API makes it. */
async function onTrial(number?: string) {
  const { id, customer, secret } = await newIntent();
  await enterCard(simulator.url, secret, number);
  const card = String((await stripe.setupIntents.retrieve(id)).payment_method);
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card } });
  const { id: subscription } = await stripe.subscriptions.create({
    ...{ customer, items: [{ price: "price_standard" }], trial_period_days: 5 },
    trial_settings: { end_behavior: { missing_payment_method: "cancel" } },
  });
  const press = (fields: Record<string, string>) =>
    fetch(`${simulator.url}/dashboard/${customer}`, { method: "POST", body: new URLSearchParams(fields) });
  const state = async () => {
    const { status } = await stripe.subscriptions.retrieve(subscription);
    const [invoice] = (await stripe.invoices.list({ subscription, limit: 1 })).data;
    return [status, invoice?.status, invoice?.amount_due, invoice?.attempt_count];
  };
  return { card, press, state };
}

test.each([
  ["500-before", [500, 0], [500, 0]],
  ["500-after", [500, 1], [500, 1]],
  ["429", [429, 0], [200, 1]],
  ["no fault", [200, 1], [200, 1]],
])("an idempotency key after %s: the first answer and the next", async (fault, first, next) => {
  const email = `${fault.replace(" ", "-")}@example.com`;
  const create = async (name: string, asked: Record<string, string> = {}) => {
    const { status } = await send("customers", { email, name }, { "idempotency-key": fault, ...asked });
    return [status, (await stripe.customers.list({ email })).data.length];
  };
  expect([await create("Ada", { "simulator-fault": fault }), await create("Ada")]).toEqual([first, next]);
  expect((await create("Bea"))[0], "other parameters").toBe(400);
});

test.each([
  ["4242424242424242", 200, "succeeded"],
  ["4000000000000002", 402, "requires_payment_method"],
])("a setup intent confirmed with the card %s answers %i and is %s", async (number, answer, state) => {
  const { id, secret } = await newIntent();
  const { status } = await enterCard(simulator.url, secret, number);
  expect([status, (await stripe.setupIntents.retrieve(id)).status]).toEqual([answer, state]);
  expect((await enterCard(simulator.url, secret)).status, "again").toBe(state === "succeeded" ? 400 : 200);
  await expect(stripe.setupIntents.cancel(id)).rejects.toMatchObject({ code: "setup_intent_unexpected_state" });
});

test("an unknown parameter is refused by its name, and a complaint in /health", async () => {
  const response = await send("customers", { nmae: "Ada" });
  const { error } = JSON.parse(await response.text());
  expect([response.status, error]).toMatchObject([400, { code: "parameter_unknown", param: "nmae" }]);
  const { complaints } = JSON.parse(await (await fetch(`${simulator.url}/health`)).text());
  expect(complaints).toContain(`POST /v1/customers: ${error.message}`);
});

test("the clock ends a trial, charges, tries a declined charge again, and ends what is canceled", async () => {
  const { press, state } = await onTrial();
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
    await press(fields);
    expect(await state(), JSON.stringify(fields)).toEqual(expected);
  }
});

test("a charge that is declined four times ends the subscription, and a trial without a card is canceled", async () => {
  const [declined, withoutCard] = [await onTrial(DECLINED_LATER), await onTrial()];
  await stripe.paymentMethods.detach(withoutCard.card);
  await declined.press({ seconds: String(22 * DAY) });
  expect(await declined.state()).toEqual(["canceled", "open", 50_000, 4]);
  expect(await withoutCard.state()).toEqual(["canceled", "paid", 0, 0]);
});
