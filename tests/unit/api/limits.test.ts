import { expect, test, vi } from "vitest";
import { trialClaims } from "../../../functions/subscription-api/limits/trial-claims";
import { advance } from "../../../functions/subscription-api/sign-ups/advance";
import { handleStripeEvent } from "../../../functions/subscription-api/sign-ups/stripe-event";
import { stopClock } from "../../support/api-in-process/clock";
import { signUpsInProcess } from "../../support/api-in-process/sign-ups";

/* One trial for each address, mailbox and card; five cards that fail; three emails about a card. */

const DAY = 24 * 60 * 60_000;
const NOW = Date.parse("2026-11-22T12:00:00.000Z");
stopClock(NOW);

const OPEN = "pending, 1 used";

test.each<[what: string, onePerPerson: boolean, first: [string, string], second: [string, string], outcome: string]>([
  ["the same address", false, ["ada@example.com", "1"], ["ada@example.com", "2"], "ended"],
  ["the same address and card", true, ["ada@example.com", "1"], ["ada@example.com", "1"], "ended"],
  ["another address, the same card", true, ["ada@example.com", "1"], ["bob@example.com", "1"], OPEN],
  ["another address, the same card", false, ["ada@example.com", "1"], ["bob@example.com", "1"], "trialing"],
  ["a plus tag", true, ["ada@example.com", "1"], ["ada+x@example.com", "2"], "ended"],
  ["a plus tag", false, ["ada@example.com", "1"], ["ada+x@example.com", "2"], "trialing"],
  ["another plus tag", true, ["ada+y@example.com", "1"], ["ada+x@example.com", "2"], "ended"],
  ["Gmail's dots", true, ["ada.l@gmail.com", "1"], ["adal@googlemail.com", "2"], "ended"],
  ["dots elsewhere", true, ["ada.l@example.com", "1"], ["adal@example.com", "2"], "trialing"],
  ["another person", true, ["ada@example.com", "1"], ["bob@example.com", "2"], "trialing"],
])("a second sign-up with %s, where each person has one trial: %s", async (_, onePerPerson, first, second, outcome) => {
  const api = signUpsInProcess({ onePerPerson });
  await api.onTrial({ email: first[0] }, first[1]);
  const signUp = await api.pending({ email: second[0] });
  api.enterCard(signUp, second[1]);
  await advance(signUp, api.services);
  const { status, used_cards } = await api.find(signUp.id);
  expect(used_cards > 0 ? `${status}, ${used_cards} used` : status).toBe(outcome);
});

test("claims made for a person do not bind an address once each address has its own trial", () => {
  const config = { hashSecret: "a-secret-of-this-test" };
  const [persons, addresses] = [true, false].map((onePerPerson) => trialClaims({ ...config, onePerPerson }));
  const claimed = persons?.of("ada+x@example.com", "a card");
  const isBound = (email: string) => addresses?.emailsOf(email).some((hash) => claimed?.email.includes(hash));
  expect([isBound("ada+x@example.com"), isBound("ada@example.com")]).toEqual([true, false]);
  expect(addresses?.of("bob@example.com", "a card").card).toBeNull();
  expect(addresses?.freedOf("ada+x@example.com").claims).toEqual(claimed?.email);
});

test("two forms with one address, a moment apart, have one trial: the claims decide", async () => {
  const api = signUpsInProcess();
  const both = [await api.pending(), await api.pending()];
  for (const [index, signUp] of both.entries()) api.enterCard(signUp, `card ${index}`);
  await Promise.all(both.map((signUp) => advance(signUp, api.services)));
  expect(api.rows("SELECT status FROM sign_ups ORDER BY status").map(({ status }) => status)).toEqual([
    "ended",
    "trialing",
  ]);
  expect(api.model.all("subscription")).toHaveLength(1);
});

test.each([
  [4, "pending", "requires_payment_method"],
  [5, "ended", "canceled"],
])("after %i declined cards a sign-up is %s, and each event counts once", async (cards, status, form) => {
  const api = signUpsInProcess();
  const signUp = await api.pending();
  const { stripe_setup_intent_id: setupIntentId, stripe_customer_id: customerId } = signUp;
  const card = { signUpId: signUp.id, setupIntentId, customerId };
  for (let each = 0; each < cards; each += 1) {
    const event = { id: `evt_${each}`, type: "setup_intent.setup_failed" };
    const received = { status: "card-declined" as const, event, card };
    await Promise.all([handleStripeEvent(received, api.services), handleStripeEvent(received, api.services)]);
    await handleStripeEvent(received, api.services);
  }
  expect(await api.find(signUp.id)).toMatchObject({ declined_cards: cards, status });
  expect(api.model.get(setupIntentId)?.status).toBe(form);
});

test("declined and used cards count together", async () => {
  const api = signUpsInProcess({ onePerPerson: true });
  await api.onTrial({ email: "somebody@else.example" }, "used");
  const signUp = await api.pending({}, "declined_cards = 4");
  api.enterCard(signUp, "used");
  await advance(signUp, api.services);
  expect(await api.find(signUp.id)).toMatchObject({ status: "ended", end_reason: "cards-failed", used_cards: 1 });
});

test("a declined card of an earlier form does not count", async () => {
  const api = signUpsInProcess();
  const signUp = await api.pending();
  const event = { id: "evt_1", type: "setup_intent.setup_failed" };
  const card = { signUpId: signUp.id, setupIntentId: "seti_of_before", customerId: signUp.stripe_customer_id };
  expect(await handleStripeEvent({ status: "card-declined", event, card }, api.services)).toBe("unknown");
  expect(await api.find(signUp.id)).toMatchObject({ declined_cards: 0 });
});

test("a used card is told by email to three sign-ups a day (UTC), to each once", async () => {
  const api = signUpsInProcess({ onePerPerson: true });
  for (const card of ["card 1", "card 2"]) await api.onTrial({ email: `${card.at(-1)}@example.com` }, card);
  const enter = async (card: string) => {
    const signUp = await api.pending({ email: `${crypto.randomUUID()}@example.com` });
    api.enterCard(signUp, card);
    await advance(signUp, api.services);
    return api.messages().filter(({ kind }) => kind === "card-used").length;
  };
  for (const told of [1, 2, 3, 3]) expect(await enter("card 1")).toBe(told);
  expect(await enter("card 2")).toBe(4);
  vi.setSystemTime(NOW + DAY);
  expect(await enter("card 1")).toBe(5);
});
