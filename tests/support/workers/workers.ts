import * as z from "zod";
import { migrateDatabase } from "../../../tools/wrangler/migrate-database";
import { openAddress } from "./address";
import { type RunningWorker, startWorker, type WorkerPlan } from "./miniflare";

export type { Vars } from "../../../tools/wrangler/worker-settings";
export { type Address, openAddress } from "./address";
export type { RunningWorker, Wrapper } from "./miniflare";

/** No deadline passes on a busy machine: tests of deadlines have a clock of their own. */
const UNHURRIED = { DEADLINE_FACTOR: "1000" };

type ApiOptions = Partial<WorkerPlan> & { simulatorUrl?: string };

/**
 * The reference subscription API on a migrated database; its PUBLIC_URL is the URL that it gets.
 * @param options.simulatorUrl where Stripe, the email provider and the console are
 */
export async function startSubscriptionApi(options: ApiOptions = {}): Promise<RunningWorker> {
  const { simulatorUrl, vars, address = await openAddress(), ...rest } = options;
  const services = simulatorUrl !== undefined && {
    STRIPE_API_URL: simulatorUrl,
    MAIL_API_URL: `${simulatorUrl}/emails`,
    CONSOLE_WEBHOOK_URL: `${simulatorUrl}/console/webhook`,
  };
  const worker = await startWorker({
    folder: "functions/subscription-api",
    bundle: "subscription-api/index.js",
    address,
    vars: { PUBLIC_URL: address.url, ...UNHURRIED, PASSWORD_COST: "1", ...services, ...vars },
    ...rest,
  });
  await migrateDatabase(worker.database);
  return worker;
}

/**
 * The Stripe simulator; its webhooks go to `webhookUrl`. Its end fails when it got a request that no account of Stripe's
 * would take, or gave an answer that Stripe would not give.
 * @param options.misused by the test itself, on purpose
 */
export async function startStripeSimulator({
  webhookUrl,
  misused = false,
  ...rest
}: Partial<WorkerPlan> & { webhookUrl?: string; misused?: boolean } = {}): Promise<RunningWorker> {
  const worker = await startWorker({
    folder: "functions/stripe-simulator",
    bundle: "stripe-simulator/index.js",
    vars: webhookUrl === undefined ? {} : { WEBHOOK_URL: webhookUrl },
    ...rest,
  });
  const dispose = async () => {
    const answer = await fetch(`${worker.url}/health`).catch(() => undefined);
    const { complaints } = health.parse(await answer?.json().catch(() => ({})));
    await worker.dispose();
    if (!misused && complaints.length > 0) throw new Error(`Not as Stripe has it:\n${complaints.join("\n")}`);
  };
  return { ...worker, dispose };
}

const health = z.object({ complaints: z.array(z.string()).default([]) }).default({ complaints: [] });

export type SiteOptions = Partial<WorkerPlan>;

/** The site; its SITE_URL is the URL that it gets. */
export async function startSite(options: SiteOptions = {}): Promise<RunningWorker> {
  const { address = await openAddress(), vars, ...rest } = options;
  const isLocal = rest.environment === undefined;
  return startWorker({
    folder: ".",
    bundle: "site/site.js",
    address,
    vars: { SITE_URL: address.url, ...(isLocal && UNHURRIED), ...vars },
    ...rest,
  });
}

/**
 * Where the site of these tests says that it is: a deployment, so https everywhere and no local defaults. Browsers know
 * domains under `.dev` for https only, as they know every domain on their preload list.
 */
export const ORIGIN = "https://www.citewell.dev";

/** The settings of a deployment that no wrangler.toml has. */
export const DEPLOYED = {
  SITE_URL: ORIGIN,
  CUSTOMER_PORTAL_URL: "https://billing.stripe.com/p/login/test_0123456789",
  SESSION_SECRET: "a-secret-of-the-tests-with-more-than-32-characters",
};

/** The site with the settings of a deployment; the API behind it is whatever `upstream` answers. */
export function startDeployedSite(
  upstream: (request: Request) => Response | Promise<Response>,
  { vars, ...rest }: SiteOptions = {},
): Promise<RunningWorker> {
  const local = { DEADLINE_FACTOR: undefined, STRIPE_JS_URL: undefined, STRIPE_API_URL: undefined };
  const api = { SUBSCRIPTION_API_URL: "https://api.citewell.example", SUBSCRIPTION_API_TIMEOUT_MS: "5000" };
  return startSite({
    vars: { ...DEPLOYED, ...api, ...local, ...vars },
    miniflare: { outboundService: upstream },
    ...rest,
  });
}

/** A connected simulator and API. */
export async function startBackend(options: ApiOptions = {}) {
  const address = await openAddress();
  const stripe = await startStripeSimulator({ webhookUrl: `${address.url}/webhooks/stripe` });
  const api = await startSubscriptionApi({ simulatorUrl: stripe.url, address, ...options });
  const dispose = async () => {
    address.close();
    await Promise.all([api.dispose(), stripe.dispose()]);
  };
  return { api, stripe, dispose };
}

/** Runs the cron handler once, as Cloudflare does each minute. */
export async function runScheduled({ mf }: RunningWorker): Promise<void> {
  const response = await fetch(new URL("/cdn-cgi/handler/scheduled?cron=*+*+*+*+*", await mf.ready));
  if (!response.ok) throw new Error(await response.text());
}
