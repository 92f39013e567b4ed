/** The free trial of every paid plan, in days. */
export const TRIAL_DAYS = 5;

/** US dollars a month. */
export const MONTHLY_PRICES = { MINI: 100, LITE: 200, STANDARD: 500 } as const;

const DAY_MS = 24 * 60 * 60 * 1000;

/** End of a trial that begins at `startedAt`, both ISO 8601. */
export function trialEndOf(startedAt: string): string {
  return new Date(Date.parse(startedAt) + TRIAL_DAYS * DAY_MS).toISOString();
}
