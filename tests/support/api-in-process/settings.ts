import { readFileSync } from "node:fs";

const file = readFileSync(new URL("../../../functions/subscription-api/wrangler.toml", import.meta.url), "utf8");
const local = file.slice(0, file.indexOf("[env.production]"));
const limiter = { limit: async () => ({ success: true }) };

/** The API's local settings, without a database and with limits that no test reaches. */
export const SETTINGS: Record<string, unknown> = {
  ...Object.fromEntries([...local.matchAll(/^([A-Z_]+) = "(.*)"$/gm)].map(([, name, value]) => [name, value])),
  SIGNUP_RATE_LIMIT: limiter,
  RELEASE: { id: "a-release" },
};

/** Staging's settings instead of those for local development. */
export const DEPLOYED = {
  STAGE: "staging",
  STRIPE_API_URL: undefined,
  CONSOLE_WEBHOOK_URL: undefined,
  CONSOLE_WEBHOOK_SECRET: undefined,
  OPERATOR_TOKEN: undefined,
  CONSOLE_URL: undefined,
  STRIPE_SECRET_KEY: "sk_test_0123456789abcdef",
  STRIPE_WEBHOOK_SECRET: "whsec_0123456789abcdef",
  MAIL_API_URL: "https://mail.example/emails",
  MAIL_API_KEY: "re_0123456789abcdef",
  CUSTOMER_PORTAL_URL: "https://billing.example/",
  PUBLIC_URL: "https://api.example",
  SITE_URL: "https://www.example",
  LINK_SECRET: "a-deployment-has-links-of-its-own",
  HASH_SECRET: "a-deployment-has-hashes-of-its-own",
};
