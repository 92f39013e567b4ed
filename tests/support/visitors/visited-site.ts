import { LOCAL_SECRETS } from "../../../functions/subscription-api/local-development";
import { callApi } from "../../../tools/operator/call-api";
import { PACKAGES } from "../../../tools/releases/prices";
import { PERSONAL } from "../person";
import { startUpstream } from "../workers/upstream";
import { startBackend, startSite } from "../workers/workers";
import { siteVisitor } from "./site-visitor";

type SiteOptions = Parameters<typeof startSite>[0];
export type Stack = Awaited<ReturnType<typeof startStack>>;

/** A site and a visitor for one test file. Disposing of them fails if the log has personal data. */
async function visited(options: SiteOptions, disposeBackend: () => unknown) {
  const site = await startSite(options);
  const dispose = async () => {
    await site.dispose();
    await disposeBackend();
    const found = site.output.find((line) => PERSONAL.test(line));
    if (found !== undefined) throw new Error(`Personal data in the log: ${found}`);
  };
  return { site, visitor: siteVisitor(site), dispose };
}

/** The site with an API and a Stripe whose answers a test sets; 204 by default. */
export async function startVisitedSite(options: SiteOptions = {}) {
  const upstream = await startUpstream();
  const vars = { SUBSCRIPTION_API_URL: upstream.url, STRIPE_API_URL: upstream.url, ...options.vars };
  return { upstream, ...(await visited({ ...options, vars }, upstream.dispose)) };
}

/** The settings of a site that uses this API and this Stripe. */
export const varsFor = (api: { url: string }, stripe: { url: string }) => {
  const STRIPE_JS_URL = `${stripe.url}/endive/stripe.js`;
  return { SUBSCRIPTION_API_URL: api.url, STRIPE_API_URL: stripe.url, STRIPE_JS_URL };
};

/** The three built Workers, with cheap passwords and without deadlines. */
export async function startStack() {
  const { api, stripe, dispose } = await startBackend();
  await callApi({ url: api.url, token: LOCAL_SECRETS.OPERATOR_TOKEN }, "catalog", { packages: PACKAGES });
  return { api, stripe, ...(await visited({ vars: varsFor(api, stripe) }, dispose)) };
}
