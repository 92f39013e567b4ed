import { afterEach, describe, expect, test, vi } from "vitest";
import { handleInvoicePaid } from "../../../../functions/subscription-api/sign-ups/first-payment";
import { signUpsInMemory } from "../../../support/database/sign-ups-in-memory";

const EVENT = { id: "evt_1", type: "invoice.paid" };
const SUBSCRIBED = "status = 'active', stripe_customer_id = 'cus_1', stripe_subscription_id = 'sub_1'";
const PAID = { subscriptionId: "sub_1", customerId: "cus_1", isPaid: true };

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a paid invoice", () => {
  test("of a sign-up's subscription is noted as its first payment", async () => {
    const { services, stripe, signUpWith, find, isProcessed } = signUpsInMemory();
    const { id } = await signUpWith(SUBSCRIBED);
    stripe.invoices.set("in_1", PAID);
    expect(await handleInvoicePaid("in_1", services, EVENT)).toBe("active");
    expect((await find(id)).paid_at).toEqual(expect.any(String));
    expect(await isProcessed(EVENT)).toBe(true);
  });

  test.each<[string, object]>([
    ["of another customer", { subscriptionId: "sub_2", customerId: "cus_2" }],
    ["that Stripe has as unpaid or empty", { isPaid: false }],
    ["for something else than a subscription", { subscriptionId: undefined }],
    ["of no customer", { customerId: null }],
  ])("%s is nobody's first payment, and its event is done with", async (_, fields) => {
    const { services, stripe, signUpWith, find, isProcessed } = signUpsInMemory();
    const { id } = await signUpWith(SUBSCRIBED);
    stripe.invoices.set("in_1", { ...PAID, ...fields });
    expect(await handleInvoicePaid("in_1", services, EVENT)).toBe("unknown");
    expect((await find(id)).paid_at).toBeNull();
    expect(await isProcessed(EVENT)).toBe(true);
  });

  test("that Stripe does not know is nobody's", async () => {
    const { services, isProcessed } = signUpsInMemory();
    expect(await handleInvoicePaid("in_1", services, EVENT)).toBe("unknown");
    expect(await isProcessed(EVENT)).toBe(true);
  });
});
