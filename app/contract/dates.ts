export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const MONTHS = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
];

/** For example `November 27, 2026 (UTC)`: the same for every reader, and in the format of Stripe's invoices. */
export function utcDay(time: string | Date): string {
  return `${longDay(time)} (UTC)`;
}

export function utcMinute(time: string | Date): string {
  return `${longDay(time)}, ${new Date(time).toISOString().slice(11, 16)} UTC`;
}

/** The day in UTC, for example `November 27, 2026`, without saying so. */
export function longDay(time: string | Date): string {
  const date = new Date(time);
  return `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}, ${date.getUTCFullYear()}`;
}
