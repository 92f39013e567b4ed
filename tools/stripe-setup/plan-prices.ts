import type { State } from "./line";
import type { Target } from "./target";

export async function planPrices({ prices, plans }: Target): Promise<State> {
  const known = await Promise.all(plans.map(async (plan) => ({ plan, price: await prices.find(plan) })));
  return {
    ok: `prices: ${known.map(({ plan, price }) => `${plan.name} ${price?.id}`).join(", ")}`,
    differences: known.flatMap(({ plan, price }) => {
      const dollars = `$${plan.price_cents / 100} a month`;
      const fix = async () => `${plan.name} has the price ${(await prices.findOrCreate(plan)).id}, ${dollars}`;
      return price ? [] : [{ what: `${plan.name} has no price of ${dollars} with the lookup key ${plan.id}`, fix }];
    }),
  };
}
