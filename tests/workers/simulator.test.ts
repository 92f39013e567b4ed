import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type Stripe from "stripe";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { enterCard, stripeAt } from "../support/visitors/visitor";
import { type RunningWorker, startStripeSimulator } from "../support/workers/workers";

const HOUR = 60 * 60;
const DAY = 24 * HOUR;

const PRICE = {
  ...{ currency: "usd", lookup_key: "mini", product: "prod_mini" },
  ...{ "recurring[interval]": "month", transfer_lookup_key: "true" },
};

/** An endpoint for webhooks that refuses the first event it gets. */
async function startEndpoint() {
  const received: { body: string; signature: string }[] = [];
  const server = createServer(async (request, response) => {
    received.push({ body: await text(request), signature: String(request.headers["stripe-signature"]) });
    response.writeHead(received.length === 1 ? 500 : 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { received, url: `http://127.0.0.1:${port}/`, dispose: () => server.close().closeAllConnections() };
}

describe("the Stripe simulator answers as Stripe where the API relies on it", () => {
  let endpoint: Awaited<ReturnType<typeof startEndpoint>>;
  let simulator: RunningWorker;
  let stripe: Stripe;
  beforeAll(async () => {
    endpoint = await startEndpoint();
    simulator = await startStripeSimulator({ webhookUrl: endpoint.url, misused: true });
    stripe = stripeAt(simulator);
  });
  afterAll(async () => {
    await simulator.dispose();
    endpoint.dispose();
  });

  async function newIntent(): Promise<Stripe.SetupIntent & { client_secret: string }> {
    const { id: customer } = await stripe.customers.create({ email: "ada@example.com" });
    const intent = await stripe.setupIntents.create({
      customer,
      usage: "off_session",
      allowed_payment_method_types: ["card"],
    });
    return { ...intent, client_secret: String(intent.client_secret) };
  }

  /** A subscription on trial with a card, as the API makes it. */
  async function onTrial(number?: string) {
    const { id, client_secret, customer } = await newIntent();
    await enterCard(simulator.url, client_secret, number);
    const { payment_method } = await stripe.setupIntents.retrieve(id);
    const invoice_settings = { default_payment_method: String(payment_method) };
    await stripe.customers.update(String(customer), { invoice_settings });
    const { id: subscription } = await stripe.subscriptions.create({
      customer: String(customer),
      items: [{ price: "price_standard" }],
      trial_period_days: 5,
      trial_settings: { end_behavior: { missing_payment_method: "cancel" } },
    });
    const press = (fields: Record<string, string>) =>
      fetch(`${simulator.url}/dashboard/${customer}`, { method: "POST", body: new URLSearchParams(fields) });
    const state = async () => {
      const found = await stripe.subscriptions.retrieve(subscription, { expand: ["latest_invoice"] });
      const invoice = found.latest_invoice as Stripe.Invoice;
      return [found.status, invoice.status, invoice.amount_due, invoice.attempt_count];
    };
    return { customer: String(customer), subscription, press, state };
  }

  test("an idempotency key repeats its answer, a 500 too, but neither a 429 nor a 409", async () => {
    const create = async (key: string, fault?: string, email = `${key}@example.com`) => {
      const headers = { authorization: "Bearer sk_test_local", "idempotency-key": key };
      const response = await fetch(`${simulator.url}/v1/customers`, {
        method: "POST",
        headers: { ...headers, ...(fault && { "simulator-fault": fault }) },
        body: new URLSearchParams({ email }),
      });
      await response.text();
      return [response.status, (await stripe.customers.list({ email })).data.length];
    };
    expect([await create("k1"), await create("k1")]).toEqual([Array(2), Array(2)].map(() => [200, 1]));
    expect(await create("k1", undefined, "other@example.com")).toEqual([400, 0]);
    for (const [fault, first, again] of [
      ["500-before", [500, 0], [500, 0]],
      ["500-after", [500, 1], [500, 1]],
      ["429", [429, 0], [200, 1]],
      ["409", [409, 0], [200, 1]],
    ] as const) {
      expect([await create(fault, fault), await create(fault)], fault).toEqual([first, again]);
    }
  });

  test("IDs are expanded to objects, in lists too, four levels deep", async () => {
    const { customer, subscription } = await onTrial();
    const found = await stripe.subscriptions.retrieve(subscription, {
      expand: ["items.data.price.product", "customer.invoice_settings.default_payment_method", "latest_invoice"],
    });
    expect(found).toMatchObject({
      items: { data: [{ price: { product: { object: "product", name: "STANDARD" } } }] },
      customer: { id: customer, invoice_settings: { default_payment_method: { card: { last4: "4242" } } } },
      latest_invoice: { status: "paid", amount_due: 0 },
    });
    const { data } = await stripe.setupIntents.list({ customer, expand: ["data.payment_method"] });
    expect(data).toMatchObject([{ payment_method: { object: "payment_method" } }]);
    for (const path of ["items.data.price.product.default_price", "id", "trial_settings"]) {
      const expanding = stripe.subscriptions.retrieve(subscription, { expand: [path] });
      await expect(expanding, path).rejects.toMatchObject({ statusCode: 400, param: "expand" });
    }
  });

  test.each([
    ["4242424242424242", 200, "succeeded"],
    ["4000000000000341", 200, "succeeded"],
    ["4000000000000002", 402, "requires_payment_method"],
    ["4242424242424241", 402, "requires_payment_method"],
  ])("a confirmed setup intent with the card %s answers %i and is %s", async (number, status, state) => {
    const { id, client_secret } = await newIntent();
    const answer = await enterCard(simulator.url, client_secret, number);
    expect([answer.status, (await stripe.setupIntents.retrieve(id)).status]).toEqual([status, state]);
    const again = await enterCard(simulator.url, client_secret);
    expect(again.status, "only an unfinished one can be confirmed again").toBe(state === "succeeded" ? 400 : 200);
    await expect(stripe.setupIntents.cancel(id)).rejects.toMatchObject({ code: "setup_intent_unexpected_state" });
  });

  test.each([
    ["complete", "succeeded", "succeeded"],
    ["fail", "failed", "requires_payment_method"],
  ])("the bank's page ends with %s: the browser returns with %s, once", async (outcome, redirect_status, status) => {
    const { id, client_secret } = await newIntent();
    const { body } = await enterCard(simulator.url, client_secret, "4000002500003155");
    const { url } = body.next_action.redirect_to_url;
    const press = () => fetch(url, { method: "POST", body: new URLSearchParams({ outcome }), redirect: "manual" });
    const location = new URL(String((await press()).headers.get("location")));
    const setup = { setup_intent: id, setup_intent_client_secret: client_secret, redirect_status };
    expect(Object.fromEntries(location.searchParams)).toEqual({ from: "card", ...setup });
    expect([(await stripe.setupIntents.retrieve(id)).status, (await press()).status]).toEqual([status, 404]);
  });

  test.each([
    ["an unknown parameter", "POST", "customers", { nmae: "Ada" }, 400, "parameter_unknown", "nmae"],
    ["an unknown field", "POST", "customers", { "address[street]": "1" }, 400, "parameter_unknown", "address[street]"],
    ["a missing parameter", "POST", "prices", { unit_amount: "1" }, 400, "parameter_missing", "currency"],
    ["a fraction", "POST", "prices", { unit_amount: "1.5", ...PRICE }, 400, "parameter_invalid_integer", "unit_amount"],
    ["an email address without a domain", "POST", "customers", { email: "ada" }, 400, "email_invalid", "email"],
    ["an unknown object", "POST", "setup_intents/seti_1/cancel", {}, 404, "resource_missing", "id"],
    ["an unknown operation", "POST", "sources", {}, 404, undefined, undefined],
    ["another page's client secret", "POST", "customers", { key: "pk_test_1" }, 401, "secret_key_required", undefined],
  ])("%s is refused by its name", async (_name, method, path, form, status, code, param) => {
    const headers: Record<string, string> = "key" in form ? {} : { authorization: "Bearer sk_test_local" };
    const body = new URLSearchParams(Object.entries<string>(form));
    const response = await fetch(`${simulator.url}/v1/${path}`, { method, headers, body });
    const { error } = JSON.parse(await response.text());
    expect([response.status, error.type, error.code]).toEqual([status, "invalid_request_error", code]);
    if (param) expect(error.param).toBe(param);
    const { complaints } = JSON.parse(await (await fetch(`${simulator.url}/health`)).text());
    const isMisuse = code?.startsWith("parameter") || path === "sources";
    if (isMisuse) expect(complaints.at(-1)).toBe(`${method} /v1/${path}: ${error.message}`);
  });

  test("a publishable key sees the setup intent of its client secret, without the customer", async () => {
    const { id, client_secret } = await newIntent();
    const see = async (secret: string) => {
      const query = new URLSearchParams({ key: "pk_test_local", client_secret: secret });
      const response = await fetch(`${simulator.url}/v1/setup_intents/${id}?${query}`);
      return { status: response.status, ...JSON.parse(await response.text()) };
    };
    const shown = await see(client_secret);
    expect([shown.id, Object.hasOwn(shown, "customer"), Object.hasOwn(shown, "metadata")]).toEqual([id, false, false]);
    expect((await see("seti_1_secret_2")).error).toMatchObject({ code: "resource_missing" });
  });

  test("the clock ends a trial, charges an hour later, tries a declined charge again, and ends what is canceled", async () => {
    const { press, state, subscription } = await onTrial();
    expect(await state()).toEqual(["trialing", "paid", 0, 0]);
    const steps = [
      [{ seconds: String(5 * DAY) }, ["active", "draft", 50_000, 0]],
      [{ action: "next" }, ["active", "paid", 50_000, 1]],
      [{ action: "next" }, ["active", "draft", 50_000, 0]],
      [{ action: "fail" }, ["active", "draft", 50_000, 0]],
      [{ action: "next" }, ["past_due", "open", 50_000, 1]],
      [{ action: "next" }, ["active", "paid", 50_000, 2]],
      [{ action: "cancel at the end" }, ["active", "paid", 50_000, 2]],
      [{ action: "next" }, ["canceled", "paid", 50_000, 2]],
    ] as const;
    for (const [fields, expected] of steps) {
      await press(fields);
      expect(await state(), JSON.stringify(fields)).toEqual(expected);
    }
    const events = (await stripe.events.list({ limit: 100 }).autoPagingToArray({ limit: 1000 })).reverse();
    const own = events.filter(({ data: { object } }) => "id" in object && object.id === subscription);
    const types = own.map(({ type }) => type.replace("customer.subscription.", ""));
    expect(types).toEqual(["created", "trial_will_end", ...Array(5).fill("updated"), "deleted"]);
  });

  test("a charge that is declined four times ends the subscription, and a trial without a card is canceled", async () => {
    const declined = await onTrial("4000000000000341");
    await declined.press({ seconds: String(5 * DAY + HOUR + 16 * DAY) });
    expect(await declined.state()).toEqual(["canceled", "open", 50_000, 4]);
    const { customer, press, state } = await onTrial();
    const { data } = await stripe.setupIntents.list({ customer });
    await stripe.paymentMethods.detach(String(data[0]?.payment_method));
    await press({ seconds: String(5 * DAY) });
    expect(await state()).toEqual(["canceled", "paid", 0, 0]);
  });

  test("an event is signed and sent again until the endpoint takes it", async () => {
    const { id, client_secret } = await newIntent();
    await enterCard(simulator.url, client_secret);
    const sent = () =>
      endpoint.received.filter(({ body }) => body.includes(id) && body.includes("setup_intent.succeeded"));
    await expect.poll(() => sent().length).toBeGreaterThan(0);
    const { body = "", signature = "" } = sent()[0] ?? {};
    const event = stripe.webhooks.constructEvent(body, signature, "whsec_local_development_only");
    expect(event).toMatchObject({ type: "setup_intent.succeeded", data: { object: { id } } });
    const [first] = endpoint.received;
    await expect.poll(() => endpoint.received.filter((one) => one.body === first?.body).length).toBe(2);
  });
});
