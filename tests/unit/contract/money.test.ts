import { expect, test } from "vitest";
import { chargedAmount, inDollars, isPrice, MAX_CENTS, shortAmount } from "../../../app/contract/money";
import { wrongPrice } from "../../../tools/wrong-price";

test.each([
  { cents: 1, short: "$0.01", charged: "$0.01 USD", dollars: 0.01 },
  { cents: 1_999, short: "$19.99", charged: "$19.99 USD", dollars: 19.99 },
  { cents: 9_950, short: "$99.50", charged: "$99.50 USD", dollars: 99.5 },
  { cents: 10_000, short: "$100", charged: "$100.00 USD", dollars: 100 },
  { cents: 125_000, short: "$1,250", charged: "$1,250.00 USD", dollars: 1_250 },
  { cents: MAX_CENTS, short: "$999,999.99", charged: "$999,999.99 USD", dollars: 999_999.99 },
])("$cents cents are $short, and $charged when they are charged", ({ cents, short, charged, dollars }) => {
  expect([shortAmount(cents), chargedAmount(cents), inDollars(cents)]).toEqual([short, charged, dollars]);
});

test("a plan's price is whole cents from 1 to the largest amount; another one ends the build with the plan's name", () => {
  const prices = [0, 1, 19.99, 1_999, MAX_CENTS, MAX_CENTS + 1, Number.NaN];
  expect(prices.filter(isPrice)).toEqual([1, 1_999, MAX_CENTS]);
  const lite = { title: "LITE", priceCents: 1_999 };
  expect(wrongPrice([lite, { title: "MINI", priceCents: 19.99 }])).toBe(
    "MINI in app/contract/plans.ts has the price 19.99. It must be whole cents from 1 to 99999999: 1_999 is $19.99.",
  );
  expect(wrongPrice([lite])).toBeUndefined();
});
