import { utcDay } from "./dates";

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
