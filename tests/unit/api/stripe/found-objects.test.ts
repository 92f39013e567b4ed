import { describe, expect, test, vi } from "vitest";
import { answer } from "../../../support/api-in-process/stripe-objects";
import { NOW, stopClock } from "../../../support/clock";
import { paymentsOf } from "./payments-of";

/* Objects at Stripe that an earlier call made: how they are found again. */

stopClock();

const HOUR = 60 * 60_000;

test("a setup intent is read with its card", async () => {
  const { payments, sent } = await paymentsOf();
  await payments.findSetupIntent("seti_1");
  expect(sent).toEqual([
    expect.objectContaining({ call: "GET setup_intents/seti_1", params: { "expand[0]": "payment_method" } }),
  ]);
});

describe("Stripe forgets an idempotency key after a day, so a customer", () => {
  test("is created without a search until 23 hours have passed", async () => {
    const { payments, sent, signUp } = await paymentsOf();
    vi.setSystemTime(NOW + 23 * HOUR);
    await payments.findOrCreateCustomer(signUp);
    expect(sent.map(({ call }) => call)).toEqual(["POST customers"]);
  });

  test("is looked for first after 23 hours", async () => {
    const { payments, sent, signUp } = await paymentsOf();
    vi.setSystemTime(NOW + 23 * HOUR + 1);
    await payments.findOrCreateCustomer(signUp);
    expect(sent.map(({ call }) => call)).toEqual(["GET customers", "POST customers"]);
  });
});

describe("the customers of an email address", () => {
  const listed = (id: string, metadata: object) => answer(200, { data: [{ id, metadata }] });

  test("come from Stripe's list and from its search, each once", async () => {
    const { payments, answersNext } = await paymentsOf();
    answersNext("GET customers", listed("cus_1", { sign_up_id: "a" }));
    answersNext(
      "GET customers/search",
      answer(200, {
        data: [
          { id: "cus_1", metadata: { sign_up_id: "a" } },
          { id: "cus_2", metadata: { sign_up_id: "b" } },
        ],
      }),
    );
    expect(await payments.findCustomersOf("ada@example.com")).toEqual([
      { id: "cus_1", signUpId: "a" },
      { id: "cus_2", signUpId: "b" },
    ]);
  });

  test("do not include a customer without a sign-up", async () => {
    const { payments, answersNext } = await paymentsOf();
    const ofSales = listed("cus_3", {});
    answersNext("GET customers", ofSales);
    answersNext("GET customers/search", ofSales);
    expect(await payments.findCustomersOf("ada@example.com")).toEqual([]);
  });

  test("are searched for with the address's quotation marks escaped", async () => {
    const { payments, sent } = await paymentsOf();
    await payments.findCustomersOf('a"b@example.com');
    expect(sent).toEqual([
      expect.objectContaining({ call: "GET customers", params: { email: 'a"b@example.com', limit: "100" } }),
      expect.objectContaining({
        call: "GET customers/search",
        params: { query: 'email:"a\\"b@example.com"', limit: "100" },
      }),
    ]);
  });
});

test.each([
  { statuses: ["active"], found: "sub_1" },
  { statuses: ["canceled", "canceled"], found: "sub_1" },
  { statuses: ["canceled", "active"], found: "sub_2" },
  { statuses: ["past_due", "canceled", "active"], found: "sub_1" },
  { statuses: ["canceled", "canceled", "trialing"], found: "sub_3" },
])("of a customer's subscriptions, the newest first $statuses, $found counts", async ({ statuses, found }) => {
  const { payments, answersNext } = await paymentsOf();
  const data = statuses.map((status, at) => ({
    id: `sub_${at + 1}`,
    status,
    cancel_at_period_end: false,
    trial_end: null,
  }));
  answersNext("GET subscriptions", answer(200, { data }));
  expect((await payments.findSubscriptionOf("cus_1"))?.stripeSubscriptionId).toBe(found);
});
