import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chargedAmount, inDollars, isPrice, MAX_CENTS, shortAmount } from "../../../app/contract/money";
import { root } from "../../../tools/wrangler/wrangler";
import { wrongPrice } from "../../../tools/wrong-price";
import { filesIn } from "../../support/files-in";

/* Amounts in US cents, as text. */

test.each([
  { cents: 1, short: "$0.01", charged: "$0.01 USD" },
  { cents: 1_999, short: "$19.99", charged: "$19.99 USD" },
  { cents: 9_950, short: "$99.50", charged: "$99.50 USD" },
  { cents: 10_000, short: "$100", charged: "$100.00 USD" },
  { cents: 125_000, short: "$1,250", charged: "$1,250.00 USD" },
  { cents: MAX_CENTS, short: "$999,999.99", charged: "$999,999.99 USD" },
])("$cents cents are $short, and $charged when they are charged", ({ cents, short, charged }) => {
  expect(shortAmount(cents)).toBe(short);
  expect(chargedAmount(cents)).toBe(charged);
});

test("every amount can be read back from its texts", () => {
  const read = (text: string) => Math.round(Number(text.replace(/[$,]| USD$/g, "")) * 100);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: MAX_CENTS }), (cents) => {
      expect([read(shortAmount(cents)), read(chargedAmount(cents)), Math.round(inDollars(cents) * 100)]).toEqual([
        cents,
        cents,
        cents,
      ]);
    }),
    { seed: 1 },
  );
});

test("nothing else turns cents into dollars", () => {
  const found = ["app", "functions", "tools"].flatMap((folder) =>
    filesIn(folder).filter(
      (name) => /\.tsx?$/.test(name) && /\/ 100\b(?!_)/.test(readFileSync(join(root, name), "utf8")),
    ),
  );
  expect(found).toEqual(["app/contract/money.ts"]);
});

describe("a plan's price", () => {
  test.each([1, 1_999, MAX_CENTS])("can be %d cents", (cents) => {
    expect(isPrice(cents)).toBe(true);
  });

  test.each([0, -100, 19.99, MAX_CENTS + 1, Number.NaN])("cannot be %d", (cents) => {
    expect(isPrice(cents)).toBe(false);
  });

  test("that cannot be charged ends the build with the plan's name", () => {
    const plan = { title: "MINI", priceCents: 19.99 };
    expect(wrongPrice([{ title: "LITE", priceCents: 1_999 }, plan])).toBe(
      "MINI in app/contract/plans.ts has the price 19.99. It must be whole cents from 1 to 99999999: 1_999 is $19.99.",
    );
    expect(wrongPrice([{ title: "LITE", priceCents: 1_999 }])).toBeUndefined();
  });
});
