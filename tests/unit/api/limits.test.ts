import { expect, test, vi } from "vitest";
import { trialClaims } from "../../../functions/subscription-api/limits/trial-claims";
import { advance } from "../../../functions/subscription-api/sign-ups/advance";
import { handleStripeEvent } from "../../../functions/subscription-api/sign-ups/stripe-event";
import { emailConfirmed } from "../../../functions/subscription-api/sign-ups/transitions";
import { stopClock } from "../../support/api-in-process/clock";
import { signUpsInProcess } from "../../support/api-in-process/sign-ups";
import { cardEvent } from "./situations";

/* One trial for each address, mailbox and card; five cards that fail; three emails about a card; one "This wasn't me". */

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
  ["a plus sign and no name", true, ["+a@example.com", "1"], ["+b@example.com", "2"], "trialing"],
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
  expect(api.rows("SELECT status FROM sign_ups ORDER BY status")).toEqual([
    { status: "ended" },
    { status: "trialing" },
  ]);
  expect(api.model.all("subscription")).toHaveLength(1);
});

test.each([
  [4, "pending", "requires_payment_method"],
  [5, "ended", "canceled"],
])("after %i declined cards a sign-up is %s, and each event counts once", async (cards, status, form) => {
  const api = signUpsInProcess();
  const signUp = await api.pending();
  for (let each = 0; each < cards; each += 1) {
    const received = cardEvent(signUp, "declined", `evt_${each}`);
    await Promise.all([handleStripeEvent(received, api.services), handleStripeEvent(received, api.services)]);
    await handleStripeEvent(received, api.services);
  }
  expect(await api.find(signUp.id)).toMatchObject({ declined_cards: cards, status });
  expect(api.model.get(signUp.stripe_setup_intent_id)?.status).toBe(form);
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
  const earlier = cardEvent({ ...signUp, stripe_setup_intent_id: "seti_of_before" }, "declined");
  expect(await handleStripeEvent(earlier, api.services)).toBe("unknown");
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

test("an address is freed once by “This wasn’t me”; the card that was used stays used", async () => {
  const api = signUpsInProcess({ onePerPerson: true });
  const { services } = api;
  const isUsed = () => services.signUps.hasHadTrial(services.claims.emailsOf("ada@example.com"));
  const disowned = async (email: string, card: string) =>
    advance(await api.onTrial({ email }, card), services, "not-me");
  await disowned("ada+1@example.com", "a card");
  expect(await isUsed()).toBe(false);
  const again = await api.pending({ email: "ada+2@example.com" });
  api.enterCard(again, "a card");
  await advance(again, services);
  expect(await api.find(again.id)).toMatchObject({ status: "pending", used_cards: 1 });
  await disowned("ada@example.com", "another card");
  expect(await isUsed()).toBe(true);
});

test("an address is confirmed once, and never after the end", async () => {
  const api = signUpsInProcess();
  const confirm = (id: string) => api.services.signUps.change(id, emailConfirmed);
  const { id } = await api.onTrial();
  vi.setSystemTime(NOW + DAY);
  const first = await confirm(id);
  const now = new Date(NOW + DAY).toISOString();
  expect(first).toMatchObject({ email_verified_at: now, updated_at: now });
  expect(await confirm(id)).toEqual(first);
  expect(api.messages().filter(({ kind }) => kind === "email-verified")).toHaveLength(1);
  const other = await api.onTrial({ email: "other@example.com" }, "other");
  await advance(other, api.services, "not-me");
  expect(await confirm(other.id)).toMatchObject({ email_verified_at: null });
  expect(await confirm("none")).toBeNull();
});
