import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { company } from "../../../app/company";
import { checkDeployment } from "../../../tools/preflight/checks";
import type { Deployment } from "../../../tools/preflight/deployment";
import { PACKAGES } from "../../../tools/releases/prices";
import { readWorkerSettings } from "../../../tools/wrangler/worker-settings";
import { API_FOLDER, root, type Stage } from "../../../tools/wrangler/wrangler";
import { DATABASES, filledIn, SECRETS } from "../../support/filled-in-settings";

const folder = mkdtempSync(join(tmpdir(), "preflight-"));
const files = ["wrangler.toml", `${API_FOLDER}/wrangler.toml`];
const texts = files.map((file) => filledIn(readFileSync(join(root, file), "utf8")));

/** As the API has and Stripe charges them. */
const PRICES = PACKAGES.map((plan) => ({ ...plan, price_cents: 10_000 })).map((one) => ({
  ...one,
  stripe_price_id: `price_0123456789abcdef${one.name}`,
  at_stripe: { active: true, currency: "usd", unit_amount: one.price_cents, recurring: "1 month" },
}));

/** A complete deployment after a change of the text of both files. */
function deployment(from: string | RegExp = "", to = "", stage: Stage = "production"): Deployment {
  const [siteFile = "", apiFile = ""] = texts.map((text, index) => {
    const file = join(folder, `${index}.toml`);
    writeFileSync(file, typeof from === "string" ? text.replaceAll(from || "\0", to) : text.replace(from, to));
    return file;
  });
  const of = (one: Stage) => ({ site: readWorkerSettings(siteFile, one), api: readWorkerSettings(apiFile, one) });
  const { site, api } = of(stage);
  const ours = { name: "Acme", salesEmail: "sales@acme.com", postalAddress: ["1 Main Street"], profiles: [] };
  const other = of(stage === "staging" ? "production" : "staging");
  return { site, api, stage, other, account: { secrets: SECRETS, prices: PRICES }, company: ours };
}

const LIVE = "pk_live_0123456789abcdef";
const TEST = "pk_test_0123456789abcdef";
const PORTAL = "https://billing.stripe.com/p/login/0123456789";
const CONSOLE = "https://console.acme.com";
const PLACEHOLDER = "https://billing.example.org/login";
const API = 'PUBLIC_URL = "https://api.acme.com"';
const SITE = 'SITE_URL = "https://www.acme.com"';
const BOUND = 'service = "citewell-subscription-api"';
const ENV = "[env.production]\n";
const VARS = "[env.production.vars] of functions/subscription-api/wrangler.toml";
const limiter = (name: string) =>
  new RegExp(`(env\\.production\\.ratelimits\\]\\]\nname = "${name}"\n[^]*?limit = )\\d+`);

/** In both files, `to` replaces every `from`, or a pattern's first match. `says` has parts of the expected problems. */
const REFUSED: { from: string | RegExp; to: string; says: string[] }[] = [
  {
    from: LIVE,
    to: "sk_live_0123456789abcdef",
    says: ["site: STRIPE_PUBLISHABLE_KEY must be a publishable key"],
  },
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
  {
    from: DATABASES.production,
    to: "citewell",
    says: ["database_id is not set: run"],
  },
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

/** False once an owner has filled in the repository. */
const isUnedited = files.every((file) => readFileSync(join(root, file), "utf8").includes("citewell.example"));

test.runIf(isUnedited)("the preflight of the unedited repository lists everything that an owner has to fill in", () => {
  const workers = (stage: Stage) => ({
    site: readWorkerSettings(join(root, "wrangler.toml"), stage),
    api: readWorkerSettings(join(root, API_FOLDER, "wrangler.toml"), stage),
  });
  const found = checkDeployment({
    ...{ ...workers("production"), other: workers("staging"), stage: "production", company },
    account: { secrets: { site: [], api: [] } },
  });
  const withoutRemedy = found.map((problem) => problem.split(": ").slice(0, 2).join(": "));
  expect(withoutRemedy).toEqual([
    "site: CUSTOMER_PORTAL_URL is missing",
    "site: SESSION_SECRET is missing",
    "subscription API: STRIPE_SECRET_KEY is missing",
    "subscription API: STRIPE_WEBHOOK_SECRET is missing",
    "subscription API: CUSTOMER_PORTAL_URL is missing",
    "subscription API: LINK_SECRET is missing",
    "subscription API: HASH_SECRET is missing",
    "subscription API: OPERATOR_TOKEN is missing",
    "site: SITE_URL is a placeholder (https://www.citewell.example)",
    "site: SUBSCRIPTION_API_URL is a placeholder (https://api.citewell.example)",
    "site: the route www.citewell.example is a placeholder",
    "subscription API: SITE_URL is a placeholder (https://www.citewell.example)",
    "subscription API: PUBLIC_URL is a placeholder (https://api.citewell.example)",
    "subscription API: the route api.citewell.example is a placeholder",
    'app/company.ts: has the example "sales@citewell.example"',
    'app/company.ts: has the example "support@citewell.example"',
    'app/company.ts: has the example "legal@citewell.example"',
    'app/company.ts: has the example "hello@citewell.example"',
    'app/company.ts: has the example "https://console.citewell.example"',
    'app/company.ts: has the example "100 Example Street, Suite 400"',
    'app/company.ts: has the example "https://social.example/@citewell"',
    "site: STRIPE_PUBLISHABLE_KEY is not a live key (pk_live_…)",
    "subscription API: database_id is not set",
  ]);
});

test.each(Object.values(SECRETS).flat())("the preflight says how to set the secret %s", (name) => {
  const secrets = { site: SECRETS.site.filter((one) => one !== name), api: SECRETS.api.filter((one) => one !== name) };
  const [found = "", ...others] = checkDeployment({ ...deployment(), account: { secrets, prices: PRICES } });
  expect(found).toContain(`npx wrangler secret put ${name} --env production`);
  expect(others).toEqual([]);
});

test.each([
  { what: "the postal address", says: 'app/company.ts: has the example "100 Example Street' },
  { what: "an email address", says: `app/company.ts: has the example "${company.salesEmail}"` },
  { what: "the console's URL", says: `app/company.ts: has the example "${company.consoleUrl}"` },
  { what: "a profile", says: `app/company.ts: has the example "${company.profiles[0]}"` },
])("the preflight names $what that is still the example's", ({ says }) => {
  expect(checkDeployment({ ...deployment(), company }).join("\n")).toContain(says);
});

const [MINI] = PRICES;

test.each([
  { what: "another amount", at_stripe: { unit_amount: 12_000 }, says: "charges 12000 usd cents per 1 month" },
  { what: "another currency", at_stripe: { currency: "eur" }, says: "charges 10000 eur cents per 1 month" },
  { what: "another interval", at_stripe: { recurring: "1 year" }, says: "charges 10000 usd cents per 1 year" },
  { what: "no interval", at_stripe: { recurring: null }, says: "charges 10000 usd cents once" },
  { what: "an archived price", at_stripe: { active: false }, says: "is archived" },
  { what: "no price", at_stripe: null, says: "does not exist" },
])("the preflight names a package that has $what at Stripe, and the remedy", ({ at_stripe, says }) => {
  const prices = PRICES.map((one) =>
    one === MINI ? { ...one, at_stripe: at_stripe && { ...one.at_stripe, ...at_stripe } } : one,
  );
  const found = checkDeployment({ ...deployment(), account: { prices } });
  expect(found).toEqual([
    expect.stringMatching(/^prices: MINI costs 10000 usd cents per 1 month, .* npm run catalog production$/),
  ]);
  expect(found.join("\n")).toContain(says);
});

test("a slash at the end of a URL in one of the files makes no difference", () => {
  expect(
    checkDeployment(deployment(/SITE_URL = "https:\/\/www.acme.com"/, 'SITE_URL = "https://www.acme.com/"')),
  ).toEqual([]);
});

test("the preflight finds nothing in a complete deployment with limits below ten times the usual and no live key in staging", () => {
  expect(checkDeployment(deployment())).toEqual([]);
  expect(checkDeployment(deployment("", "", "staging"))).toEqual([]);
  expect(checkDeployment(deployment(limiter("FLOOD_RATE_LIMIT"), "$1199"))).toEqual([]);
  const withLiveKey = checkDeployment(deployment(TEST, LIVE, "staging"));
  expect(withLiveKey.join("\n")).toContain("STRIPE_PUBLISHABLE_KEY must be a test key");
});
