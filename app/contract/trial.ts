import { DAY_MS } from "./dates";

/** The free trial of every paid plan, in days. */
export const TRIAL_DAYS = 5;

/** A sign-up without a card ends after so many hours. */
export const SIGN_UP_HOURS = 24;

/** The email before the first charge is sent this many days before the trial ends. */
export const REMINDER_DAYS = 2;

/** What a trial includes, worded the same on every page and in every email that offers a trial. */
export const TRIAL_SCOPE =
  "Real-time monitoring runs during your trial. Reports are monthly, so your first one comes after it.";

/** The subscription API ends a sign-up after this many declined or already used cards, because card testers try many. */
export const MAX_FAILED_CARDS = 5;

/** When a trial that starts at `startedAt` ends. Both times are ISO 8601. */
export function trialEndOf(startedAt: string): string {
  return new Date(Date.parse(startedAt) + TRIAL_DAYS * DAY_MS).toISOString();
}

/** When the reminder of a trial's end is sent. Both times are ISO 8601. */
export function reminderDate(trialEnd: string): string {
  return new Date(Date.parse(trialEnd) - REMINDER_DAYS * DAY_MS).toISOString();
}
