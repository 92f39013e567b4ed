import { readFileSync } from "node:fs";

const wrangler = readFileSync(`${import.meta.dirname}/../../../wrangler.toml`, "utf8");
/** The local package ids of all plans. */
export const PACKAGE_IDS = Object.fromEntries(
  [...wrangler.matchAll(/^(PACKAGE_ID_\w+) = "(.*)"$/gm)].map(([, name = "", id = ""]) => [name, id]),
);

export const SITE_URL = "https://www.site.example";

/** A limiter of `limit` requests per key, and the keys that it was asked about. */
export function countingLimiter(limit = Number.POSITIVE_INFINITY) {
  const keys: string[] = [];
  return {
    keys,
    limit: async ({ key }: { key: string }) => {
      keys.push(key);
      return { success: keys.filter((one) => one === key).length <= limit };
    },
  };
}

const unlimited = { limit: async () => ({ success: true }) };

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
  SIGNUP_RATE_LIMIT: unlimited,
  FLOOD_RATE_LIMIT: unlimited,
  SIGNUP_NETWORK_RATE_LIMIT: unlimited,
  CARD_CHECK_RATE_LIMIT: unlimited,
  ASSETS: { fetch: async () => new Response() },
};
