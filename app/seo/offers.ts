import type { Offer } from "schema-dts";
import { type Plan, regularPrice } from "../pricing/plans/plan-list";
import { describePrompts } from "../pricing/plans/price-per-prompt";

/** JSON-LD offers; empty for a plan priced on request. */
export function offerOf(plan: Plan, pricingUrl: string): Offer[] {
  const { key, title, price, trialBadge } = plan;
  if (price === null) return [];
  const regular = regularPrice(plan);
  return [
    {
      "@type": "Offer",
      name: title,
      description: [trialBadge, describePrompts(key)].filter(Boolean).join(". "),
      url: `${pricingUrl}#plan-${key}`,
      price,
      priceCurrency: "USD",
      priceSpecification:
        regular === null
          ? monthly(price)
          : [monthly(price), { ...monthly(regular), priceType: "https://schema.org/StrikethroughPrice" }],
    },
  ];
}

function monthly(price: number) {
  return {
    "@type": "UnitPriceSpecification" as const,
    price,
    priceCurrency: "USD",
    billingDuration: 1,
    unitCode: "MON", // UN/CEFACT: month
  };
}
