import type { Customer } from "../store/objects";
import type { Store } from "../store/store";

/** The clock of every customer that was made without a test clock. It goes on by itself, and can be moved ahead. */
export const ACCOUNT_CLOCK = "clock_account";

export const HOUR = 60 * 60;
export const DAY = 24 * HOUR;

/** Seconds by which the account's clock is ahead of the real time. */
const AHEAD = "account_clock_ahead";

export const realTime = () => Math.floor(Date.now() / 1000);

export const clockOf = (customer: Pick<Customer, "test_clock"> | undefined) => customer?.test_clock ?? ACCOUNT_CLOCK;

/** Seconds since 1970, as a clock shows them. */
export function timeOf(store: Store, clock = ACCOUNT_CLOCK): number {
  const accountTime = realTime() + store.setting(AHEAD);
  return clock === ACCOUNT_CLOCK ? accountTime : (store.find("TestClock", clock)?.frozen_time ?? accountTime);
}

/** Moves the account's clock; a test clock is an object, which holds its time. */
export function setAccountTime(store: Store, time: number): void {
  store.saveSetting(AHEAD, time - realTime());
}

/** An interval later, on the last day of a shorter month: https://docs.stripe.com/billing/subscriptions/billing-cycle */
export function periodAfter(time: number, anchor: number, interval = "month"): number {
  if (interval === "day" || interval === "week") return time + (interval === "day" ? DAY : 7 * DAY);
  const from = new Date(time * 1000);
  const months = from.getUTCMonth() + (interval === "year" ? 12 : 1);
  const lastDay = new Date(Date.UTC(from.getUTCFullYear(), months + 1, 0)).getUTCDate();
  const next = new Date(from);
  next.setUTCMonth(months, Math.min(new Date(anchor * 1000).getUTCDate(), lastDay));
  return next.getTime() / 1000;
}
