import * as z from "zod";
import { STRIPE_JS_URL } from "../../app/signup/server/current-step.server";
import { TEST_MODE_API_URL } from "../../functions/subscription-api/local-development";
import { ToolError } from "../failures";
import { sentenceOf } from "../stripe-setup/set-up";
import { listenCommand, targetOf } from "../stripe-setup/target";

const testKey = (other: string, pattern: RegExp) =>
  z
    .string(`is missing beside ${other}`)
    .refine((key) => !key.includes("_live_"), { error: "is a live key: npm start takes only test keys", abort: true })
    .regex(pattern, "must be a test key (sk_test_…, rk_test_… or pk_test_…)");

const variables = z.object({
  STRIPE_SECRET_KEY: testKey("STRIPE_PUBLISHABLE_KEY", /^[sr]k_test_\w{16,}$/),
  STRIPE_PUBLISHABLE_KEY: testKey("STRIPE_SECRET_KEY", /^pk_test_\w+$/),
  STRIPE_WEBHOOK_SECRET: z.optional(
    z.string().regex(/^whsec_\w{16,}$/, "must be the secret that `stripe listen` prints"),
  ),
  CUSTOMER_PORTAL_URL: z.optional(z.url({ protocol: /^https$/, error: "must be an https URL" })),
});

/** Settings of the Workers that use Stripe's test mode. Throws ToolError for a key that is live, wrong or alone. */
export function testModeOf(environment: NodeJS.ProcessEnv) {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const { data, error } = variables.safeParse(given);
  if (!data) throw new ToolError(error.issues.map(({ path, message }) => `${String(path[0])} ${message}.`).join(" "));
  const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, ...ofBoth } = data;
  const shared = { ...ofBoth, STRIPE_API_URL: TEST_MODE_API_URL };
  const portal = data.CUSTOMER_PORTAL_URL ?? "CUSTOMER_PORTAL_URL is not set: npm run stripe:setup -- --sandbox";
  const secret = STRIPE_WEBHOOK_SECRET ? "" : "; start again with its secret as STRIPE_WEBHOOK_SECRET";
  return {
    site: { ...shared, STRIPE_JS_URL },
    "subscription-api": { ...shared, STRIPE_SECRET_KEY, ...(STRIPE_WEBHOOK_SECRET && { STRIPE_WEBHOOK_SECRET }) },
    whatIsLeft: `This is Stripe's test mode. Its customer portal: ${portal}
Its webhooks come by this command${secret}:
  ${listenCommand()}
`,
  };
}

/** Throws ToolError if Stripe does not take the key. */
export async function requireAccess(environment: NodeJS.ProcessEnv): Promise<void> {
  const { customers } = targetOf("sandbox", environment).stripe;
  await customers.list({ limit: 1 }).catch((error) => {
    throw new ToolError(sentenceOf(error));
  });
}
