import { chargedAmount, shortAmount } from "../../app/contract/money";
import { PAID_PLANS, type PaidPlan } from "../../app/contract/plans";

/* The plans with their current prices as pages and emails show them, so that tests pass at any price. */

const shown = ({ priceCents, ...plan }: PaidPlan) => ({
  ...plan,
  priceCents,
  /** For example `$100`. */
  short: shortAmount(priceCents),
  /** For example `$100.00 USD`. */
  charged: chargedAmount(priceCents),
});

const [mini, lite, standard] = PAID_PLANS;
export const PLANS = { MINI: shown(mini), LITE: shown(lite), STANDARD: shown(standard) };
