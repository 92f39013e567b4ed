import { filledIn, filledInCompany } from "../support/filled-in-settings";
import { signUp } from "../support/visitors/visitor";
import { DEPLOYED, startBackend, startSite, startSubscriptionApi } from "../support/workers/workers";
import { checkOut } from "./commands/checkout";
import { asOwnUrl, type HostAnswers, startCloudflare, through } from "./commands/cloudflare";

/** Has signed up. */
export const ADA = "ada@example.com";
export const API_FILE = "functions/subscription-api/wrangler.toml";

const SITES = [
  { SITE_URL: "https://www.acme.com", STAGE: "production", STRIPE_PUBLISHABLE_KEY: "pk_live_0123456789abcdef" },
  { SITE_URL: "https://staging.acme.com", STAGE: "staging", STRIPE_PUBLISHABLE_KEY: "pk_test_0123456789abcdef" },
];
const LOCAL_ONLY = { STRIPE_JS_URL: undefined, STRIPE_API_URL: undefined };

/**
 * A deployment with stand-ins for Cloudflare and Stripe, and the checkout with its settings. `maintained` is the API during
 * maintenance; `hosts` can lead to it.
 */
export async function startDeployment() {
  const backend = await startBackend();
  const maintained = await startSubscriptionApi({ simulatorUrl: backend.stripe.url, vars: { MAINTENANCE: "true" } });
  const sites = await Promise.all(
    SITES.map(async (own) => {
      const vars = { ...DEPLOYED, ...LOCAL_ONLY, SUBSCRIPTION_API_URL: "https://api.acme.com", ...own };
      return { host: new URL(own.SITE_URL).host, worker: await startSite({ vars }) };
    }),
  );
  const hosts: Record<string, HostAnswers> = {
    ...Object.fromEntries(sites.map(({ host, worker }) => [host, through(worker.url, asOwnUrl)])),
    ...{ "api.acme.com": through(backend.api.url), "api.staging.acme.com": through(backend.api.url) },
    // The simulator knows only test keys.
    "api.stripe.com": through(backend.stripe.url, (headers) => {
      headers.set("authorization", String(headers.get("authorization")).replace("_live_", "_test_"));
    }),
  };
  const cloudflare = await startCloudflare(backend.api, hosts);
  const checkout = await checkOut();
  for (const file of ["wrangler.toml", API_FILE]) await checkout.change(file, filledIn);
  await checkout.change("app/company.ts", filledInCompany);
  checkout.commit();
  await signUp(backend.api, { email: ADA });
  const all = [...sites.map(({ worker }) => worker), maintained, backend, cloudflare, checkout];
  const dispose = () => Promise.all(all.map((one) => one.dispose()));
  return { backend, hosts, maintained, cloudflare, checkout, dispose };
}
