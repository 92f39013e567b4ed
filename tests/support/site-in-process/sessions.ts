import { afterEach, beforeEach, vi } from "vitest";
import type { SignupSession } from "../../../app/signup/steps";
import { typed } from "../visitors/site-visitor";
import { PLAN, SETTINGS } from "./site-settings";

export const STATUS_URL = `${SETTINGS.SUBSCRIPTION_API_URL}/subscription/status/a-token`;
/** The time after `stopClock`. */
export const NOW = 1_800_000_000_000;
export const HOUR = 60 * 60 * 1000;

/** Stops `Date` at `NOW` in each test of a file; timers run. */
export function stopClock(): void {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
  afterEach(() => void vi.useRealTimers());
}

const { package_id: _, ...details } = { ...typed, email: "ada@example.com", phone: "2125550123" };
const ids = { key: "the-first-key", requestId: "the-first-request", packageId: PLAN };
const signUp = { ...ids, details, expiresAt: NOW + 20 * HOUR };
const pending = { ...signUp, clientSecret: "seti_1_secret_1", statusUrl: STATUS_URL };

/** A session in each state. */
export const SESSIONS = {
  card: { ...pending, state: "card" },
  waiting: { ...pending, state: "waiting", reason: "processing", checks: 1 },
  expired: { ...pending, state: "ended", why: "expired" },
  canceled: { ...pending, state: "ended", why: "canceled" },
  done: { ...signUp, state: "done", setupIntentId: "seti_1", startedAt: "2027-01-15T08:00:00.000Z" },
} as const satisfies Record<string, SignupSession>;
