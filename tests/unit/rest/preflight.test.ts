import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { companyFacts } from "../../../app/company-facts";
import { PAID_PLANS, settingOf } from "../../../app/contract/plans";
import { checkDeployment, type Deployment, RULES } from "../../../tools/preflight/rules";
import { readWorkerSettings } from "../../../tools/wrangler/worker-settings";
import { API_FOLDER, root, type Stage } from "../../../tools/wrangler/wrangler";
import { DATABASES, filledIn } from "../../support/filled-in-settings";

const folder = mkdtempSync(join(tmpdir(), "preflight-"));
const texts = ["wrangler.toml", `${API_FOLDER}/wrangler.toml`].map((file) =>
  filledIn(readFileSync(join(root, file), "utf8")),
);
const migrations = readdirSync(join(root, API_FOLDER, "migrations"));

type Text = (toml: string) => string;

/** A complete deployment after a change of the text of both files. */
function deployment(change: Text = (toml) => toml, stage: Stage = "production"): Deployment {
  const [siteFile = "", apiFile = ""] = texts.map((text, index) => {
    const file = join(folder, `${index}.toml`);
    writeFileSync(file, change(text));
    return file;
  });
  const of = (one: Stage) => ({ site: readWorkerSettings(siteFile, one), api: readWorkerSettings(apiFile, one) });
  const workers = of(stage);
  const packages = PAID_PLANS.map((plan) => ({
    id: workers.site.vars[settingOf(plan)],
    name: plan.title,
    price_cents: plan.monthlyPrice * 100,
    stripe_price_id: `price_0123456789abcdef${plan.title}`,
  }));
  return {
    ...workers,
    stage,
    other: of(stage === "staging" ? "production" : "staging"),
    account: {
      secrets: { site: workers.site.secrets.required, api: [...workers.api.secrets.required, "OPERATOR_TOKEN"] },
      database: { migrations, packages },
      databaseNames: new Map([[DATABASES.production, "citewell-subscriptions"]]),
    },
    migrations,
    company: { name: "Citewell", postalAddress: ["Citewell, Inc.", "1 Main Street"], profiles: [] },
  };
}

const replace =
  (from: string | RegExp, to: string): Text =>
  (toml) =>
    toml.replace(from, to);
const replaceAll =
  (from: string, to: string): Text =>
  (toml) =>
    toml.replaceAll(from, to);
/** Adds a line to production's variables, of the API alone with `beside` = "PUBLIC_URL". */
const added = (line: string, beside = "") =>
  ((toml) => (toml.includes(beside) ? toml.replace("[env.production.vars]\n", `$&${line}\n`) : toml)) satisfies Text;

const LIVE = "pk_live_0123456789abcdef";
const PORTAL = "https://billing.stripe.com/p/login/0123456789";
const VARS = "[env.production.vars] of functions/subscription-api/wrangler.toml";

/** Rule, change of production's settings, and how each sentence begins or what it has. */
const REFUSED: [rule: string, change: Text, sentences: string[]][] = [
  [
    "the Worker takes its settings",
    replaceAll(LIVE, "sk_live_0123456789abcdef"),
    ["site: STRIPE_PUBLISHABLE_KEY must be a publishable key", "subscription API: STRIPE_PUBLISHABLE_KEY must be"],
  ],
  [
    "the Worker takes its settings",
    replace('[[env.production.send_email]]\nname = "EMAIL"\n', ""),
    ["subscription API: MAIL_API_URL is missing"],
  ],
  [
    "the Worker takes its settings",
    replace('CONSOLE_WEBHOOK_URL = ""', 'CONSOLE_WEBHOOK_URL = "https://console.acme.com/hooks"'),
    [
      "CONSOLE_WEBHOOK_SECRET is missing: npx wrangler secret put CONSOLE_WEBHOOK_SECRET --env production --cwd functions/subscription-api",
    ],
  ],
  [
    "the Worker takes its settings",
    replaceAll(PORTAL, ""),
    [
      "site: CUSTOMER_PORTAL_URL is missing: npm run stripe:setup -- --production prints it",
      "subscription API: CUSTOMER_PORTAL_URL",
    ],
  ],
  [
    "values are a deployment's own",
    replaceAll("https://console.acme.com", "http://127.0.0.1:3000"),
    [
      "site: CONSOLE_URL is a URL of this machine (http://127.0.0.1:3000)",
      "subscription API: CONSOLE_URL is a URL of this machine",
    ],
  ],
  [
    "values are a deployment's own",
    replaceAll("https://console.acme.com", "https://console.example.org/login"),
    ["site: CONSOLE_URL is a placeholder", "subscription API: CONSOLE_URL is a placeholder"],
  ],
  [
    "values are a deployment's own",
    replaceAll('MAIL_FROM = "hello@acme.com"', 'MAIL_FROM = "todo@acme.com"'),
    ["subscription API: MAIL_FROM is a placeholder (todo@acme.com): put yours into"],
  ],
  [
    "values are a deployment's own",
    added('STRIPE_API_URL = "http://localhost:8789"', "PUBLIC_URL"),
    ["subscription API: STRIPE_API_URL is a URL of this machine"],
  ],
  [
    "values are a deployment's own",
    added('OPERATOR_TOKEN = "a-secret-in-a-file-0123456789abcdef"', "PUBLIC_URL"),
    [
      `subscription API: OPERATOR_TOKEN is a secret: remove it from ${VARS}, then npx wrangler secret put OPERATOR_TOKEN`,
    ],
  ],
  [
    "values are a deployment's own",
    added('PUBLIC_ADRESS = "https://api.acme.com"', "PUBLIC_URL"),
    [`subscription API: PUBLIC_ADRESS is no setting: correct its name in ${VARS}`],
  ],
  [
    "both Workers agree",
    replace(/(SALES_EMAIL = ")sales(@acme.com"\nSITE_URL)/, "$1deals$2"),
    ["subscription API: SALES_EMAIL is not the site's"],
  ],
  [
    "both Workers agree",
    replaceAll('COMPANY_NAME = "Citewell"', 'COMPANY_NAME = "Acme"'),
    ["subscription API: COMPANY_NAME is not the name in app/company.ts"],
  ],
  [
    "the API has one public origin of its own",
    replace('PUBLIC_URL = "https://api.acme.com"', 'PUBLIC_URL = "https://other.acme.com"'),
    ["subscription API: PUBLIC_URL is not the site's SUBSCRIPTION_API_URL"],
  ],
  [
    "the API has one public origin of its own",
    replace('PUBLIC_URL = "https://api.acme.com"', 'PUBLIC_URL = "https://api.acme.com/v1"'),
    ["subscription API: PUBLIC_URL has a path"],
  ],
  [
    "the site reaches the API's private entrypoint",
    replace('service = "citewell-subscription-api"', 'service = "other"'),
    ['site: its binding SUBSCRIPTION_API needs service = "citewell-subscription-api" and entrypoint = "SiteApi"'],
  ],
  [
    "the site reaches the API's private entrypoint",
    replace('entrypoint = "SiteApi"\n', ""),
    ["site: its binding SUBSCRIPTION_API needs"],
  ],
  [
    "Stripe's keys are of the stage's mode",
    replaceAll(LIVE, "pk_test_0123456789abcdef"),
    ["site: STRIPE_PUBLISHABLE_KEY is no live key"],
  ],
  [
    "Stripe's keys are of the stage's mode",
    replaceAll(PORTAL, "https://billing.stripe.com/p/login/test_0123456789"),
    ["site: CUSTOMER_PORTAL_URL is not the portal of live mode"],
  ],
  [
    "the database is the stage's",
    replaceAll(DATABASES.production, "citewell-subscriptions"),
    ["subscription API: database_id is not set: put into [[env.production.d1_databases]]"],
  ],
  [
    "the database is the stage's",
    replaceAll(DATABASES.production, DATABASES.staging),
    ["subscription API: database_id is also the other stage's"],
  ],
  [
    "the database is the stage's",
    replace('database_name = "citewell-subscriptions"\ndatabase_id = "3', 'database_name = "other"\ndatabase_id = "3'),
    ["subscription API: database_id is of citewell-subscriptions, not other"],
  ],
  [
    "each Worker is reached by one route of its own",
    replace('pattern = "api.acme.com"', 'pattern = "stripe.acme.com"'),
    ["subscription API: no route is api.acme.com: put routes"],
  ],
  [
    "each Worker is reached by one route of its own",
    replace('pattern = "staging.acme.com"', 'pattern = "www.acme.com"'),
    ["site: its route www.acme.com is also the other stage's"],
  ],
  [
    "each Worker is reached by one route of its own",
    replace("[env.production]\n", "[env.production]\nworkers_dev = true\n"),
    ["site: has a second address on workers.dev", "subscription API: has a second address"],
  ],
  [
    "the cron runs every minute",
    replace('crons = ["* * * * *"]', 'crons = ["*/5 * * * *"]'),
    ["subscription API: its cron is not every minute"],
  ],
  [
    "limits protect",
    replace(/(env\.production\.ratelimits\]\]\nname = "SIGNUP_RATE_LIMIT"\n.*\nsimple = \{ limit = )\d+/, "$1300"),
    ["site: SIGNUP_RATE_LIMIT is 300, and 10 is usual", "subscription API: SIGNUP_RATE_LIMIT is 300, and 30 is usual"],
  ],
  [
    "no two limiters count together",
    (toml) =>
      toml.replace(/(env\.production\.ratelimits\]\]\nname = "SIGNUP_RATE_LIMIT"\nnamespace_id = )"\d+"/, '$1"9999"'),
    ["site: SIGNUP_RATE_LIMIT shares its namespace_id 9999", "subscription API: SIGNUP_RATE_LIMIT shares"],
  ],
  [
    "values protect trials and forms",
    replace('ONE_TRIAL_PER_PERSON = "true"', 'ONE_TRIAL_PER_PERSON = "false"'),
    [`subscription API: ONE_TRIAL_PER_PERSON is false: put ONE_TRIAL_PER_PERSON = "true" into ${VARS}`],
  ],
  [
    "logs are kept, without URLs",
    replace("invocation_logs = false", "invocation_logs = true"),
    ["site: logs URLs, some with a token", "subscription API: logs URLs"],
  ],
];

/** The same for what is not in a file. */
const MISSING: [rule: string, change: (ready: Deployment) => Partial<Deployment>, sentence: string][] = [
  [
    "secrets are set",
    ({ account }) => ({ account: { ...account, secrets: { site: [], api: account.secrets?.api ?? [] } } }),
    "site: SESSION_SECRET is not set: npx wrangler secret put SESSION_SECRET --env production",
  ],
  [
    "the company is real",
    ({ company }) => ({ company: { ...company, ...companyFacts } }),
    'app/company-facts.ts: has the example "100 Example Street',
  ],
  [
    "the database has the migrations, and the plans with their prices",
    ({ migrations: all }) => ({ migrations: [...all, "0099_new.sql"] }),
    "database: lacks 0099_new.sql: npm run deploy:subscription-api",
  ],
  [
    "the database has the migrations, and the plans with their prices",
    ({ account }) => ({ account: { ...account, database: { migrations, packages: [] } } }),
    "database: has no package",
  ],
];

describe("the preflight", () => {
  test("finds nothing in a complete production or staging", () => {
    expect(checkDeployment(deployment())).toEqual([]);
    expect(checkDeployment(deployment(undefined, "staging"))).toEqual([]);
  });

  test.each(REFUSED)("tells that %s, with its remedy (case %#)", (rule, change, sentences) => {
    const found = RULES[rule]?.(deployment(change)).filter((what) => what !== false) ?? [];
    expect(found.map((what, index) => what.includes(sentences[index] ?? "-") || what)).toEqual(
      sentences.map(() => true),
    );
  });

  test.each(MISSING)("tells that %s in the account or the code (case %#)", (rule, change, sentence) => {
    const ready = deployment();
    const found = RULES[rule]?.({ ...ready, ...change(ready) }).filter((what) => what !== false) ?? [];
    expect(found[0]).toContain(sentence);
  });

  test("every rule is tested", () => {
    const tested = new Set([...REFUSED, ...MISSING].map(([rule]) => rule));
    expect(Object.keys(RULES).filter((rule) => !tested.has(rule))).toEqual([]);
  });

  test("staging refuses a live key", () => {
    const live = deployment(replaceAll("pk_test_0123456789abcdef", LIVE), "staging");
    expect(checkDeployment(live).at(-1)).toContain("STRIPE_PUBLISHABLE_KEY is no test key");
  });

  test.each([
    [999, 0],
    [1000, 1],
  ])("a limit of %i sign-ups a day, where 100 are usual, is told %i times", (limit, times) => {
    const found = checkDeployment(deployment(replace(/PER_SENDER_A_DAY = "100"/, `PER_SENDER_A_DAY = "${limit}"`)));
    expect(found).toHaveLength(times);
  });
});
