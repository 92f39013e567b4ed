import type { Terms } from "../../../app/contract/terms";
import type { SignupSession } from "../../../app/signup/session-state";
import { HOUR } from "../../support/api-in-process/scheduler";
import { NOW } from "../../support/clock";
import { validRequest } from "../../support/person";
import { PLAN, STATUS_URL, TERMS } from "../../support/site-in-process/site-settings";

const { package_id: _, password: __, ...details } = validRequest;
const ids = { key: "the-first-key", requestId: "the-first-request", packageId: PLAN, terms: TERMS };
const form = { ...ids, details, expiresAt: NOW + 20 * HOUR };
const pending = { ...form, clientSecret: "seti_1_secret_1", statusUrl: STATUS_URL };

/** Another browser's, or a newer one. It never gets a card. */
export const OTHER = { ...pending, state: "card", key: "another-key", clientSecret: "seti_9_secret_9" } as const;

/** Agreed to when the site, its settings and its prices were others. */
export const OTHER_TERMS: Terms = { price_cents: 45_000, tax_added: true, trial_days: 9 };

/** A sign-up in each state. */
export const SESSIONS = {
  card: { ...pending, state: "card" },
  waiting: { ...pending, state: "waiting", reason: "processing" },
  expired: { ...form, state: "ended", why: "expired" },
  canceled: { ...form, state: "ended", why: "canceled" },
  done: { ...form, state: "done", startedAt: new Date(NOW).toISOString() },
} as const satisfies Record<string, SignupSession>;
