import { expect, test } from "vitest";
import { advance, advanceToNotMe } from "../../../../functions/subscription-api/sign-ups/advance";
import { handleStripeEvent } from "../../../../functions/subscription-api/sign-ups/handle-stripe-event";
import { signUpStatus } from "../../../../functions/subscription-api/sign-ups/sign-up-status";
import { trialClaims } from "../../../../functions/subscription-api/sign-ups/trial-claims";
import { stopClock } from "../../../support/clock";
import { signUpsInProcess } from "./sign-ups";
import { cardEvent } from "./situations";

/* One trial for each address, mailbox and card; five cards that fail; one "This wasn't me". */

stopClock();

function limited({ onePerPerson = true } = {}) {
  const api = signUpsInProcess({ onePerPerson });
  return {
    ...api,
    count: (wanted: string) => api.messages().filter(({ kind }) => kind === wanted).length,
    /** A sign-up with a card, as far as it comes. */
    async enter(email: string, card: string, columns?: string) {
      const signUp = await api.pending({ email }, columns);
      api.enterCard(signUp, card);
      await advance(signUp, api.services);
      return api.find(signUp.id);
    },
  };
}

const OPEN = { status: "pending", used_cards: 1 };
const REPLACED = { status: "ended", end_reason: "replaced" };
const TRIAL = { status: "trialing" };

test.each<[what: string, onePerPerson: boolean, first: [string, string], second: [string, string], outcome: object]>([
  ["the same address", false, ["ada@example.com", "1"], ["ada@example.com", "2"], REPLACED],
  ["the same address and card", true, ["ada@example.com", "1"], ["ada@example.com", "1"], REPLACED],
  ["another address, the same card", true, ["ada@example.com", "1"], ["bob@example.com", "1"], OPEN],
  ["another address, the same card", false, ["ada@example.com", "1"], ["bob@example.com", "1"], TRIAL],
  ["a plus tag", true, ["ada@example.com", "1"], ["ada+x@example.com", "2"], REPLACED],
  ["a plus tag", false, ["ada@example.com", "1"], ["ada+x@example.com", "2"], TRIAL],
  ["another plus tag", true, ["ada+y@example.com", "1"], ["ada+x@example.com", "2"], REPLACED],
  ["Gmail's dots", true, ["ada.l@gmail.com", "1"], ["adal@googlemail.com", "2"], REPLACED],
  ["dots elsewhere", true, ["ada.l@example.com", "1"], ["adal@example.com", "2"], TRIAL],
  ["a plus sign and no name", true, ["+a@example.com", "1"], ["+b@example.com", "2"], TRIAL],
  ["another person", true, ["ada@example.com", "1"], ["bob@example.com", "2"], TRIAL],
])("a second sign-up with %s, where each person has one trial: %s", async (_, onePerPerson, first, second, outcome) => {
  const { enter } = limited({ onePerPerson });
  await enter(...first);
  expect(await enter(...second)).toMatchObject(outcome);
});

test("two forms with one address, a moment apart, have one trial: the claims decide", async () => {
  const { enter, rows, model } = limited({ onePerPerson: false });
  await Promise.all(["card 1", "card 2"].map((card) => enter("ada@example.com", card)));
  expect(rows("SELECT status FROM sign_ups ORDER BY status")).toEqual([{ status: "ended" }, { status: "trialing" }]);
  expect(model.all("subscription")).toHaveLength(1);
});

test("a declined card counts once, however often and at once its event comes, and only for the open form", async () => {
  const { services, pending, find } = limited();
  const signUp = await pending();
  const earlier = cardEvent({ ...signUp, stripe_setup_intent_id: "seti_of_before" }, "card-declined");
  expect(await handleStripeEvent(earlier, services)).toBe("unknown");
  const received = cardEvent(signUp, "card-declined");
  await Promise.all([handleStripeEvent(received, services), handleStripeEvent(received, services)]);
  expect(await find(signUp.id)).toMatchObject({ declined_cards: 1, status: "pending" });
});

test("declined and used cards count together; before the last one the status has another card's form", async () => {
  const { enter, services } = limited();
  await enter("somebody@else.example", "used");
  const failed = { status: "ended", end_reason: "cards-failed", used_cards: 1 };
  expect(await enter("ada@example.com", "used", "declined_cards = 4")).toMatchObject(failed);
  const open = await enter("bob@example.com", "used", "declined_cards = 3");
  expect(open).toMatchObject(OPEN);
  const client_secret = expect.stringMatching(/^seti_\w+_secret_1$/);
  expect(await signUpStatus(open.id, services)).toEqual({ status: "card_used", client_secret });
});

test("an address is freed once by “This wasn’t me”; the card that was used stays used", async () => {
  const { enter, services } = limited();
  const isUsed = () => services.signUps.hasHadTrial(services.claims.ofEmail("ada@example.com"));
  await advanceToNotMe(await enter("ada+1@example.com", "a card"), services);
  expect(await isUsed()).toBe(false);
  expect(await enter("ada+2@example.com", "a card")).toMatchObject(OPEN);
  await advanceToNotMe(await enter("ada@example.com", "another card"), services);
  expect(await isUsed()).toBe(true);
});

test("an address's claims are freed whatever the setting was when they were made", () => {
  const hashSecret = "a-secret-of-this-test";
  const [persons, addresses] = [true, false].map((onePerPerson) => trialClaims({ hashSecret, onePerPerson }));
  const claimed = persons?.ofEmail("ada+x@example.com");
  expect(addresses?.secondTrialOf("ada+x@example.com").released).toEqual(claimed);
  expect(addresses?.ofEmail("ada@example.com")).not.toEqual(claimed?.slice(1));
});
