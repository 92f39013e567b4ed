import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { companyFacts } from "../../../app/company-facts";
import { PAID_PLANS, settingOf } from "../../../app/contract/plans";
import type { Deployment } from "../../../tools/preflight/deployment";
import { checkDeployment, RULES } from "../../../tools/preflight/rules";
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
      secrets: { site: workers.site.requiredSecrets, api: [...workers.api.requiredSecrets, "OPERATOR_TOKEN"] },
      database: { migrations, packages },
    },
    migrations,
    company: { name: "Citewell", postalAddress: ["Citewell, Inc.", "1 Main Street"], profiles: [] },
  };
}

const LIVE = "pk_live_0123456789abcdef";
const PORTAL = "https://billing.stripe.com/p/login/0123456789";
const CONSOLE = "https://console.acme.com";
const API = 'PUBLIC_URL = "https://api.acme.com"';
const VARS = "[env.production.vars] of functions/subscription-api/wrangler.toml";
const limiter = (name: string) =>
  new RegExp(`(env\\.production\\.ratelimits\\]\\]\nname = "${name}"\n[^]*?limit = )\\d+`);

/** By rule: what both files have in all such places, or the first place of a pattern; what is there instead; parts of the sentences. */
const REFUSED: Record<string, [from: string | RegExp, to: string, ...sentences: string[]][]> = {
  "the Worker takes its settings": [
    [LIVE, "sk_live_0123456789abcdef", "site: STRIPE_PUBLISHABLE_KEY must be", "API: STRIPE_PUBLISHABLE_KEY must be"],
    ['[[env.production.send_email]]\nname = "EMAIL"\n', "", "subscription API: MAIL_API_URL is missing"],
    [
      /CONSOLE_WEBHOOK_URL = ""/,
      `CONSOLE_WEBHOOK_URL = "${CONSOLE}"`,
      "_SECRET is missing: npx wrangler secret put CONSOLE_",
    ],
    [PORTAL, "", "site: CUSTOMER_PORTAL_URL is missing: correct it in [env.production", "--production prints it"],
  ],
  "values are a deployment's own": [
    [
      CONSOLE,
      "http://127.0.0.1:3000",
      "site: CONSOLE_URL is a URL of this machine (http://127.0.0.1:3000)",
      "API: CONSOLE_URL",
    ],
    [
      CONSOLE,
      "https://console.example.org/login",
      "site: CONSOLE_URL is a placeholder",
      "API: CONSOLE_URL is a placeholder",
    ],
    ['MAIL_FROM = "hello@acme.com"', 'MAIL_FROM = "todo@acme.com"', "API: MAIL_FROM is a placeholder (todo@acme.com)"],
    [API, `${API}\nSTRIPE_API_URL = "http://localhost:8789"`, "API: STRIPE_API_URL is a URL of this machine"],
    [
      API,
      `${API}\nOPERATOR_TOKEN = "0123456789"`,
      `OPERATOR_TOKEN is a secret: remove it from ${VARS}, then npx wrangler`,
    ],
    [API, `${API}\nPUBLIC_ADRESS = "x"`, `subscription API: PUBLIC_ADRESS is no setting: correct its name in ${VARS}`],
  ],
  "both Workers agree": [
    [/(SALES_EMAIL = ")sales(@acme.com"\nSITE_URL)/, "$1deals$2", "subscription API: SALES_EMAIL is not the site's"],
    ['COMPANY_NAME = "Citewell"', 'COMPANY_NAME = "Acme"', "COMPANY_NAME is not the name in app/company.ts"],
  ],
  "the API has one public origin of its own": [
    [
      API,
      'PUBLIC_URL = "https://other.acme.com"',
      "subscription API: PUBLIC_URL is not the site's SUBSCRIPTION_API_URL",
    ],
    ['"https://api.acme.com"', '"https://api.acme.com/v1"', "subscription API: PUBLIC_URL has a path"],
  ],
  "the site reaches the API's private entrypoint": [
    [
      /service = "citewell-subscription-api"/,
      'service = "other"',
      'SUBSCRIPTION_API needs service = "citewell-subscription-api"',
    ],
    [/entrypoint = "SiteApi"\n/, "", 'entrypoint = "SiteApi": the public one takes no sign-ups'],
  ],
  "Stripe's keys are of the stage's mode": [
    [LIVE, "pk_test_0123456789abcdef", "site: STRIPE_PUBLISHABLE_KEY is no live key"],
    [
      PORTAL,
      "https://billing.stripe.com/p/login/test_0123456789",
      "site: CUSTOMER_PORTAL_URL is not the portal of live mode",
    ],
  ],
  "the database is the stage's": [
    [DATABASES.production, "citewell", "database_id is not set: put into [[env.production.d1_databases]]"],
    [DATABASES.production, DATABASES.staging, "subscription API: database_id is also the other stage's"],
  ],
  "each Worker is reached by one route of its own": [
    [
      'pattern = "api.acme.com"',
      'pattern = "stripe.acme.com"',
      "subscription API: no route is api.acme.com: put routes",
    ],
    [
      'pattern = "staging.acme.com"',
      'pattern = "www.acme.com"',
      "site: its route www.acme.com is also the other stage's",
    ],
    [
      "[env.production]\n",
      "[env.production]\nworkers_dev = true\n",
      "site: has a second address",
      "API: has a second address",
    ],
  ],
  "the cron runs every minute": [
    [/"\* \* \* \* \*"/, '"*/5 * * * *"', "subscription API: its cron is not every minute"],
  ],
  "limits protect": [[limiter("FLOOD_RATE_LIMIT"), "$1200", "site: FLOOD_RATE_LIMIT is 200, and 20 is usual"]],
  "no two limiters count together": [
    [/"8703"/, '"8704"', "site: SIGNUP_RATE_LIMIT shares its namespace_id 8704", "site: FLOOD_RATE_LIMIT shares"],
  ],
  "values protect trials and forms": [
    [
      /ONE_TRIAL_PER_PERSON = "true"/,
      'ONE_TRIAL_PER_PERSON = "false"',
      `put ONE_TRIAL_PER_PERSON = "true" into ${VARS}`,
    ],
  ],
  "logs are kept, without URLs": [
    [/invocation_logs = false/, "invocation_logs = true", "site: logs URLs, some with a token", "API: logs URLs"],
  ],
};

const cases = Object.entries(REFUSED).flatMap(([rule, ofRule]) =>
  ofRule.map(([from, to, ...sentences]) => ({ rule, from, to, sentences })),
);
const replace =
  (from: string | RegExp, to: string): Text =>
  (toml) =>
    typeof from === "string" ? toml.replaceAll(from, to) : toml.replace(from, to);

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

const told = (rule: string, one: Deployment) => RULES[rule]?.(one).filter((what) => what !== false) ?? [];

describe("the preflight", () => {
  test("finds nothing in a complete production or staging", () => {
    expect(checkDeployment(deployment())).toEqual([]);
    expect(checkDeployment(deployment(undefined, "staging"))).toEqual([]);
  });

  test.each(cases)(
    "tells what is wrong, and the remedy, where $from is $to: $rule",
    ({ rule, from, to, sentences }) => {
      const found = told(rule, deployment(replace(from, to)));
      expect(found.map((what, index) => what.includes(sentences[index] ?? "-") || what)).toEqual(
        sentences.map(() => true),
      );
    },
  );

  test.each(MISSING)("tells that %s in the account or the code (case %#)", (rule, change, sentence) => {
    const ready = deployment();
    expect(told(rule, { ...ready, ...change(ready) })[0]).toContain(sentence);
  });

  test("every rule is tested", () => {
    const tested = new Set([...Object.keys(REFUSED), ...MISSING.map(([rule]) => rule)]);
    expect(Object.keys(RULES).filter((rule) => !tested.has(rule))).toEqual([]);
  });

  test("staging refuses a live key", () => {
    const live = deployment(replace("pk_test_0123456789abcdef", LIVE), "staging");
    expect(checkDeployment(live).at(-1)).toContain("STRIPE_PUBLISHABLE_KEY is no test key");
  });

  test("a limit below ten times the usual is taken", () => {
    expect(checkDeployment(deployment(replace(limiter("FLOOD_RATE_LIMIT"), "$1199")))).toEqual([]);
  });
});
