import * as z from "zod";
import type { Store } from "../store/store";

export const HOUR = 60 * 60;
export const DAY = 24 * HOUR;

const AHEAD = "clock is ahead by seconds";

const aheadOf = (store: Store) => store.get(z.number(), "setting", AHEAD) ?? 0;

/** Seconds since 1970 on a test clock, or else on the account's clock: the real time plus every move ahead. */
export function timeOf(store: Store, testClock?: string | null): number {
  return store.find("TestClock", testClock)?.frozen_time ?? Math.floor(Date.now() / 1000) + aheadOf(store);
}

export function moveTime(store: Store, seconds: number): void {
  store.set("setting", AHEAD, aheadOf(store) + seconds);
}

/** One month later, or the last day of a shorter month: https://docs.stripe.com/billing/subscriptions/billing-cycle */
export function monthAfter(time: number, anchor: number): number {
  const from = new Date(time * 1000);
  const months = from.getUTCMonth() + 1;
  const lastDay = new Date(Date.UTC(from.getUTCFullYear(), months + 1, 0)).getUTCDate();
  const next = new Date(from);
  next.setUTCMonth(months, Math.min(new Date(anchor * 1000).getUTCDate(), lastDay));
  return next.getTime() / 1000;
}
