import type { SignupSession } from "../../../app/signup/steps";
import { HOUR } from "../../support/api-in-process/scheduler";
import { NOW } from "../../support/clock";
import { validRequest } from "../../support/person";
import { PLAN, STATUS_URL } from "../../support/site-in-process/site-settings";

const { package_id: _, password: __, ...details } = validRequest;
const ids = { key: "the-first-key", requestId: "the-first-request", packageId: PLAN };
const signUp = { ...ids, details, expiresAt: NOW + 20 * HOUR };
const pending = { ...signUp, clientSecret: "seti_1_secret_1", statusUrl: STATUS_URL };

/** A session in each state. */
export const SESSIONS = {
  card: { ...pending, state: "card" },
  waiting: { ...pending, state: "waiting", reason: "processing", checks: 1 },
  expired: { ...pending, state: "ended", why: "expired" },
  canceled: { ...pending, state: "ended", why: "canceled" },
  done: { ...signUp, state: "done", setupIntentId: "seti_1", startedAt: new Date(NOW).toISOString() },
} as const satisfies Record<string, SignupSession>;
