import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { PlanCard } from "../../app/pricing/plan-card";
import { type Plan, plans } from "../../app/pricing/plans";

const [mini] = plans({ packageIds: { mini: "a", lite: "b", standard: "c" }, salesEmail: "sales@brand.test" });

function card(change: Partial<Plan>): string {
  if (!mini) throw new Error("The catalogue is empty.");
  return renderToStaticMarkup(createElement(PlanCard, { plan: { ...mini, ...change } }));
}

describe("the price of a plan card", () => {
  it("is struck through, with what it becomes afterwards, when the original price differs [P10]", () => {
    const html = card({ price: 80, originalPrice: 1200 });

    expect(html).toMatch(/<del[^>]*>.*\$1,200<\/del>/);
    expect(html).toContain(">$80</span>");
    expect(html).toContain("Afterwards $1,200 a month");
  });

  it("stands alone when the original price is the same or unknown [P10]", () => {
    for (const originalPrice of [100, null]) {
      const html = card({ price: 100, originalPrice });
      expect(html).toContain(">$100</span>");
      expect(html).not.toContain("<del");
      expect(html).not.toContain("Afterwards");
    }
  });
});
