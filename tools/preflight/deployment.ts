import { createHash } from "node:crypto";
import { readConfiguration, settings as siteSettings } from "../../app/pipeline/settings/configuration.server";
import { isSecretName } from "../../app/shared/settings/settings";
import { modeOf } from "../../app/shared/settings/stripe-key-mode";
import { settings as apiSettings, readConfig } from "../../functions/subscription-api/config";
import type { PackageAtStripe } from "../../functions/subscription-api/packages";
import type { WorkerSettings, Workers } from "../wrangler/worker-settings";
import type { Stage } from "../wrangler/wrangler";

/** What the Cloudflare account has, and the API's packages with their prices at Stripe. Parts that were not checked are undefined. */
export type Account = {
  secrets?: { site: string[]; api?: string[] };
  prices?: PackageAtStripe[];
};

export type Deployment = Workers & {
  stage: Stage;
  other: Workers;
  account: Account;
  company: Record<string, string | string[]>;
};

export const KEYS = ["site", "api"] as const;
export type Key = (typeof KEYS)[number];

/** All variables, secrets and bindings that a Worker reads. */
export const namesOf = (key: Key) => Object.keys((key === "site" ? siteSettings : apiSettings).shape);

/** Why the Worker would answer 503. Uses stand-ins for bindings and secrets, whose values cannot be read. */
export function workerProblems(key: Key, deployment: Deployment): { name: string; problem: string }[] {
  const worker = deployment[key];
  if (worker === undefined) return [];
  const env = environmentOf(key, worker, deployment);
  const result = key === "site" ? readConfiguration(env) : readConfig(env);
  return "problems" in result ? result.problems : [];
}

function environmentOf(key: Key, worker: WorkerSettings, { account, stage }: Deployment): Record<string, unknown> {
  const optional = (name: string) => name !== "TURNSTILE_SECRET_KEY" || Boolean(worker.vars.TURNSTILE_SITE_KEY);
  const secrets = account.secrets?.[key] ?? namesOf(key).filter((name) => isSecretName(name) && optional(name));
  const standIn = (name: string) => {
    const value = createHash("sha256").update(name).digest("hex");
    if (name === "STRIPE_SECRET_KEY") return `sk_${modeOf(stage)}_${value}`;
    return name.endsWith("_WEBHOOK_SECRET") ? `whsec_${value}` : value;
  };
  const binding = { limit: fetch, prepare: fetch, send: fetch, fetch };
  const bindings = [
    ...[...worker.ratelimits, ...worker.send_email].map(({ name }) => name),
    ...[...worker.d1_databases, ...(worker.services ?? [])].map(({ binding: name }) => name),
    ...(worker.assets?.binding ? [worker.assets.binding] : []),
  ];
  return {
    ...worker.vars,
    ...Object.fromEntries(secrets.map((name) => [name, standIn(name)])),
    ...Object.fromEntries(bindings.map((name) => [name, binding])),
  };
}
