import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  callStripe,
  handleCardSetUp,
  handleCardSetUpEvent,
  handleSubscriptionChange,
  startTrial,
} from "../../../../functions/subscription-api/sign-ups/trial";
import { PaymentsError } from "../../../../functions/subscription-api/stripe/client";
import type { SubscriptionState } from "../../../../functions/subscription-api/stripe/payments";
import type { SetupIntent } from "../../../../functions/subscription-api/stripe/setup-intents";
import { signUpsInMemory } from "../../../support/database/sign-ups-in-memory";
import { cardSetUp } from "../../../support/stripe/payments-in-memory";

const SECOND = 1_000;
const DAY = 24 * 60 * 60 * SECOND;
const NOW = Date.parse("2026-11-22T12:00:00.000Z");
const inDays = (days: number) => new Date(NOW + days * DAY);
const END = inDays(5);

const CARD_EVENT = { id: "evt_1", type: "setup_intent.succeeded" };
const UPDATED = { id: "evt_2", type: "customer.subscription.updated" };
const ENDS_SOON = { id: "evt_3", type: "customer.subscription.trial_will_end" };
const OF_CUSTOMER = { stripeSubscriptionId: "sub_1", customerId: "cus_1" };

const WAITING = "stripe_customer_id = 'cus_1', stripe_setup_intent_id = 'seti_1'";
const ACTIVE = `${WAITING}, status = 'active'`;
const HAD_TRIAL = `${WAITING}, trial_end = '${END.toISOString()}'`;
const TRIALING = `${HAD_TRIAL}, status = 'trialing', stripe_subscription_id = 'sub_1'`;
const WITHOUT_PLAN = `${HAD_TRIAL}, package_id = NULL`;

/** What a started trial has asked of Stripe. */
const STARTED = ["setDefaultCard cus_1 pm_1", "findOrCreateSubscription cus_1 price_standard"];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A sign-up with these columns. */
async function signUpAs(columns: string) {
  const all = signUpsInMemory();
  const signUp = await all.signUpWith(columns);
  const reminders = () =>
    all.messages().flatMap((one) => (one.kind === "trial-ending" ? [String(one.next_attempt_at)] : []));
  return { ...all, signUp, row: () => all.find(signUp.id), reminders };
}

describe("a card that is set up", () => {
  test("starts the trial, which is logged, with its mails and the reminder two days before the end [T2]", async () => {
    const { signUp, services, stripe, row, logged, messages, isProcessed } = await signUpAs(WAITING);
    expect(await handleCardSetUp(signUp, cardSetUp(1, signUp.id), services, CARD_EVENT)).toBe("trialing");
    expect(stripe.calls).toEqual(STARTED);
    expect(await row()).toMatchObject({ status: "trialing", stripe_subscription_id: "sub_1" });
    expect(logged).toEqual([{ level: "info", event: "trial_started", signUpId: signUp.id, status: "trialing" }]);
    expect(messages()).toEqual([
      { kind: "account-created", next_attempt_at: inDays(0).toISOString() },
      { kind: "trial-ending", next_attempt_at: inDays(3).toISOString() },
      { kind: "trial-started", next_attempt_at: inDays(0).toISOString() },
    ]);
    expect(await isProcessed(CARD_EVENT)).toBe(true);
  });

  test("starts a trial without a plan, of which Stripe knows nothing and nobody is reminded", async () => {
    const { signUp, services, stripe, row, reminders } = await signUpAs(`${WAITING}, package_id = NULL`);
    expect(await handleCardSetUp(signUp, cardSetUp(1, signUp.id), services)).toBe("trialing");
    expect(stripe.calls).toEqual(["setDefaultCard cus_1 pm_1"]);
    expect(await row()).toMatchObject({ stripe_subscription_id: null, trial_end: END.toISOString() });
    expect(reminders()).toEqual([]);
  });

  test("of an older setup intent does not become the card of a trial that another card starts", async () => {
    const columns = "status = 'active', stripe_customer_id = 'cus_1', stripe_setup_intent_id = 'seti_2'";
    const { signUp, services, stripe } = await signUpAs(columns);
    stripe.add(cardSetUp(2, signUp.id));
    expect(await handleCardSetUp(signUp, cardSetUp(1, signUp.id), services)).toBe("trialing");
    expect(stripe.calls.slice(0, 2)).toEqual(["retrieveSetupIntent seti_2", "setDefaultCard cus_1 pm_2"]);
  });

  test.each<[string, string, Partial<SetupIntent>, string]>([
    ["without a customer", "status = 'pending'", { customerId: null }, "unknown"],
    ["of a trial, told of once more,", TRIALING, {}, "trialing"],
    ["of a sign-up that was given up", `${WAITING}, status = 'superseded'`, {}, "superseded"],
  ])("%s changes nothing, here and at Stripe", async (_, columns, fields, outcome) => {
    const { signUp, services, stripe, row, messages } = await signUpAs(columns);
    expect(await handleCardSetUp(signUp, cardSetUp(1, signUp.id, fields), services)).toBe(outcome);
    expect([await row(), stripe.calls, messages()]).toEqual([signUp, [], []]);
  });

  test.each<[string, Partial<SetupIntent>]>([
    ["still open", { state: "open" }],
    ["canceled", { state: "canceled" }],
    ["another sign-up's", { signUpId: "another" }],
    ["another customer's", { customerId: "cus_2" }],
  ])("is an event's word: where Stripe has the setup intent as %s nothing becomes active [H13]", async (_, fields) => {
    const { signUp, services, stripe, row, messages } = await signUpAs("status = 'pending'");
    stripe.add(cardSetUp(1, signUp.id, fields));
    const card = { signUpId: signUp.id, setupIntentId: "seti_1", customerId: "cus_1" };
    expect(await handleCardSetUpEvent(card, services, CARD_EVENT)).toBe("unknown");
    expect([await row(), stripe.calls, messages()]).toEqual([signUp, ["findSetupIntent seti_1"], []]);
  });

  test("of a sign-up that was deleted meanwhile is nobody's", async () => {
    const { signUp, services, stripe, rows } = await signUpAs(WAITING);
    rows("DELETE FROM sign_ups");
    expect(await handleCardSetUp(signUp, cardSetUp(1, signUp.id), services)).toBe("unknown");
    expect(stripe.calls).toEqual([]);
  });

  test("after five that failed ends the sign-up: it is detached, and no mail asks for another [H3]", async () => {
    const { signUp, services, stripe, row, messages, isProcessed } = await signUpAs(`${WAITING}, declined_cards = 5`);
    stripe.add(cardSetUp(1, signUp.id));
    expect(await handleCardSetUp(signUp, cardSetUp(1, signUp.id), services, CARD_EVENT)).toBe("superseded");
    expect(await row()).toMatchObject({ status: "superseded", end_reason: "cards-failed", used_cards: 0 });
    expect(stripe.calls).toEqual(["findSetupIntent seti_1", "detachCard pm_1"]);
    expect(messages()).toEqual([]);
    expect(await isProcessed(CARD_EVENT)).toBe(true);
  });
});

describe("a card that was used for a trial", () => {
  /** Somebody has had a trial with its card. */
  async function withUsedCard(columns: string) {
    const one = await signUpAs(columns);
    const claim = one.services.claims.of("somebody@else.example", "print_1");
    one.rows("INSERT INTO trial_claims (hash) VALUES (?)", claim.card);
    return one;
  }

  test.each([
    ["nothing of Stripe's", "status = 'pending'"],
    ["its customer", "stripe_customer_id = 'cus_1'"],
    ["its customer and its setup intent", WAITING],
  ])("is detached and waits for another where the sign-up has recorded %s [H10]", async (_, columns) => {
    const { signUp, services, stripe, row } = await withUsedCard(columns);
    expect(await handleCardSetUp(signUp, cardSetUp(1, signUp.id), services)).toBe("pending");
    expect(stripe.calls).toEqual(["detachCard pm_1"]);
    expect(await row()).toMatchObject({ status: "pending", used_cards: 1 });
  });

  test.each([
    ["has had a used card since", `${WAITING}, used_cards = 1`],
    ["waits for the card of another setup intent", "stripe_customer_id = 'cus_1', stripe_setup_intent_id = 'seti_2'"],
    ["belongs to another customer", "stripe_customer_id = 'cus_2', stripe_setup_intent_id = 'seti_1'"],
  ])("is left alone where the sign-up %s", async (_, columns) => {
    const { signUp, services, stripe, row, messages } = await withUsedCard(columns);
    expect(await handleCardSetUp(signUp, cardSetUp(1, signUp.id), services)).toBe("unknown");
    expect([await row(), stripe.calls, messages()]).toEqual([signUp, [], []]);
  });
});

describe("a trial does not start", () => {
  test.each([
    ["without a setup intent", { stripe_setup_intent_id: null }, "An active sign-up has no card"],
    ["without a customer", { stripe_customer_id: null }, "An active sign-up has no card"],
    ["with a plan that is not sold", { package_id: "gone" }, "A sign-up's package is not in the catalogue"],
  ])("%s: Stripe is not asked", async (_, fields, message) => {
    const { signUp, services, stripe } = await signUpAs(ACTIVE);
    await expect(startTrial({ ...signUp, ...fields }, services)).rejects.toThrow(message);
    expect(stripe.calls).toEqual([]);
  });

  test("where the sign-up was erased while Stripe was asked: nothing is logged", async () => {
    const { signUp, services, stripe, rows, logged } = await signUpAs(ACTIVE);
    stripe.add(cardSetUp(1, signUp.id));
    rows("DELETE FROM sign_ups");
    expect(await startTrial(signUp, services)).toBe("unknown");
    expect(logged).toEqual([]);
  });
});

describe("an event about a subscription", () => {
  const state = (fields: Partial<SubscriptionState> = {}): SubscriptionState => ({
    stripeSubscriptionId: "sub_1",
    status: "trialing",
    trialStart: inDays(0),
    trialEnd: END,
    ...fields,
  });

  test("starts the trial where the card's own event has not", async () => {
    const { signUp, services, stripe, row, isProcessed } = await signUpAs(ACTIVE);
    stripe.add(cardSetUp(1, signUp.id));
    expect(await handleSubscriptionChange(OF_CUSTOMER, services, UPDATED)).toBe("trialing");
    expect(stripe.calls).toEqual(["retrieveSetupIntent seti_1", ...STARTED]);
    expect((await row()).status).toBe("trialing");
    expect(await isProcessed(UPDATED)).toBe(true);
  });

  test.each<[string, typeof UPDATED, Partial<SubscriptionState>, Date[]]>([
    ["that changes nothing", UPDATED, {}, []],
    ["that moves the trial's end", UPDATED, { trialEnd: inDays(10) }, [inDays(8)]],
    ["that tells no end", UPDATED, { trialEnd: null }, []],
    ["that the trial ends soon", ENDS_SOON, {}, [inDays(3)]],
    ["that a trial ends soon whose start Stripe does not tell", ENDS_SOON, { trialStart: null }, [inDays(3)]],
    ["that a trial of three days ends soon", ENDS_SOON, { trialEnd: inDays(3) }, [inDays(1)]],
    ["that a trial one second shorter ends soon", ENDS_SOON, { trialEnd: new Date(NOW + 3 * DAY - SECOND) }, []],
  ])("%s has its reminder two days before the end, or none [T2]", async (_, event, fields, times) => {
    const { services, stripe, reminders, isProcessed } = await signUpAs(TRIALING);
    stripe.subscriptions.set("sub_1", state(fields));
    expect(await handleSubscriptionChange(OF_CUSTOMER, services, event)).toBe("trialing");
    expect(reminders()).toEqual(times.map((time) => time.toISOString()));
    expect(await isProcessed(event)).toBe(true);
  });

  test("is the first one of a trial without a plan: it takes the subscription", async () => {
    const { services, stripe, row } = await signUpAs(`${WITHOUT_PLAN}, status = 'trialing'`);
    stripe.subscriptions.set("sub_1", state({ status: "active" }));
    expect(await handleSubscriptionChange(OF_CUSTOMER, services, UPDATED)).toBe("active");
    expect(await row()).toMatchObject({ status: "active", stripe_subscription_id: "sub_1" });
  });

  test.each([
    ["is another than the sign-up's", TRIALING, { stripeSubscriptionId: "sub_2", customerId: "cus_1" }],
    ["is nobody's", TRIALING, { stripeSubscriptionId: "sub_2", customerId: "cus_2" }],
    ["came after the end of a trial without a plan", `${WITHOUT_PLAN}, status = 'canceled'`, OF_CUSTOMER],
  ])("that %s changes nothing, and is done with", async (_, columns, changed) => {
    const { signUp, services, stripe, row, isProcessed } = await signUpAs(columns);
    expect(await handleSubscriptionChange(changed, services, UPDATED)).toBe("unknown");
    expect([await row(), stripe.calls]).toEqual([signUp, []]);
    expect(await isProcessed(UPDATED)).toBe(true);
  });

  test("is left to Stripe's next try where the sign-up has changed each of five times", async () => {
    const { services, stripe, rows, isProcessed } = await signUpAs(TRIALING);
    const retrieve = vi.spyOn(stripe.payments, "retrieveSubscription").mockImplementation(async () => {
      rows("UPDATE sign_ups SET version = version + 1");
      if (retrieve.mock.calls.length > 10) throw new Error("It goes on and on");
      return state();
    });
    const handled = handleSubscriptionChange(OF_CUSTOMER, services, UPDATED);
    await expect(handled).rejects.toThrow("A sign-up changed each time it was read");
    expect(retrieve).toHaveBeenCalledTimes(5);
    expect(await isProcessed(UPDATED)).toBe(false);
  });
});

test.each([
  ["a failure that Stripe repeats", new PaymentsError("failed"), 1],
  ["a Stripe that is not reached", new PaymentsError("unavailable"), 0],
  ["another error", new Error("failed"), 0],
])("after %s the next attempt has new keys, or the same", async (_, error, attempt) => {
  const { signUp, services, row } = await signUpAs(WAITING);
  const failing = callStripe(signUp, services, () => Promise.reject(error));
  await expect(failing).rejects.toBe(error);
  expect((await row()).stripe_attempt).toBe(attempt);
});
