import type { Offer } from "schema-dts";
import { inDollars } from "../contract/money";
import type { Plan } from "../pricing/plans/plan-list";
import { describePrompts } from "../pricing/plans/platform-rows";

/** JSON-LD offers; empty for a plan priced on request. */
export function jsonLdOffers(plan: Plan, pricingUrl: string): Offer[] {
  const { key, title, shownPriceCents, trialBadge } = plan;
  if (shownPriceCents === null) return [];
  const price = inDollars(shownPriceCents);
  return [
    {
      "@type": "Offer",
      name: title,
      description: [trialBadge, describePrompts(key)].filter(Boolean).join(". "),
      url: `${pricingUrl}#plan-${key}`,
      price,
      priceCurrency: "USD",
      priceSpecification: {
        "@type": "UnitPriceSpecification",
        price,
        priceCurrency: "USD",
        billingDuration: 1,
        unitCode: "MON", // UN/CEFACT: month
      },
    },
  ];
}
