import { expect, test } from "vitest";
import { cardBrand, isCardNumber, wrongExpiry } from "../../../functions/stripe-simulator/cards/card-numbers";
import { cardOutcome, WORKING_CARDS } from "../../../functions/stripe-simulator/cards/test-cards";

/*
 * The simulator's card numbers, as https://docs.stripe.com/testing describes them. The cards that also have a test payment method are in
 * tests/stripe-facts/facts/setup-intents.ts.
 */

/** What happens to a card, in words. */
function behaviorOf(number: string): string {
  const { challenge, declined, chargeFails } = cardOutcome(number);
  const { code, decline_code } = declined?.body ?? {};
  const end = decline_code ?? code ?? (chargeFails ? "works, charges fail" : "works");
  return challenge ? `challenge on a ${challenge}, then ${end}`.replace("on a dialog", "in a dialog") : end;
}

test.each([
  ["4100000000000019", "works, charges fail"],
  ["4000000000004954", "works, charges fail"],
  ["4000002760003184", "challenge in a dialog, then works, charges fail"],
  ["4000008260003178", "challenge in a dialog, then works, charges fail"],
  ["4000000000003220", "challenge in a dialog, then works"],
  ["4000008400000027", "challenge in a dialog, then works"],
  ["4000008400001629", "challenge in a dialog, then generic_decline"],
  ["4000008400001280", "generic_decline"],
  ["", "test_mode_live_card"],
])("the card %s: %s", (number, behavior) => {
  expect(behaviorOf(number)).toBe(behavior);
});

test("each working card has a valid number and a brand; a wrong check digit, too few digits and spaces are refused", () => {
  expect(WORKING_CARDS.filter((number) => !isCardNumber(number) || behaviorOf(number) !== "works")).toEqual([]);
  expect(WORKING_CARDS.filter((number) => cardBrand(number) === "unknown")).toEqual(["5062210000000009"]);
  expect(["4242424242424241", "42424242424", "4242 4242 4242 4242"].filter(isCardNumber)).toEqual([]);
});

const NOVEMBER = Date.UTC(2026, 10, 30, 23, 59);

test.each([
  { month: 11, year: 2026, wrong: null },
  { month: 12, year: 26, wrong: null },
  { month: 1, year: 2027, wrong: null },
  { month: 10, year: 2026, wrong: "month" },
  { month: 0, year: 2027, wrong: "month" },
  { month: 13, year: 2027, wrong: "month" },
  { month: 12, year: 2025, wrong: "year" },
  { month: 12, year: 95, wrong: "year" },
])("at the end of November 2026, the expiration date $month/$year has a wrong part: $wrong", ({ wrong, ...expiry }) => {
  expect(wrongExpiry(expiry, NOVEMBER)).toBe(wrong);
});
