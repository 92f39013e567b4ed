import { readConfiguration } from "../../app/pipeline/settings/configuration.server";
import { readConfig } from "../../functions/subscription-api/config";
import type { WorkerSettings } from "../wrangler/worker-settings";
import type { Deployment } from "./deployment";

/** `isWhole`: the problem includes its remedy. */
type Problem = { name: string; problem: string; isWhole?: true };

/** Placeholders for set secrets, whose values cannot be read. */
const STAND_INS: Record<string, string> = {
  SESSION_SECRET: "x".repeat(32),
  STRIPE_WEBHOOK_SECRET: `whsec_${"x".repeat(32)}`,
  MAIL_API_KEY: "re_xxxxxxxx",
  CONSOLE_WEBHOOK_SECRET: `whsec_${"A".repeat(32)}`,
  OPERATOR_TOKEN: "x".repeat(32),
  SUBSCRIPTION_API_SECRET: "x".repeat(32),
  TURNSTILE_SECRET_KEY: "x".repeat(35),
  LINK_SECRET: "x".repeat(32),
  HASH_SECRET: "x".repeat(32),
};

export const SECRETS = [...Object.keys(STAND_INS), "STRIPE_SECRET_KEY"];

export function problemsOfSite({ site, secrets, stage }: Deployment): Problem[] {
  const isBound = site.services.some(({ binding }) => binding === "SUBSCRIPTION_API");
  const result = readConfiguration({
    ...site.vars,
    ...standIns(secrets?.site ?? site.secrets.required),
    ...limiters(site),
    ...(site.assets?.binding && { [site.assets.binding]: { fetch } }),
    ...(isBound && { SUBSCRIPTION_API: { fetch } }),
  });
  const refused = "problems" in result ? result.problems : [];
  if (site.vars.STRIPE_PUBLISHABLE_KEY) return refused;
  const problem = `is empty: copy it from https://dashboard.stripe.com/apikeys into [env.${stage}.vars] of both files`;
  return [{ name: "STRIPE_PUBLISHABLE_KEY", problem, isWhole: true }, ...refused];
}

export function problemsOfApi({ api, secrets, stage }: Deployment): Problem[] {
  const mode = String(api.vars.STRIPE_PUBLISHABLE_KEY).includes("_live_") ? "live" : "test";
  const keyOfShell = process.env.STRIPE_SECRET_KEY;
  const hasKey = !secrets || secrets.api.includes("STRIPE_SECRET_KEY");
  const result = readConfig({
    ...api.vars,
    ...standIns(secrets?.api ?? SECRETS),
    ...(hasKey && { STRIPE_SECRET_KEY: keyOfShell || `sk_${mode}_${"x".repeat(16)}` }),
    ...limiters(api),
    DB: api.d1_databases.some(({ binding }) => binding === "DB") ? { prepare: () => undefined } : undefined,
    EMAIL: api.send_email.some(({ name }) => name === "EMAIL") ? { send: () => undefined } : undefined,
  });
  if (!("problems" in result)) return [];
  return result.problems.map(({ name, problem }) =>
    name === "STRIPE_SECRET_KEY" && keyOfShell
      ? { name, problem: `of this shell ${problem}: unset it, or export the ${stage} value`, isWhole: true }
      : { name, problem },
  );
}

function standIns(names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (STAND_INS[name] === undefined ? [] : [[name, STAND_INS[name]]])));
}

function limiters({ ratelimits }: WorkerSettings) {
  return Object.fromEntries(ratelimits.map(({ name }) => [name, { limit: fetch }]));
}
