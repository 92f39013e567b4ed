import { STRIPE_JS_URL } from "../../app/signup/stripe-js";
import { TEST_MODE_API_URL } from "../../functions/subscription-api/local-development";
import { ToolError } from "../failures";
import { stripeMessageOf } from "../stripe-setup/stripe-setup";
import { listenCommand, targetOf } from "../stripe-setup/target";
import { settingsOf } from "../wrangler/worker-settings";

const KEYS = { STRIPE_SECRET_KEY: /^[sr]k_test_\w{16,}$/, STRIPE_PUBLISHABLE_KEY: /^pk_test_\w+$/ };

/** Settings of the Workers that use Stripe's test mode. Throws ToolError for a key that is missing, live or wrong. */
export function testModeOf(environment: NodeJS.ProcessEnv) {
  for (const [name, pattern] of Object.entries(KEYS)) {
    if (pattern.test(environment[name] ?? "")) continue;
    const problem = environment[name] ? "is not a test key" : "is missing";
    throw new ToolError(`${name} ${problem}: npm start needs both of Stripe's test mode keys, and never a live key.`);
  }
  const { STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY, STRIPE_WEBHOOK_SECRET, CUSTOMER_PORTAL_URL } = environment;
  const portal = CUSTOMER_PORTAL_URL || "CUSTOMER_PORTAL_URL is not set: npm run stripe:setup sandbox";
  const secret = STRIPE_WEBHOOK_SECRET ? "" : "; start again with its secret as STRIPE_WEBHOOK_SECRET";
  const shared = {
    STRIPE_PUBLISHABLE_KEY,
    STRIPE_API_URL: TEST_MODE_API_URL,
    ...(CUSTOMER_PORTAL_URL && { CUSTOMER_PORTAL_URL }),
  };
  return {
    site: { ...shared, STRIPE_JS_URL },
    "subscription-api": { ...shared, STRIPE_SECRET_KEY, ...(STRIPE_WEBHOOK_SECRET && { STRIPE_WEBHOOK_SECRET }) },
    whatIsLeft: `Stripe's test mode. Customer portal: ${portal}\nWebhooks come by this command${secret}:\n  ${listenCommand()}`,
  };
}

/** Like `testModeOf`, but also throws ToolError if Stripe rejects the key. */
export async function acceptedTestMode(environment: NodeJS.ProcessEnv) {
  const testMode = testModeOf(environment);
  const { customers } = targetOf("sandbox", { settingsOf, env: environment }).stripe;
  await customers.list({ limit: 1 }).catch((error) => {
    throw new ToolError(stripeMessageOf(error));
  });
  return testMode;
}
