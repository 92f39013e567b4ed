import { describe, expect, test, vi } from "vitest";
import {
  callStripe,
  handleCardSetUp,
  handleCardSetUpEvent,
  handleSubscriptionChange,
  startTrial,
} from "../../../../functions/subscription-api/sign-ups/start-trial";
import type { SetupIntent } from "../../../../functions/subscription-api/stripe/card-setup";
import { PaymentsError } from "../../../../functions/subscription-api/stripe/client";
import { stopClock } from "../../../support/api-in-process/clock";
import { signUpsInProcess } from "../../../support/api-in-process/sign-ups";

const SECOND = 1_000;
const DAY = 24 * 60 * 60 * SECOND;
const NOW = Date.parse("2026-11-22T12:00:00.000Z");
const inDays = (days: number) => new Date(NOW + days * DAY);
const END = inDays(5);

const CARD_EVENT = { id: "evt_1", type: "setup_intent.succeeded" };
const UPDATED = { id: "evt_2", type: "customer.subscription.updated" };
const ENDS_SOON = { id: "evt_3", type: "customer.subscription.trial_will_end" };

const HAD_TRIAL = `trial_end = '${END.toISOString()}'`;
const WITHOUT_PLAN = `${HAD_TRIAL}, package_id = NULL`;

stopClock(NOW);

/** A sign-up with these columns and its objects at Stripe. */
async function signUpAs(columns = "status = 'pending'") {
  const all = signUpsInProcess({ onePerPerson: true });
  const signUp = await all.pending({}, columns);
  const reminders = () =>
    all.messages().flatMap((one) => (one.kind === "trial-ending" ? [String(one.next_attempt_at)] : []));
  const { stripe_customer_id: customerId, stripe_setup_intent_id: setupIntentId } = signUp;
  return {
    ...all,
    signUp,
    card: { signUpId: signUp.id, setupIntentId, customerId },
    row: () => all.find(signUp.id),
    reminders,
    /** The card that Stripe charges later. */
    defaultCard: () => all.model.get(customerId)?.invoice_settings?.default_payment_method,
  };
}

test("a used card is reported by email to three sign-ups a day, and on the page to all [H4]", async () => {
  const { services, pending, setUpCard, rows } = signUpsInProcess({ onePerPerson: true });
  const enter = async (fingerprint: string) => {
    const signUp = await pending({ email: `${crypto.randomUUID()}@example.com` });
    return handleCardSetUp(signUp, await setUpCard(signUp, fingerprint), services);
  };
  const mails = () => rows("SELECT key FROM outbox WHERE kind = 'card-used'").length;

  expect([await enter("card 1"), await enter("card 2")]).toEqual(["trialing", "trialing"]);
  for (const told of [1, 2, 3, 3, 3]) expect([await enter("card 1"), mails()]).toEqual(["pending", told]);
  // Another card, and another day.
  expect([await enter("card 2"), mails()]).toEqual(["pending", 4]);
  vi.setSystemTime(inDays(1));
  expect([await enter("card 1"), mails()]).toEqual(["pending", 5]);
});

describe("a card that is set up", () => {
  test("starts the trial with a log line, its emails, and the reminder two days before the end [T2]", async () => {
    const { signUp, services, setUpCard, model, row, logged, messages, isProcessed, defaultCard } = await signUpAs();
    const card = await setUpCard(signUp);
    expect(await handleCardSetUp(signUp, card, services, CARD_EVENT)).toBe("trialing");
    const [subscription] = model.all("subscription", signUp.stripe_customer_id);
    expect(subscription?.items?.data).toMatchObject([{ price: { id: "price_standard" } }]);
    expect(defaultCard()).toBe(card.paymentMethodId);
    expect(await row()).toMatchObject({ status: "trialing", stripe_subscription_id: subscription?.id });
    expect(logged).toMatchObject([{ level: "info", event: "trial_started", signUpId: signUp.id, status: "trialing" }]);
    expect(messages()).toEqual([
      { kind: "account-created", next_attempt_at: inDays(0).toISOString() },
      { kind: "trial-ending", next_attempt_at: inDays(3).toISOString() },
      { kind: "trial-started", next_attempt_at: inDays(0).toISOString() },
    ]);
    expect(await isProcessed(CARD_EVENT)).toBe(true);
  });

  test("starts a trial without a plan: no subscription at Stripe, no reminder", async () => {
    const { signUp, services, setUpCard, model, row, reminders, defaultCard } = await signUpAs("package_id = NULL");
    const card = await setUpCard(signUp);
    expect(await handleCardSetUp(signUp, card, services)).toBe("trialing");
    expect([defaultCard(), model.all("subscription")]).toEqual([card.paymentMethodId, []]);
    expect(await row()).toMatchObject({ stripe_subscription_id: null, trial_end: END.toISOString() });
    expect(reminders()).toEqual([]);
  });

  test("from an older setup intent does not become the card of another card's trial", async () => {
    const { signUp, services, setUpCard, change, defaultCard } = await signUpAs();
    const older = await setUpCard(signUp, "an older card");
    const { id } = await services.payments.findOrCreateSetupIntent(
      { ...signUp, used_cards: 1 },
      signUp.stripe_customer_id,
    );
    const active = await change(signUp.id, `status = 'card_set_up', stripe_setup_intent_id = '${id}'`);
    const { paymentMethodId } = await setUpCard(active, "its own card");
    expect(await handleCardSetUp(active, older, services)).toBe("trialing");
    expect(defaultCard()).toBe(paymentMethodId);
  });

  test.each<[string, string, Partial<SetupIntent>, string]>([
    ["without a customer", "status = 'pending'", { customerId: null }, "unknown"],
    [
      "of a trial, reported again,",
      `${HAD_TRIAL}, status = 'trialing', stripe_subscription_id = 'sub_1'`,
      {},
      "trialing",
    ],
    ["of an ended sign-up", "status = 'ended', end_reason = 'replaced'", {}, "ended"],
  ])("%s changes nothing, here and at Stripe", async (_, columns, fields, outcome) => {
    const { signUp, services, setUpCard, calls, row, messages } = await signUpAs(columns);
    const card = await setUpCard(signUp);
    expect(await handleCardSetUp(signUp, { ...card, ...fields }, services)).toBe(outcome);
    expect([await row(), calls, messages()]).toEqual([signUp, [], []]);
  });

  test.each<[string, object]>([
    ["still open", { status: "requires_payment_method" }],
    ["canceled", { status: "canceled" }],
    ["another sign-up's", { metadata: { sign_up_id: "another" } }],
    ["another customer's", { customer: "cus_2" }],
  ])(
    "counts by Stripe's status, not by the event: with the setup intent %s nothing starts [H13]",
    async (_, fields) => {
      const { signUp, services, setUpCard, model, calls, card, row, messages } = await signUpAs();
      await setUpCard(signUp);
      Object.assign(model.get(card.setupIntentId) ?? {}, fields);
      expect(await handleCardSetUpEvent(card, services, CARD_EVENT)).toBe("unknown");
      expect([await row(), calls, messages()]).toEqual([signUp, [`GET setup_intents/${card.setupIntentId}`], []]);
    },
  );

  test("is ignored if its sign-up was deleted", async () => {
    const { signUp, services, setUpCard, calls, rows } = await signUpAs();
    const card = await setUpCard(signUp);
    rows("DELETE FROM sign_ups");
    expect(await handleCardSetUp(signUp, card, services)).toBe("unknown");
    expect(calls).toEqual([]);
  });

  test("after five declined ones ends the sign-up: it is detached, and no email asks for another [H3]", async () => {
    const { signUp, services, setUpCard, model, row, messages, isProcessed } = await signUpAs("declined_cards = 5");
    const card = await setUpCard(signUp);
    expect(await handleCardSetUp(signUp, card, services, CARD_EVENT)).toBe("ended");
    expect(await row()).toMatchObject({ status: "ended", end_reason: "cards-failed", used_cards: 0 });
    expect(model.get(card.paymentMethodId)).toMatchObject({ customer: null });
    expect(messages()).toEqual([]);
    expect(await isProcessed(CARD_EVENT)).toBe(true);
  });
});

describe("a card that has already had a trial", () => {
  /** Somebody has had a trial with its card, which Stripe has; the sign-up has recorded this. */
  async function withUsedCard(columns = "status = 'pending'") {
    const one = await signUpAs();
    const claim = one.services.claims.of("somebody@else.example", "a used card");
    one.rows("INSERT INTO trial_claims (hash) VALUES (?)", claim.card);
    const card = await one.setUpCard(one.signUp, "a used card");
    const signUp = await one.change(one.signUp.id, columns);
    const isDetached = () => one.model.get(card.paymentMethodId)?.customer === null;
    return { ...one, setUp: card, signUp, isDetached };
  }

  test.each([
    ["nothing from Stripe", "stripe_customer_id = NULL, stripe_setup_intent_id = NULL"],
    ["its customer", "stripe_setup_intent_id = NULL"],
    ["its customer and its setup intent", "status = 'pending'"],
  ])("is detached, and the sign-up waits for another, if it has recorded %s [H10]", async (_, columns) => {
    const { signUp, services, setUp, row, isDetached } = await withUsedCard(columns);
    expect(await handleCardSetUp(signUp, setUp, services)).toBe("pending");
    expect(isDetached()).toBe(true);
    expect(await row()).toMatchObject({ status: "pending", used_cards: 1 });
  });

  test.each([
    ["has had another used card since", "used_cards = 1"],
    ["waits for the card of another setup intent", "stripe_setup_intent_id = 'seti_2'"],
    ["belongs to another customer", "stripe_customer_id = 'cus_2'"],
  ])("is left alone if the sign-up %s", async (_, columns) => {
    const { signUp, services, setUp, calls, row, messages } = await withUsedCard(columns);
    expect(await handleCardSetUp(signUp, setUp, services)).toBe("unknown");
    expect([await row(), calls, messages()]).toEqual([signUp, [], []]);
  });
});

describe("a trial does not start", () => {
  test.each([
    ["without a setup intent", { stripe_setup_intent_id: null }, "A sign-up whose card is set up has no card"],
    ["without a customer", { stripe_customer_id: null }, "A sign-up whose card is set up has no card"],
    ["with a plan that is not sold", { package_id: "gone" }, "A sign-up's package is not in the catalog"],
  ])("%s, and Stripe is not called", async (_, fields, message) => {
    const { signUp, services, calls } = await signUpAs("status = 'card_set_up'");
    await expect(startTrial({ ...signUp, ...fields }, services)).rejects.toThrow(message);
    expect(calls).toEqual([]);
  });

  test("if the sign-up was erased during the Stripe call, and nothing is logged", async () => {
    const { signUp, services, enterCard, rows, logged } = await signUpAs("status = 'card_set_up'");
    enterCard(signUp);
    rows("DELETE FROM sign_ups");
    expect(await startTrial(signUp, services)).toBe("unknown");
    expect(logged).toEqual([]);
  });
});

describe("an event about a subscription", () => {
  /** A subscription at Stripe, of a sign-up with these columns. */
  async function subscribed(columns: string) {
    const one = await signUpAs();
    const { customerId } = one.card;
    const { stripeSubscriptionId } = await one.services.payments.findOrCreateSubscription(one.signUp, {
      customerId,
      priceId: "price_standard",
    });
    const signUp = await one.change(one.signUp.id, columns.replace("SUBSCRIPTION", stripeSubscriptionId));
    one.calls.length = 0;
    const atStripe = one.model.get(stripeSubscriptionId) ?? {};
    return { ...one, signUp, atStripe, changed: { stripeSubscriptionId, customerId } };
  }
  const TRIALING = `${HAD_TRIAL}, status = 'trialing', stripe_subscription_id = 'SUBSCRIPTION'`;

  test("starts the trial if the card's event has not", async () => {
    const { signUp, services, enterCard, changed, row, isProcessed } = await subscribed("status = 'card_set_up'");
    enterCard(signUp);
    expect(await handleSubscriptionChange(changed, services, UPDATED)).toBe("trialing");
    expect(await row()).toMatchObject({
      status: "trialing",
      stripe_subscription_id: changed.stripeSubscriptionId,
    });
    expect(await isProcessed(UPDATED)).toBe(true);
  });

  test.each<[string, typeof UPDATED, { start?: number | null; end?: number | null }, Date[]]>([
    ["that changes nothing", UPDATED, {}, []],
    ["that moves the trial's end", UPDATED, { end: 10 * DAY }, [inDays(8)]],
    ["that tells no end", UPDATED, { end: null }, []],
    ["that the trial ends soon", ENDS_SOON, {}, [inDays(3)]],
    ["that a trial ends soon whose start Stripe does not tell", ENDS_SOON, { start: null }, [inDays(3)]],
    ["that a trial of three days ends soon", ENDS_SOON, { end: 3 * DAY }, [inDays(1)]],
    ["that a trial one second shorter ends soon", ENDS_SOON, { end: 3 * DAY - SECOND }, []],
  ])(
    "for a trial %s schedules its reminder two days before the end, or none [T2]",
    async (_, event, { start = 0, end }, times) => {
      const { services, atStripe, changed, reminders, isProcessed } = await subscribed(TRIALING);
      const seconds = (time: number | null) => (time === null ? null : (NOW + time) / SECOND);
      Object.assign(atStripe, { trial_start: seconds(start), ...(end !== undefined && { trial_end: seconds(end) }) });
      expect(await handleSubscriptionChange(changed, services, event)).toBe("trialing");
      expect(reminders()).toEqual(times.map((time) => time.toISOString()));
      expect(await isProcessed(event)).toBe(true);
    },
  );

  test("gives a trial without a plan its first subscription", async () => {
    const { services, atStripe, changed, row } = await subscribed(`${WITHOUT_PLAN}, status = 'trialing'`);
    Object.assign(atStripe, { status: "active" });
    expect(await handleSubscriptionChange(changed, services, UPDATED)).toBe("active");
    expect(await row()).toMatchObject({ status: "active", stripe_subscription_id: changed.stripeSubscriptionId });
  });

  test.each([
    ["is not the sign-up's", TRIALING, { stripeSubscriptionId: "sub_2" }],
    ["belongs to no sign-up", TRIALING, { stripeSubscriptionId: "sub_2", customerId: "cus_2" }],
    ["came after the end of a trial without a plan", `${WITHOUT_PLAN}, status = 'canceled'`, {}],
  ])("that %s changes nothing, and is processed", async (_, columns, other) => {
    const { signUp, services, calls, changed, row, isProcessed } = await subscribed(columns);
    expect(await handleSubscriptionChange({ ...changed, ...other }, services, UPDATED)).toBe("unknown");
    expect([await row(), calls]).toEqual([signUp, []]);
    expect(await isProcessed(UPDATED)).toBe(true);
  });

  test("is left for Stripe to repeat if the sign-up changes during each of five attempts", async () => {
    const { services, calls, instead, changed, rows, isProcessed } = await subscribed(TRIALING);
    instead.set("GET subscriptions", () => {
      rows("UPDATE sign_ups SET version = version + 1");
      if (calls.length > 10) throw new Error("It goes on and on");
      return undefined;
    });
    const handled = handleSubscriptionChange(changed, services, UPDATED);
    await expect(handled).rejects.toThrow("A sign-up changed each time it was read");
    expect(calls).toHaveLength(5);
    expect(await isProcessed(UPDATED)).toBe(false);
  });
});

test.each([
  ["a failure that Stripe repeats", new PaymentsError("failed"), 1],
  ["an unreachable Stripe", new PaymentsError("unavailable"), 0],
  ["another error", new Error("failed"), 0],
])("after %s the next attempt has new keys, or the same", async (_, error, attempt) => {
  const { signUp, services, row } = await signUpAs();
  const failing = callStripe(signUp, services, () => Promise.reject(error));
  await expect(failing).rejects.toBe(error);
  expect((await row()).stripe_attempt).toBe(attempt);
});
