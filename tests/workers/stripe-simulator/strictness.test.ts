import type Stripe from "stripe";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { enterCard, stripeAt } from "../../support/visitors/visitor";
import { type RunningWorker, startStripeSimulator } from "../../support/workers/workers";

describe("the Stripe simulator is as strict as Stripe", () => {
  let worker: RunningWorker;
  let stripe: Stripe;
  beforeAll(async () => {
    worker = await startStripeSimulator({ misused: true });
    stripe = stripeAt(worker);
  });
  afterAll(() => worker.dispose());

  async function send(
    method: string,
    path: string,
    form?: Record<string, string>,
    headers: Record<string, string> = {},
  ) {
    const response = await fetch(`${worker.url}${path}`, {
      method,
      headers: { authorization: "Bearer sk_test_local", ...headers },
      ...(form && { body: new URLSearchParams(form) }),
    });
    const { error } = JSON.parse(await response.text());
    return { status: response.status, ...error };
  }

  test.each([
    ["an unknown parameter", "/v1/customers", { nmae: "Ada" }, "parameter_unknown", "nmae"],
    ["an unknown field", "/v1/customers", { "address[street]": "1" }, "parameter_unknown", "address[street]"],
    [
      "one of an older version",
      "/v1/setup_intents",
      { "payment_method_types[]": "card" },
      "parameter_unknown",
      "payment_method_types",
    ],
    ["a missing parameter", "/v1/prices", { unit_amount: "1" }, "parameter_missing", "currency"],
    [
      "text for a number",
      "/v1/prices",
      { currency: "usd", unit_amount: "ten" },
      "parameter_invalid_integer",
      "unit_amount",
    ],
    ["a fraction", "/v1/prices", { currency: "usd", unit_amount: "1.5" }, "parameter_invalid_integer", "unit_amount"],
    [
      "an empty text for what cannot be unset",
      "/v1/setup_intents",
      { customer: "" },
      "parameter_invalid_empty",
      "customer",
    ],
    ["a value that is none of an enum", "/v1/setup_intents", { usage: "later" }, undefined, "usage"],
    ["a list for a text", "/v1/customers", { "email[0]": "a@b.example" }, undefined, "email"],
    ["a word for a boolean", "/v1/products", { name: "x", active: "yes" }, undefined, "active"],
    ["a long name of a business", "/v1/customers", { business_name: "x".repeat(151) }, undefined, "business_name"],
    ["an email address without a domain", "/v1/customers", { email: "ada" }, "email_invalid", "email"],
    ["metadata with a long key", "/v1/customers", { [`metadata[${"x".repeat(41)}]`]: "1" }, undefined, "metadata"],
    ["metadata with a long value", "/v1/customers", { "metadata[a]": "x".repeat(501) }, undefined, "metadata[a]"],
    ["an unknown customer", "/v1/setup_intents", { customer: "cus_none" }, "resource_missing", "customer"],
    [
      "allowed types beside automatic ones",
      "/v1/setup_intents",
      { "allowed_payment_method_types[0]": "card", "automatic_payment_methods[enabled]": "true" },
      "parameters_exclusive",
      "automatic_payment_methods",
    ],
    ["a field that cannot be expanded", "/v1/customers", { "expand[0]": "email" }, undefined, "expand"],
  ])("the simulator refuses %s [N8] [N9]", async (_name, path, form, code, param) => {
    const refused = await send("POST", path, form);
    expect(refused).toMatchObject({ status: 400, type: "invalid_request_error", param });
    expect(refused.code).toBe(code);
  });

  test("the simulator refuses metadata of 51 keys and accepts 50 with values of 500 characters [N9]", async () => {
    const metadata = (keys: number) =>
      Object.fromEntries(Array.from({ length: keys }, (_, index) => [`metadata[k${index}]`, "x".repeat(500)]));
    expect(await send("POST", "/v1/customers", metadata(51))).toMatchObject({ status: 400, param: "metadata" });
    expect((await send("POST", "/v1/customers", metadata(50))).status).toBe(200);
  });

  test("the simulator refuses unknown operations [N9]", async () => {
    for (const [method, path] of [
      ["GET", "/v1/sources"],
      ["PUT", "/v1/customers"],
      ["POST", "/v1/setup_intents/seti_1/succeed"],
    ] as const) {
      expect(await send(method, path)).toMatchObject({
        status: 404,
        message: `Unrecognized request URL (${method}: ${path}).`,
      });
    }
  });

  test("the simulator refuses an idempotency key of 256 characters, and a key reused with other parameters [N9]", async () => {
    const under = (key: string, name: string) => send("POST", "/v1/customers", { name }, { "idempotency-key": key });
    expect((await under("k".repeat(256), "a")).status).toBe(400);
    expect((await under("k".repeat(255), "a")).status).toBe(200);
    expect(await under("k".repeat(255), "b")).toMatchObject({ status: 400, type: "idempotency_error" });
  });

  test("the simulator refuses another customer's card, and a subscription to an unknown price", async () => {
    const [one, other] = [await stripe.customers.create({}), await stripe.customers.create({})];
    const { id } = await stripe.paymentMethods.attach("pm_card_visa", { customer: one.id });
    await expect(
      stripe.customers.update(other.id, { invoice_settings: { default_payment_method: id } }),
    ).rejects.toMatchObject({ code: "resource_missing" });
    await expect(stripe.paymentMethods.attach(id, { customer: other.id })).rejects.toMatchObject({ statusCode: 400 });
    for (const refused of [
      { items: [{ price: "price_mini" }], default_payment_method: id },
      { items: [{ price: "price_none" }], trial_period_days: 5 },
    ]) {
      const subscribing = stripe.subscriptions.create({ customer: other.id, ...refused });
      await expect(subscribing).rejects.toMatchObject({ code: "resource_missing", statusCode: 400 });
    }
  });

  test("the simulator expands IDs to objects, in responses and lists", async () => {
    const customer = await stripe.customers.create({ name: "Ada" });
    const intent = await stripe.setupIntents.create({ customer: customer.id, expand: ["customer"] });
    expect(intent.customer).toMatchObject({ object: "customer", name: "Ada" });
    await enterCard(worker.url, intent.client_secret ?? "");
    const { data } = await stripe.setupIntents.list({ customer: customer.id, expand: ["data.payment_method"] });
    expect(data[0]?.payment_method).toMatchObject({ object: "payment_method", card: { last4: "4242" } });
  });

  test("the simulator expands four levels deep but not five [N9]", async () => {
    const { id: customer } = await stripe.customers.create({});
    const expand = ["items.data.price.product"];
    const items = [{ price: "price_lite" }];
    const made = await stripe.subscriptions.create({ customer, items, trial_period_days: 5, expand });
    expect(made.items.data[0]?.price.product).toMatchObject({ object: "product", name: "LITE" });
    const deeper = `${expand}.default_price`;
    await expect(stripe.subscriptions.retrieve(made.id, { expand: [deeper] })).rejects.toMatchObject({
      param: "expand",
      message: `You cannot expand more than 4 levels of a property. Property: ${deeper}`,
    });
  });

  test("the simulator's health names the requests that Stripe would refuse", async () => {
    expect(await (await fetch(`${worker.url}/health`)).text()).toContain(
      "POST /v1/customers: Received unknown parameter: nmae",
    );
  });

  test("the simulator's responses and events have every field, in the endpoint's API version [N8]", async () => {
    const customer = await stripe.customers.create({ name: "Ada" });
    const [event] = (await stripe.events.list({ type: "customer.created", limit: 1 })).data;
    const [endpoint] = (await stripe.webhookEndpoints.list()).data;
    expect(event).toMatchObject({ api_version: "2026-10-28.endive", data: { object: { id: customer.id } } });
    expect(endpoint?.api_version).toBe(event?.api_version);
    expect(customer).toMatchObject({
      default_source: null,
      description: null,
      email: null,
      shipping: null,
      metadata: {},
    });
  });
});
