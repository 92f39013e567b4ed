import { HOUR_MS } from "../../../app/contract/dates";

/** With the growing pauses, they take about a day and a third. */
const MAX_ATTEMPTS = 15;
const FIRST_PAUSE_MS = 30_000;
const MAX_PAUSE_MS = 6 * HOUR_MS;
export function isLastAttempt(failed: number): boolean {
  return failed >= MAX_ATTEMPTS;
}

/** The pause in milliseconds before the next attempt. It doubles with each failure, and varies by half so that messages spread. */
export function pauseAfter(failed: number): number {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** (failed - 1), MAX_PAUSE_MS);
  return pause * (0.5 + Math.random());
}
