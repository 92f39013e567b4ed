import { fileURLToPath } from "node:url";
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from "wrangler";
import * as z from "zod";
import type { Vars } from "../../../tools/wrangler/built-worker";
import { migrateDatabase } from "../../../tools/wrangler/migrate-database";
import { freePort, type RunningWorker, startWorker, type WorkerPlan, type Wrapper } from "./miniflare";

export type { Vars } from "../../../tools/wrangler/built-worker";
export { freePort, type RunningWorker, type Wrapper } from "./miniflare";

const SITE_TOML = fileURLToPath(new URL("../../../wrangler.toml", import.meta.url));

/**
 * The reference subscription API on a migrated database; its PUBLIC_URL is the URL that it gets.
 * @param options.simulatorUrl where Stripe, the email provider and the console are
 * @param options.edit what is changed of the built Worker
 */
export async function startSubscriptionApi(
  options: {
    simulatorUrl?: string;
    edit?: WorkerPlan["edit"];
    vars?: Vars;
    port?: number;
    persist?: string;
    wrapper?: Wrapper;
    miniflare?: WorkerPlan["miniflare"];
  } = {},
): Promise<RunningWorker> {
  const { simulatorUrl, vars, port = await freePort(), ...rest } = options;
  const worker = await startWorker({
    folder: "functions/subscription-api",
    bundle: "subscription-api/index.js",
    port,
    vars: {
      PUBLIC_URL: `http://localhost:${port}`,
      ...(simulatorUrl !== undefined && {
        STRIPE_API_URL: simulatorUrl,
        MAIL_API_URL: `${simulatorUrl}/emails`,
        CONSOLE_WEBHOOK_URL: `${simulatorUrl}/console/webhook`,
        FUNNEL_SQL_URL: `${simulatorUrl}/funnel/sql`,
      }),
      ...vars,
    },
    ...rest,
  });
  await migrateDatabase(await worker.mf.getD1Database("DB"));
  return worker;
}

/**
 * The Stripe simulator; its webhooks go to `webhookUrl`. Its end fails when it got a request that no account of Stripe's
 * would take, or gave an answer that Stripe would not give.
 * @param options.misused by the test itself, on purpose
 */
export async function startStripeSimulator(
  options: { webhookUrl?: string; vars?: Vars; port?: number; persist?: string; misused?: boolean } = {},
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
  port?: number;
  /**
   * Posts of one sender in a minute, or all limits of production; when absent, the local limits, which nothing
   * meets.
   */
  rateLimit?: number | "as in production";
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
  const {
    port = await freePort(),
    bundle = "site/site.js",
    vars,
    miniflare,
    wrapper,
    environment,
    beside,
    files,
  } = options;
  const { rateLimit = environment && 1_000_000 } = options;
  return startWorker({
    folder: ".",
    bundle,
    vars: { SITE_URL: `http://localhost:${port}`, ...vars },
    files,
    port,
    wrapper,
    environment,
    beside,
    miniflare: {
      ...(rateLimit !== undefined && { ratelimits: siteLimits(rateLimit) }),
      ...miniflare,
    },
  });
}

/** The site's limits: all of production's, or one per sender with the others out of reach. */
function siteLimits(rateLimit: number | "as in production") {
  const config = unstable_readConfig({ config: SITE_TOML, env: "production" }, { hideWarnings: true });
  const { ratelimits = {} } = unstable_getMiniflareWorkerOptions({ ...config, secrets: undefined }).workerOptions;
  if (rateLimit === "as in production") return ratelimits;
  return Object.fromEntries(
    Object.keys(ratelimits).map((name) => {
      const bySender = name === "SIGNUP_RATE_LIMIT" || name === "CSP_REPORT_RATE_LIMIT";
      return [name, { simple: { limit: bySender ? rateLimit : 1_000_000, period: 60 as const } }];
    }),
  );
}

/** A connected simulator and API. */
export async function startBackend(
  options: { edit?: WorkerPlan["edit"]; vars?: Vars; wrapper?: Wrapper } = {},
): Promise<{
  api: RunningWorker;
  stripe: RunningWorker;
  dispose: () => Promise<void>;
}> {
  const port = await freePort();
  const stripe = await startStripeSimulator({ webhookUrl: `http://localhost:${port}/webhooks/stripe` });
  const api = await startSubscriptionApi({ simulatorUrl: stripe.url, port, ...options });
  return {
    api,
    stripe,
    dispose: async () => {
      await Promise.all([api.dispose(), stripe.dispose()]);
    },
  };
}

/** Runs the cron handler once, as Cloudflare does each minute. */
export async function runScheduled({ mf }: RunningWorker): Promise<void> {
  const worker = await mf.getWorker();
  await worker.scheduled({ cron: "* * * * *" });
}
