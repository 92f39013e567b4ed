import { TRIAL_DAYS } from "./plans";

const DAY_MS = 24 * 60 * 60 * 1000;

/** End of a trial that begins at `startedAt`, both ISO 8601. */
export function trialEndOf(startedAt: string): string {
  return new Date(Date.parse(startedAt) + TRIAL_DAYS * DAY_MS).toISOString();
}
