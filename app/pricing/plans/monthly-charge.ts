import { chargedAmount } from "../../contract/money";
import type { Site } from "../../ui/use-site";

/** For example `$500.00 USD plus any tax`. @param cents the monthly price in US cents */
export function monthlyCharge(cents: number, { automaticTax }: Pick<Site, "automaticTax">): string {
  return `${chargedAmount(cents)}${automaticTax ? " plus any tax" : ""}`;
}
