import type Stripe from "stripe";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stripeAt } from "../../support/visitors/visitor";
import { type RunningWorker, startStripeSimulator } from "../../support/workers/workers";

const HOUR = 60 * 60;
const DAY = 24 * HOUR;
/** Monday, 5 January 2026, 12:00 UTC. */
const START = Date.UTC(2026, 0, 5, 12) / 1000;

describe("the simulator's clock", () => {
  let worker: RunningWorker;
  let stripe: Stripe;
  beforeAll(async () => {
    worker = await startStripeSimulator();
    stripe = stripeAt(worker);
  });
  afterAll(() => worker.dispose());

  /** A customer with a clock of its own, a card and a subscription. */
  async function subscriber(
    card = "pm_card_visa",
    own: Partial<Stripe.SubscriptionCreateParams> = { trial_period_days: 5 },
  ) {
    const clock = await stripe.testHelpers.testClocks.create({ frozen_time: START });
    const customer = await stripe.customers.create({ email: "life@example.com", test_clock: clock.id });
    const { id: cardId } = await stripe.paymentMethods.attach(card, { customer: customer.id });
    await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: cardId } });
    const subscription = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: "price_standard" }],
      trial_settings: { end_behavior: { missing_payment_method: "cancel" } },
      ...own,
    });
    return {
      customer,
      cardId,
      subscription,
      at: async (seconds: number) => {
        await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: START + seconds });
        const now = await stripe.subscriptions.retrieve(subscription.id, { expand: ["latest_invoice"] });
        const invoice = now.latest_invoice;
        return [
          now.status,
          typeof invoice === "object" && invoice ? [invoice.status, invoice.amount_due, invoice.attempt_count] : null,
        ];
      },
      /** Types and times of its events, in order. */
      events: async () => {
        const all = (await stripe.events.list({ limit: 100 })).data.reverse();
        const own = all.filter(({ data }) => "customer" in data.object && data.object.customer === customer.id);
        return own.map(({ type, created }) => `${type} ${(created - START) / HOUR}`);
      },
    };
  }

  test("a trial ends with a draft invoice, charged an hour later, and then renews each month [N10]", async () => {
    const { at, events, subscription } = await subscriber();

    expect(subscription).toMatchObject({ status: "trialing", trial_end: START + 5 * DAY, created: START });
    expect(await at(5 * DAY - 1)).toEqual(["trialing", ["paid", 0, 0]]);
    expect(await at(5 * DAY)).toEqual(["active", ["draft", 50_000, 0]]);
    expect(await at(5 * DAY + HOUR)).toEqual(["active", ["paid", 50_000, 1]]);
    expect(await at(36 * DAY)).toEqual(["active", ["draft", 50_000, 0]]);
    expect(await at(36 * DAY + HOUR)).toEqual(["active", ["paid", 50_000, 1]]);
    const trial = ["created", "trial_will_end", "updated"].map((type) => `customer.subscription.${type}`);
    expect((await events()).filter((event) => !event.includes("payment_succeeded"))).toEqual([
      "payment_method.attached 0",
      "invoice.created 0",
      `${trial[0]} 0`,
      "invoice.finalized 0",
      "invoice.paid 0",
      `${trial[1]} ${2 * 24}`,
      "invoice.created 120",
      `${trial[2]} 120`,
      "invoice.finalized 121",
      "invoice.paid 121",
      `invoice.created ${36 * 24}`,
      `${trial[2]} ${36 * 24}`,
      `invoice.finalized ${36 * 24 + 1}`,
      `invoice.paid ${36 * 24 + 1}`,
    ]);
  });

  test("the simulator announces the end of a trial of two days when it begins", async () => {
    const { at, events } = await subscriber("pm_card_visa", { trial_period_days: 2 });
    await at(2 * DAY);
    expect((await events()).filter((event) => event.includes("trial_will_end"))).toEqual([
      "customer.subscription.trial_will_end 0",
    ]);
  });

  test("a declined charge is retried after 3, 5 and 7 days, then the subscription ends [N10]", async () => {
    const { at, events } = await subscriber("pm_card_chargeCustomerFail");
    const first = 5 * DAY + HOUR;

    expect(await at(first)).toEqual(["past_due", ["open", 50_000, 1]]);
    expect(await at(first + 3 * DAY)).toEqual(["past_due", ["open", 50_000, 2]]);
    expect(await at(first + 8 * DAY)).toEqual(["past_due", ["open", 50_000, 3]]);
    expect(await at(first + 15 * DAY)).toEqual(["canceled", ["open", 50_000, 4]]);
    expect((await events()).slice(-2).map((event) => event.split(" ")[0])).toEqual([
      "invoice.payment_failed",
      "customer.subscription.deleted",
    ]);
  });

  test("a subscription is canceled at the end of its period unless the cancellation is reversed [N10]", async () => {
    const [leaves, stays] = [await subscriber(), await subscriber()];
    const leaving = { status: "trialing", cancel_at: START + 5 * DAY, cancel_at_period_end: true, canceled_at: START };
    for (const { subscription } of [leaves, stays]) {
      expect(await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true })).toMatchObject(leaving);
    }
    const back = await stripe.subscriptions.update(stays.subscription.id, { cancel_at_period_end: false });
    expect(back).toMatchObject({ cancel_at: null, cancel_at_period_end: false, canceled_at: null });

    expect(await leaves.at(5 * DAY)).toEqual(["canceled", ["paid", 0, 0]]);
    expect(await stays.at(5 * DAY + HOUR)).toEqual(["active", ["paid", 50_000, 1]]);
    expect((await leaves.events()).at(-1)).toBe("customer.subscription.deleted 120");
  });

  test.each([
    ["cancel", "canceled", "deleted"],
    ["pause", "paused", "paused"],
    ["create_invoice", "past_due", "updated"],
  ] as const)(
    "a trial without a card ends by its setting %s with the status %s",
    async (missing_payment_method, status, event) => {
      const trial_settings = { end_behavior: { missing_payment_method } };
      const { at, events, cardId } = await subscriber("pm_card_visa", {
        trial_period_days: 5,
        trial_settings,
      });
      await stripe.paymentMethods.detach(cardId);
      expect((await at(5 * DAY + HOUR))[0]).toBe(status);
      expect((await events()).at(-1)).toContain(`customer.subscription.${event}`);
    },
  );

  test("paused collection voids the invoice and charges nothing [N10]", async () => {
    const { at, subscription } = await subscriber();
    await stripe.subscriptions.update(subscription.id, { pause_collection: { behavior: "void" } });
    expect(await at(5 * DAY + HOUR)).toEqual(["active", ["void", 50_000, 0]]);
  });

  test("a subscription without a trial needs a card and is charged at once [N9]", async () => {
    const customer = await stripe.customers.create({});
    const create = () => stripe.subscriptions.create({ customer: customer.id, items: [{ price: "price_mini" }] });
    await expect(create()).rejects.toMatchObject({ code: "resource_missing", statusCode: 400 });

    const { subscription } = await subscriber("pm_card_visa", {});
    expect(subscription).toMatchObject({ status: "active" });
    const failed = await subscriber("pm_card_chargeCustomerFail", {});
    expect(failed.subscription).toMatchObject({ status: "incomplete" });
  });

  test("a test clock moves only forward, by two months at most", async () => {
    const clock = await stripe.testHelpers.testClocks.create({ frozen_time: START });
    const advance = (frozen_time: number) => stripe.testHelpers.testClocks.advance(clock.id, { frozen_time });
    await expect(advance(START)).rejects.toMatchObject({ param: "frozen_time" });
    await expect(advance(START + 70 * DAY)).rejects.toMatchObject({ param: "frozen_time" });
    expect(await advance(START + 60 * DAY)).toMatchObject({ status: "advancing" });
    expect(await stripe.testHelpers.testClocks.retrieve(clock.id)).toMatchObject({
      status: "ready",
      frozen_time: START + 60 * DAY,
    });
  });

  test("the dashboard shows a customer's timeline and moves the account's clock [N10]", async () => {
    const customer = await stripe.customers.create({ name: "Ada <b>" });
    const { id: card } = await stripe.paymentMethods.attach("pm_card_visa", { customer: customer.id });
    const trial = {
      customer: customer.id,
      items: [{ price: "price_mini" }],
      default_payment_method: card,
      trial_period_days: 5,
    };
    const { id } = await stripe.subscriptions.create(trial);
    const pageOf = `${worker.url}/dashboard/${customer.id}`;
    const press = async (fields: Record<string, string>) => {
      const answer = await fetch(pageOf, { method: "POST", body: new URLSearchParams(fields), redirect: "manual" });
      expect([answer.status, answer.headers.get("location")]).toEqual([303, `/dashboard/${customer.id}`]);
      return (await stripe.subscriptions.retrieve(id)).status;
    };

    expect(await press({ action: "fail" })).toBe("trialing");
    expect(await press({ seconds: String(5 * DAY) })).toBe("active");
    expect(await press({ action: "next" })).toBe("past_due");
    expect(await press({ action: "next" })).toBe("active");
    const made = await stripe.customers.create({});
    expect(made.created).toBeGreaterThan(Date.now() / 1000 + 8 * DAY);
    expect(await press({ action: "cancel at the end" })).toBe("active");
    expect(await press({ action: "cancel" })).toBe("canceled");
    const page = await (await fetch(pageOf)).text();
    expect(page).toContain("Ada &lt;b&gt;");
    expect(page).toContain("<strong>invoice.payment_failed</strong><span>$100.00</span>");
    expect(page).toContain("past_due → active");
  });
});
