import { expect, test } from "vitest";
import { company } from "../../../../app/company";
import { checkDeployment } from "../../../../tools/preflight/checks";
import { settingsOf } from "../../../../tools/wrangler/worker-settings";
import { DATABASES, SECRETS } from "../../../support/filled-in-settings";
import { deployment, type Edit, LIVE, PRICES, TEST } from "../filled-in-deployment";

/* What the preflight says of settings that are wrong, absent or empty, each sentence whole: where it is, and how to fix it. */

const KEYS = ["site", "api"] as const;
const TITLES = { site: "site", api: "subscription API" };
const FILES = { site: "wrangler.toml", api: "functions/subscription-api/wrangler.toml" };
const OPTIONS = { site: "--env production", api: "--env production --cwd functions/subscription-api" };

/** Sentences about a Worker. {env}, {vars} and {file} are places in its wrangler.toml, {options} ends a command about it. */
const about = (key: "site" | "api", sentences: string[] = []) =>
  sentences.map((sentence) =>
    `${TITLES[key]}: ${sentence}`
      .replace("{env}", "[env.production] of {file}")
      .replace("{vars}", "[env.production.vars] of {file}")
      .replace("{file}", FILES[key])
      .replace("{options}", OPTIONS[key]),
  );

const PORTAL = "https://billing.stripe.com/p/login/0123456789";
const TEST_PORTAL = PORTAL.replace("login/", "login/test_");
const API = 'PUBLIC_URL = "https://api.acme.com"';
const NO_ENTRYPOINT =
  'its binding SUBSCRIPTION_API needs service = "citewell-subscription-api" and entrypoint = "SiteApi": the public one does not accept sign-ups';
const CREATE = `run npx wrangler d1 create citewell-subscriptions {options} and put the ID it prints into [[env.production.d1_databases]] of {file}`;
const NO_LOGS = "does not keep logs: put enabled = true under [observability] in {file}";
/** Finds a rate limiter of production, up to its limit. */
const limiter = (name: string) =>
  new RegExp(`(env\\.production\\.ratelimits\\]\\]\nname = "${name}"\n[^]*?limit = )\\d+`);

/** `both` is said of each Worker. */
test.each<{ what: string; edits: Edit[]; site?: string[]; api?: string[]; both?: string[] }>([
  {
    what: "keys and names",
    edits: [
      { from: LIVE, to: "pk_live_1" },
      { from: PORTAL, to: "" },
      { from: API, to: `${API}\nOPERATOR_TOKEN = "0123456789"\nPUBLIC_ADRESS = "x"\nMAINTENANCE = "true"` },
      { from: 'ONE_TRIAL_PER_PERSON = "true"', to: 'ONE_TRIAL_PER_PERSON = "false"' },
      { from: DATABASES.production, to: "00000000-0000-0000-0000-000000000000" },
      { from: /entrypoint = "SiteApi"\n/, to: "" },
    ],
    both: ["CUSTOMER_PORTAL_URL is missing: correct it in {vars} (npm run stripe:setup production prints it)"],
    site: [
      "STRIPE_PUBLISHABLE_KEY is not a live key (pk_live_…): copy it from https://dashboard.stripe.com/apikeys into {vars}",
      NO_ENTRYPOINT,
    ],
    api: [
      "OPERATOR_TOKEN is a secret: remove it from {vars}, then npx wrangler secret put OPERATOR_TOKEN {options}",
      "PUBLIC_ADRESS is not a setting: correct its name in {vars}",
      "MAINTENANCE is true: remove it from {vars}",
      'ONE_TRIAL_PER_PERSON is false: put ONE_TRIAL_PER_PERSON = "true" into {vars}',
      `database_id is not set: ${CREATE}`,
    ],
  },
  {
    what: "URLs",
    edits: [
      { from: PORTAL, to: "https://billing.example.org/login" },
      { from: API, to: `${API}\nCONSOLE_URL = "http://localhost:8789"` },
      { from: '"https://api.acme.com"', to: '"https://api.acme.com/v1"' },
      { from: 'pattern = "api.acme.com"', to: 'pattern = "stripe.acme.com"' },
    ],
    both: ["CUSTOMER_PORTAL_URL is a placeholder (https://billing.example.org/login): put yours into {vars}"],
    api: [
      "PUBLIC_URL has a path (https://api.acme.com/v1): remove it from both files",
      "CONSOLE_URL must not be on this machine: correct it in {vars}",
      "CONSOLE_URL is a URL of this machine (http://localhost:8789): correct or remove it in {vars}",
      "CONSOLE_URL differs from the site's: put one value into both files",
      'no route serves api.acme.com: put routes = [{ pattern = "api.acme.com", custom_domain = true }] into {env}',
    ],
  },
  {
    what: "hosts, bindings, limits and logs",
    edits: [
      { from: API, to: 'PUBLIC_URL = "https://www.acme.com"' },
      { from: 'CONSOLE_WEBHOOK_URL = ""', to: 'CONSOLE_WEBHOOK_URL = "https://console.acme.com"' },
      { from: 'SITE_URL = "https://www.acme.com"', to: 'SITE_URL = "https://www.acme.com/x"' },
      { from: 'pattern = "www.acme.com"', to: 'pattern = "www.acme.example"' },
      { from: "[env.production]\n", to: "[env.production]\nworkers_dev = true\n" },
      { from: 'service = "citewell-subscription-api"', to: 'service = "other"' },
      { from: DATABASES.production, to: "citewell" },
      { from: '["* * * * *"]', to: '["*/5 * * * *"]' },
      { from: limiter("FLOOD_RATE_LIMIT"), to: "$1200" },
      { from: '"8707"', to: '"8703"' },
      { from: "[observability]\nenabled = true", to: "[observability]\nenabled = false" },
      { from: "invocation_logs = false\n", to: "" },
    ],
    both: [
      "has a second address: remove workers_dev from {env}",
      "SIGNUP_RATE_LIMIT shares its namespace_id 8703 with another limiter: give it a new one in {file}",
      NO_LOGS,
      "logs URLs, some with a token: put invocation_logs = false under [observability.logs] in {file}",
    ],
    site: [
      NO_ENTRYPOINT,
      "SITE_URL has a path (https://www.acme.com/x): remove it",
      "the route www.acme.example is a placeholder: correct {env}",
      'no route serves www.acme.com: put routes = [{ pattern = "www.acme.com", custom_domain = true }] into {env}',
      "FLOOD_RATE_LIMIT is 200, but 20 is usual: lower it in [[env.production.ratelimits]] of {file}",
    ],
    api: [
      "PUBLIC_URL differs from the site's SUBSCRIPTION_API_URL: put one value into both files",
      "uses the site's host: give it its own in PUBLIC_URL, SUBSCRIPTION_API_URL and routes",
      "CONSOLE_WEBHOOK_SECRET is missing: npx wrangler secret put CONSOLE_WEBHOOK_SECRET {options}",
      `database_id is not set: ${CREATE}`,
      'its cron is not every minute: put crons = ["* * * * *"] under [triggers] in {file}',
    ],
  },
  {
    what: "settings of the other stage",
    edits: [
      { from: 'STAGE = "production"', to: 'STAGE = "staging"' },
      { from: PORTAL, to: TEST_PORTAL },
      { from: DATABASES.production, to: DATABASES.staging },
      { from: 'name = "citewell-site-staging"', to: 'name = "citewell-site"' },
      { from: 'pattern = "staging.acme.com"', to: 'pattern = "www.acme.com"' },
      { from: '"8719"', to: '"8707"' },
      { from: "[observability.logs]\n", to: "[observability.logs]\nenabled = false\n" },
    ],
    both: ['STAGE is staging: put STAGE = "production" into {vars}', NO_LOGS],
    site: [
      "STRIPE_PUBLISHABLE_KEY must be a test key: correct it in {vars}",
      "CUSTOMER_PORTAL_URL is not the live mode portal (npm run stripe:setup production prints it)",
      "its name citewell-site is the other stage's: change it in {env}",
      "its route www.acme.com is also the other stage's: change it in {env}",
    ],
    api: [
      "STRIPE_SECRET_KEY must be a test key: npx wrangler secret put STRIPE_SECRET_KEY {options}",
      `database_id is also the other stage's: ${CREATE}`,
      "SIGNUP_RATE_LIMIT shares its namespace_id 8707 with another limiter: give it a new one in {file}",
    ],
  },
])("the preflight says what is wrong with $what, and how to fix it", ({ edits, both = [], ...own }) => {
  const expected = KEYS.flatMap((key) => about(key, [...(own[key] ?? []), ...both]));
  expect(checkDeployment(deployment(edits)).sort()).toEqual(expected.sort());
});

/** Nothing depends on them, or they may be absent. */
const OPTIONAL = ["CONSOLE_WEBHOOK_URL", "MAIL_API_URL"];
/** Parts of a wrangler.toml without which a Worker does not run as it should, as Wrangler reads a file without them. */
const ABSENT = { observability: undefined, routes: [], ratelimits: [] };
const PARTS = {
  site: { ...ABSENT, services: [], assets: undefined },
  api: { ...ABSENT, triggers: {}, d1_databases: [], send_email: [] },
};

test.each(KEYS)("the preflight names every setting and part of the %s that is absent or empty", (key) => {
  const whole = deployment();
  const { vars } = whole[key] ?? { vars: {} };
  const problemsOf = (change: object) => checkDeployment({ ...whole, [key]: { ...whole[key], ...change } }).join("\n");
  const unnamed = Object.keys(vars).flatMap((name) =>
    [undefined, ""].filter((value) => !problemsOf({ vars: { ...vars, [name]: value } }).includes(name)).map(() => name),
  );
  expect(unnamed).toEqual(OPTIONAL.filter((name) => name in vars).flatMap((name) => [name, name]));
  expect(Object.entries(PARTS[key]).filter(([part, absent]) => problemsOf({ [part]: absent }) === "")).toEqual([]);
  expect(Object.keys(vars).length).toBeGreaterThan(5);
});

test("the preflight finds nothing in a complete deployment, below ten times the usual limits, or in a slash after a URL", () => {
  const { site, ...others } = deployment([{ from: limiter("FLOOD_RATE_LIMIT"), to: "$1199" }]);
  const withVars = (vars: object) => ({ ...others, site: { ...site, vars: { ...site.vars, ...vars } } });
  expect(checkDeployment(deployment([], "staging"))).toEqual([]);
  expect(checkDeployment(withVars({ SITE_URL: `${site.vars.SITE_URL}/` }))).toEqual([]);
  const turnstile = withVars({ TURNSTILE_SITE_KEY: "0x4AAAAAAAsite_key" });
  expect(checkDeployment({ ...turnstile, account: {} }), "its secret, not asked").toEqual([]);
});

test("staging refuses production's key and customer portal", () => {
  const edits = [
    { from: TEST, to: LIVE },
    { from: TEST_PORTAL, to: PORTAL },
  ];
  expect(checkDeployment(deployment(edits, "staging"))).toEqual([
    "site: STRIPE_PUBLISHABLE_KEY must be a test key: correct it in [env.staging.vars] of wrangler.toml",
    "site: CUSTOMER_PORTAL_URL is not the test mode portal (npm run stripe:setup staging prints it)",
  ]);
});

test("the preflight names each example that is left in the repository, or in the company's texts, and an empty text", () => {
  const workers = settingsOf("production");
  const written = Object.values(workers).flatMap((one) => (one ? [...Object.values(one.vars), ...one.routes] : []));
  const examples = [...written, ...Object.values(company).flat()].filter((text) => /\bexample\b/i.test(String(text)));
  const found = checkDeployment({ ...deployment(), ...workers, other: settingsOf("staging"), company });
  expect(examples.filter((text) => !found.some((problem) => problem.includes(String(text))))).toEqual([]);

  const profiles = ["100 Example Street, Suite 400", "sales@citewell.example", "https://console.citewell.example", " "];
  expect(checkDeployment({ ...deployment(), company: { name: "Acme", profiles } })).toEqual(
    profiles.map((text) => `app/company.ts: has the example "${text}": write your own, or remove it`),
  );
});

test("the preflight says how to set each secret of each Worker", () => {
  const found = checkDeployment({ ...deployment(), account: { secrets: { site: [], api: [] } } });
  const missing = (name: string) => `${name} is missing: npx wrangler secret put ${name} {options}`;
  expect(found.sort()).toEqual(KEYS.flatMap((key) => about(key, SECRETS[key].map(missing))).sort());
});

test("the preflight says of each package, unless it is retired, what Stripe charges instead of its price", () => {
  const [plan, other] = PRICES;
  if (!plan || !other) throw new Error("There are fewer than two plans");
  const at = plan.at_stripe;
  const wrong = [
    { at_stripe: { ...at, unit_amount: 12_000, currency: "eur", recurring: "1 year" } },
    { at_stripe: { ...at, recurring: null, active: false, product_name: other.name } },
    { at_stripe: null },
  ];
  const foundAs = (status: "custom" | "retired") =>
    checkDeployment({ ...deployment(), account: { prices: wrong.map((one) => ({ ...plan, ...one, status })) } });
  const sentence = (found: string) =>
    `prices: ${plan.name} costs 10000 usd cents per 1 month, but its price at Stripe (${plan.stripe_price_id}) ${found}: read -rs OPERATOR_TOKEN && export OPERATOR_TOKEN && npm run catalog production`;
  expect(foundAs("custom")).toEqual([
    sentence("charges 12000 eur cents per 1 year"),
    sentence(`charges 10000 usd cents once and is archived and is named ${other.name}`),
    sentence("does not exist"),
  ]);
  expect(foundAs("retired")).toEqual([]);
});
