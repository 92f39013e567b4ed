import type { Customer } from "../store/objects";
import type { Store } from "../store/store";

/** The clock of customers without a test clock: real time, moved ahead on demand. */
export const ACCOUNT_CLOCK = "clock_account";

export const HOUR = 60 * 60;
export const DAY = 24 * HOUR;

const AHEAD = "account_clock_ahead";

export const realTime = () => Math.floor(Date.now() / 1000);

export const clockOf = (customer: Pick<Customer, "test_clock"> | undefined) => customer?.test_clock ?? ACCOUNT_CLOCK;

export function timeOf(store: Store, clock = ACCOUNT_CLOCK): number {
  const accountTime = realTime() + store.setting(AHEAD);
  return clock === ACCOUNT_CLOCK ? accountTime : (store.find("TestClock", clock)?.frozen_time ?? accountTime);
}

export function setAccountTime(store: Store, time: number): void {
  store.saveSetting(AHEAD, time - realTime());
}

/** A month later, on the last day of a shorter one: https://docs.stripe.com/billing/subscriptions/billing-cycle */
export function monthAfter(time: number, anchor: number): number {
  const from = new Date(time * 1000);
  const months = from.getUTCMonth() + 1;
  const lastDay = new Date(Date.UTC(from.getUTCFullYear(), months + 1, 0)).getUTCDate();
  const next = new Date(from);
  next.setUTCMonth(months, Math.min(new Date(anchor * 1000).getUTCDate(), lastDay));
  return next.getTime() / 1000;
}
