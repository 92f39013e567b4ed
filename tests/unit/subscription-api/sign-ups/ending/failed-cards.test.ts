import { describe, expect, test } from "vitest";
import {
  endPendingSignUp,
  handleCardDeclined,
  refuseUsedCard,
} from "../../../../../functions/subscription-api/sign-ups/ending/failed-cards";
import { signUpStatus } from "../../../../../functions/subscription-api/sign-ups/sign-up-status";
import { handleCardSetUp } from "../../../../../functions/subscription-api/sign-ups/start-trial";
import { signUpsInProcess } from "../../../../support/api-in-process/sign-ups";
import { refusal } from "../../../../support/api-in-process/stripe-model";

const EVENT = { id: "evt_1", type: "setup_intent.setup_failed" };

/** A sign-up with these columns and its objects at Stripe. */
async function signUpAs(columns = "status = 'pending'") {
  const all = signUpsInProcess();
  const signUp = await all.pending({}, columns);
  const { id, stripe_setup_intent_id: setupIntentId, stripe_customer_id: customerId } = signUp;
  const card = { signUpId: id, setupIntentId, customerId, usedCards: 0, hash: "a card" };
  return { ...all, id, signUp, card, setupIntent: all.model.get(setupIntentId) ?? {}, row: () => all.find(id) };
}

describe("a declined card", () => {
  const declined = async (columns: string) => {
    const one = await signUpAs(columns);
    return { ...one, outcome: await handleCardDeclined(one.card, one.services, EVENT) };
  };

  test("the fifth declined card ends the sign-up, at Stripe too, and is logged [H3]", async () => {
    const { id, outcome, row, setupIntent, logged } = await declined("declined_cards = 3, used_cards = 1");
    expect(outcome).toBe("ended");
    expect(await row()).toMatchObject({ status: "ended", end_reason: "cards-failed", declined_cards: 4 });
    expect(setupIntent).toMatchObject({ status: "canceled" });
    expect(logged).toMatchObject([{ level: "warn", event: "sign_up_ended", signUpId: id, reason: "cards-failed" }]);
  });

  test.each([
    ["on the fourth try leaves its sign-up", "pending", "declined_cards = 3", 4],
    [
      "reported late changes nothing for a sign-up that is",
      "ended",
      "end_reason = 'cards-failed', declined_cards = 5",
      5,
    ],
    ["reported late changes nothing for a sign-up that is", "trialing", "declined_cards = 3, used_cards = 2", 3],
  ])("%s %s, and its card is not used", async (_, status, columns, cards) => {
    const { outcome, row, calls } = await declined(`status = '${status}', ${columns}`);
    expect([outcome, calls]).toEqual([status, []]);
    expect(await row()).toMatchObject({ status, declined_cards: cards });
  });

  test("is ignored if its sign-up was deleted", async () => {
    const { services, card, rows } = await signUpAs();
    rows("DELETE FROM sign_ups");
    expect(await handleCardDeclined(card, services, EVENT)).toBe("unknown");
  });
});

describe("a card that has already had a trial", () => {
  test("is detached and counted in the log, and the sign-up waits for another", async () => {
    const { id, signUp, card, services, setUpCard, model, row, logged, messages } = await signUpAs();
    expect(await refuseUsedCard(card, await setUpCard(signUp), services)).toBe("pending");
    expect(model.all("payment_method")).toMatchObject([{ customer: null }]);
    expect(await row()).toMatchObject({ status: "pending", used_cards: 1, stripe_setup_intent_id: null });
    expect(messages()).toMatchObject([{ kind: "card-used" }]);
    expect(logged).toMatchObject([{ level: "info", event: "used_card_refused", signUpId: id, usedCards: 1 }]);
  });

  test("is refused even if Stripe has no card to detach or the sign-up was deleted", async () => {
    const { signUp, card, services, setUpCard, calls, rows } = await signUpAs();
    const without = { ...(await setUpCard(signUp)), paymentMethodId: null };
    expect(await refuseUsedCard(card, without, services)).toBe("pending");
    rows("DELETE FROM sign_ups");
    expect(await refuseUsedCard(card, without, services)).toBe("unknown");
    expect(calls).toEqual([]);
  });
});

describe("an ended sign-up leaves no card at Stripe", () => {
  type World = Awaited<ReturnType<typeof signUpAs>>;
  const enter = ({ signUp, enterCard }: World) => enterCard(signUp);
  const ended = async (change: (world: World) => unknown = () => {}) => {
    const world = await signUpAs();
    change(world);
    const end = async () => endPendingSignUp(await world.row(), world.services);
    return { ...world, end, attached: () => world.model.all("payment_method", world.card.customerId) };
  };

  test.each<[string, (world: World) => unknown, string]>([
    [
      "without a setup intent",
      ({ id, change }) => change(id, "stripe_setup_intent_id = NULL"),
      "requires_payment_method",
    ],
    [
      "whose setup intent Stripe has lost",
      ({ card, model }) => model.objects.delete(card.setupIntentId),
      "requires_payment_method",
    ],
    ["with an open one", () => {}, "canceled"],
    ["with a canceled one", ({ setupIntent }) => Object.assign(setupIntent, { status: "canceled" }), "canceled"],
    ["with a card", enter, "succeeded"],
    [
      "whose card is gone",
      (world) => {
        enter(world);
        Object.assign(world.setupIntent, { payment_method: null });
        for (const card of world.model.all("payment_method")) card.customer = null;
      },
      "succeeded",
    ],
  ])("%s", async (_, change, status) => {
    const { end, attached, setupIntent, row } = await ended(change);
    expect(await end()).toBe("ended");
    expect(setupIntent).toMatchObject({ status });
    expect(attached()).toEqual([]);
    expect((await row()).status).toBe("ended");
  });

  test.each<[string, (world: World) => unknown]>([
    ["its visitor sets up a card", enter],
    ["another request cancels it", ({ setupIntent }) => Object.assign(setupIntent, { status: "canceled" })],
    ["Stripe loses it", ({ card, model }) => model.objects.delete(card.setupIntentId)],
  ])("even when %s while it is being canceled", async (_, meanwhile) => {
    const { end, attached, row, ...world } = await ended();
    world.instead.set(`POST setup_intents/${world.card.setupIntentId}/cancel`, () => {
      meanwhile({ ...world, row });
      return undefined;
    });
    expect(await end()).toBe("ended");
    expect(attached()).toEqual([]);
    expect((await row()).status).toBe("ended");
  });

  test("and starts no trial while its card is being detached, whoever requests its status or reports the card [H3]", async () => {
    const { end, attached, row, ...world } = await ended(enter);
    const { id, card, services, instead, model } = world;
    await world.change(id, "declined_cards = 5");
    const setUp = await services.payments.retrieveSetupIntent(String(card.setupIntentId));
    const outcomes: unknown[] = [];
    instead.set("POST payment_methods", async () => {
      instead.clear();
      outcomes.push(await signUpStatus(id, services), await handleCardSetUp(await row(), setUp, services));
      return undefined;
    });
    expect(await end()).toBe("ended");
    expect(outcomes).toEqual([{ status: "ended" }, "ended"]);
    expect([attached(), model.all("subscription")]).toEqual([[], []]);
  });

  test("and stays open while Stripe fails to cancel its setup intent", async () => {
    const { end, row } = await ended(({ instead }) => instead.set("POST setup_intents", refusal(429, "rate_limit")));
    await expect(end()).rejects.toThrow("Payments: unavailable");
    expect((await row()).status).toBe("pending");
  });
});
