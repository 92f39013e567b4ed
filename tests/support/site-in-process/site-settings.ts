import { PAID_PLANS } from "../../../app/contract/plans";
import type { Terms } from "../../../app/contract/terms";
import { TRIAL_DAYS } from "../../../app/contract/trial";

export const SITE_URL = "https://www.site.example";
const [MINI, , STANDARD] = PAID_PLANS;
export const PLAN = STANDARD.packageId;
export const OTHER_PLAN = MINI.packageId;
/** A form for `PLAN` that is opened now. */
export const TERMS: Terms = { price_cents: STANDARD.priceCents, tax_added: false, trial_days: TRIAL_DAYS };
export const PATH = `/subscription/${PLAN}`;

/** A limiter that allows `limit` requests per key and records the keys. */
export function countingLimiter(limit = Number.POSITIVE_INFINITY) {
  const keys: string[] = [];
  const isWithin = (key: string) => keys.push(key) > 0 && keys.filter((one) => one === key).length <= limit;
  return { keys, limit: async ({ key }: { key: string }) => ({ success: isWithin(key) }) };
}

const unlimited = { limit: async () => ({ success: true }) };
const limits = ["SIGNUP_RATE_LIMIT", "FLOOD_RATE_LIMIT", "SIGNUP_NETWORK_RATE_LIMIT", "CARD_CHECK_RATE_LIMIT"];

/** Settings and bindings of staging. */
export const SETTINGS = {
  STAGE: "staging",
  SITE_URL,
  CUSTOMER_PORTAL_URL: "https://billing.stripe.com/p/login/test_0123456789",
  SUBSCRIPTION_API_URL: "https://api.site.example",
  SESSION_SECRET: "a-secret-of-at-least-thirty-two-characters",
  STRIPE_PUBLISHABLE_KEY: "pk_test_1",
  ...Object.fromEntries(limits.map((name) => [name, unlimited])),
  ASSETS: { fetch: async () => new Response() },
};

export const STATUS_URL = `${SETTINGS.SUBSCRIPTION_API_URL}/subscription/status/a-token`;
