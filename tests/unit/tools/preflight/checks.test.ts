import { expect, test } from "vitest";
import { checkDeployment } from "../../../../tools/preflight/checks";
import { DATABASES } from "../../../support/filled-in-settings";
import { deployment, LIVE, limiter, TEST } from "../filled-in-deployment";

const PORTAL = "https://billing.stripe.com/p/login/0123456789";
const CONSOLE = "https://console.acme.com";
const PLACEHOLDER = "https://billing.example.org/login";
const API = 'PUBLIC_URL = "https://api.acme.com"';
const SITE = 'SITE_URL = "https://www.acme.com"';
const BOUND = 'service = "citewell-subscription-api"';
const ENV = "[env.production]\n";
const VARS = "[env.production.vars] of functions/subscription-api/wrangler.toml";

/** In both files, `to` replaces every `from`, or a pattern's first match. `says` has parts of the expected problems. */
const REFUSED: { from: string | RegExp; to: string; says: string[] }[] = [
  { from: LIVE, to: "sk_live_0123456789abcdef", says: ["site: STRIPE_PUBLISHABLE_KEY must be a publishable key"] },
  {
    from: '[[env.production.send_email]]\nname = "EMAIL"\n',
    to: "",
    says: ["subscription API: MAIL_API_URL is missing"],
  },
  {
    from: /CONSOLE_WEBHOOK_URL = ""/,
    to: `CONSOLE_WEBHOOK_URL = "${CONSOLE}"`,
    says: ["_SECRET is missing: npx wrangler secret put "],
  },
  {
    from: PORTAL,
    to: "",
    says: ["site: CUSTOMER_PORTAL_URL is missing: correct it in [env.production", "stripe:setup production prints it"],
  },
  {
    from: PORTAL,
    to: PLACEHOLDER,
    says: ["site: CUSTOMER_PORTAL_URL is a placeholder", "API: CUSTOMER_PORTAL_URL is a placeholder"],
  },
  {
    from: API,
    to: `${API}\nSTRIPE_API_URL = "http://localhost:8789"`,
    says: ["API: STRIPE_API_URL is a URL of this machine"],
  },
  {
    from: API,
    to: `${API}\nOPERATOR_TOKEN = "0123456789"`,
    says: [`OPERATOR_TOKEN is a secret: remove it from ${VARS}, then npx`],
  },
  {
    from: API,
    to: `${API}\nPUBLIC_ADRESS = "x"`,
    says: [`subscription API: PUBLIC_ADRESS is not a setting: correct its name in ${VARS}`],
  },
  {
    from: API,
    to: `${API}\nAUTOMATIC_TAX = "true"`,
    says: ["subscription API: AUTOMATIC_TAX differs from the site's"],
  },
  {
    from: API,
    to: 'PUBLIC_URL = "https://other.acme.com"',
    says: ["subscription API: PUBLIC_URL differs from the site's SUBSCRIPTION_API_URL"],
  },
  {
    from: API,
    to: 'PUBLIC_URL = "https://www.acme.com"',
    says: ["subscription API: uses the site's host: give it its own"],
  },
  {
    from: '"https://api.acme.com"',
    to: '"https://api.acme.com/v1"',
    says: ["subscription API: PUBLIC_URL has a path"],
  },
  { from: SITE, to: 'SITE_URL = "https://www.acme.com/x"', says: ["site: SITE_URL has a path"] },
  { from: BOUND, to: 'service = "other"', says: [`SUBSCRIPTION_API needs ${BOUND}`] },
  {
    from: /entrypoint = "SiteApi"\n/,
    to: "",
    says: ['entrypoint = "SiteApi": the public one does not accept sign-ups'],
  },
  {
    from: LIVE,
    to: TEST,
    says: ["site: STRIPE_PUBLISHABLE_KEY must be a live key: correct it in [env.production.vars]"],
  },
  { from: LIVE, to: "pk_live_1", says: ["site: STRIPE_PUBLISHABLE_KEY is not a live key (pk_live_…): copy it from"] },
  {
    from: /STAGE = "production"/,
    to: 'STAGE = "staging"',
    says: ['site: STAGE is staging: put STAGE = "production" into [env.production.vars]'],
  },
  { from: /STAGE = "production"\n/, to: "", says: ["site: STAGE is missing: correct it in [env.production.vars]"] },
  {
    from: PORTAL,
    to: "https://billing.stripe.com/p/login/test_1",
    says: ["site: CUSTOMER_PORTAL_URL is not the live mode portal"],
  },
  { from: DATABASES.production, to: "citewell", says: ["database_id is not set: run"] },
  {
    from: DATABASES.production,
    to: "00000000-0000-0000-0000-000000000000",
    says: ["subscription API: database_id is not set: run"],
  },
  {
    from: DATABASES.production,
    to: DATABASES.staging,
    says: ["subscription API: database_id is also the other stage's"],
  },
  {
    from: 'pattern = "api.acme.com"',
    to: 'pattern = "stripe.acme.com"',
    says: ["subscription API: no route serves api.acme.com: put routes"],
  },
  {
    from: 'pattern = "www.acme.com"',
    to: 'pattern = "www.acme.example"',
    says: ["site: the route www.acme.example is a placeholder: correct [env.production]"],
  },
  {
    from: 'name = "citewell-site-staging"',
    to: 'name = "citewell-site"',
    says: ["site: its name citewell-site is the other stage's: change it in [env.production]"],
  },
  {
    from: 'pattern = "staging.acme.com"',
    to: 'pattern = "www.acme.com"',
    says: ["site: its route www.acme.com is also the other stage's"],
  },
  { from: ENV, to: `${ENV}workers_dev = true\n`, says: ["site: has a second address", "API: has a second address"] },
  { from: /"\* \* \* \* \*"/, to: '"*/5 * * * *"', says: ["subscription API: its cron is not every minute"] },
  { from: limiter("FLOOD_RATE_LIMIT"), to: "$1200", says: ["site: FLOOD_RATE_LIMIT is 200, but 20 is usual"] },
  {
    from: /"8703"/,
    to: '"8704"',
    says: ["site: SIGNUP_RATE_LIMIT shares its namespace_id 8704", "site: FLOOD_RATE_LIMIT shares"],
  },
  {
    from: /"8703"/,
    to: '"8713"',
    says: ["site: SIGNUP_RATE_LIMIT shares its namespace_id 8713 with another limiter: give it a new one"],
  },
  {
    from: /"8707"/,
    to: '"8703"',
    says: ["site: SIGNUP_RATE_LIMIT shares its namespace_id 8703", "API: SIGNUP_RATE_LIMIT shares"],
  },
  { from: /"8719"/, to: '"8707"', says: ["subscription API: SIGNUP_RATE_LIMIT shares its namespace_id 8707"] },
  {
    from: /SUBSCRIPTION_API_IDEMPOTENT = "true"\nSTRIPE_P/,
    to: "STRIPE_P",
    says: ['site: SUBSCRIPTION_API_IDEMPOTENT is undefined: put SUBSCRIPTION_API_IDEMPOTENT = "true" into'],
  },
  {
    from: /ONE_TRIAL_PER_PERSON = "true"/,
    to: 'ONE_TRIAL_PER_PERSON = "false"',
    says: [`put ONE_TRIAL_PER_PERSON = "true" into ${VARS}`],
  },
  { from: API, to: `${API}\nMAINTENANCE = "x"`, says: ["subscription API: MAINTENANCE is x: remove it"] },
  {
    from: /\[observability\]\nenabled = true/,
    to: "[observability]\nenabled = false",
    says: ["site: does not keep logs: put enabled = true under [observability]", "API: does not keep logs"],
  },
  {
    from: /\[observability.logs\]\n/,
    to: "[observability.logs]\nenabled = false\n",
    says: ["site: does not keep logs: put enabled = true under [observability]", "API: does not keep logs"],
  },
  {
    from: /invocation_logs = false/,
    to: "invocation_logs = true",
    says: ["site: logs URLs, some with a token", "API: logs URLs"],
  },
];

test.each(REFUSED)("the preflight says what is wrong and how to fix it if $from is $to", ({ from, to, says }) => {
  const found = checkDeployment(deployment(from, to)).join("\n");
  for (const sentence of says) expect(found).toContain(sentence);
});

test.each([
  { stage: "production", from: PORTAL, to: PORTAL.replace("login/", "login/test_"), mode: "live" },
  { stage: "staging", from: PORTAL.replace("login/", "login/test_"), to: PORTAL, mode: "test" },
] as const)("the preflight of $stage refuses the other mode's customer portal", ({ stage, from, to, mode }) => {
  expect(checkDeployment(deployment(from, to, stage))).toEqual([
    `site: CUSTOMER_PORTAL_URL is not the ${mode} mode portal (npm run stripe:setup ${stage} prints it)`,
  ]);
});
