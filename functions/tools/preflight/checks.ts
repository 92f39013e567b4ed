import { readConfiguration } from "../../../app/edge/settings/configuration.server";
import { readConfig } from "../../subscription-api/config";
import type { WorkerSettings } from "../worker-settings";
import { API_FOLDER, wranglerCommand } from "../wrangler";
import { checkDatabase, checkDatabaseId } from "./database";
import { type Deployment, type Finding, Findings } from "./findings";
import { checkCompany, checkValues } from "./values";

/** Nobody can read secrets back: these stand for those that are set. */
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

/** The entrypoint of functions/subscription-api/index.ts that no public request reaches. */
const SITE_ENTRYPOINT = "SiteApi";

/** Everything that keeps a deployment from working. */
export function checkDeployment(deployment: Deployment): Finding[] {
  return [
    ...checkSite(deployment),
    ...checkApi(deployment),
    ...checkAgreement(deployment),
    ...checkDoor(deployment),
    ...checkStages(deployment),
    ...checkDatabase(deployment),
    ...checkCompany(deployment),
  ];
}

function checkSite(deployment: Deployment): Finding[] {
  const { site, secrets, stage } = deployment;
  const found = new Findings("site", stage);
  found.checkSecrets(site, secrets?.site);
  checkValues(deployment, site, found);
  if (!site.vars.STRIPE_PUBLISHABLE_KEY) found.addSetting("STRIPE_PUBLISHABLE_KEY", emptyKey(stage));
  const service = site.services.find(({ binding }) => binding === "SUBSCRIPTION_API");
  const result = readConfiguration({
    ...site.vars,
    ...standIns(secrets?.site ?? site.secrets.required),
    ...limiters(site),
    ...(site.assets?.binding && { [site.assets.binding]: { fetch } }),
    ...(service && { SUBSCRIPTION_API: { fetch } }),
  });
  if ("problems" in result) found.addProblems(result.problems);
  found.checkRoute(site, "SITE_URL", String(site.vars.SITE_URL));
  return found.list;
}

function checkApi(deployment: Deployment): Finding[] {
  const { api, secrets, stage } = deployment;
  const found = new Findings("subscription API", stage);
  found.checkSecrets(api, secrets?.api);
  checkValues(deployment, api, found);
  checkDatabaseId(deployment, found);
  if (api.triggers.crons.length === 0) {
    found.add(
      `[env.${stage}.triggers] has no cron: add crons = ["* * * * *"], or mail is not sent again after a failure`,
    );
  }

  // Its mode is the publishable key's, or a mistake.
  const mode = String(api.vars.STRIPE_PUBLISHABLE_KEY).includes("_live_") ? "live" : "test";
  const keyOfShell = process.env.STRIPE_SECRET_KEY;
  const result = readConfig({
    ...api.vars,
    ...standIns(secrets?.api ?? Object.keys(STAND_INS)),
    ...(secrets && !secrets.api.includes("STRIPE_SECRET_KEY")
      ? {}
      : { STRIPE_SECRET_KEY: keyOfShell || `sk_${mode}_${"x".repeat(16)}` }),
    ...limiters(api),
    DB: api.d1_databases.some(({ binding }) => binding === "DB") ? { prepare: () => undefined } : undefined,
    EMAIL: api.send_email.some(({ name }) => name === "EMAIL") ? { send: () => undefined } : undefined,
  });
  if (result.status === "invalid") {
    const wrong = keyOfShell && result.problems.find(({ name }) => name === "STRIPE_SECRET_KEY")?.problem;
    if (wrong) found.addSetting("STRIPE_SECRET_KEY", `of this shell ${wrong}: unset it, or export that of ${stage}`);
    found.addProblems(result.problems);
  }
  return found.list;
}

/** Settings that both Workers have must be equal. */
function checkAgreement({ site, api, company, stage }: Deployment): Finding[] {
  const found = new Findings("subscription API", stage);
  for (const name of [
    "STRIPE_PUBLISHABLE_KEY",
    "CONSOLE_URL",
    "CUSTOMER_PORTAL_URL",
    "SUPPORT_EMAIL",
    "SALES_EMAIL",
    "SITE_URL",
  ]) {
    if (site.vars[name] !== api.vars[name]) found.add(`${name} is not the site's: put the same into both files`);
  }
  if (api.vars.COMPANY_NAME !== company.name) found.add("COMPANY_NAME is not the one of app/company.ts: take that");
  if (originOf(api.vars.PUBLIC_URL) !== originOf(site.vars.SUBSCRIPTION_API_URL)) {
    found.add("PUBLIC_URL is not the site's SUBSCRIPTION_API_URL: put the same into both files");
  }
  const service = site.services.find(({ binding }) => binding === "SUBSCRIPTION_API");
  if (service && service.service !== api.name) {
    found.add(`the site's service binding names ${service.service}: in wrangler.toml put service = "${api.name}"`);
  }
  // Stripe's webhooks use it, even where the site has a service binding.
  found.checkRoute(api, "SUBSCRIPTION_API_URL", String(site.vars.SUBSCRIPTION_API_URL));
  return found.list;
}

/** Only the site may sign anybody up: by the entrypoint that is its own, or with a secret that both Workers have. */
function checkDoor({ site, api, secrets, stage }: Deployment): Finding[] {
  const found = new Findings("subscription API", stage);
  const service = site.services.find(({ binding }) => binding === "SUBSCRIPTION_API");
  if (service) {
    if (service.entrypoint !== SITE_ENTRYPOINT) {
      found.add(`the site's service binding needs entrypoint = "${SITE_ENTRYPOINT}": the public one takes no sign-ups`);
    }
    return found.list;
  }
  const existing = [secrets?.site ?? site.secrets.required, secrets?.api ?? api.secrets.required];
  if (existing.every((names) => names.includes("SUBSCRIPTION_API_SECRET"))) return [];
  const put = [API_FOLDER, "."] as const;
  const commands = put.map((folder) => wranglerCommand("secret put SUBSCRIPTION_API_SECRET", stage, folder));
  found.add(`the site has no service binding, so both Workers need one secret: ${commands.join(" && ")}`);
  return found.list;
}

/** What one stage deploys must not be the other's. */
function checkStages({ stage, site, api, other }: Deployment): Finding[] {
  const others = stage === "staging" ? "production" : "staging";
  const workers = [
    ["site", site, other.site],
    ["subscription API", api, other.api],
  ] as const;
  return workers.flatMap(([where, own, its]) => {
    const found = new Findings(where, stage);
    if (own.name === its.name) found.add(`its name is that of ${others} too, which it would replace: change name`);
    for (const { pattern } of own.routes) {
      if (!its.routes.some((route) => route.pattern === pattern)) continue;
      found.add(`its route ${pattern} is that of ${others} too: change it in [env.${stage}]`);
    }
    return found.list;
  });
}

function emptyKey(stage: Deployment["stage"]): string {
  return `is empty: copy it from https://dashboard.stripe.com/apikeys into [env.${stage}.vars] of both files`;
}

function limiters({ ratelimits }: WorkerSettings) {
  return Object.fromEntries(ratelimits.map(({ name }) => [name, { limit: fetch }]));
}

function originOf(url: unknown): string {
  return URL.canParse(String(url)) ? new URL(String(url)).origin : String(url);
}

function standIns(names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (STAND_INS[name] === undefined ? [] : [[name, STAND_INS[name]]])));
}
