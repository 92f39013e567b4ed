import { expect, test } from "vitest";
import { MAX_FAILED_CARDS } from "../../../../app/contract/trial";
import { handleStripeEvent } from "../../../../functions/subscription-api/sign-ups/handle-stripe-event";
import { signUpStatus } from "../../../../functions/subscription-api/sign-ups/sign-up-status";
import { advance } from "../../../../functions/subscription-api/sign-ups/transitions/advance";
import { NOW, stopClock } from "../../../support/clock";
import { signUpsInProcess } from "./sign-ups";
import { cardEvent } from "./situations";

/* Declined and used cards are counted, and the last ends the sign-up. */

stopClock();

test("a declined card counts once, however often, at once and late its event comes, and only for the open form", async () => {
  const { services, pending, find } = signUpsInProcess();
  const signUp = await pending();
  const earlier = cardEvent({ ...signUp, stripe_setup_intent_id: "seti_of_before" }, "card-declined", "evt_0");
  expect(await handleStripeEvent(earlier, services)).toBe("unknown");
  const cards = Array.from({ length: MAX_FAILED_CARDS - 1 }, (_, at) => `evt_${at + 1}`);
  const events = [...cards, ...cards.toReversed()].map((id) => cardEvent(signUp, "card-declined", id));
  for (const event of events) await Promise.all([event, event].map((one) => handleStripeEvent(one, services)));
  expect(await find(signUp.id)).toMatchObject({ declined_cards: cards.length, status: "pending" });
});

test("a request that dies after it has counted the last declined card leaves its end to the cron handler", async () => {
  const { services, pending, find } = signUpsInProcess();
  const signUp = await pending({}, `declined_cards = ${MAX_FAILED_CARDS - 1}`);
  services.signUps.write = () => Promise.reject(new Error("D1_ERROR"));
  await expect(handleStripeEvent(cardEvent(signUp, "card-declined"), services)).rejects.toThrow("D1_ERROR");
  const counted = { status: "pending", declined_cards: MAX_FAILED_CARDS, check_at: new Date(NOW).toISOString() };
  expect(await find(signUp.id)).toMatchObject(counted);
});

type Card = "used" | "declined" | "new";
const IN_TURNS = Array.from({ length: MAX_FAILED_CARDS }, (_, at): Card => (at % 2 === 0 ? "used" : "declined"));

test.each<{ cards: Card[]; end: object }>([
  { cards: ["used", "used", "new"], end: { status: "trialing" } },
  { cards: IN_TURNS.slice(1), end: { status: "pending" } },
  { cards: IN_TURNS, end: { status: "ended", end_reason: "cards-failed" } },
])(
  "a sign-up that enters these cards in turn comes to $end; each counts, and after a used one its status has another form: $cards",
  async ({ cards, end }) => {
    const { onTrial, pending, enterCard, services, find } = signUpsInProcess({ onePerPerson: true });
    await onTrial({ email: "somebody@else.example" }, "used");
    const { id } = await pending();
    for (const [at, card] of cards.entries()) {
      const client_secret = expect.stringMatching(/^seti_\w+_secret_1$/);
      const hasUsed = cards.slice(0, at).includes("used");
      const form = hasUsed ? { status: "card_used", client_secret } : { status: "pending" };
      expect(await signUpStatus(id, services)).toMatchObject(form);
      const signUp = await find(id);
      if (card === "declined") {
        await handleStripeEvent(cardEvent(signUp, "card-declined", `evt_${at}`), services);
      } else {
        enterCard(signUp, card);
        await advance(signUp, services);
      }
    }
    const count = (kind: Card) => cards.filter((card) => card === kind).length;
    const counted = { used_cards: count("used"), declined_cards: count("declined") };
    expect(await find(id)).toMatchObject({ ...counted, ...end });
  },
);
