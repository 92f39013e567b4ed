import { expect, test } from "vitest";
import { handleInvoicePaid } from "../../../../functions/subscription-api/sign-ups/first-payment";
import { signUpsInProcess } from "../../../support/api-in-process/sign-ups";
import { answer } from "../../../support/api-in-process/stripe-model";

const EVENT = { id: "evt_1", type: "invoice.paid" };
const SUBSCRIBED = "status = 'active', stripe_customer_id = 'cus_1', stripe_subscription_id = 'sub_1'";

const of = (subscription: string) => ({ parent: { subscription_details: { subscription } } });
const PAID = { id: "in_1", status: "paid", amount_paid: 1, customer: "cus_1", ...of("sub_1") };

test.each<[string, object | undefined, boolean]>([
  ["for a sign-up's subscription is its first payment", {}, true],
  ["of another customer is ignored", { customer: "cus_2", ...of("sub_2") }, false],
  ["unpaid at Stripe is ignored", { status: "open" }, false],
  ["of zero dollars is ignored", { amount_paid: 0 }, false],
  ["without a subscription is ignored", { parent: null }, false],
  ["without a customer is ignored", { customer: null }, false],
  ["unknown to Stripe is ignored", undefined, false],
])("a paid invoice %s, and its event is processed", async (_, fields, isPayment) => {
  const { services, unknownToStripe, find, instead, isProcessed } = signUpsInProcess();
  const { id } = await unknownToStripe({}, SUBSCRIBED);
  if (fields) instead.set("GET invoices/in_1", answer(200, { ...PAID, ...fields }));
  expect(await handleInvoicePaid("in_1", services, EVENT)).toBe(isPayment ? "active" : "unknown");
  expect((await find(id)).paid_at).toEqual(isPayment ? expect.any(String) : null);
  expect(await isProcessed(EVENT)).toBe(true);
});
