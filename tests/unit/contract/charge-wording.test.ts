import { createElement, type ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { MemoryRouter } from "react-router-dom";
import { afterEach, expect, test } from "vitest";
import { chargeDay, chargeSentence, usd } from "../../../app/contract/charge-wording";
import { trialEndOf } from "../../../app/contract/trial";
import { PlanCard } from "../../../app/pricing/plans/plan-card";
import { PlanComparison } from "../../../app/pricing/plans/plan-comparison";
import { type DetailedPlan, detailedPlans } from "../../../app/pricing/plans/plan-details";
import { describeOffer } from "../../../app/pricing/plans/plan-list";
import { offerOf } from "../../../app/seo/offers";
import { PlanChoice } from "../../../app/signup/form/plan-choice";
import { PlanTerms } from "../../../app/signup/form/plan-summary";
import { trialEndingEmail, trialStartedEmail } from "../../../functions/subscription-api/outbox/emails/trial-emails";
import { MESSAGE, SENDER } from "../../support/api-in-process/message";

const zone = process.env.TZ;
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

const links = { verifyEmail: "https://api.example/verify", notMe: "https://api.example/not-me" };
const begins = [
  ["2026-11-30T23:59:00.000Z", "December 5, 2026 (UTC)"],
  ["2026-12-31T23:59:00.000Z", "January 5, 2027 (UTC)"],
  ["2028-02-29T23:59:59.000Z", "March 5, 2028 (UTC)"],
] as const;

test.each(
  ["Pacific/Kiritimati", "Asia/Kolkata", "Pacific/Pago_Pago"].flatMap((tz) =>
    begins.map((one) => [tz, ...one] as const),
  ),
)("in %s a trial that begins at %s has the same day and amount on the page and in the emails: %s", (tz, began, day) => {
  process.env.TZ = tz;
  const end = new Date(trialEndOf(began));
  const amount = { cents: 50_000, tax: 0 };
  const trial = {
    end,
    trialEndOutcome: { next: "charge" as const, first: amount, later: amount },
    card: { brand: "visa", last4: "4242" },
    plan: "STANDARD",
  };
  const sentence = `we’ll charge $500.00 USD to your Visa ending in 4242 on or after ${day}, and then every month`;
  expect(chargeDay(end.toISOString())).toBe(`on or after ${day}`);
  expect(chargeSentence(end.toISOString(), { amount: usd(50_000), card: "Visa ending in 4242" })).toContain(sentence);
  for (const { text } of [trialStartedEmail(MESSAGE, trial, SENDER, links), trialEndingEmail(MESSAGE, trial, SENDER)]) {
    expect(text).toContain(sentence);
    expect(text).toContain(`First payment: $500.00 USD, on or after ${day}`);
    expect(text).toContain(`ends on ${day}`);
  }
});

const [plan] = detailedPlans({ packageIds: { mini: "a", lite: "b", standard: "c" }, salesEmail: "sales@brand.test" });

test.each<[string, (plan: DetailedPlan) => ReactElement, struck: boolean]>([
  ["a plan's card", (plan) => createElement(PlanCard, { plan }), true],
  ["the comparison", (plan) => createElement(PlanComparison, { plans: [plan] }), true],
  ["the sign-up's summary", (plan) => createElement(PlanTerms, { plan }), true],
  [
    "the plan choice",
    (plan) => createElement(MemoryRouter, null, createElement(PlanChoice, { problem: "", plans: [plan] })),
    false,
  ],
  ["llms.txt", (plan) => createElement("p", {}, describeOffer(plan)), false],
])(
  "in %s a discount has the regular price, struck through if it stands beside it; a regular price is alone",
  (...row) => {
    const [, element, struck] = row;
    if (!plan) throw new Error("The catalog is empty.");
    const htmlOf = (prices: Partial<DetailedPlan>) => renderToStaticMarkup(element({ ...plan, ...prices }));
    const reduced = htmlOf({ price: 80, originalPrice: 1200 });
    expect(reduced).toMatch(/\$80\b/);
    expect(reduced).toMatch(/then \$1,200 a month/i);
    expect(/<del[^>]*>.*\$1,200<\/del>/.test(reduced)).toBe(struck);
    for (const originalPrice of [100, null])
      expect(htmlOf({ price: 100, originalPrice })).not.toMatch(/<del|then \$[\d,]+ a month/i);
  },
);

test("the structured data has a discount's regular price as the struck-through price of the same month", () => {
  if (!plan) throw new Error("The catalog is empty.");
  const dataOf = (which: DetailedPlan) => JSON.stringify(offerOf(which, "https://brand.test/pricing"));
  const price = '"priceCurrency":"USD","billingDuration":1,"unitCode":"MON"';
  expect(dataOf({ ...plan, price: 80, originalPrice: 1200 })).toContain(
    `"priceSpecification":[{"@type":"UnitPriceSpecification","price":80,${price}},` +
      `{"@type":"UnitPriceSpecification","price":1200,${price},"priceType":"https://schema.org/StrikethroughPrice"}]`,
  );
  expect(dataOf(plan)).not.toContain("StrikethroughPrice");
});
