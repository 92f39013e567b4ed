import * as z from "zod";
import { STRIPE_JS_URL } from "../../app/signup/server/current-step.server";
import { TEST_MODE_API_URL } from "../../functions/subscription-api/local-development";
import { ToolError } from "../failures";
import { runCommand } from "../operator";
import { sentenceOf } from "../stripe-setup/error-sentence";
import { targetOf } from "../stripe-setup/target";
import { listenCommand } from "../stripe-setup/webhook-endpoint";

type Settings = Record<string, string>;

export type TestMode = { site: Settings; api: Settings };

const variables = z.object({
  STRIPE_SECRET_KEY: z
    .string("is missing beside STRIPE_PUBLISHABLE_KEY")
    .regex(/^[sr]k_test_\w{16,}$/, "must be a test key (sk_test_… or rk_test_…)"),
  STRIPE_PUBLISHABLE_KEY: z
    .string("is missing beside STRIPE_SECRET_KEY")
    .regex(/^pk_test_\w+$/, "must be a test key (pk_test_…)"),
  STRIPE_WEBHOOK_SECRET: z.optional(
    z.string().regex(/^whsec_\w{16,}$/, "must be what `stripe listen` prints (whsec_…)"),
  ),
  CUSTOMER_PORTAL_URL: z.optional(z.string().regex(/^https:\/\/[\w./-]+$/, "must be an https URL")),
});

/** Undefined without a key: the simulator is used. Throws ToolError for a key that is live, wrong or alone. */
export function testModeOf(environment: NodeJS.ProcessEnv): TestMode | undefined {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  for (const name of ["STRIPE_SECRET_KEY", "STRIPE_PUBLISHABLE_KEY"]) {
    if (given[name]?.includes("_live_")) {
      throw new ToolError(
        `${name} is a live key. npm start takes test keys alone: unset it, or take one of a sandbox.`,
      );
    }
  }
  if (given.STRIPE_SECRET_KEY === undefined && given.STRIPE_PUBLISHABLE_KEY === undefined) return undefined;
  const { data, error } = variables.safeParse(given);
  if (!data) throw new ToolError(error.issues.map(({ path, message }) => `${String(path[0])} ${message}.`).join(" "));

  const { STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY, STRIPE_WEBHOOK_SECRET, CUSTOMER_PORTAL_URL } = data;
  const both = {
    STRIPE_PUBLISHABLE_KEY,
    STRIPE_API_URL: TEST_MODE_API_URL,
    ...(CUSTOMER_PORTAL_URL && { CUSTOMER_PORTAL_URL }),
  };
  return {
    site: { ...both, STRIPE_JS_URL },
    api: { ...both, STRIPE_SECRET_KEY, ...(STRIPE_WEBHOOK_SECRET && { STRIPE_WEBHOOK_SECRET }) },
  };
}

export async function requireAccess(environment: NodeJS.ProcessEnv): Promise<void> {
  await targetOf("sandbox", environment)
    .stripe.customers.list({ limit: 1 })
    .catch((error) => {
      throw new ToolError(sentenceOf(error));
    });
}

export async function setPrices(): Promise<void> {
  await runCommand(["catalog"]);
}

export function whatIsLeft({ api }: TestMode): string {
  const secret = api.STRIPE_WEBHOOK_SECRET ? "" : "; start again with its secret as STRIPE_WEBHOOK_SECRET";
  const portal = api.CUSTOMER_PORTAL_URL ?? "CUSTOMER_PORTAL_URL is not set: npm run stripe:setup -- --sandbox";
  return `This is Stripe's test mode. Its customer portal: ${portal}\nIts webhooks come by this command${secret}:\n  ${listenCommand()}\n`;
}
