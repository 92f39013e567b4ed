import { expect, test } from "vitest";
import { stripeClient } from "../../../../functions/subscription-api/stripe/client";
import { stripeWebhook, WEBHOOK_EVENTS } from "../../../../functions/subscription-api/stripe/events";
import { eventOf, secondsNow, sign } from "../../../support/stripe/stripe-events";

/* What is read of Stripe's events: https://docs.stripe.com/api/events/types */

const SECRET = "whsec_of_this_test_alone_1234";
const { read } = stripeWebhook(stripeClient({ secretKey: "sk_test_1", webhookSecrets: [SECRET] }, "nobody"), [SECRET]);
const receive = (payload: string, timestamp = secondsNow()) => read(payload, sign(payload, SECRET, timestamp));

const SIGN_UP = "6f1c9d3e-8a20-4b57-9c14-2d5e7f8a9b01";
const setupIntent = { id: "seti_1", customer: "cus_1", metadata: { sign_up_id: SIGN_UP } };
const card = { signUpId: SIGN_UP, customerId: "cus_1", setupIntentId: "seti_1" };
const subscription = { id: "sub_1", customer: "cus_1", status: "trialing" };
const changed = { status: "subscription-changed", stripeSubscriptionId: "sub_1", customerId: "cus_1" };

const READ: [string, object, object][] = [
  ["setup_intent.succeeded", setupIntent, { status: "card-set-up", card }],
  ["setup_intent.setup_failed", setupIntent, { status: "card-declined", card }],
  ["customer.subscription.created", subscription, changed],
  ["customer.subscription.updated", subscription, changed],
  ["customer.subscription.deleted", subscription, changed],
  ["customer.subscription.paused", subscription, changed],
  ["customer.subscription.resumed", subscription, changed],
  ["customer.subscription.trial_will_end", subscription, changed],
  ["invoice.paid", { id: "in_1", amount_paid: 1 }, { status: "invoice-paid", invoiceId: "in_1" }],
];

test.each(READ)("%s is read [G7]", async (type, object, expected) => {
  expect(await receive(eventOf(type, object, "evt_1"))).toEqual({ ...expected, event: { id: "evt_1", type } });
});

test("the webhook endpoint is set up for exactly the events that are read", () => {
  expect([...WEBHOOK_EVENTS].sort()).toEqual(READ.map(([type]) => type).sort());
});

test.each<[string, string]>([
  ["of another type", eventOf("setup_intent.created", setupIntent)],
  ["about the empty invoice of a trial", eventOf("invoice.paid", { id: "in_1", amount_paid: 0 })],
  ["about a setup intent without a sign-up", eventOf("setup_intent.succeeded", { ...setupIntent, metadata: {} })],
  ["about a customer of another service", eventOf("setup_intent.succeeded", { ...setupIntent, customer: null })],
  ["without an id", eventOf("customer.subscription.updated", subscription, "")],
  ["that is not JSON", "{"],
  ["that is empty", "null"],
])("an event %s is ignored [G8]", async (_, payload) => {
  expect(await receive(payload)).toEqual({ status: "ignored" });
});

test("a signature is valid for five minutes, for its secret and its bytes [G7] [G12]", async () => {
  const payload = eventOf("invoice.paid", { id: "in_1", amount_paid: 1 });
  const status = async (body: string, header: string) => (await read(body, header)).status;
  expect((await receive(payload, secondsNow() - 290)).status).toBe("invoice-paid");
  expect((await receive(payload, secondsNow() - 310)).status).toBe("rejected");
  expect(await status(payload, sign(payload, `${SECRET}x`))).toBe("rejected");
  expect(await status(`${payload} `, sign(payload, SECRET))).toBe("rejected");
  for (const header of ["", "t=1", "nonsense"]) expect(await status(payload, header), header).toBe("rejected");
});

test("a thin event is recognized after its signature is verified [G17]", async () => {
  const payload = JSON.stringify({ id: "evt_1", object: "v2.core.event", type: "v1.invoice.paid" });
  expect(await receive(payload)).toEqual({ status: "thin" });
  expect(await read(payload, "")).toEqual({ status: "rejected" });
});
