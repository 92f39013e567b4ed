import { expect, test } from "vitest";
import { MAX_FAILED_CARDS } from "../../../../app/contract/trial";
import { handleStripeEvent } from "../../../../functions/subscription-api/sign-ups/handle-stripe-event";
import { signUpStatus } from "../../../../functions/subscription-api/sign-ups/sign-up-status";
import { advance, advanceToCardForm } from "../../../../functions/subscription-api/sign-ups/transitions/advance";
import { stopClock } from "../../../support/clock";
import { signUpsInProcess } from "./sign-ups";
import { cardEvent } from "./situations";

/* Declined and used cards are counted, and the last ends the sign-up. */

stopClock();

const ALL_BUT_LAST = Array.from({ length: MAX_FAILED_CARDS - 1 }, (_, at) => at + 1);

test("a declined card counts once, however often and at once its event comes, and only for the open form", async () => {
  const { services, pending, find } = signUpsInProcess();
  const signUp = await pending();
  const earlier = cardEvent({ ...signUp, stripe_setup_intent_id: "seti_of_before" }, "card-declined");
  expect(await handleStripeEvent(earlier, services)).toBe("unknown");
  const received = cardEvent(signUp, "card-declined");
  await Promise.all([handleStripeEvent(received, services), handleStripeEvent(received, services)]);
  expect(await find(signUp.id)).toMatchObject({ declined_cards: 1, status: "pending" });
});

test.each([
  { order: [1, 2, 1], cards: 2 },
  { order: [2, 1, 1, 2], cards: 2 },
  { order: [...ALL_BUT_LAST, ...ALL_BUT_LAST], cards: ALL_BUT_LAST.length },
  { order: [...ALL_BUT_LAST, ...ALL_BUT_LAST.toReversed()], cards: ALL_BUT_LAST.length },
])("the events $order count $cards declined cards, each once", async ({ order, cards }) => {
  const { services, pending, find } = signUpsInProcess();
  const signUp = await pending();
  for (const card of order) await handleStripeEvent(cardEvent(signUp, "card-declined", `evt_${card}`), services);
  expect(await find(signUp.id)).toMatchObject({ declined_cards: cards, status: "pending" });
});

test("declined and used cards count together; before the last one the status has another card's form", async () => {
  const { withCard, services } = signUpsInProcess({ onePerPerson: true });
  await withCard("somebody@else.example", "used");
  const failed = { status: "ended", end_reason: "cards-failed", used_cards: 1 };
  expect(await withCard("ada@example.com", "used", `declined_cards = ${MAX_FAILED_CARDS - 1}`)).toMatchObject(failed);
  const open = await withCard("bob@example.com", "used", `declined_cards = ${MAX_FAILED_CARDS - 2}`);
  expect(open).toMatchObject({ status: "pending", used_cards: 1 });
  const client_secret = expect.stringMatching(/^seti_\w+_secret_1$/);
  expect(await signUpStatus(open.id, services)).toMatchObject({ status: "card_used", client_secret });
});

type Card = "used" | "declined" | "new";

const IN_TURNS = Array.from({ length: MAX_FAILED_CARDS }, (_, at): Card => (at % 2 === 0 ? "used" : "declined"));
const ONE_DECLINED = IN_TURNS.map((_, at): Card => (at === 0 ? "declined" : "used"));

test.each<{ cards: Card[]; status: string }>([
  { cards: ["used", "used"], status: "pending" },
  { cards: ["used", "used", "new"], status: "trialing" },
  { cards: IN_TURNS.slice(1), status: "pending" },
  { cards: IN_TURNS, status: "ended" },
  { cards: ONE_DECLINED, status: "ended" },
])("a sign-up that enters these cards in turn is $status, and each counts: $cards", async ({ cards, status }) => {
  const { onTrial, pending, enterCard, services, find } = signUpsInProcess({ onePerPerson: true });
  await onTrial({ email: "somebody@else.example" }, "used");
  const { id } = await pending();
  for (const [at, card] of cards.entries()) {
    const { signUp } = await advanceToCardForm(await find(id), services);
    if (!signUp) throw new Error("The sign-up is gone");
    if (card === "declined") {
      await handleStripeEvent(cardEvent(signUp, "card-declined", `evt_${at}`), services);
    } else {
      enterCard(signUp, card);
      await advance(signUp, services);
    }
  }
  const count = (kind: Card) => cards.filter((card) => card === kind).length;
  const counted = { used_cards: count("used"), declined_cards: count("declined") };
  expect(await find(id)).toMatchObject({ ...counted, status });
});
