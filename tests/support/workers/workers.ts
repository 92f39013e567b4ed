import { fileURLToPath } from "node:url";
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from "wrangler";
import * as z from "zod";
import { migrateDatabase } from "../../../tools/wrangler/migrate-database";
import type { Vars } from "../../../tools/wrangler/worker-settings";
import { type Address, openAddress } from "./address";
import { type RunningWorker, startWorker, type WorkerPlan, type Wrapper } from "./miniflare";

export type { Vars } from "../../../tools/wrangler/worker-settings";
export { type Address, openAddress } from "./address";
export type { RunningWorker, Wrapper } from "./miniflare";

const SITE_TOML = fileURLToPath(new URL("../../../wrangler.toml", import.meta.url));

/** No deadline passes on a busy machine: tests of deadlines have a clock of their own. */
const UNHURRIED = { DEADLINE_FACTOR: "1000" };

/**
 * The reference subscription API on a migrated database; its PUBLIC_URL is the URL that it gets.
 * @param options.simulatorUrl where Stripe, the email provider and the console are
 */
export async function startSubscriptionApi(
  options: {
    simulatorUrl?: string;
    vars?: Vars;
    address?: Address;
    persist?: string;
    wrapper?: Wrapper;
    miniflare?: WorkerPlan["miniflare"];
  } = {},
): Promise<RunningWorker> {
  const { simulatorUrl, vars, address = await openAddress(), ...rest } = options;
  const worker = await startWorker({
    folder: "functions/subscription-api",
    bundle: "subscription-api/index.js",
    address,
    vars: {
      PUBLIC_URL: address.url,
      ...UNHURRIED,
      PASSWORD_COST: "1",
      ...(simulatorUrl !== undefined && {
        STRIPE_API_URL: simulatorUrl,
        MAIL_API_URL: `${simulatorUrl}/emails`,
        CONSOLE_WEBHOOK_URL: `${simulatorUrl}/console/webhook`,
      }),
      ...vars,
    },
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
export async function startStripeSimulator(
  options: { webhookUrl?: string; vars?: Vars; address?: Address; persist?: string; misused?: boolean } = {},
): Promise<RunningWorker> {
  const { webhookUrl, vars, misused = false, ...rest } = options;
  const worker = await startWorker({
    folder: "functions/stripe-simulator",
    bundle: "stripe-simulator/index.js",
    vars: { ...(webhookUrl !== undefined && { WEBHOOK_URL: webhookUrl }), ...vars },
    ...rest,
  });
  return {
    ...worker,
    dispose: async () => {
      const answer = await fetch(`${worker.url}/health`).catch(() => undefined);
      const { complaints } = health.parse(await answer?.json().catch(() => ({})));
      await worker.dispose();
      if (!misused && complaints.length > 0) throw new Error(`Not as Stripe has it:\n${complaints.join("\n")}`);
    },
  };
}

const health = z.object({ complaints: z.array(z.string()).default([]) }).default({ complaints: [] });

export type SiteOptions = {
  vars?: Vars;
  address?: Address;
  /** Another build of it, under build/. */
  bundle?: string;
  /** The folder of its static files, if they are another build's too. */
  files?: string;
  wrapper?: Wrapper;
  miniflare?: WorkerPlan["miniflare"];
  environment?: WorkerPlan["environment"];
  beside?: WorkerPlan;
};

/** The site; its SITE_URL is the URL that it gets. */
export async function startSite(options: SiteOptions = {}): Promise<RunningWorker> {
  const { address = await openAddress(), bundle = "site/site.js", vars, miniflare, ...rest } = options;
  const isLocal = rest.environment === undefined;
  return startWorker({
    folder: ".",
    bundle,
    address,
    vars: { SITE_URL: address.url, ...(isLocal && UNHURRIED), ...vars },
    miniflare: { ...(!isLocal && { ratelimits: siteLimits() }), ...miniflare },
    ...rest,
  });
}

/** The site's limits in production, out of reach. */
function siteLimits() {
  const config = unstable_readConfig({ config: SITE_TOML, env: "production" }, { hideWarnings: true });
  const { ratelimits = {} } = unstable_getMiniflareWorkerOptions({ ...config, secrets: undefined }).workerOptions;
  return Object.fromEntries(
    Object.keys(ratelimits).map((name) => [name, { simple: { limit: 1_000_000, period: 60 as const } }]),
  );
}

/**
 * Where the site of these tests says that it is: a deployment, so https everywhere and no local defaults. Browsers know
 * domains under `.dev` for https only, as they know every domain on their preload list.
 */
export const ORIGIN = "https://www.citewell.dev";

/** The site with the settings of a deployment; the API behind it is whatever `upstream` answers. */
export function startDeployedSite(
  upstream: (request: Request) => Response | Promise<Response>,
  { vars, miniflare, ...rest }: SiteOptions = {},
): Promise<RunningWorker> {
  return startSite({
    vars: {
      SITE_URL: ORIGIN,
      CUSTOMER_PORTAL_URL: "https://billing.stripe.com/p/login/test_0123456789",
      SUBSCRIPTION_API_URL: "https://api.citewell.example",
      SUBSCRIPTION_API_TIMEOUT_MS: "5000",
      DEADLINE_FACTOR: undefined,
      SESSION_SECRET: "a-secret-of-the-tests-with-more-than-32-characters",
      STRIPE_JS_URL: undefined,
      STRIPE_API_URL: undefined,
      ...vars,
    },
    miniflare: { outboundService: upstream, ...miniflare },
    ...rest,
  });
}

/** A connected simulator and API. */
export async function startBackend(options: { vars?: Vars; wrapper?: Wrapper } = {}): Promise<{
  api: RunningWorker;
  stripe: RunningWorker;
  dispose: () => Promise<void>;
}> {
  const address = await openAddress();
  const stripe = await startStripeSimulator({ webhookUrl: `${address.url}/webhooks/stripe` });
  const api = await startSubscriptionApi({ simulatorUrl: stripe.url, address, ...options });
  return {
    api,
    stripe,
    dispose: async () => {
      address.close();
      await Promise.all([api.dispose(), stripe.dispose()]);
    },
  };
}

/** Runs the cron handler once, as Cloudflare does each minute. */
export async function runScheduled({ mf }: RunningWorker): Promise<void> {
  const response = await fetch(new URL("/cdn-cgi/handler/scheduled?cron=*+*+*+*+*", await mf.ready));
  if (!response.ok) throw new Error(await response.text());
}
