import { isLoopback, isSecretName } from "../../app/shared/settings/settings";
import { modeOf } from "../../app/shared/settings/stripe-key-mode";
import type { ChargedPrice } from "../../functions/subscription-api/stripe/prices";
import { hasStripePrice } from "../releases/prices";
import { d1In, urlIn, type WorkerSettings } from "../wrangler/worker-settings";
import { API_FOLDER, wranglerCommand } from "../wrangler/wrangler";
import { type Deployment, KEYS, type Key, namesOf, workerProblems } from "./deployment";

/** The private entrypoint of functions/subscription-api/index.ts. */
const SITE_ENTRYPOINT = "SiteApi";
/** The usual limits. Ten times as high, they no longer protect anything. */
const USUAL: Record<Key, Record<string, number>> = {
  site: { SIGNUP_RATE_LIMIT: 10, SIGNUP_NETWORK_RATE_LIMIT: 60, FLOOD_RATE_LIMIT: 20, CARD_CHECK_RATE_LIMIT: 30 },
  api: { SIGNUP_RATE_LIMIT: 30 },
};
/** Reserved names (RFC 2606), and words that mean "replace me". */
const PLACEHOLDER =
  /(?:^|[@./])example\.(?:com|net|org)(?![\w-])|\.(?:example|test|invalid)(?![\w.-])|\b(?:todo|tbd|xxx+|change[ _-]?me|your[ _-]\w+)\b|[<{…]/i;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const API_FILE = `${API_FOLDER}/wrangler.toml`;

const shownHost = (url: unknown) => (URL.canParse(String(url)) ? new URL(String(url)).host : String(url));
/** Both Workers ignore a slash at the end of a URL. */
const withoutSlash = (value: unknown) => (typeof value === "string" ? value.replace(/\/+$/, "") : value);
const hostsOf = ({ routes }: WorkerSettings) => routes.map((route) => route.replace(/\/.*$/, ""));
const hasPath = (url: string) => URL.canParse(url) && new URL(url).pathname !== "/";
/** Where the URL of the customer portal comes from. */
const portalHint = ({ stage, api }: Deployment) =>
  api
    ? `npm run stripe:setup ${stage} prints it`
    : "the login link at https://dashboard.stripe.com/settings/billing/portal";
export const isDatabaseId = (id = "") => UUID.test(id) && !/^[0-]*$/.test(id);

/** One sentence for each problem: where it is, what is wrong and how to fix it. */
type Problems = (string | false)[];
type Check = (deployment: Deployment) => Problems;

/** One of the Workers. `environment` and `place` say where its settings are; `put` returns the command that sets a secret. */
type One = { key: Key; file: string; environment: string; place: string; put: (name: string) => string };

/** Runs the same check for each Worker that is deployed. Its sentences begin with the Worker's name. */
const inBoth =
  (check: (worker: WorkerSettings, one: One, deployment: Deployment) => Problems): Check =>
  (deployment) =>
    KEYS.flatMap((key) => {
      const { stage } = deployment;
      const file = key === "site" ? "wrangler.toml" : API_FILE;
      const put = (name: string) => wranglerCommand(`secret put ${name}`, stage, key === "site" ? "." : API_FOLDER);
      const [environment, place] = [`[env.${stage}] of ${file}`, `[env.${stage}.vars] of ${file}`];
      const title = key === "site" ? "site" : "subscription API";
      const worker = deployment[key];
      const problems = worker ? check(worker, { key, file, environment, place, put }, deployment) : [];
      return problems.map((problem) => problem !== false && `${title}: ${problem}`);
    });

/** Runs a check that needs the reference API, not for a site that is deployed alone. */
const withApi =
  (check: (deployment: Deployment & { api: WorkerSettings }) => Problems): Check =>
  (deployment) =>
    deployment.api === undefined ? [] : check({ ...deployment, api: deployment.api });

const CHECKS: Record<string, Check> = {
  "the Worker accepts its settings": inBoth((_, { key, place, put }, deployment) =>
    workerProblems(key, deployment).map(({ name, problem }) => {
      if (isSecretName(name)) return `${name} ${problem}: ${put(name)}`;
      const hint = name === "CUSTOMER_PORTAL_URL" ? ` (${portalHint(deployment)})` : "";
      return `${name} ${problem}: correct it in ${place}${hint}`;
    }),
  ),

  "operators have a token": withApi(({ stage, account: { secrets } }) => [
    secrets?.api?.includes("OPERATOR_TOKEN") === false &&
      `subscription API: OPERATOR_TOKEN is missing: ${wranglerCommand("secret put OPERATOR_TOKEN", stage, API_FOLDER)}`,
  ]),

  "values are a deployment's own": inBoth(({ vars, routes }, { key, environment, place, put }) => [
    ...Object.entries(vars).map(([name, given]) => {
      const value = String(given);
      if (isSecretName(name) && value !== "") return `${name} is a secret: remove it from ${place}, then ${put(name)}`;
      if (isLoopback(value)) return `${name} is a URL of this machine (${value}): correct or remove it in ${place}`;
      if (PLACEHOLDER.test(value)) return `${name} is a placeholder (${value}): put yours into ${place}`;
      return !namesOf(key).includes(name) && `${name} is not a setting: correct its name in ${place}`;
    }),
    ...routes.map((route) => PLACEHOLDER.test(route) && `the route ${route} is a placeholder: correct ${environment}`),
  ]),

  "the company is real": ({ company }) =>
    Object.values(company)
      .flat()
      .map(
        (text) =>
          (text.trim() === "" || PLACEHOLDER.test(text) || /\bexample\b/i.test(text)) &&
          `app/company.ts: has the example "${text}": write your own, or remove it`,
      ),

  "both Workers agree": withApi(({ site, api }) =>
    namesOf("site").map(
      (name) =>
        namesOf("api").includes(name) &&
        withoutSlash(site.vars[name]) !== withoutSlash(api.vars[name]) &&
        `subscription API: ${name} differs from the site's: put one value into both files`,
    ),
  ),

  "the site has one public origin": ({ site }) => [
    hasPath(urlIn(site, "SITE_URL")) && `site: SITE_URL has a path (${urlIn(site, "SITE_URL")}): remove it`,
  ],

  "the API has one public origin of its own": withApi(({ site, api }) => {
    const [siteUrl, apiUrl] = [urlIn(site, "SITE_URL"), urlIn(api, "PUBLIC_URL")];
    return [
      apiUrl !== urlIn(site, "SUBSCRIPTION_API_URL") &&
        "subscription API: PUBLIC_URL differs from the site's SUBSCRIPTION_API_URL: put one value into both files",
      shownHost(siteUrl) === shownHost(apiUrl) &&
        "subscription API: uses the site's host: give it its own in PUBLIC_URL, SUBSCRIPTION_API_URL and routes",
      hasPath(apiUrl) && `subscription API: PUBLIC_URL has a path (${apiUrl}): remove it from both files`,
    ];
  }),

  "the site reaches the API's private entrypoint": withApi(({ site, api }) => {
    const bound = site.services?.find(({ binding }) => binding === "SUBSCRIPTION_API");
    const isRight = bound?.service === api.name && bound.entrypoint === SITE_ENTRYPOINT;
    return [
      !isRight &&
        `site: its binding SUBSCRIPTION_API needs service = "${api.name}" and entrypoint = "${SITE_ENTRYPOINT}": the public one does not accept sign-ups`,
    ];
  }),

  "the stage is named": inBoth(({ vars }, { place }, { stage }) => [
    Boolean(vars.STAGE) && vars.STAGE !== stage && `STAGE is ${vars.STAGE}: put STAGE = "${stage}" into ${place}`,
  ]),

  "Stripe's keys have the stage's mode": (deployment) => {
    const { stage, site } = deployment;
    const { vars } = site;
    const mode = modeOf(stage);
    const isTestPortal = String(vars.CUSTOMER_PORTAL_URL).includes("/login/test_");
    return [
      // The Worker itself refuses a key of the other mode (app/shared/settings/stripe-key-mode.ts).
      !/^pk_(test|live)_\w{16,}$/.test(String(vars.STRIPE_PUBLISHABLE_KEY)) &&
        `site: STRIPE_PUBLISHABLE_KEY is not a ${mode} key (pk_${mode}_…): copy it from https://dashboard.stripe.com/apikeys into [env.${stage}.vars] of wrangler.toml`,
      Boolean(vars.CUSTOMER_PORTAL_URL) &&
        isTestPortal !== (mode === "test") &&
        `site: CUSTOMER_PORTAL_URL is not the ${mode} mode portal (${portalHint(deployment)})`,
    ];
  },

  "the database is the stage's": withApi(({ stage, api, other }) => {
    const { database_id: id, database_name: name } = d1In(api) ?? {};
    const problem = !isDatabaseId(id)
      ? "not set"
      : other.api !== undefined && id === d1In(other.api)?.database_id && "also the other stage's";
    const create = wranglerCommand(`d1 create ${name}`, stage, API_FOLDER);
    const place = `[[env.${stage}.d1_databases]] of ${API_FILE}`;
    return [
      problem && `subscription API: database_id is ${problem}: run ${create} and put the ID it prints into ${place}`,
    ];
  }),

  "each Worker has a route for its host, and shares none with the other stage": inBoth(
    (worker, { key, environment }, { site, other }) => {
      const host = shownHost(site.vars[key === "site" ? "SITE_URL" : "SUBSCRIPTION_API_URL"]);
      const otherWorker = other[key];
      const taken = otherWorker && hostsOf(worker).find((route) => hostsOf(otherWorker).includes(route));
      const route = `routes = [{ pattern = "${host}", custom_domain = true }]`;
      return [
        !hostsOf(worker).includes(host) && `no route serves ${host}: put ${route} into ${environment}`,
        worker.workers_dev === true && `has a second address: remove workers_dev from ${environment}`,
        taken !== undefined && `its route ${taken} is also the other stage's: change it in ${environment}`,
        worker.name === otherWorker?.name &&
          `its name ${worker.name} is the other stage's: change it in ${environment}`,
      ];
    },
  ),

  "the cron runs every minute": withApi(({ api }) => [
    !api.triggers.crons?.includes("* * * * *") &&
      `subscription API: its cron is not every minute: put crons = ["* * * * *"] under [triggers] in ${API_FILE}`,
  ]),

  "limits protect": inBoth(({ ratelimits }, { key, file }, { stage }) =>
    ratelimits.map(({ name, simple: { limit } }) => {
      const usual = USUAL[key][name] ?? 10;
      const place = `[[env.${stage}.ratelimits]] of ${file}`;
      return limit >= 10 * usual && `${name} is ${limit}, but ${usual} is usual: lower it in ${place}`;
    }),
  ),

  "no two rate limiters share a counter": inBoth(({ ratelimits }, { file }, { site, api, other }) => {
    const all = [site, api, other.site, other.api].flatMap((worker) => worker?.ratelimits ?? []);
    return ratelimits.map(
      ({ name, namespace_id: id }) =>
        all.filter(({ namespace_id }) => namespace_id === id).length > 1 &&
        `${name} shares its namespace_id ${id} with another limiter: give it a new one in ${file}`,
    );
  }),

  "values protect trials and forms": inBoth(({ vars }, { key, place }, { api }) => [
    ...["ONE_TRIAL_PER_PERSON", "SUBSCRIPTION_API_IDEMPOTENT"].map(
      (name) =>
        // Whether somebody else's API is idempotent, only its owner knows.
        api !== undefined &&
        namesOf(key).includes(name) &&
        vars[name] !== "true" &&
        `${name} is ${vars[name]}: put ${name} = "true" into ${place}`,
    ),
    vars.MAINTENANCE !== undefined && `MAINTENANCE is ${vars.MAINTENANCE}: remove it from ${place}`,
  ]),

  "logs are kept and have no URLs": inBoth(({ observability }, { file }) => [
    (!observability?.enabled || observability.logs?.enabled === false) &&
      `does not keep logs: put enabled = true under [observability] in ${file}`,
    observability?.logs?.invocation_logs !== false &&
      `logs URLs, some with a token: put invocation_logs = false under [observability.logs] in ${file}`,
  ]),

  "Stripe charges the packages' prices": ({ stage, account: { prices = [] } }) =>
    prices
      .filter((one) => hasStripePrice(one) && one.status !== "retired")
      .map(({ name, price_cents, stripe_price_id, at_stripe }) => {
        const charge = { unit_amount: price_cents, currency: "usd", recurring: "1 month", active: true };
        const wanted = chargeOf({ ...charge, product_name: name }, name);
        const found = at_stripe ? chargeOf(at_stripe, name) : "does not exist";
        return (
          found !== wanted &&
          `prices: ${name} ${wanted.replace("charges", "costs")}, but its price at Stripe (${stripe_price_id}) ${found}: read -rs OPERATOR_TOKEN && export OPERATOR_TOKEN && npm run catalog ${stage}`
        );
      }),
};

function chargeOf({ unit_amount, currency, recurring, active, product_name }: ChargedPrice, name: string): string {
  const interval = recurring === null ? "once" : `per ${recurring}`;
  const naming = product_name === name ? "" : ` and is named ${product_name}`;
  return `charges ${unit_amount} ${currency} cents ${interval}${active ? "" : " and is archived"}${naming}`;
}

export function checkDeployment(deployment: Deployment): string[] {
  return Object.values(CHECKS).flatMap((check) => check(deployment).filter((what) => what !== false));
}
