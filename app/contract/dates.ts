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
