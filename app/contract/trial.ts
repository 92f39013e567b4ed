import { DAY_MS } from "./dates";

export const TRIAL_DAYS = 5;

export const SIGN_UP_HOURS = 24;

/** The email before the first charge is sent this many days before the trial ends. */
export const REMINDER_DAYS = 2;

/** What a trial includes, worded the same on every page and in every email that offers a trial. */
export const TRIAL_SCOPE =
  "Real-time monitoring runs during your trial. Reports are monthly, so your first one comes after it.";

/** The subscription API ends a sign-up after this many declined or already used cards, because card testers try many. */
export const MAX_FAILED_CARDS = 5;

export function trialEndOf(startedAt: string, days: number): string {
  return new Date(Date.parse(startedAt) + days * DAY_MS).toISOString();
}

/** Both times are ISO 8601. */
export function reminderDate(trialEnd: string): string {
  return new Date(Date.parse(trialEnd) - REMINDER_DAYS * DAY_MS).toISOString();
}
