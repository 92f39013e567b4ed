import { afterAll, expect, test } from "vitest";
import { enterCard, stripeAt } from "../support/visitors/visitor";
import { startUpstream } from "../support/workers/upstream";
import { startStripeSimulator } from "../support/workers/workers";

const DAY = 86_400;

/* As Stripe, where the API relies on it: one example of each kind. */

const endpoint = await startUpstream();
endpoint.answers((response) => response.writeHead(endpoint.calls.length === 1 ? 500 : 200).end());
const simulator = await startStripeSimulator({ webhookUrl: endpoint.url, misused: true });
const stripe = stripeAt(simulator);
afterAll(async () => {
  await simulator.dispose();
  endpoint.dispose();
});

async function newIntent() {
  const email = `${crypto.randomUUID()}@example.com`;
  const { id: customer } = await stripe.customers.create({ email });
  const card = { usage: "off_session" as const, allowed_payment_method_types: ["card" as const] };
  const { id, client_secret } = await stripe.setupIntents.create({ customer, ...card });
  const status = async () => (await stripe.setupIntents.retrieve(id)).status;
  return { id, customer, secret: String(client_secret), status };
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
  return { card, subscription, press, state };
}

test.each([
  ["500-before", [500, 0], [500, 0]],
  ["500-after", [500, 1], [500, 1]],
  ["429", [429, 0], [200, 1]],
  ["409", [409, 0], [200, 1]],
  ["no fault", [200, 1], [200, 1]],
])("an idempotency key after %s: the first answer and the next", async (fault, first, next) => {
  const email = `${fault.replace(" ", "-")}@example.com`;
  const create = async (name: string, asked: Record<string, string> = {}) => {
    const headers = { authorization: "Bearer sk_test_local", "idempotency-key": fault, ...asked };
    const body = new URLSearchParams({ email, name });
    const { status } = await fetch(`${simulator.url}/v1/customers`, { method: "POST", headers, body });
    return [status, (await stripe.customers.list({ email })).data.length];
  };
  expect([await create("Ada", { "simulator-fault": fault }), await create("Ada")]).toEqual([first, next]);
  expect((await create("Bea"))[0], "other parameters").toBe(400);
});

test.each([
  ["4242424242424242", 200, "succeeded"],
  ["4000000000000002", 402, "requires_payment_method"],
])("a setup intent confirmed with the card %s answers %i and is %s", async (number, answer, state) => {
  const { id, secret, status } = await newIntent();
  expect([(await enterCard(simulator.url, secret, number)).status, await status()]).toEqual([answer, state]);
  expect((await enterCard(simulator.url, secret)).status, "again").toBe(state === "succeeded" ? 400 : 200);
  await expect(stripe.setupIntents.cancel(id)).rejects.toMatchObject({ code: "setup_intent_unexpected_state" });
});

test.each([
  ["complete", "succeeded", "succeeded"],
  ["fail", "failed", "requires_payment_method"],
])("the bank's page ends with %s: the browser returns with %s, once", async (outcome, redirect_status, state) => {
  const { id, secret, status } = await newIntent();
  const { url } = (await enterCard(simulator.url, secret, "4000002500003155")).body.next_action.redirect_to_url;
  const press = () => fetch(url, { method: "POST", body: new URLSearchParams({ outcome }), redirect: "manual" });
  const { searchParams } = new URL(String((await press()).headers.get("location")));
  const setup = { setup_intent: id, setup_intent_client_secret: secret, redirect_status };
  expect(Object.fromEntries(searchParams)).toEqual({ from: "card", ...setup });
  expect([await status(), (await press()).status]).toEqual([state, 404]);
});

test.each<[string, string, Record<string, string>, number, string | undefined, string | undefined]>([
  ["an unknown parameter", "customers", { nmae: "Ada" }, 400, "parameter_unknown", "nmae"],
  ["a missing parameter", "prices", { unit_amount: "1" }, 400, "parameter_missing", "currency"],
  ["an unknown operation", "sources", {}, 404, undefined, undefined],
  ["a publishable key", "customers", { key: "pk_test_1" }, 401, "secret_key_required", undefined],
])("%s is refused by its name", async (_name, path, form, status, code, param) => {
  const headers: Record<string, string> = form.key ? {} : { authorization: "Bearer sk_test_local" };
  const sent = { method: "POST", headers, body: new URLSearchParams(form) };
  const response = await fetch(`${simulator.url}/v1/${path}`, sent);
  const { error } = JSON.parse(await response.text());
  expect([response.status, error.type, error.code, error.param]).toEqual([
    status,
    "invalid_request_error",
    code,
    param,
  ]);
  const { complaints } = JSON.parse(await (await fetch(`${simulator.url}/health`)).text());
  const isMisuse = code?.startsWith("parameter") || path === "sources";
  expect(complaints.includes(`POST /v1/${path}: ${error.message}`)).toBe(isMisuse);
});

test("the clock ends a trial, charges an hour later, tries a declined charge again, and ends what is canceled", async () => {
  const { press, state, subscription } = await onTrial();
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
  const events = (await stripe.events.list({ limit: 100 }).autoPagingToArray({ limit: 1000 })).reverse();
  const own = events.filter(({ data: { object } }) => "id" in object && object.id === subscription);
  const types = own.map(({ type }) => type.replace("customer.subscription.", ""));
  expect(types).toEqual(["created", "trial_will_end", ...Array(5).fill("updated"), "deleted"]);
});

test("a charge that is declined four times ends the subscription, and a trial without a card is canceled", async () => {
  const [declined, withoutCard] = [await onTrial("4000000000000341"), await onTrial()];
  await stripe.paymentMethods.detach(withoutCard.card);
  await declined.press({ seconds: String(22 * DAY) });
  expect(await declined.state()).toEqual(["canceled", "open", 50_000, 4]);
  expect(await withoutCard.state()).toEqual(["canceled", "paid", 0, 0]);
});

test("an event is signed and sent again until the endpoint takes it", async () => {
  const { id, secret } = await newIntent();
  await enterCard(simulator.url, secret);
  const { calls } = endpoint;
  const sent = () => calls.find(({ body }) => body.includes(id) && body.includes("setup_intent.succeeded"));
  await expect.poll(sent).toBeDefined();
  const { body = "", headers = {} } = sent() ?? {};
  const signature = String(headers["stripe-signature"]);
  const event = stripe.webhooks.constructEvent(body, signature, "whsec_local_development_only");
  expect(event).toMatchObject({ type: "setup_intent.succeeded", data: { object: { id } } });
  await expect.poll(() => calls.filter((call) => call.body === calls[0]?.body).length).toBe(2);
});
