import { utcDay } from "./dates";

export const NO_CHARGE_TODAY = "We save your card but don’t charge it";

export const AGREED_PRICE = "the price you agreed with us";

/** For example `$500 plus any tax`. @param isTaxAdded whether Stripe Tax adds the tax to the price */
export function plusTax(price: string, isTaxAdded: boolean): string {
  return isTaxAdded ? `${price} plus any tax` : price;
}

export const MONTHLY = "every month until you cancel";

export function firstCharge(amount: string): string {
  return `First charge: ${amount}, then the same every month until you cancel.`;
}

/** The day of a trial's first charge. Stripe charges about an hour after the trial ends, which can be the next day. */
export function chargeDay(trialEnd: string | Date): string {
  return `on or after ${utcDay(trialEnd)}`;
}

/** For the card step and the emails. @param charge.after what follows it; undefined if nothing does or nothing is known */
export function chargeSentence(
  trialEnd: string | Date,
  charge: { amount: string; card: string; after: string | undefined },
): string {
  const { amount, card, after } = charge;
  const first = `Unless you cancel before your trial ends, we’ll charge ${amount} to your ${card} ${chargeDay(trialEnd)}`;
  return after === undefined ? `${first}.` : `${first}, and then ${after}.`;
}
