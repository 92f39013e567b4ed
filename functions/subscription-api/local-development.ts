import * as z from "zod";
import { isLoopback, serviceUrl } from "../../app/shared/settings/settings";

/** The local secrets in wrangler.toml. A deployment with any of them refuses all requests. */
export const LOCAL_SECRETS = {
  STRIPE_WEBHOOK_SECRET: "whsec_local_development_only",
  CONSOLE_WEBHOOK_SECRET: "whsec_bG9jYWwtZGV2ZWxvcG1lbnQtb25seS1uZXZlci1kZXBsb3k=",
  MAIL_API_KEY: "re_local_development_only",
  OPERATOR_TOKEN: "only-for-local-development-never-for-a-deployment",
  LINK_SECRET: "signs-links-in-local-development-only",
  HASH_SECRET: "keys-hashes-in-local-development-only",
} as const;

export const TEST_MODE_API_URL = "https://api.stripe.com";

const localStripe = z.union([
  z.object({ STRIPE_API_URL: z.string().refine(isLocalUrl) }),
  z.object({ STRIPE_API_URL: z.literal(TEST_MODE_API_URL), PUBLIC_URL: z.string().refine(isLoopback) }),
]);

/** True for the settings of `npm start`: Stripe is the simulator, or its test mode beside a local URL. */
export function hasLocalStripe(env: unknown): boolean {
  return localStripe.safeParse(env).success;
}

export function hasHost(env: unknown): boolean {
  return z.object({ HOST: z.string().min(1) }).safeParse(env).success;
}

function isLocalUrl(url: string): boolean {
  return isLoopback(url) && serviceUrl.safeParse(url).success;
}
