import type { ConfigurationProblem } from "../../app/contract/configuration";
import { readConfiguration } from "../../app/edge/settings/configuration.server";
import { plans } from "../../app/pricing/plans";
import { isStripePriceId } from "../subscription-api/catalogue/packages";
import { readConfig } from "../subscription-api/config";
import type { WorkerSettings } from "./worker-settings";

/** Secrets and database are undefined when the account was not asked. */
export type Deployment = {
  site: WorkerSettings;
  api: WorkerSettings;
  secrets?: { site: string[]; api: string[] };
  database?: { migrations: string[]; packages: Record<string, unknown>[] };
  /** The files in the folder of migrations. */
  migrations: string[];
  /** The facts of the brand. */
  company: { name: string; postalAddress: readonly string[]; profiles: readonly string[] };
};

export type Finding = {
  where: "site" | "subscription API" | "database" | "Stripe" | "app/company-facts.ts";
  what: string;
};

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

const UNSET_DATABASE = /^[0-]*$/;
/** Names that no deployment can have (RFC 2606). */
const PLACEHOLDER = /\.example(?![\w.-])/;

/** Everything that keeps a deployment from working. */
export function checkDeployment(deployment: Deployment): Finding[] {
  return [
    ...checkSite(deployment),
    ...checkApi(deployment),
    ...checkAgreement(deployment),
    ...checkDoor(deployment),
    ...checkDatabase(deployment),
    ...checkCompany(deployment),
  ];
}

function checkSite({ site, secrets }: Deployment): Finding[] {
  const found = new Findings("site");
  found.checkSecrets(site, secrets?.site);
  found.checkPlaceholders(site);
  if (!site.vars.STRIPE_PUBLISHABLE_KEY) found.add("STRIPE_PUBLISHABLE_KEY is empty: no card can be set up");
  const service = site.services.find(({ binding }) => binding === "SUBSCRIPTION_API");
  const result = readConfiguration({
    ...site.vars,
    ...standIns(secrets?.site ?? site.secrets.required),
    ...limiters(site),
    ...(site.assets?.binding && { [site.assets.binding]: { fetch } }),
    ...(service && { SUBSCRIPTION_API: { fetch } }),
  });
  if ("problems" in result) {
    found.addProblems(result.problems);
    return found.list;
  }
  found.checkRoute(site, "SITE_URL", result.configuration.SITE_URL);
  return found.list;
}

function checkApi({ api, secrets }: Deployment): Finding[] {
  const found = new Findings("subscription API");
  found.checkSecrets(api, secrets?.api);
  found.checkPlaceholders(api);
  const database = api.d1_databases.find(({ binding }) => binding === "DB");
  if (!database || UNSET_DATABASE.test(database.database_id ?? "")) {
    found.add("database_id is not set: `npx wrangler d1 create citewell-subscriptions` prints it");
  }
  if (api.triggers.crons.length === 0)
    found.add("[triggers] has no cron: mail would not be sent again after a failure");

  // Its mode is the publishable key's, or a mistake.
  const mode = String(api.vars.STRIPE_PUBLISHABLE_KEY).includes("_live_") ? "live" : "test";
  const result = readConfig({
    ...api.vars,
    ...standIns(secrets?.api ?? Object.keys(STAND_INS)),
    ...(secrets && !secrets.api.includes("STRIPE_SECRET_KEY")
      ? {}
      : { STRIPE_SECRET_KEY: process.env.STRIPE_SECRET_KEY ?? `sk_${mode}_${"x".repeat(16)}` }),
    ...limiters(api),
    DB: database && { prepare: () => undefined },
    EMAIL: api.send_email.some(({ name }) => name === "EMAIL") ? { send: () => undefined } : undefined,
  });
  if (result.status === "invalid") found.addProblems(result.problems);
  return found.list;
}

/** Settings that both Workers have must be equal. */
function checkAgreement({ site, api, company }: Deployment): Finding[] {
  const found = new Findings("subscription API");
  for (const name of [
    "STRIPE_PUBLISHABLE_KEY",
    "CONSOLE_URL",
    "CUSTOMER_PORTAL_URL",
    "SUPPORT_EMAIL",
    "SALES_EMAIL",
    "SITE_URL",
  ]) {
    if (site.vars[name] !== api.vars[name]) found.add(`${name} is not the site's`);
  }
  if (api.vars.COMPANY_NAME !== company.name) found.add("COMPANY_NAME is not the one of app/company.ts");
  if (originOf(api.vars.PUBLIC_URL) !== originOf(site.vars.SUBSCRIPTION_API_URL)) {
    found.add("PUBLIC_URL is not the site's SUBSCRIPTION_API_URL");
  }
  const service = site.services.find(({ binding }) => binding === "SUBSCRIPTION_API");
  if (service && service.service !== api.name) found.add(`the site's service binding names ${service.service}`);
  // Stripe's webhooks use it, even where the site has a service binding.
  found.checkRoute(api, "SUBSCRIPTION_API_URL", String(site.vars.SUBSCRIPTION_API_URL));
  return found.list;
}

/** Only the site may sign anybody up: by the entrypoint that is its own, or with a secret that both Workers have. */
function checkDoor({ site, api, secrets }: Deployment): Finding[] {
  const found = new Findings("subscription API");
  if (api.vars.STRIPE_API_URL) found.add("STRIPE_API_URL is for local development: anybody could post sign-ups");
  const service = site.services.find(({ binding }) => binding === "SUBSCRIPTION_API");
  if (service) {
    if (service.entrypoint !== SITE_ENTRYPOINT) {
      found.add(`the site's service binding needs entrypoint = "${SITE_ENTRYPOINT}": the public one takes no sign-ups`);
    }
    return found.list;
  }
  const existing = [secrets?.site ?? site.secrets.required, secrets?.api ?? api.secrets.required];
  if (!existing.every((names) => names.includes("SUBSCRIPTION_API_SECRET"))) {
    found.add("the site has no service binding, so both Workers need the secret SUBSCRIPTION_API_SECRET");
  }
  return found.list;
}

function checkDatabase({ site, database, migrations }: Deployment): Finding[] {
  const found = new Findings("database");
  if (!database) return [];
  const missing = migrations.filter((name) => !database.migrations.includes(name));
  if (missing.length > 0) found.add(`lacks ${missing.join(", ")}: npm run deploy:subscription-api`);

  const { PACKAGE_ID_MINI, PACKAGE_ID_LITE, PACKAGE_ID_STANDARD } = site.vars;
  const packageIds = {
    mini: String(PACKAGE_ID_MINI),
    lite: String(PACKAGE_ID_LITE),
    standard: String(PACKAGE_ID_STANDARD),
  };
  for (const plan of plans({ packageIds, salesEmail: "" })) {
    if (plan.packageId === null || plan.price === null) continue;
    const row = database.packages.find(({ id }) => id === plan.packageId?.toLowerCase());
    if (!row) found.add(`has no package ${plan.packageId}, the site's PACKAGE_ID_${plan.title}`);
    else if (row.name !== plan.title || row.price_cents !== plan.price * 100) {
      found.add(`the package ${plan.packageId} is not ${plan.title} at $${plan.price}, as the site says`);
    } else if (!isStripePriceId(String(row.stripe_price_id))) {
      found.add(`the package ${plan.title} has no price at Stripe: npm run catalogue -- --production`);
    }
  }
  return found.list;
}

function checkCompany({ company }: Deployment): Finding[] {
  const examples = [...company.postalAddress, ...company.profiles].filter((line) => /example/i.test(line));
  return examples.map((line) => ({ where: "app/company-facts.ts" as const, what: `has the example ${line}` }));
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

class Findings {
  readonly list: Finding[] = [];
  constructor(private readonly where: Finding["where"]) {}

  add(what: string): void {
    this.list.push({ where: this.where, what });
  }

  addProblems(problems: ConfigurationProblem[]): void {
    for (const { name, problem } of problems) this.add(`${name} ${problem}`);
  }

  checkSecrets({ secrets }: WorkerSettings, existing: string[] | undefined): void {
    for (const name of secrets.required) {
      if (existing && !existing.includes(name)) this.add(`the secret ${name} is not set: wrangler secret put ${name}`);
    }
  }

  checkPlaceholders({ vars, routes }: WorkerSettings): void {
    for (const [name, value] of Object.entries(vars)) {
      if (PLACEHOLDER.test(String(value))) this.add(`${name} is a placeholder: ${value}`);
    }
    for (const { pattern } of routes) if (PLACEHOLDER.test(pattern)) this.add(`a route is a placeholder: ${pattern}`);
  }

  /** The host of a setting's URL must be one of the Worker's routes, if it has any. */
  checkRoute({ routes }: WorkerSettings, name: string, url: string): void {
    const host = URL.canParse(url) ? new URL(url).host : url;
    if (routes.length > 0 && !routes.some(({ pattern }) => pattern.split("/")[0] === host)) {
      this.add(`no route is ${host}, the host of the site's ${name}`);
    }
  }
}
