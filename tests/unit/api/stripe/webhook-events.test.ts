import { expect, test } from "vitest";
import { stopClock } from "../../../support/clock";
import { eventOf, secondsNow, sign } from "../../../support/stripe-events";
import { signUpsInProcess } from "../sign-ups/sign-ups";

/* Stripe's events: which are accepted, and the fields that are read. */

stopClock();

const SECRETS = { new: "whsec_of_the_next_months_1234", old: "whsec_of_this_month_12345678" };
const SIGN_UP = "6f1c9d3e-8a20-4b57-9c14-2d5e7f8a9b01";
const SETUP_INTENT = { id: "seti_1", customer: "cus_1", metadata: { sign_up_id: SIGN_UP } };
const SUBSCRIPTION = { id: "sub_1", customer: "cus_1" };

/** Reads an event with the secrets of a rotation; signed with the old one unless given otherwise. */
function receive(payload: string, signature = sign(payload, SECRETS.old)) {
  const { services } = signUpsInProcess({ settings: { STRIPE_WEBHOOK_SECRET: `${SECRETS.new},${SECRETS.old}` } });
  return services.stripeWebhook.read(payload, signature);
}

test.each([
  { type: "setup_intent.succeeded", kind: "card-set-up" },
  { type: "setup_intent.setup_failed", kind: "card-declined" },
])("$type is read as $kind, with its sign-up", async ({ type, kind }) => {
  const card = { signUpId: SIGN_UP, setupIntentId: "seti_1" };
  const expected = { kind, event: { id: "evt_1", type }, card };
  expect(await receive(eventOf(type, SETUP_INTENT, "evt_1"))).toEqual(expected);
});

test.each([
  { type: "customer.subscription.created" },
  { type: "customer.subscription.updated" },
  { type: "customer.subscription.deleted" },
  { type: "customer.subscription.paused" },
  { type: "customer.subscription.resumed" },
  { type: "customer.subscription.trial_will_end" },
])("$type is read as a changed subscription, with its customer", async ({ type }) => {
  const expected = {
    kind: "subscription-changed",
    event: { id: "evt_1", type },
    stripeSubscriptionId: "sub_1",
    customerId: "cus_1",
  };
  expect(await receive(eventOf(type, SUBSCRIPTION, "evt_1"))).toEqual(expected);
});

test.each([
  { what: "of another type", payload: eventOf("setup_intent.created", SETUP_INTENT) },
  {
    what: "about a setup intent without a sign-up",
    payload: eventOf("setup_intent.succeeded", { ...SETUP_INTENT, metadata: {} }),
  },
  {
    what: "about a setup intent of another service",
    payload: eventOf("setup_intent.succeeded", { ...SETUP_INTENT, customer: null }),
  },
  { what: "without an ID", payload: eventOf("customer.subscription.updated", SUBSCRIPTION, "") },
  { what: "that is not JSON", payload: "{" },
])("an event $what is ignored", async ({ payload }) => {
  expect(await receive(payload)).toEqual({ kind: "ignored" });
});

const PAYLOAD = eventOf("setup_intent.succeeded", SETUP_INTENT);
const signedAgo = (seconds: number) => sign(PAYLOAD, SECRETS.old, secondsNow() - seconds);

test.each([
  { what: "of five minutes ago, less a second", signature: () => signedAgo(299) },
  { what: "with the new secret of a rotation", signature: () => sign(PAYLOAD, SECRETS.new) },
])("a signature $what is valid", async ({ signature }) => {
  expect(await receive(PAYLOAD, signature())).toMatchObject({ kind: "card-set-up" });
});

test.each([
  { what: "of more than five minutes ago", signature: () => signedAgo(301) },
  { what: "with another secret", signature: () => sign(PAYLOAD, `${SECRETS.old}x`) },
  { what: "of another body", signature: () => sign(`${PAYLOAD} `, SECRETS.old) },
  { what: "without a signature", signature: () => "t=1" },
  { what: "that is missing", signature: () => "" },
  { what: "that makes no sense", signature: () => "nonsense" },
])("a signature $what is rejected", async ({ signature }) => {
  expect(await receive(PAYLOAD, signature())).toEqual({ kind: "rejected" });
});
