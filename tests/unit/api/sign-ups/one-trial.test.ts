import { expect, test } from "vitest";
import { MAX_FAILED_CARDS } from "../../../../app/contract/trial";
import { handleStripeEvent } from "../../../../functions/subscription-api/sign-ups/handle-stripe-event";
import { signUpStatus } from "../../../../functions/subscription-api/sign-ups/sign-up-status";
import { advance, advanceToNotMe } from "../../../../functions/subscription-api/sign-ups/transitions/advance";
import { trialHashes } from "../../../../functions/subscription-api/sign-ups/trial-hashes";
import { NOW, stopClock } from "../../../support/clock";
import { signUpsInProcess } from "./sign-ups";
import { cardEvent } from "./situations";

/* One trial for each address, mailbox and card. Used and declined cards are counted, and the last ends the sign-up. */

stopClock();

const OPEN = { status: "pending", used_cards: 1 };
const REPLACED = { status: "ended", end_reason: "replaced" };
const TRIAL = { status: "trialing" };
const BOB = { email: "bob@example.com", card: "the first's" };

test.each([
  { what: "the same address, where only addresses count", onePerPerson: false, outcome: REPLACED },
  { what: "the same address and card", card: "the first's", outcome: REPLACED },
  { what: "the same card", ...BOB, outcome: OPEN },
  { what: "the same card, where cards do not count", ...BOB, onePerPerson: false, outcome: TRIAL },
  { what: "a plus tag", email: "ada+x@example.com", outcome: REPLACED },
  { what: "a plus tag, where tags count", email: "ada+x@example.com", onePerPerson: false, outcome: TRIAL },
  { what: "Gmail's dots", first: "ada.l@gmail.com", email: "adal@googlemail.com", outcome: REPLACED },
  { what: "dots elsewhere", first: "ada.l@example.com", email: "adal@example.com", outcome: TRIAL },
  { what: "a plus sign and no name", first: "+a@example.com", email: "+b@example.com", outcome: TRIAL },
])("a second sign-up with $what comes to $outcome", async (row) => {
  const { onePerPerson = true, first = "ada@example.com", email = first, card = "another", outcome } = row;
  const { onTrial } = signUpsInProcess({ onePerPerson });
  await onTrial({ email: first }, "the first's");
  expect(await onTrial({ email }, card)).toMatchObject(outcome);
});

test.each([
  { onePerPerson: false, emails: ["ada@example.com", "ada@example.com", "ada@example.com"] },
  { onePerPerson: true, emails: ["ada+1@example.com", "ada+2@example.com", "ada@example.com"] },
])("the first “This wasn’t me” frees an address, no later one does, and none frees a card: $emails", async (row) => {
  const [one, another, third] = row.emails;
  const { onTrial, find, services, model } = signUpsInProcess({ onePerPerson: row.onePerPerson });
  const isUsed = () => services.signUps.hasHadTrial(services.trialHashes.ofEmail("ada@example.com"));
  const first = await onTrial({ email: one }, "a card");
  await advanceToNotMe(first, services);
  expect(await isUsed(), "after the first").toBe(false);
  if (row.onePerPerson) expect(await onTrial({ email: another }, "a card")).toMatchObject(OPEN);
  const second = await onTrial({ email: another }, "another card");
  await advanceToNotMe(await find(first.id), services);
  expect(await isUsed(), "after the first sign-up's link is opened again").toBe(true);
  expect(await find(second.id)).toMatchObject(TRIAL);
  await advanceToNotMe(second, services);
  expect(await isUsed(), "after the second sign-up's link").toBe(true);
  expect(await onTrial({ email: third }, "a third card")).toMatchObject(REPLACED);
  expect(model.all("subscription").map(({ status }) => status)).toEqual(["canceled", "canceled"]);
});

test("an address's claims are freed whatever the setting was when they were made", () => {
  const hashSecret = "a-secret-of-this-test";
  const [persons, addresses] = [true, false].map((onePerPerson) => trialHashes({ hashSecret, onePerPerson }));
  const claimed = persons?.ofEmail("ada+x@example.com");
  expect(addresses?.secondTrialOf("ada+x@example.com").released).toEqual(claimed);
  expect(addresses?.ofEmail("ada@example.com")).not.toEqual(claimed?.slice(1));
});

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
])("a sign-up that enters $cards is then $end; each counts, a used one brings another form", async ({ cards, end }) => {
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
  expect(await find(id)).toMatchObject({ used_cards: count("used"), declined_cards: count("declined"), ...end });
});
