import { afterAll, describe, expect, test } from "vitest";
import { enterCard, mails, newIntent, post, stripeAt } from "../support/visitors/visitor";
import { startStripeSimulator } from "../support/workers/workers";

/* The simulator behaves like Stripe where the API and the site rely on it: one example of each kind. */

const DAY_SECONDS = 86_400;

const simulator = await startStripeSimulator();
const stripe = stripeAt(simulator);
afterAll(simulator.dispose);

describe("an idempotency key", () => {
  /** Creates a customer under the key, and says how it was answered and how many customers there are. */
  async function create(key: string, more: Record<string, string> = {}) {
    const email = `${key}@example.com`;
    const { status } = await post(`${simulator.url}/v1/customers`, String(new URLSearchParams({ email })), {
      authorization: "Bearer sk_test_local",
      "content-type": "application/x-www-form-urlencoded",
      "idempotency-key": key,
      ...more,
    });
    return { status, customers: (await stripe.customers.list({ email })).data.length };
  }

  test.each([
    {
      fault: "500-before",
      what: "repeats the answer of a failure before the work",
      first: { status: 500, customers: 0 },
      again: { status: 500, customers: 0 },
    },
    {
      fault: "500-after",
      what: "repeats the answer of a failure after the work",
      first: { status: 500, customers: 1 },
      again: { status: 500, customers: 1 },
    },
    {
      fault: "429",
      what: "does not repeat a rate limit's refusal",
      first: { status: 429, customers: 0 },
      again: { status: 200, customers: 1 },
    },
    {
      fault: "no-fault",
      what: "creates one customer",
      first: { status: 200, customers: 1 },
      again: { status: 200, customers: 1 },
    },
  ])("$what", async ({ fault, first, again }) => {
    expect(await create(fault, { "simulator-fault": fault }), "the first answer").toEqual(first);
    expect(await create(fault), "the second answer").toEqual(again);
  });

  /** Subscribes under the key. Returns the status, and whether the answer is a repetition. */
  async function subscribe(key: string, fields: Record<string, string>): Promise<string> {
    const response = await fetch(`${simulator.url}/v1/subscriptions`, {
      method: "POST",
      body: new URLSearchParams({
        ...{ "items[0][price]": "price_mini", trial_period_days: "5" },
        "trial_settings[end_behavior][missing_payment_method]": "cancel",
        ...fields,
      }),
      headers: { authorization: "Bearer sk_test_local", "idempotency-key": key },
    });
    return `${response.status}${response.headers.has("idempotent-replayed") ? " repeated" : ""}`;
  }

  test("repeats a refusal for 24 hours, even after its cause is fixed; another key is not refused", async () => {
    const { id: customer } = await stripe.customers.create({});
    await stripe.prices.update("price_mini", { active: false });
    expect(await subscribe("archived", { customer }), "while the price is archived").toBe("400");
    await stripe.prices.update("price_mini", { active: true });
    expect(await subscribe("archived", { customer }), "once it is active").toBe("400 repeated");
    expect(await subscribe("another", { customer }), "under another key").toBe("200");
    await fetch(`${simulator.url}/dashboard`, { method: "POST", body: new URLSearchParams({ seconds: "86400" }) });
    expect(await subscribe("archived", { customer }), "a day later").toBe("200");
  });

  test("does not repeat the refusal of an invalid request", async () => {
    const { id: customer } = await stripe.customers.create({});
    expect(await subscribe("invalid", { customer, "automatic_tax[enabled]": "perhaps" })).toBe("400");
    expect(await subscribe("invalid", { customer })).toBe("200");
  });
});

test("a list's second page begins after the last object of its first", async () => {
  const email = "pages@example.com";
  for (let made = 0; made < 3; made += 1) await stripe.customers.create({ email });
  const first = await stripe.customers.list({ email, limit: 2 });
  const second = await stripe.customers.list({ email, limit: 2, starting_after: first.data.at(-1)?.id });
  expect([first, second].map(({ data, has_more }) => [data.length, has_more])).toEqual([
    [2, true],
    [1, false],
  ]);
  expect(new Set([...first.data, ...second.data].map(({ id }) => id)).size).toBe(3);
});

test("an event that could not be delivered is listed, among those of its type and time", async () => {
  const { secret, id } = await newIntent(stripe, "undelivered@example.com");
  await enterCard(simulator.url, secret, "4000000000000002");
  const types = ["setup_intent.setup_failed"];
  const listed = async (filter: object) => {
    const { data } = await stripe.events.list({ types, delivery_success: false, ...filter });
    return data.filter((event) => event.type === "setup_intent.setup_failed" && event.data.object.id === id);
  };
  const [event] = await listed({});
  const created = event?.created ?? 0;
  expect(await listed({ created: { gte: created, lt: created + 1 } })).toEqual([event]);
  expect(await listed({ delivery_success: true })).toEqual([]);
  expect(await listed({ types: ["setup_intent.succeeded"] })).toEqual([]);
  expect(await listed({ created: { gt: created } })).toEqual([]);
  expect(await listed({ created: { lt: created } })).toEqual([]);
});

test("the mail provider sends an email once for its key, and refuses the key with another text", async () => {
  const send = async (text: string) => {
    const email = { from: "us@example.com", to: ["ada@example.com"], subject: "Hello", html: "<p>Hello</p>", text };
    const headers = { authorization: "Bearer re_local", "idempotency-key": "one-email" };
    const { status, text: answer } = await post(`${simulator.url}/emails`, JSON.stringify(email), headers);
    return { status, ...JSON.parse(answer) };
  };
  const first = await send("Hello");
  expect(await send("Hello")).toEqual(first);
  expect(await send("Good-bye")).toMatchObject({ status: 409, name: "invalid_idempotent_request" });
  expect((await mails(simulator, "ada@example.com")).map(({ text }) => text)).toEqual(["Hello"]);
});

test("the simulator's root redirects to the dashboard", async () => {
  expect(await fetch(simulator.url, { redirect: "manual" })).toRedirectTo("/dashboard", 302);
});

describe("the dashboard's clock", () => {
  /** A trial of five days, and what a person does with it on the dashboard. */
  async function trial(email: string) {
    const { id, customer, secret } = await newIntent(stripe, email);
    await enterCard(simulator.url, secret);
    const card = String((await stripe.setupIntents.retrieve(id)).payment_method);
    await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card } });
    const { id: subscription } = await stripe.subscriptions.create({
      customer,
      items: [{ price: "price_standard" }],
      trial_period_days: 5,
      trial_settings: { end_behavior: { missing_payment_method: "cancel" } },
    });
    const page = `${simulator.url}/dashboard/${customer}`;
    const send = async (fields: Record<string, string>) => {
      await fetch(page, { method: "POST", body: new URLSearchParams(fields) });
    };
    return {
      endTrial: () => send({ seconds: String(5 * DAY_SECONDS) }),
      /** Goes on to the next thing that happens. */
      next: () => send({ action: "next" }),
      failNextCharge: () => send({ action: "fail" }),
      cancelAtTheEnd: () => send({ action: "cancel at the end" }),
      page: async () => (await fetch(page)).text(),
      /** The subscription with its latest invoice. */
      async state() {
        const { status } = await stripe.subscriptions.retrieve(subscription);
        const [invoice] = (await stripe.invoices.list({ subscription, limit: 1 })).data;
        return {
          subscription: status,
          invoice: invoice?.status,
          cents: invoice?.amount_due,
          attempts: invoice?.attempt_count,
        };
      },
    };
  }

  test("shows a trial with a first invoice of nothing", async () => {
    const { state, page } = await trial("new@example.com");
    expect(await state()).toEqual({ subscription: "trialing", invoice: "paid", cents: 0, attempts: 0 });
    expect(await page(), "a time that was never set").not.toContain("1970");
  });

  test("ends a trial with an invoice, which is charged an hour later", async () => {
    const { endTrial, next, state } = await trial("charged@example.com");
    await endTrial();
    expect(await state()).toEqual({ subscription: "active", invoice: "draft", cents: 50_000, attempts: 0 });
    await next();
    expect(await state()).toEqual({ subscription: "active", invoice: "paid", cents: 50_000, attempts: 1 });
  });

  test("makes an invoice for the next month", async () => {
    const { endTrial, next, state } = await trial("monthly@example.com");
    await endTrial();
    await next();
    await next();
    expect(await state()).toEqual({ subscription: "active", invoice: "draft", cents: 50_000, attempts: 0 });
  });

  test("retries a declined charge", async () => {
    const { endTrial, failNextCharge, next, state } = await trial("retried@example.com");
    await endTrial();
    await failNextCharge();
    expect(await state()).toEqual({ subscription: "active", invoice: "draft", cents: 50_000, attempts: 0 });
    await next();
    expect(await state()).toEqual({ subscription: "past_due", invoice: "open", cents: 50_000, attempts: 1 });
    await next();
    expect(await state()).toEqual({ subscription: "active", invoice: "paid", cents: 50_000, attempts: 2 });
  });

  test("ends a canceled subscription at the end of the month", async () => {
    const { endTrial, next, cancelAtTheEnd, state } = await trial("canceled@example.com");
    await endTrial();
    await next();
    await cancelAtTheEnd();
    expect(await state()).toEqual({ subscription: "active", invoice: "paid", cents: 50_000, attempts: 1 });
    await next();
    expect(await state()).toEqual({ subscription: "canceled", invoice: "paid", cents: 50_000, attempts: 1 });
  });
});
