const MONTHS = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
];

/** For example `November 27, 2026 (UTC)`: the same for every reader, and in the format of Stripe's invoices. */
export function utcDay(time: string | Date): string {
  return `${day(new Date(time))} (UTC)`;
}

/** For example `November 27, 2026, 14:30 UTC`. */
export function utcMinute(time: string | Date): string {
  const date = new Date(time);
  return `${day(date)}, ${date.toISOString().slice(11, 16)} UTC`;
}

function day(date: Date): string {
  return `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}, ${date.getUTCFullYear()}`;
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
