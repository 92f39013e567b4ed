import { usd } from "../../contract/charge-wording";
import type { Site } from "../../ui/use-site";
import type { Plan } from "./plan-list";

/** For example `$500.00 USD plus any tax`. */
export function monthlyCharge({ price }: Pick<Plan, "price">, { automaticTax }: Pick<Site, "automaticTax">): string {
  return `${usd((price ?? 0) * 100)}${automaticTax ? " plus any tax" : ""}`;
}
