import { utcDay } from "./dates";

/* The wording of charges, on pages and in emails. */

export const NO_CHARGE_TODAY = "We save your card but don’t charge it";

/** The price of a plan that is not on the pricing page. */
export const AGREED_PRICE = "the price you agreed with us";

/** For example `$500 plus any tax`. @param isTaxAdded whether Stripe Tax adds the tax to the price */
export function plusTax(price: string, isTaxAdded: boolean): string {
  return isTaxAdded ? `${price} plus any tax` : price;
}

/** For example `First charge: $500, then the same every month until you cancel.` */
export function firstCharge(amount: string): string {
  return `First charge: ${amount}, then the same every month until you cancel.`;
}

/** The day of a trial's first charge. Stripe charges about an hour after the trial ends, which can be the next day. */
export function chargeDay(trialEnd: string | Date): string {
  return `on or after ${utcDay(trialEnd)}`;
}

/**
 * What the card step and the emails say about the first charge.
 * @param charge.amount the first charge; `later`: each later month's charge, if it differs
 */
export function chargeSentence(
  trialEnd: string | Date,
  charge: { amount: string; later?: string | undefined; card: string },
): string {
  const { amount, later, card } = charge;
  const then = later === undefined ? "then every month" : `then ${later} every month`;
  return `Unless you cancel before then, we’ll charge ${amount} to your ${card} ${chargeDay(trialEnd)}, and ${then} until you cancel.`;
}
