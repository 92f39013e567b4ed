import { createElement, type ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { MemoryRouter } from "react-router-dom";
import { afterEach, expect, test, vi } from "vitest";
import { chargeSentence, usd, utcMinute } from "../../../app/contract/charge-wording";
import { PAID_PLANS } from "../../../app/contract/plans";
import { trialEndOf } from "../../../app/contract/trial";
import { PlanCard } from "../../../app/pricing/plans/plan-card";
import { PlanComparison } from "../../../app/pricing/plans/plan-comparison";
import { type DetailedPlan, detailedPlans } from "../../../app/pricing/plans/plan-details";
import { describeOffer } from "../../../app/pricing/plans/plan-list";
import { offerOf } from "../../../app/seo/offers";
import { PlanChoice } from "../../../app/signup/form/plan-choice";
import { PlanTerms } from "../../../app/signup/form/plan-summary";
import { trialEndingEmail, trialStartedEmail } from "../../../functions/subscription-api/outbox/emails/trial-emails";
import { MESSAGE, SENDER } from "../api/outbox/message";
import { signUpsInProcess } from "../api/sign-ups/sign-ups";

afterEach(() => void vi.unstubAllEnvs());

const links = { verifyEmail: "https://api.example/verify", notMe: "https://api.example/not-me" };
const begins = [
  ["2026-11-30T23:59:00.000Z", "December 5, 2026"],
  ["2026-12-31T23:59:00.000Z", "January 5, 2027"],
  ["2028-02-29T23:59:59.000Z", "March 5, 2028"],
] as const;
const zones = ["Pacific/Kiritimati", "Pacific/Pago_Pago"];

const dues = zones.flatMap((zone) => begins.map(([began, day]) => [zone, began, day]));

test.each(dues)("in %s the trial of %s ends on the same day on page and in emails: %s", (zone, began, day) => {
  vi.stubEnv("TZ", zone);
  const end = trialEndOf(began);
  const cents = { cents: 123_456, tax: 0 };
  const trialEndOutcome = { next: "charge" as const, first: cents, later: cents };
  const trial = { end: new Date(end), trialEndOutcome, card: { brand: "visa", last4: "4242" }, plan: "STANDARD" };
  const [amount, chargeDay] = [usd(123_456), `on or after ${day} (UTC)`];
  const due = `Unless you cancel before then, we’ll charge $1,234.56 USD to your Visa ending in 4242 ${chargeDay}, and then`;
  const sentence = `${due} every month until you cancel.`;
  expect(chargeSentence(end, { amount, card: "Visa ending in 4242" })).toBe(sentence);
  const reduced = chargeSentence(end, { amount, later: usd(100), card: "Visa ending in 4242" });
  expect(reduced).toContain(`${due} $1.00 USD every month`);
  expect([end, "2026-12-31T00:05:00Z"].map(utcMinute)).toEqual([`${day}, 23:59 UTC`, "December 31, 2026, 00:05 UTC"]);
  for (const { text } of [trialStartedEmail(MESSAGE, trial, SENDER, links), trialEndingEmail(MESSAGE, trial, SENDER)])
    for (const words of [sentence, `First payment: ${amount}, ${chargeDay}`, `ends on ${day} (UTC)`])
      expect(text).toContain(words);
});

const [plan] = detailedPlans();
if (!plan) throw new Error("The catalog is empty.");
const discount = { ...plan, price: 80, originalPrice: 1200 };

test.each<[where: string, element: (plan: DetailedPlan) => ReactElement, isStruck: boolean]>([
  ["a plan's card", (plan) => createElement(PlanCard, { plan }), true],
  ["the comparison", (plan) => createElement(PlanComparison, { plans: [plan] }), true],
  ["the sign-up's summary", (plan) => createElement(PlanTerms, { plan }), true],
  ["the plan choice", (plan) => createElement(MemoryRouter, null, PlanChoice({ problem: "", plans: [plan] })), false],
  ["llms.txt", (plan) => createElement("p", {}, describeOffer(plan)), false],
])("in %s a discount has the regular price, struck through beside it: %o, %s", (_, element, isStruck) => {
  const html = renderToStaticMarkup(element(discount));
  expect(html).toMatch(/\$80\b/);
  expect(html).toMatch(/then \$1,200 a month/i);
  expect(/<del[^>]*>.*\$1,200<\/del>/.test(html)).toBe(isStruck);
  for (const originalPrice of [100, null])
    expect(renderToStaticMarkup(element({ ...plan, price: 100, originalPrice }))).not.toMatch(/<del|then \$[\d,]+ a/i);
});

test("the structured data has a discount's regular price as the struck-through price of the same month", () => {
  const month = { "@type": "UnitPriceSpecification", priceCurrency: "USD", billingDuration: 1, unitCode: "MON" };
  const regular = { ...month, price: 1200, priceType: "https://schema.org/StrikethroughPrice" };
  const [offer] = offerOf(discount, "https://brand.test/pricing");
  expect(offer).toHaveProperty("priceSpecification", [{ ...month, price: 80 }, regular]);
  expect(JSON.stringify(offerOf(plan, "https://brand.test/pricing"))).not.toContain("StrikethroughPrice");
});

test.each(PAID_PLANS)("the plan $title is sold by the API under the site's id, at the site's price", (sold) => {
  const rows = signUpsInProcess().rows("SELECT name, price_cents FROM packages WHERE id = ?", sold.packageId);
  expect(rows).toEqual([{ name: sold.title, price_cents: sold.monthlyPrice * 100 }]);
});
