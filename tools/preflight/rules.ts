import { PAID_PLANS, settingOf } from "../../app/contract/plans";
import { isLoopback } from "../../app/shared/settings";
import type { WorkerSettings } from "../wrangler/worker-settings";
import { API_FOLDER, scriptCommand, wranglerCommand } from "../wrangler/wrangler";
import { type Deployment, isSecret, KEYS, type Key, namesOf, problemsOf } from "./deployment";

/** The private entrypoint of functions/subscription-api/index.ts. */
const SITE_ENTRYPOINT = "SiteApi";
/** Values that a deployment needs; undefined: it may not be there. */
const NEEDED = { ONE_TRIAL_PER_PERSON: "true", SUBSCRIPTION_API_IDEMPOTENT: "true", MAINTENANCE: undefined };
/** Usual limits. Ten times as many no longer protect anything. */
const USUAL: Record<Key, Record<string, number>> = {
  site: { SIGNUP_RATE_LIMIT: 10, SIGNUP_NETWORK_RATE_LIMIT: 60, FLOOD_RATE_LIMIT: 20, CARD_CHECK_RATE_LIMIT: 30 },
  api: { SIGNUP_RATE_LIMIT: 30 },
};
/** Reserved names (RFC 2606), and words that ask to be replaced. */
const PLACEHOLDER =
  /(?:^|[@./])example\.(?:com|net|org)(?![\w-])|\.(?:example|test|invalid)(?![\w.-])|\b(?:todo|tbd|xxx+|change[ _-]?me|your[ _-]\w+)\b|[<{…]/i;
/** Not a placeholder of the first migration. */
const PRICE_ID = /^price_\w{14,}$/;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

const titleOf = (key: Key) => (key === "site" ? "site" : "subscription API");
const folderOf = (key: Key) => (key === "site" ? "." : API_FOLDER);
const fileOf = (key: Key) => (key === "site" ? "wrangler.toml" : `${API_FOLDER}/wrangler.toml`);
const hostOf = (url: unknown) => (URL.canParse(String(url)) ? new URL(String(url)).host : String(url));
const routesOf = ({ routes }: WorkerSettings) => routes.map(({ pattern }) => pattern.replace(/\/.*$/, ""));
export const databaseIdOf = ({ d1_databases }: WorkerSettings) =>
  d1_databases.find(({ binding }) => binding === "DB")?.database_id ?? "";
export const isDatabaseId = (id: string) => UUID.test(id) && !/^[0-]*$/.test(id);

/** A rule returns a sentence for each problem: where it is, what is wrong and the remedy. */
type Rule = (deployment: Deployment) => (string | false)[];

const inBoth =
  (rule: (key: Key, worker: WorkerSettings, deployment: Deployment) => (string | false)[]): Rule =>
  (deployment) =>
    KEYS.flatMap((key) =>
      rule(key, deployment[key], deployment).map((what) => what !== false && `${titleOf(key)}: ${what}`),
    );

const inVars = (key: Key, { stage }: Deployment) => `[env.${stage}.vars] of ${fileOf(key)}`;

export const RULES: Record<string, Rule> = {
  "secrets are set": inBoth((key, { secrets }, deployment) => {
    const needed = key === "api" ? [...secrets.required, "OPERATOR_TOKEN"] : secrets.required;
    const known = deployment.account.secrets?.[key] ?? needed;
    return needed.map((name) => !known.includes(name) && `${name} is not set: ${put(name, key, deployment)}`);
  }),

  "the Worker takes its settings": inBoth((key, { secrets }, deployment) =>
    problemsOf(key, deployment).map(({ name, problem }) => {
      if (secrets.required.includes(name) && problem === "is missing") return false;
      if (isSecret(name)) return `${name} ${problem}: ${put(name, key, deployment)}`;
      const hint = name === "CUSTOMER_PORTAL_URL" ? ` (npm run stripe:setup -- --${deployment.stage} prints it)` : "";
      return `${name} ${problem}: correct it in ${inVars(key, deployment)}${hint}`;
    }),
  ),

  "values are a deployment's own": inBoth((key, { vars, routes }, deployment) => [
    ...Object.entries(vars).map(([name, given]) => {
      const value = String(given);
      const place = inVars(key, deployment);
      if (isSecret(name) && value !== "")
        return `${name} is a secret: remove it from ${place}, then ${put(name, key, deployment)}`;
      if (isLoopback(value)) return `${name} is a URL of this machine (${value}): correct or remove it in ${place}`;
      if (PLACEHOLDER.test(value)) return `${name} is a placeholder (${value}): put yours into ${place}`;
      return !namesOf(key).includes(name) && `${name} is no setting: correct its name in ${place}`;
    }),
    ...routes.map(
      ({ pattern }) =>
        PLACEHOLDER.test(pattern) && `the route ${pattern} is a placeholder: put your host into ${fileOf(key)}`,
    ),
  ]),

  "the company is real": ({ company: { postalAddress, profiles } }) =>
    [...postalAddress, ...profiles].map(
      (line) =>
        (line.trim() === "" || PLACEHOLDER.test(line) || /\bexample\b/i.test(line)) &&
        `app/company-facts.ts: has the example "${line}": write your own, or remove it`,
    ),

  "both Workers agree": ({ site, api, company }) => [
    ...namesOf("site").map(
      (name) =>
        namesOf("api").includes(name) &&
        site.vars[name] !== api.vars[name] &&
        `subscription API: ${name} is not the site's: put one value into both files`,
    ),
    api.vars.COMPANY_NAME !== company.name &&
      "subscription API: COMPANY_NAME is not the name in app/company.ts: take that",
  ],

  "the API has one public origin of its own": (deployment) => {
    const { SITE_URL, SUBSCRIPTION_API_URL } = deployment.site.vars;
    const { PUBLIC_URL } = deployment.api.vars;
    const isOrigin = (url: unknown) => !URL.canParse(String(url)) || new URL(String(url)).pathname === "/";
    return [
      hostOf(PUBLIC_URL) !== hostOf(SUBSCRIPTION_API_URL) &&
        "subscription API: PUBLIC_URL is not the site's SUBSCRIPTION_API_URL: put one value into both files",
      hostOf(SITE_URL) === hostOf(SUBSCRIPTION_API_URL) &&
        "subscription API: has the site's host: give it one of its own in PUBLIC_URL, SUBSCRIPTION_API_URL and routes",
      ...Object.entries({ SITE_URL, SUBSCRIPTION_API_URL, PUBLIC_URL }).map(
        ([name, url]) =>
          !isOrigin(url) &&
          `${name === "PUBLIC_URL" ? "subscription API" : "site"}: ${name} has a path (${url}): remove it`,
      ),
    ];
  },

  "the site reaches the API's private entrypoint": ({ site, api }) => {
    const bound = site.services.find(({ binding }) => binding === "SUBSCRIPTION_API");
    const isRight = bound?.service === api.name && bound.entrypoint === SITE_ENTRYPOINT;
    return [
      !isRight &&
        `site: its binding SUBSCRIPTION_API needs service = "${api.name}" and entrypoint = "${SITE_ENTRYPOINT}": the public one takes no sign-ups`,
    ];
  },

  "Stripe's keys are of the stage's mode": (deployment) => {
    const mode = deployment.stage === "production" ? "live" : "test";
    const [key, portal] = [
      deployment.site.vars.STRIPE_PUBLISHABLE_KEY,
      String(deployment.site.vars.CUSTOMER_PORTAL_URL),
    ];
    const isOfMode = new RegExp(`^pk_${mode}_\\w{16,}$`).test(String(key));
    const isWrongPortal = portal !== "" && /\/login\/test_/.test(portal) !== (mode === "test");
    return [
      !isOfMode &&
        `site: STRIPE_PUBLISHABLE_KEY is no ${mode} key (pk_${mode}_…): copy it from https://dashboard.stripe.com/apikeys into both files`,
      isWrongPortal &&
        `site: CUSTOMER_PORTAL_URL is not the portal of ${mode} mode: npm run stripe:setup -- --${deployment.stage}`,
    ];
  },

  "the database is the stage's": ({ stage, api, other, account }) => {
    const id = databaseIdOf(api);
    const name = api.d1_databases.find(({ binding }) => binding === "DB")?.database_name;
    const actual = account.databaseNames?.get(id);
    const put = (command: string) =>
      `put into [[env.${stage}.d1_databases]] of ${API_FOLDER}/wrangler.toml the id that this prints: ${wranglerCommand(command, stage, API_FOLDER)}`;
    return [
      !isDatabaseId(id) && `subscription API: database_id is not set: ${put(`d1 create ${name}`)}`,
      isDatabaseId(id) &&
        id === databaseIdOf(other.api) &&
        `subscription API: database_id is also the other stage's: ${put(`d1 create ${name}`)}`,
      actual !== undefined &&
        actual !== name &&
        `subscription API: database_id is of ${actual}, not ${name}: ${put("d1 list")}`,
    ];
  },

  "each Worker is reached by one route of its own": inBoth((key, worker, { stage, site, other }) => {
    const host = hostOf(site.vars[key === "site" ? "SITE_URL" : "SUBSCRIPTION_API_URL"]);
    const isOnWorkersDev = worker.workers_dev && host.endsWith(".workers.dev");
    const taken = routesOf(worker).find((route) => routesOf(other[key]).includes(route));
    const routes = `routes = [{ pattern = "${host}", custom_domain = true }]`;
    return [
      !isOnWorkersDev &&
        !routesOf(worker).includes(host) &&
        `no route is ${host}: put ${routes} into [env.${stage}] of ${fileOf(key)}`,
      worker.workers_dev &&
        !isOnWorkersDev &&
        `has a second address on workers.dev: remove workers_dev from [env.${stage}] of ${fileOf(key)}`,
      worker.preview_urls === true &&
        `each version has a public URL: remove preview_urls from [env.${stage}] of ${fileOf(key)}`,
      taken !== undefined &&
        `its route ${taken} is also the other stage's: change it in [env.${stage}] of ${fileOf(key)}`,
      [other[key].name, `${other[key].name}-local`].includes(worker.name) &&
        `its name ${worker.name} is the other stage's: change it in ${fileOf(key)}`,
    ];
  }),

  "the cron runs every minute": ({ api }) => [
    !api.triggers.crons.includes("* * * * *") &&
      `subscription API: its cron is not every minute: put crons = ["* * * * *"] below [triggers] of ${fileOf("api")}`,
  ],

  "limits protect": inBoth((key, { ratelimits }, { stage }) =>
    ratelimits.map(({ name, simple: { limit } }) => {
      const usual = USUAL[key][name] ?? 10;
      return (
        limit >= 10 * usual &&
        `${name} is ${limit}, and ${usual} is usual: lower it in [[env.${stage}.ratelimits]] of ${fileOf(key)}`
      );
    }),
  ),

  "no two limiters count together": (deployment) => {
    const { site, api, other } = deployment;
    const all = [site, api, other.site, other.api].flatMap(({ ratelimits }) => ratelimits);
    const free = Math.max(...all.map(({ namespace_id }) => Number(namespace_id))) + 1;
    return KEYS.flatMap((key) =>
      deployment[key].ratelimits.map(
        ({ name, namespace_id: id }) =>
          all.filter(({ namespace_id }) => namespace_id === id).length > 1 &&
          `${titleOf(key)}: ${name} shares its namespace_id ${id} with another limiter: put namespace_id = "${free}" into ${fileOf(key)}`,
      ),
    );
  },

  "values protect trials and forms": inBoth((key, { vars }, deployment) =>
    Object.entries(NEEDED).map(
      ([name, needed]) =>
        namesOf(key).includes(name) &&
        vars[name] !== needed &&
        `${name} is ${vars[name]}: ${needed ? `put ${name} = "${needed}" into` : "remove it from"} ${inVars(key, deployment)}`,
    ),
  ),

  "logs are kept, without URLs": inBoth((key, { observability: { enabled, logs } }) => [
    (!enabled || !logs.enabled) && `keeps no logs: put enabled = true below [observability] of ${fileOf(key)}`,
    logs.invocation_logs &&
      `logs URLs, some with a token: put invocation_logs = false below [observability.logs] of ${fileOf(key)}`,
  ]),

  "the database has the migrations, and the plans with their prices": ({ stage, site, account, migrations }) => {
    if (!account.database) return [];
    const { migrations: applied, packages } = account.database;
    const missing = migrations.filter((name) => !applied.includes(name));
    return [
      missing.length > 0 && `database: lacks ${missing.join(", ")}: ${scriptCommand("deploy:subscription-api", stage)}`,
      ...PAID_PLANS.map((plan) => {
        const id = String(site.vars[settingOf(plan)]).toLowerCase();
        const row = packages.find((one) => one.id === id);
        if (!row)
          return `database: has no package ${id}, the site's ${settingOf(plan)}: take an id of the migrations, or add one`;
        if (row.name !== plan.title || row.price_cents !== plan.monthlyPrice * 100) {
          return `database: the package ${id} is not ${plan.title} at $${plan.monthlyPrice}, as the site says: change it by a migration`;
        }
        return (
          !PRICE_ID.test(String(row.stripe_price_id)) &&
          `database: the package ${plan.title} has no price at Stripe: ${scriptCommand("catalog", stage)}`
        );
      }),
    ];
  },
};

/** All problems of a deployment, in the order of the rules. */
export function checkDeployment(deployment: Deployment): string[] {
  return Object.values(RULES).flatMap((rule) => rule(deployment).filter((what) => what !== false));
}

function put(name: string, key: Key, { stage }: Deployment): string {
  return wranglerCommand(`secret put ${name}`, stage, folderOf(key));
}
