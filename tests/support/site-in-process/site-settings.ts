import { readFileSync } from "node:fs";

const wrangler = readFileSync(`${import.meta.dirname}/../../../wrangler.toml`, "utf8");
/** The local package ids of all plans. */
export const PACKAGE_IDS = Object.fromEntries(
  [...wrangler.matchAll(/^(PACKAGE_ID_\w+) = "(.*)"$/gm)].map(([, name = "", id = ""]) => [name, id]),
);

export const SITE_URL = "https://www.site.example";
export const PLAN = "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430";
export const OTHER_PLAN = "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10";
export const PATH = `/subscription/${PLAN}`;

/** A limiter of `limit` requests per key, and the keys that it was asked about. */
export function countingLimiter(limit = Number.POSITIVE_INFINITY) {
  const keys: string[] = [];
  const isWithin = (key: string) => keys.push(key) > 0 && keys.filter((one) => one === key).length <= limit;
  return { keys, limit: async ({ key }: { key: string }) => ({ success: isWithin(key) }) };
}

const unlimited = { limit: async () => ({ success: true }) };
const limits = ["SIGNUP_RATE_LIMIT", "FLOOD_RATE_LIMIT", "SIGNUP_NETWORK_RATE_LIMIT", "CARD_CHECK_RATE_LIMIT"];

/** Settings and bindings of a deployment. */
export const SETTINGS = {
  SITE_URL,
  CONSOLE_URL: "https://console.site.example",
  CUSTOMER_PORTAL_URL: "https://billing.stripe.com/p/login/test_0123456789",
  SALES_EMAIL: "sales@site.example",
  SUPPORT_EMAIL: "support@site.example",
  LEGAL_EMAIL: "legal@site.example",
  ...PACKAGE_IDS,
  SUBSCRIPTION_API_URL: "https://api.site.example",
  SESSION_SECRET: "a-secret-of-at-least-thirty-two-characters",
  STRIPE_PUBLISHABLE_KEY: "pk_test_1",
  ...Object.fromEntries(limits.map((name) => [name, unlimited])),
  ASSETS: { fetch: async () => new Response() },
};

export const STATUS_URL = `${SETTINGS.SUBSCRIPTION_API_URL}/subscription/status/a-token`;
