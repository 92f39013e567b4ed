import { createElement, type ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { MemoryRouter } from "react-router-dom";
import { describe, expect, test } from "vitest";
import { PlanCard } from "../../../app/pricing/plans/plan-card";
import { PlanComparison } from "../../../app/pricing/plans/plan-comparison";
import { type DetailedPlan, detailedPlans } from "../../../app/pricing/plans/plan-details";
import { describeOffer } from "../../../app/pricing/plans/plan-list";
import { offerOf } from "../../../app/seo/offers";
import { PlanChoice } from "../../../app/signup/form/plan-choice";
import { PlanTerms } from "../../../app/signup/form/plan-summary";

/* A plan whose originalPrice differs from its price: the old price is struck through, and a line says what follows. */

const [plan] = detailedPlans();
if (!plan) throw new Error("The catalog is empty.");
const discounted = { ...plan, price: 80, originalPrice: 1200 };
const PRICING = "https://brand.test/pricing";

const places: { place: string; shown: (plan: DetailedPlan) => ReactElement }[] = [
  { place: "a plan's card", shown: (plan) => createElement(PlanCard, { plan }) },
  { place: "the comparison", shown: (plan) => createElement(PlanComparison, { plans: [plan] }) },
  { place: "the sign-up's summary", shown: (plan) => createElement(PlanTerms, { plan }) },
];
/** Places with text alone. */
const inWords: typeof places = [
  {
    place: "the plan choice",
    shown: (plan) => createElement(MemoryRouter, null, PlanChoice({ problem: "", plans: [plan] })),
  },
  { place: "llms.txt", shown: (plan) => createElement("p", {}, describeOffer(plan)) },
];

describe.each([...places, ...inWords])("$place", ({ shown }) => {
  test("shows a discount, and what the price becomes afterwards", () => {
    const html = renderToStaticMarkup(shown(discounted));
    expect(html).toMatch(/\$80\b/);
    expect(html).toMatch(/then \$1,200 a month/i);
  });

  test.each([
    { originalPrice: 100, what: "the same regular price" },
    { originalPrice: null, what: "no regular price" },
  ])("shows no discount with $what", ({ originalPrice }) => {
    const html = renderToStaticMarkup(shown({ ...plan, price: 100, originalPrice }));
    expect(html).not.toContain("<del");
    expect(html).not.toMatch(/then \$[\d,]+ a/i);
  });
});

test.each(places)("$place has the regular price struck through", ({ shown }) => {
  expect(renderToStaticMarkup(shown(discounted))).toMatch(/<del[^>]*>.*\$1,200<\/del>/);
});

test.each(inWords)("$place has nothing struck through", ({ shown }) => {
  expect(renderToStaticMarkup(shown(discounted))).not.toContain("<del");
});

describe("the structured data", () => {
  const month = { "@type": "UnitPriceSpecification", priceCurrency: "USD", billingDuration: 1, unitCode: "MON" };

  test("has a discount's regular price as the struck-through price of the same month", () => {
    const [offer] = offerOf(discounted, PRICING);
    const regular = { ...month, price: 1200, priceType: "https://schema.org/StrikethroughPrice" };
    expect(offer).toHaveProperty("priceSpecification", [{ ...month, price: 80 }, regular]);
  });

  test("has no struck-through price without a discount", () => {
    expect(JSON.stringify(offerOf(plan, PRICING))).not.toContain("StrikethroughPrice");
  });
});
