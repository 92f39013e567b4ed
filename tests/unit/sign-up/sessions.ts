import type { SignupSession } from "../../../app/signup/session-state";
import { HOUR } from "../../support/api-in-process/scheduler";
import { NOW } from "../../support/clock";
import { validRequest } from "../../support/person";
import { PLAN, STATUS_URL } from "../../support/site-in-process/site-settings";

const { package_id: _, password: __, ...details } = validRequest;
const ids = { key: "the-first-key", requestId: "the-first-request", packageId: PLAN, agreedPriceCents: 50_000 };
const form = { ...ids, details, expiresAt: NOW + 20 * HOUR };
const pending = { ...form, clientSecret: "seti_1_secret_1", statusUrl: STATUS_URL };

/** A sign-up in each state. */
export const SESSIONS = {
  card: { ...pending, state: "card" },
  waiting: { ...pending, state: "waiting", reason: "processing" },
  expired: { ...form, state: "ended", why: "expired" },
  canceled: { ...form, state: "ended", why: "canceled" },
  done: { ...form, state: "done", startedAt: new Date(NOW).toISOString() },
} as const satisfies Record<string, SignupSession>;
