import type { WorkerSettings } from "../wrangler/worker-settings";
import { API_FOLDER, wranglerCommand } from "../wrangler/wrangler";
import type { Deployment, Rule, Worker } from "./deployment";
import { meant, namesOf } from "./setting-names";
import { SECRETS } from "./worker-problems";

/** Deployments stay far below; local limits are a million. */
const LOCAL_LIMIT = 100_000;
const DAILY_LIMITS = { SIGN_UPS_PER_EMAIL_A_DAY: 20, SIGN_UPS_PER_SENDER_A_DAY: 100, SIGN_UPS_PER_NETWORK_A_DAY: 50 };
/** A sign-up's calls to Stripe end within nine seconds. */
const LEAST_API_TIMEOUT_MS = 10_000;
/** The site sends a form up to three times. */
const ATTEMPTS = 3;

/** Rules for wrangler.toml besides variables, routes and the database. */
export function workerRules(deployment: Deployment): Rule[] {
  const { site, api } = deployment;
  return [
    ...rulesOf(deployment, "site"),
    ...rulesOf(deployment, "subscription API"),
    ...limiterRules(deployment),
    [
      "subscription API",
      !api.compatibility_flags.includes("nodejs_compat"),
      `lacks Node's functions: put compatibility_flags = ["nodejs_compat"] at the top of ${API_FOLDER}/wrangler.toml`,
    ],
    [
      "site",
      site.define["process.env.NODE_ENV"] !== '"production"',
      `would serve React for development: put "process.env.NODE_ENV" = '"production"' below [env.${deployment.stage}.define] of wrangler.toml`,
    ],
    ...valueRules(deployment),
  ];
}

function rulesOf(deployment: Deployment, where: Worker): Rule[] {
  const { stage, secrets } = deployment;
  const isSite = where === "site";
  const [worker, folder] = isSite ? ([deployment.site, "."] as const) : ([deployment.api, API_FOLDER] as const);
  const file = folder === "." ? "wrangler.toml" : `${folder}/wrangler.toml`;
  const { observability, workers_dev, preview_urls, compatibility_date } = worker;
  const { logs } = observability;
  const isOff = !observability.enabled || !logs.enabled;
  const isSampled = observability.head_sampling_rate < 1 || logs.head_sampling_rate < 1;
  const publicUrl = String(deployment.site.vars[isSite ? "SITE_URL" : "SUBSCRIPTION_API_URL"]);
  const known = namesOf(where);
  const put = (line: string, table: string) => `put ${line} below ${table} of ${file}`;
  const rules: [isWrong: boolean, what: string][] = [
    [isOff, `keeps no logs: ${put("enabled = true", "[observability]")}, and remove enabled = false elsewhere`],
    [!isOff && isSampled, `loses log lines: remove head_sampling_rate from [observability] of ${file}`],
    [
      logs.invocation_logs,
      `logs whole URLs, some with a token: ${put("invocation_logs = false", "[observability.logs]")}`,
    ],
    [
      workers_dev && !publicUrl.includes(".workers.dev"),
      `has a second address on workers.dev: put workers_dev = false into [env.${stage}] of ${file}`,
    ],
    [
      preview_urls === true,
      `each version is public at a URL of its own: remove preview_urls from [env.${stage}] of ${file}`,
    ],
    [
      compatibility_date === undefined,
      `has no compatibility_date: put compatibility_date = "2026-04-24" at the top of ${file}`,
    ],
    [
      worker.version_metadata?.binding !== "RELEASE",
      `cannot name its release: ${put('binding = "RELEASE"', `[env.${stage}.version_metadata]`)}`,
    ],
    [!worker.upload_source_maps, `logs no places in the source: put upload_source_maps = true at the top of ${file}`],
    [
      /-local\b/.test(worker.name),
      `${worker.name} is the local Worker: put another name into [env.${stage}] of ${file}`,
    ],
    ...(secrets?.[isSite ? "site" : "api"] ?? [])
      .filter((name) => !known.includes(name))
      .map((name): [boolean, string] => [
        true,
        `${name} is a secret that nothing reads${meant(name, SECRETS)}: ${wranglerCommand(`secret delete ${name}`, stage, folder)}`,
      ]),
  ];
  return rules.map(([isWrong, what]) => [where, isWrong, what]);
}

function limiterRules({ stage, site, api, other }: Deployment): Rule[] {
  const workers = [
    { where: "site", settings: site, others: other.site },
    { where: "subscription API", settings: api, others: other.api },
  ] as const;
  const all = [site, api, other.site, other.api].flatMap(({ ratelimits }) => ratelimits);
  const free = Math.max(...all.map(({ namespace_id: id }) => Number(id)).filter(Number.isFinite)) + 1;
  const siteLimit = site.ratelimits.find(({ name }) => name === "SIGNUP_RATE_LIMIT")?.simple.limit ?? 0;
  return workers.flatMap(({ where, settings, others }) =>
    settings.ratelimits.flatMap(({ name, namespace_id: id, simple }): Rule[] => {
      const tested = others.ratelimits.find((limiter) => limiter.name === name)?.simple.limit ?? LOCAL_LIMIT;
      const better = `put simple = { limit = ${tested < LOCAL_LIMIT ? tested : 10}, period = 60 } there`;
      const table = `[[env.${stage}.ratelimits]]`;
      const least = ATTEMPTS * siteLimit;
      return [
        [
          where,
          all.filter(({ namespace_id }) => namespace_id === id).length > 1,
          `${name} shares its namespace_id ${id} with another limiter of the account: put namespace_id = "${free}" there in ${table}`,
        ],
        [where, simple.limit >= LOCAL_LIMIT, `${name} has the local limit ${simple.limit} in ${table}: ${better}`],
        [
          where,
          where === "subscription API" &&
            name === "SIGNUP_RATE_LIMIT" &&
            siteLimit < LOCAL_LIMIT &&
            simple.limit < least,
          `${name} refuses what the site lets through, ${siteLimit} forms sent up to ${ATTEMPTS} times: put simple = { limit = ${least}, period = 60 } into ${table}`,
        ],
      ];
    }),
  );
}

function valueRules({ stage, site, api, secrets }: Deployment): Rule[] {
  const vars = `[env.${stage}.vars]`;
  const dataset = (worker: WorkerSettings) =>
    worker.analytics_engine_datasets.find(({ binding }) => binding === "FUNNEL")?.dataset;
  const timeout = Number(site.vars.SUBSCRIPTION_API_TIMEOUT_MS ?? LEAST_API_TIMEOUT_MS);
  return [
    [
      "site",
      site.vars.SUBSCRIPTION_API_IDEMPOTENT !== "true",
      `SUBSCRIPTION_API_IDEMPOTENT is not true, so a form that the API took too late is lost: put SUBSCRIPTION_API_IDEMPOTENT = "true" into ${vars}`,
    ],
    [
      "site",
      timeout < LEAST_API_TIMEOUT_MS,
      `SUBSCRIPTION_API_TIMEOUT_MS is ${timeout}, and the API may need nine seconds: remove it from ${vars}, which means ${LEAST_API_TIMEOUT_MS}`,
    ],
    [
      "subscription API",
      api.vars.ONE_TRIAL_PER_PERSON !== "true",
      `ONE_TRIAL_PER_PERSON is not true, so trials can be repeated: put ONE_TRIAL_PER_PERSON = "true" into ${vars}`,
    ],
    ...Object.entries(DAILY_LIMITS).map(
      ([name, usual]): Rule => [
        "subscription API",
        Number(api.vars[name]) >= LOCAL_LIMIT,
        `${name} is the local ${api.vars[name]}: put ${name} = "${usual}" into ${vars}`,
      ],
    ),
    [
      "subscription API",
      secrets !== undefined && !secrets.api.includes("OPERATOR_TOKEN"),
      `OPERATOR_TOKEN is a secret that is not set, which npm run catalog and the operator need: ${wranglerCommand("secret put OPERATOR_TOKEN", stage, API_FOLDER)}`,
    ],
    ["subscription API", api.vars.MAINTENANCE !== undefined, `MAINTENANCE stops all sign-ups: remove it from ${vars}`],
    [
      "subscription API",
      api.triggers.crons.length > 0 && !api.triggers.crons.includes("* * * * *"),
      `its cron is not every minute (${api.triggers.crons.join(", ")}): put crons = ["* * * * *"] below [triggers], and remove [env.${stage}.triggers]`,
    ],
    [
      "subscription API",
      dataset(site) !== dataset(api),
      `its FUNNEL counts into ${dataset(api)}, the site's into ${dataset(site)}: put the same dataset into [[env.${stage}.analytics_engine_datasets]] of both files`,
    ],
    [
      "subscription API",
      dataset(api) !== undefined && api.vars.FUNNEL_DATASET !== dataset(api),
      `FUNNEL_DATASET is not the dataset that FUNNEL counts into: put FUNNEL_DATASET = "${dataset(api)}" into ${vars}`,
    ],
  ];
}
