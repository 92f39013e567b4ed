import { expect, test } from "vitest";
import { refusal } from "../../../support/api-in-process/stripe-objects";
import { stopClock } from "../../../support/clock";
import { eventOf, secondsNow, sign } from "../../../support/stripe-events";
import { signUpsInProcess } from "../sign-ups/sign-ups";

/* Stripe repeats an event until it gets a 2xx: https://docs.stripe.com/webhooks#retries */

stopClock();

/** A sign-up whose card is set up at Stripe, and the event about it. */
async function withCardSetUp() {
  const api = signUpsInProcess();
  const signUp = await api.pending();
  api.enterCard(signUp);
  const event = eventOf("setup_intent.succeeded", { ...api.model.get(signUp.stripe_setup_intent_id) });
  const deliver = async (body = event, signature = sign(body)) => {
    const headers = { "stripe-signature": signature };
    const answer = await api.ask("/webhooks/stripe", { method: "POST", body, headers });
    await api.settled();
    return answer;
  };
  return { ...api, deliver, status: () => api.rows("SELECT status FROM sign_ups")[0]?.status };
}

test("an event is not acknowledged while Stripe or D1 fails; later it starts the trial and sends its email at once", async () => {
  const { instead, before, deliver, status, rows } = await withCardSetUp();
  instead.set("", refusal(400, "parameter_invalid"));
  expect(await deliver()).toHaveStatus(502);
  instead.clear();
  before("SELECT * FROM sign_ups", () => Promise.reject(new Error("D1 DB is overloaded")));
  expect(await deliver()).toHaveStatus(503);
  expect(status()).toBe("pending");
  expect(await deliver()).toHaveStatus(200);
  expect(status()).toBe("trialing");
  expect(rows("SELECT state FROM outbox WHERE kind = 'trial-started'")).toEqual([{ state: "sent" }]);
});

test("an event with another body's signature is refused; one about no sign-up, or one that is gone, is acknowledged", async () => {
  const { deliver, status, logged, rows } = await withCardSetUp();
  expect(await deliver(undefined, sign("another body"))).toBeProblem(400, "The signature is missing, wrong or too old");
  expect(logged).toContainEqual(expect.objectContaining({ level: "warn", event: "webhook_refused" }));
  expect(await deliver(eventOf("invoice.paid", { id: "in_1" }))).toHaveStatus(200);
  expect(status()).toBe("pending");
  rows("DELETE FROM sign_ups");
  expect(await deliver()).toHaveStatus(200);
});

const SECRETS = { new: "whsec_of_the_next_months_1234", old: "whsec_of_this_month_12345678" };
const SIGN_UP = "6f1c9d3e-8a20-4b57-9c14-2d5e7f8a9b01";
const SETUP_INTENT = { id: "seti_1", customer: "cus_1", metadata: { sign_up_id: SIGN_UP } };
const SUBSCRIPTION = { id: "sub_1", customer: "cus_1" };

/** Reads an event with the secrets of a rotation; signed with the old one unless given otherwise. */
function receive(payload: string, signature = sign(payload, SECRETS.old)) {
  const { services } = signUpsInProcess({ settings: { STRIPE_WEBHOOK_SECRET: `${SECRETS.new},${SECRETS.old}` } });
  return services.stripeWebhook.read(payload, signature);
}

const card = { signUpId: SIGN_UP, setupIntentId: "seti_1" };

test.each([
  { type: "setup_intent.succeeded", object: SETUP_INTENT, content: { kind: "card-set-up", card } },
  { type: "setup_intent.setup_failed", object: SETUP_INTENT, content: { kind: "card-declined", card } },
  ...["created", "updated", "deleted", "paused", "resumed", "trial_will_end"].map((change) => ({
    type: `customer.subscription.${change}`,
    object: SUBSCRIPTION,
    content: { kind: "subscription-changed", stripeSubscriptionId: "sub_1", customerId: "cus_1" },
  })),
])("an event of the type $type is read with whom it is about", async ({ type, object, content }) => {
  expect(await receive(eventOf(type, object, "evt_1"))).toEqual({ ...content, event: { id: "evt_1", type } });
});

const of = (change: object) => eventOf("setup_intent.succeeded", { ...SETUP_INTENT, ...change });

test.each([
  { what: "of another type", payload: eventOf("setup_intent.created", SETUP_INTENT) },
  { what: "about a setup intent without a sign-up", payload: of({ metadata: {} }) },
  { what: "about a setup intent of another service", payload: of({ customer: null }) },
  { what: "without an ID", payload: eventOf("customer.subscription.updated", SUBSCRIPTION, "") },
  { what: "that is not JSON", payload: "{" },
])("an event $what is ignored", async ({ payload }) => {
  expect(await receive(payload)).toEqual({ kind: "ignored" });
});

const PAYLOAD = of({});
const signedAgo = (seconds: number) => sign(PAYLOAD, SECRETS.old, secondsNow() - seconds);

test.each([
  { what: "of five minutes ago, less a second", signature: () => signedAgo(299), kind: "card-set-up" },
  { what: "of more than five minutes ago", signature: () => signedAgo(301), kind: "rejected" },
  { what: "with the new secret of a rotation", signature: () => sign(PAYLOAD, SECRETS.new), kind: "card-set-up" },
  { what: "with another secret", signature: () => sign(PAYLOAD, `${SECRETS.old}x`), kind: "rejected" },
  { what: "that is missing", signature: () => "", kind: "rejected" },
])("an event with a signature $what is $kind", async ({ signature, kind }) => {
  expect(await receive(PAYLOAD, signature())).toMatchObject({ kind });
});
