import { startUpstream, type Upstream } from "../workers/upstream";
import { type RunningWorker, type SiteOptions, startBackend, startSite } from "../workers/workers";
import { type SiteVisitor, siteVisitor } from "./site-visitor";

/** A site and a visitor. A test file starts them on loading and ends them with `afterAll(dispose)`. */
type Visited = { site: RunningWorker; visitor: SiteVisitor; dispose: () => Promise<void> };

/** What the tests' sign-ups type, and secrets. */
const PERSONAL = /S3ntinel|_secret_|Lovelace|@example|example\.com|5550123|Example Street|Springfield/i;

/** Ends a Worker; fails if its log has personal data. */
async function endWith({ output, dispose }: RunningWorker): Promise<void> {
  await dispose();
  const found = output.find((line) => PERSONAL.test(line));
  if (found !== undefined) throw new Error(`Personal data in the log: ${found}`);
}

/** The site with an API and a Stripe whose answers a test sets; 204 by default. */
export async function startVisitedSite({
  vars,
  ...options
}: SiteOptions = {}): Promise<Visited & { upstream: Upstream }> {
  const upstream = await startUpstream();
  const site = await startSite({
    vars: { SUBSCRIPTION_API_URL: upstream.url, STRIPE_API_URL: upstream.url, ...vars },
    ...options,
  });
  return {
    upstream,
    site,
    visitor: siteVisitor(site),
    dispose: async () => {
      await endWith(site);
      upstream.dispose();
    },
  };
}

export type Stack = Visited & { api: RunningWorker; stripe: RunningWorker };

/** The three Workers, as `npm start` runs them. */
export async function startStack(options: Parameters<typeof startBackend>[0] = {}): Promise<Stack> {
  const backend = await startBackend(options);
  const { api, stripe } = backend;
  const site = await startSite({
    vars: {
      SUBSCRIPTION_API_URL: api.url,
      STRIPE_API_URL: stripe.url,
      STRIPE_JS_URL: `${stripe.url}/endive/stripe.js`,
    },
  });
  return {
    api,
    stripe,
    site,
    visitor: siteVisitor(site),
    dispose: async () => {
      await Promise.all([endWith(site), backend.dispose()]);
    },
  };
}
