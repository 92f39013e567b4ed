import { afterEach, describe, expect, test, vi } from "vitest";
import {
  endPendingSignUp,
  handleCardDeclined,
  refuseUsedCard,
} from "../../../../functions/subscription-api/sign-ups/failed-cards";
import { PaymentsError } from "../../../../functions/subscription-api/stripe/client";
import type { SetupIntent } from "../../../../functions/subscription-api/stripe/setup-intents";
import { signUpsInMemory } from "../../../support/database/sign-ups-in-memory";
import { cardSetUp } from "../../../support/stripe/payments-in-memory";

const EVENT = { id: "evt_1", type: "setup_intent.setup_failed" };
const WAITING = "stripe_customer_id = 'cus_1', stripe_setup_intent_id = 'seti_1'";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a declined card", () => {
  const declined = async (columns: string) => {
    const one = signUpsInMemory();
    const { id } = await one.signUpWith(`${WAITING}, ${columns}`);
    one.stripe.add(cardSetUp(1, id, { state: "open", paymentMethodId: null }));
    const card = { signUpId: id, customerId: "cus_1", setupIntentId: "seti_1" };
    const outcome = await handleCardDeclined(card, one.services, EVENT);
    return { ...one, id, outcome, row: await one.find(id) };
  };

  test("that is the fifth to fail ends the sign-up, at Stripe too, and logs it [H3]", async () => {
    const { id, outcome, row, stripe, logged } = await declined("declined_cards = 3, used_cards = 1");
    expect(outcome).toBe("superseded");
    expect(row).toMatchObject({ status: "superseded", end_reason: "cards-failed", declined_cards: 4 });
    expect(stripe.calls).toEqual(["findSetupIntent seti_1", "cancelSetupIntent seti_1"]);
    expect(logged).toEqual([{ level: "warn", event: "sign_up_ended", signUpId: id, reason: "cards-failed" }]);
  });

  test("that is the fourth leaves the sign-up waiting", async () => {
    const { outcome, row, stripe } = await declined("declined_cards = 3");
    expect([outcome, row.status, row.declined_cards]).toEqual(["pending", "pending", 4]);
    expect(stripe.calls).toEqual([]);
  });

  test.each([
    ["superseded", "status = 'superseded', declined_cards = 5"],
    ["trialing", "status = 'trialing', declined_cards = 3, used_cards = 2"],
  ])(
    "that is told of late changes nothing of a sign-up that is %s, and takes no card from it",
    async (status, columns) => {
      const { outcome, row, stripe } = await declined(columns);
      expect([outcome, row.status]).toEqual([status, status]);
      expect(stripe.calls).toEqual([]);
    },
  );

  test("of a sign-up that was deleted is nobody's", async () => {
    const { services } = signUpsInMemory();
    const card = { signUpId: crypto.randomUUID(), customerId: "cus_1", setupIntentId: "seti_1" };
    expect(await handleCardDeclined(card, services, EVENT)).toBe("unknown");
  });
});

describe("a card that has been used for a trial", () => {
  test("is detached, the sign-up waits for another, and a line of log counts it", async () => {
    const { services, signUpWith, stripe, find, logged, messages } = signUpsInMemory();
    const { id } = await signUpWith(WAITING);
    const card = { signUpId: id, setupIntentId: "seti_1", customerId: "cus_1", usedCards: 0 };
    expect(await refuseUsedCard(card, cardSetUp(1, id), services)).toBe("pending");
    expect(stripe.calls).toEqual(["detachCard pm_1"]);
    expect(await find(id)).toMatchObject({ status: "pending", used_cards: 1, stripe_setup_intent_id: null });
    expect(messages()).toMatchObject([{ kind: "card-used" }]);
    expect(logged).toEqual([{ level: "info", event: "used_card_refused", signUpId: id, usedCards: 1 }]);
  });

  test("is refused where Stripe has no card to detach, or the sign-up was deleted meanwhile", async () => {
    const { services, signUpWith, stripe, rows } = signUpsInMemory();
    const { id } = await signUpWith(WAITING);
    const card = { signUpId: id, setupIntentId: "seti_1", customerId: "cus_1", usedCards: 0 };
    const without = cardSetUp(1, id, { paymentMethodId: null });
    expect(await refuseUsedCard(card, without, services)).toBe("pending");
    rows("DELETE FROM sign_ups");
    expect(await refuseUsedCard(card, without, services)).toBe("unknown");
    expect(stripe.calls).toEqual([]);
  });
});

describe("a sign-up that ends keeps no card at Stripe", () => {
  const ended = async (columns: string, setupIntent?: Partial<SetupIntent>) => {
    const one = signUpsInMemory();
    const signUp = await one.signUpWith(columns);
    if (setupIntent) one.stripe.add(cardSetUp(1, signUp.id, setupIntent));
    return { ...one, end: () => endPendingSignUp(signUp, "cards-failed", one.services), signUp };
  };

  test.each<[string, string, Partial<SetupIntent> | undefined, string[]]>([
    ["without a setup intent", "status = 'pending'", undefined, []],
    ["whose setup intent Stripe has lost", WAITING, undefined, ["findSetupIntent seti_1"]],
    [
      "with an open one",
      WAITING,
      { state: "open", paymentMethodId: null },
      ["findSetupIntent seti_1", "cancelSetupIntent seti_1"],
    ],
    ["with a canceled one", WAITING, { state: "canceled" }, ["findSetupIntent seti_1"]],
    ["with a card", WAITING, {}, ["findSetupIntent seti_1", "detachCard pm_1"]],
    ["whose card is gone", WAITING, { paymentMethodId: null }, ["findSetupIntent seti_1"]],
  ])("%s", async (_, columns, setupIntent, calls) => {
    const { end, stripe, find, signUp } = await ended(columns, setupIntent);
    expect(await end()).toBe("superseded");
    expect(stripe.calls).toEqual(calls);
    expect((await find(signUp.id)).status).toBe("superseded");
  });

  test.each<[string, SetupIntent["state"] | "lost", string[]]>([
    ["its visitor sets up a card", "succeeded", ["detachCard pm_1"]],
    ["another request cancels it", "canceled", []],
    ["Stripe loses it", "lost", []],
  ])("also when %s while it is being canceled", async (_, state, released) => {
    const { end, stripe, find, signUp } = await ended(WAITING, { state: "open" });
    vi.spyOn(stripe.payments, "cancelSetupIntent").mockImplementation(async () => {
      if (state === "lost") stripe.setupIntents.clear();
      else stripe.add(cardSetUp(1, signUp.id, { state }));
      throw new PaymentsError("unexpected-answer");
    });
    expect(await end()).toBe("superseded");
    expect(stripe.calls).toEqual(["findSetupIntent seti_1", "findSetupIntent seti_1", ...released]);
    expect((await find(signUp.id)).status).toBe("superseded");
  });

  test("and does not end while Stripe fails to cancel its setup intent", async () => {
    const { end, stripe, find, signUp } = await ended(WAITING, { state: "open" });
    vi.spyOn(stripe.payments, "cancelSetupIntent").mockRejectedValue(new PaymentsError("unavailable"));
    await expect(end()).rejects.toThrow("Payments: unavailable");
    expect((await find(signUp.id)).status).toBe("pending");
  });
});
