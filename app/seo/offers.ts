import type { Offer } from "schema-dts";
import type { Plan } from "../pricing/plans/plan-list";
import { describePrompts } from "../pricing/plans/platforms";

/** JSON-LD offers; empty for a plan priced on request. */
export function offerOf(plan: Plan, pricingUrl: string): Offer[] {
  const { key, title, price, trialBadge } = plan;
  if (price === null) return [];
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
