import { startUpstream, type Upstream } from "../workers/upstream";
import { type RunningWorker, type SiteOptions, startBackend, startSite } from "../workers/workers";
import { type SiteVisitor, siteVisitor } from "./site-visitor";

/** A site and a visitor. A test file starts them on loading and ends them with `afterAll(dispose)`. */
type Visited = { site: RunningWorker; visitor: SiteVisitor; dispose: () => Promise<void> };
export type Stack = Visited & { api: RunningWorker; stripe: RunningWorker };

/** What the tests' sign-ups type, and secrets. */
const PERSONAL = /S3ntinel|_secret_|Lovelace|@example|example\.com|5550123|Example Street|Springfield/i;

/** @param disposeBackend after the site, whose end fails if its log has personal data */
async function visited(options: SiteOptions, disposeBackend: () => unknown): Promise<Visited> {
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
export async function startVisitedSite(options: SiteOptions = {}): Promise<Visited & { upstream: Upstream }> {
  const upstream = await startUpstream();
  const vars = { SUBSCRIPTION_API_URL: upstream.url, STRIPE_API_URL: upstream.url, ...options.vars };
  return { upstream, ...(await visited({ ...options, vars }, upstream.dispose)) };
}

/** The three Workers, as `npm start` runs them. */
export async function startStack(options: Parameters<typeof startBackend>[0] = {}): Promise<Stack> {
  const { api, stripe, dispose } = await startBackend(options);
  const vars = {
    SUBSCRIPTION_API_URL: api.url,
    STRIPE_API_URL: stripe.url,
    STRIPE_JS_URL: `${stripe.url}/endive/stripe.js`,
  };
  return { api, stripe, ...(await visited({ vars }, dispose)) };
}
