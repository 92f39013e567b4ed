import { createElement } from "react";
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

const [mini] = detailedPlans({ packageIds: { mini: "a", lite: "b", standard: "c" }, salesEmail: "sales@brand.test" });

function planWith(change: Partial<DetailedPlan>): DetailedPlan {
  if (!mini) throw new Error("The catalog is empty.");
  return { ...mini, ...change };
}

const card = (change: Partial<DetailedPlan>) =>
  renderToStaticMarkup(createElement(PlanCard, { plan: planWith(change) }));

describe("the price on a plan card", () => {
  test("shows the regular price struck through, and the price that follows, when they differ", () => {
    const html = card({ price: 80, originalPrice: 1200 });

    expect(html).toMatch(/<del[^>]*>.*\$1,200<\/del>/);
    expect(html).toContain(">$80</span>");
    expect(html).toContain("Then $1,200 a month");
  });

  test("stands alone when the regular price is the same or unknown", () => {
    for (const originalPrice of [100, null]) {
      const html = card({ price: 100, originalPrice });
      expect(html).toContain(">$100</span>");
      expect(html).not.toContain("<del");
      expect(html).not.toContain("Then");
    }
  });
});

describe("a discount", () => {
  const plan = planWith({ price: 80, originalPrice: 1200 });
  const both = "$80 a month, then $1,200 a month";

  test.each([
    ["the comparison", createElement(PlanComparison, { plans: [plan] })],
    ["the sign-up's summary", createElement(PlanTerms, { plan })],
  ])("is shown in %s, with the regular price struck through", (_, element) => {
    const html = renderToStaticMarkup(element);
    expect(html).toMatch(/<del[^>]*>.*\$1,200<\/del>/);
    expect(html).toContain(both);
  });

  test("is shown in the plan choice and in llms.txt", () => {
    const choices = createElement(PlanChoice, { problem: "", plans: [plan] });
    const choice = renderToStaticMarkup(createElement(MemoryRouter, null, choices));
    expect(choice).toContain(both);
    expect(describeOffer(plan)).toBe(`MINI: ${both}, 5-day free trial`);
  });

  test("is in the structured data as the struck-through price of the same month", () => {
    const dataOf = (which: DetailedPlan) => JSON.stringify(offerOf(which, "https://brand.test/pricing"));
    const price = '"priceCurrency":"USD","billingDuration":1,"unitCode":"MON"';
    expect(dataOf(plan)).toContain(
      `"priceSpecification":[{"@type":"UnitPriceSpecification","price":80,${price}},` +
        `{"@type":"UnitPriceSpecification","price":1200,${price},"priceType":"https://schema.org/StrikethroughPrice"}]`,
    );
    expect(dataOf(planWith({}))).not.toContain("StrikethroughPrice");
  });
});
