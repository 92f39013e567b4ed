import { createElement, type ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { MemoryRouter } from "react-router-dom";
import { expect, test } from "vitest";
import { PlanCard } from "../../../app/pricing/plans/plan-card";
import { PlanComparison } from "../../../app/pricing/plans/plan-comparison";
import { type DetailedPlan, detailedPlans } from "../../../app/pricing/plans/plan-details";
import { describeOffer } from "../../../app/pricing/plans/plan-list";
import { offerOf } from "../../../app/seo/offers";
import { PlanChoice } from "../../../app/signup/form/plan-choice";
import { PlanTerms } from "../../../app/signup/form/plan-summary";

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
