import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { companyFacts } from "../../../app/company-facts";
import { PAID_PLANS, settingOf } from "../../../app/contract/plans";
import type { Deployment } from "../../../tools/preflight/deployment";
import { checkDeployment } from "../../../tools/preflight/rules";
import { readWorkerSettings } from "../../../tools/wrangler/worker-settings";
import { DATABASES, filledIn } from "../../support/filled-in-settings";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const migrationsFolder = join(root, "functions/subscription-api/migrations");
const siteToml = join(root, "wrangler.toml");
const apiToml = join(root, "functions/subscription-api/wrangler.toml");

const withoutBinding = (text: string) => text.replace(/\[\[env\.production\.services\]\][^[]+/, "");

/** Adds lines to the production variables of both files, or of the one that has a setting. */
const inProduction =
  (lines: string, beside = "") =>
  (text: string) =>
    text.includes(beside) ? text.replace("[env.production.vars]\n", `$&${lines}\n`) : text;

const NEEDS_ENTRYPOINT = 'needs entrypoint = "SiteApi": the public one takes no sign-ups';

const company = {
  name: "Citewell",
  postalAddress: ["Citewell, Inc.", "1 Main Street", "Dover, Delaware 19901"],
  profiles: ["https://social.acme.com/@citewell"],
};

describe("the preflight", () => {
  let folder: string;
  let ready: Deployment;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "preflight-"));
    const files = await settings();
    const packages = PAID_PLANS.map((plan) => ({
      id: files.site.vars[settingOf(plan)],
      name: plan.title,
      price_cents: plan.monthlyPrice * 100,
      stripe_price_id: `price_0123456789abcdef${plan.title}`,
    }));
    const migrations = await readdir(migrationsFolder);
    ready = {
      stage: "production",
      company,
      migrations,
      secrets: {
        site: ["SESSION_SECRET"],
        api: ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "OPERATOR_TOKEN", "LINK_SECRET", "HASH_SECRET"],
      },
      database: { migrations, packages },
      ...files,
    };
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** What Wrangler makes of the filled-in files, after a change of their text. */
  async function settings(change: (text: string) => string = (text) => text) {
    const files = { site: join(folder, "site.toml"), api: join(folder, "api.toml") };
    await writeFile(files.site, change(filledIn(await readFile(siteToml, "utf8"))));
    await writeFile(files.api, change(filledIn(await readFile(apiToml, "utf8"))));
    const both = (stage: "staging" | "production") => ({
      site: readWorkerSettings(files.site, stage),
      api: readWorkerSettings(files.api, stage),
    });
    return { ...both("production"), other: both("staging") };
  }

  const told = (deployment: Deployment) => checkDeployment(deployment).map(({ where, what }) => `${where}: ${what}`);

  test("finds nothing in a complete configuration", () => {
    expect(told(ready)).toEqual([]);
  });

  test("refuses the example address and profiles of a fresh checkout [P18]", () => {
    expect(told({ ...ready, company: { ...company, ...companyFacts } })).toEqual([
      "app/company-facts.ts: has the example 100 Example Street, Suite 400: write your address",
      "app/company-facts.ts: has the example https://social.example/@citewell: write your own profile, or none",
    ]);
  });

  test.each([
    ["TODO", "has the example TODO: write your address"],
    ["TBD street", "has the example TBD street: write your address"],
    ["[your street]", "has the example [your street]: write your address"],
    [" ", "a line of the postal address is empty: remove it"],
  ])("refuses the street %j", (street, what) => {
    expect(told({ ...ready, company: { ...company, postalAddress: ["Acme", street] } })).toEqual([
      `app/company-facts.ts: ${what}`,
    ]);
  });

  test("finds only a live key in an otherwise complete staging", async () => {
    const { site, api, other } = await settings();
    const staging: Deployment = { ...ready, stage: "staging", ...other, other: { site, api } };
    expect(told(staging)).toEqual([]);
    const { other: live } = await settings((text) =>
      text.replaceAll("pk_test_0123456789abcdef", "pk_live_0123456789abcdef"),
    );
    expect(told({ ...staging, ...live })).toEqual(
      ["site", "subscription API"].map(
        (where) =>
          `${where}: STRIPE_PUBLISHABLE_KEY is a live key, staging takes test keys: copy it from https://dashboard.stripe.com/apikeys`,
      ),
    );
  });

  test.each<[string, (text: string) => string, string[]]>([
    [
      "keys of different modes",
      (text) =>
        text.replace(
          /(modes?, test or live[^\n]*\n)STRIPE_PUBLISHABLE_KEY = "pk_live_/,
          '$1STRIPE_PUBLISHABLE_KEY = "pk_test_',
        ),
      [
        "subscription API: STRIPE_PUBLISHABLE_KEY is a test key, production takes live keys: copy it from https://dashboard.stripe.com/apikeys",
        "subscription API: STRIPE_PUBLISHABLE_KEY is not the site's: put the same into both files",
      ],
    ],
    [
      "a secret in the publishable key's place",
      (text) => text.replaceAll("pk_live_", "sk_live_"),
      [
        "site: STRIPE_PUBLISHABLE_KEY must be a publishable key (pk_…) or empty",
        "subscription API: STRIPE_PUBLISHABLE_KEY must be a publishable key (pk_…)",
      ],
    ],
    [
      "no way to send mail",
      (text) => text.replace('[[env.production.send_email]]\nname = "EMAIL"\n', ""),
      ["subscription API: MAIL_API_URL is missing, and there is no EMAIL binding"],
    ],
    [
      "a mail provider without its key",
      (text) => text.replace('\nMAIL_API_URL = ""', '\nMAIL_API_URL = "https://mail.acme.com/emails"'),
      [
        "subscription API: MAIL_API_KEY is missing: npx wrangler secret put MAIL_API_KEY --env production --cwd functions/subscription-api",
      ],
    ],
    [
      "a console without its secret",
      (text) => text.replace('CONSOLE_WEBHOOK_URL = ""', 'CONSOLE_WEBHOOK_URL = "https://console.acme.com/hooks"'),
      [
        "subscription API: CONSOLE_WEBHOOK_SECRET is missing: npx wrangler secret put CONSOLE_WEBHOOK_SECRET --env production --cwd functions/subscription-api",
      ],
    ],
    [
      "no cron",
      (text) => text.replace('crons = ["* * * * *"]', "crons = []"),
      [
        'subscription API: has no cron, so nothing is tried again after a failure: put crons = ["* * * * *"] below [triggers]',
      ],
    ],
    [
      "a route that is not the API's address",
      (text) => text.replace('pattern = "api.acme.com"', 'pattern = "stripe.acme.com"'),
      [
        'subscription API: no route is api.acme.com, the host of the site\'s SUBSCRIPTION_API_URL: put routes = [{ pattern = "api.acme.com", custom_domain = true }] into [env.production]',
      ],
    ],
    [
      "a URL of the API that the site does not know",
      (text) => text.replace('PUBLIC_URL = "https://api.acme.com"', 'PUBLIC_URL = "https://other.acme.com"'),
      ["subscription API: PUBLIC_URL is not the site's SUBSCRIPTION_API_URL: put the same into both files"],
    ],
    [
      "another contact for sales",
      (text) => text.replace(/(SALES_EMAIL = ")sales(@acme.com"\nSITE_URL)/, "$1deals$2"),
      ["subscription API: SALES_EMAIL is not the site's: put the same into both files"],
    ],
    [
      "a binding to another Worker",
      (text) => text.replace('service = "citewell-subscription-api"', 'service = "other"'),
      [
        'subscription API: the site\'s service binding names other: in wrangler.toml put service = "citewell-subscription-api"',
      ],
    ],
    [
      "an open door: a binding to the public entrypoint [H1]",
      (text) => text.replace('entrypoint = "SiteApi"\n', ""),
      [`subscription API: the site's service binding ${NEEDS_ENTRYPOINT}`],
    ],
    [
      "an open door: a binding to an entrypoint that is not there [H1]",
      (text) => text.replace('entrypoint = "SiteApi"', 'entrypoint = "Site"'),
      [`subscription API: the site's service binding ${NEEDS_ENTRYPOINT}`],
    ],
    [
      "an open door: neither binding nor secret [H1]",
      withoutBinding,
      [
        "subscription API: the site has no service binding, so both Workers need one secret: npx wrangler secret put SUBSCRIPTION_API_SECRET --env production --cwd functions/subscription-api && npx wrangler secret put SUBSCRIPTION_API_SECRET --env production",
      ],
    ],
    [
      "an open door: Stripe on this machine, as in local development [H1]",
      (text) => text.replace('\nMAIL_API_URL = ""', '\nMAIL_API_URL = ""\nSTRIPE_API_URL = "http://localhost:8789"'),
      ["subscription API: STRIPE_API_URL is for local development only: remove it from [env.production.vars]"],
    ],
    [
      "routes that were removed",
      (text) => text.replace(/routes = \[[^\n]*acme\.com[^\n]*\n/g, ""),
      [
        'site: has no routes, so that nobody reaches it: put routes = [{ pattern = "www.acme.com", custom_domain = true }] into [env.production]',
        'subscription API: has no routes, so that nobody reaches it: put routes = [{ pattern = "api.acme.com", custom_domain = true }] into [env.production]',
      ],
    ],
    [
      "the site on workers.dev instead of a route",
      (text) =>
        text
          .replaceAll("https://www.acme.com", "https://citewell-site.acme.workers.dev")
          .replace(/routes = \[\{ pattern = "www[^\n]*/, "workers_dev = true"),
      [],
    ],
    [
      "the local settings of Stripe",
      inProduction(
        'STRIPE_API_URL = "http://localhost:8789"\nSTRIPE_JS_URL = "http://localhost:8789/endive/stripe.js"',
      ),
      ["site", "subscription API"].flatMap((where) =>
        ["STRIPE_API_URL", "STRIPE_JS_URL"].map(
          (name) => `${where}: ${name} is for local development only: remove it from [env.production.vars]`,
        ),
      ),
    ],
    [
      "a secret in a file",
      inProduction('OPERATOR_TOKEN = "only-for-local-development-never-for-a-deployment"', "PUBLIC_URL"),
      [
        "subscription API: OPERATOR_TOKEN is a secret, for no file: remove it from [env.production.vars] and set it, npx wrangler secret put OPERATOR_TOKEN --env production --cwd functions/subscription-api",
      ],
    ],
    ...["pk_test_local", "pk_live_x", "pk_test_"].map((key): [string, (text: string) => string, string[]] => [
      `the publishable key ${key}`,
      (text) => text.replaceAll("pk_live_0123456789abcdef", key),
      ["site", "subscription API"].map(
        (where) =>
          `${where}: STRIPE_PUBLISHABLE_KEY is no key of Stripe's: copy it from https://dashboard.stripe.com/apikeys`,
      ),
    ]),
    ...["https://www.example.com", "https://console.example.org/login", "https://console.acme.test"].map(
      (url): [string, (text: string) => string, string[]] => [
        `the URL ${url}`,
        (text) => text.replaceAll("https://console.acme.com", url),
        ["site", "subscription API"].map(
          (where) => `${where}: CONSOLE_URL is a placeholder (${url}): put yours into [env.production.vars]`,
        ),
      ],
    ),
    [
      "a console on this machine",
      (text) => text.replaceAll("https://console.acme.com", "http://127.0.0.1:3000"),
      ["site", "subscription API"].map(
        (where) =>
          `${where}: CONSOLE_URL is a URL of this machine (http://127.0.0.1:3000): put the deployment's into [env.production.vars]`,
      ),
    ],
    [
      "a sender of mails, and a route, that are examples",
      (text) =>
        text
          .replaceAll('MAIL_FROM = "hello@acme.com"', 'MAIL_FROM = "hello@example.com"')
          .replaceAll("www.acme.com", "www.example.net"),
      [
        "site: SITE_URL is a placeholder (https://www.example.net): put yours into [env.production.vars]",
        "subscription API: MAIL_FROM is a placeholder (hello@example.com): put yours into [env.production.vars]",
        "subscription API: SITE_URL is a placeholder (https://www.example.net): put yours into [env.production.vars]",
        "site: a route is a placeholder (www.example.net): put your host into [env.production]",
      ],
    ],
    [
      "a name in the place of the database's id",
      (text) => text.replaceAll(DATABASES.production, "citewell-subscriptions"),
      [
        'subscription API: database_id is "citewell-subscriptions", which is no UUID: put into [[env.production.d1_databases]] of functions/subscription-api/wrangler.toml the id that this prints: npx wrangler d1 list --env production --cwd functions/subscription-api',
      ],
    ],
    [
      "a database that is staging's",
      (text) => text.replaceAll(DATABASES.production, DATABASES.staging),
      [
        "subscription API: database_id also belongs to staging: put into [[env.production.d1_databases]] of functions/subscription-api/wrangler.toml the id that this prints: npx wrangler d1 create citewell-subscriptions --env production --cwd functions/subscription-api",
      ],
    ],
    [
      "a route that is staging's",
      (text) => text.replaceAll("staging.acme.com", "www.acme.com").replaceAll("api.www", "api.staging"),
      [
        "site: its route www.acme.com is also the route of staging: change it in [env.production]",
        "site: SITE_URL is also an address of staging (https://www.acme.com): put production's into [env.production.vars]",
      ],
    ],
    [
      "a limit that is missing",
      (text) =>
        text.replace(
          '[[env.production.ratelimits]]\nname = "OPERATOR_RATE_LIMIT"',
          '[[env.production.ratelimits]]\nname = "OTHER"',
        ),
      ["subscription API: OPERATOR_RATE_LIMIT is missing"],
    ],
    [
      "a plan whose package is not in the catalog",
      (text) => text.replaceAll("5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10", "5a4a55f1-8a3c-4b0e-9d8e-000000000000"),
      [
        "database: has no package 5a4a55f1-8a3c-4b0e-9d8e-000000000000, the site's PACKAGE_ID_MINI: put an id of the migrations there, or add a migration",
      ],
    ],
  ])("finds %s", async (_name, change, findings) => {
    expect(told({ ...ready, ...(await settings(change)) })).toEqual(findings);
  });

  const MAIL = 'MAIL_FROM = "hello@acme.com"';

  test.each<[string, (text: string) => string, string[]]>([
    [
      "test keys in production",
      (text) => text.replaceAll("pk_live_0123456789abcdef", "pk_test_0123456789abcdef"),
      ["site: STRIPE_PUBLISHABLE_KEY is a test key", "subscription API: STRIPE_PUBLISHABLE_KEY is a test key"],
    ],
    [
      "a portal of test mode",
      (text) => text.replaceAll("/p/login/0123456789", "/p/login/test_0123456789"),
      [
        "site: CUSTOMER_PORTAL_URL is the portal of test mode",
        "subscription API: CUSTOMER_PORTAL_URL is the portal of",
      ],
    ],
    [
      "limiters that share a namespace",
      (text) => text.replace('"8707"\nsimple = { limit = 30', '"8708"\nsimple = { limit = 30'),
      [
        "SIGNUP_RATE_LIMIT shares its namespace_id 8708",
        'OPERATOR_RATE_LIMIT shares its namespace_id 8708 with another limiter of the account: put namespace_id = "8724"',
      ],
    ],
    [
      "a local rate limit",
      (text) =>
        text.replace(
          '{ limit = 60, period = 60 }\n[[env.production.ratelimits]]\nname = "FORM',
          '{ limit = 1000000, period = 60 }\n[[env.production.ratelimits]]\nname = "FORM',
        ),
      [
        "site: SIGNUP_NETWORK_RATE_LIMIT has the local limit 1000000 in [[env.production.ratelimits]]: put simple = { limit = 60",
      ],
    ],
    [
      "an API that refuses the site's repeated forms",
      (text) =>
        text.replace(
          'simple = { limit = 30, period = 60 }\n[[env.production.ratelimits]]\nname = "OPERATOR',
          'simple = { limit = 10, period = 60 }\n[[env.production.ratelimits]]\nname = "OPERATOR',
        ),
      ["subscription API: SIGNUP_RATE_LIMIT refuses what the site lets through"],
    ],
    [
      "invocation logs",
      (text) => text.replace("invocation_logs = false", "invocation_logs = true"),
      [
        "site: logs whole URLs, some with a token: put invocation_logs = false below [observability.logs]",
        "subscription API: logs whole URLs",
      ],
    ],
    [
      "logs that are off",
      (text) => text.replace("[observability]\nenabled = true", "[observability]\nenabled = false"),
      ["site: keeps no logs", "subscription API: keeps no logs"],
    ],
    [
      "sampled logs",
      (text) => text.replace("[observability.logs]\n", "$&head_sampling_rate = 0.1\n"),
      ["site: loses log lines", "subscription API: loses log lines"],
    ],
    [
      "a Gmail sender",
      (text) => text.replaceAll(MAIL, 'MAIL_FROM = "acme.team@gmail.com"'),
      ["MAIL_FROM is at a provider of free mailboxes"],
    ],
    [
      "a Yahoo sender",
      (text) => text.replaceAll(MAIL, 'MAIL_FROM = "acme@yahoo.co.uk"'),
      ["MAIL_FROM is at a provider of free mailboxes"],
    ],
    [
      "trials that can be repeated",
      (text) => text.replaceAll('ONE_TRIAL_PER_PERSON = "true"', 'ONE_TRIAL_PER_PERSON = "false"'),
      [
        'ONE_TRIAL_PER_PERSON is not true, so trials can be repeated: put ONE_TRIAL_PER_PERSON = "true" into [env.production.vars]',
      ],
    ],
    [
      "a local daily limit",
      (text) => text.replaceAll('SIGN_UPS_PER_EMAIL_A_DAY = "20"', 'SIGN_UPS_PER_EMAIL_A_DAY = "1000000"'),
      ['SIGN_UPS_PER_EMAIL_A_DAY is the local 1000000: put SIGN_UPS_PER_EMAIL_A_DAY = "20"'],
    ],
    [
      "an API without idempotency",
      (text) => text.replaceAll('SUBSCRIPTION_API_IDEMPOTENT = "true"', 'SUBSCRIPTION_API_IDEMPOTENT = "false"'),
      ["site: SUBSCRIPTION_API_IDEMPOTENT is not true"],
    ],
    [
      "a short time for the API",
      inProduction('SUBSCRIPTION_API_TIMEOUT_MS = "2000"', "LEGAL_EMAIL"),
      ["SUBSCRIPTION_API_TIMEOUT_MS is 2000"],
    ],
    ["maintenance", inProduction('MAINTENANCE = "true"', "PUBLIC_URL"), ["MAINTENANCE stops all sign-ups: remove it"]],
    [
      "a daily cron",
      (text) => text.replace('crons = ["* * * * *"]', 'crons = ["0 3 * * *"]'),
      ['its cron is not every minute (0 3 * * *): put crons = ["* * * * *"] below [triggers]'],
    ],
    [
      "a second address on workers.dev",
      (text) => text.replace("[env.production]\n", "$&workers_dev = true\n"),
      ["site: has a second address on workers.dev", "subscription API: has a second address on workers.dev"],
    ],
    [
      "public previews",
      (text) => text.replace("[env.production]\n", "$&preview_urls = true\n"),
      ["site: each version is public", "subscription API: each version is public"],
    ],
    [
      "an API without nodejs_compat",
      (text) => text.replace('compatibility_flags = ["nodejs_compat"]', "compatibility_flags = []"),
      ["subscription API: lacks Node's functions"],
    ],
    [
      "no compatibility date",
      (text) => text.replace(/compatibility_date = .*/, ""),
      ["site: has no compatibility_date", "subscription API: has no compatibility_date"],
    ],
    [
      "React for development",
      (text) =>
        text.replace('[env.production.define]\n"process.env.NODE_ENV" = \'"production"\'', "[env.production.define]"),
      ["site: would serve React for development"],
    ],
    [
      "a release without a name",
      (text) => text.replace('[env.production.version_metadata]\nbinding = "RELEASE"', ""),
      ["site: cannot name its release", "subscription API: cannot name its release"],
    ],
    [
      "a site URL with a path",
      (text) => text.replaceAll('SITE_URL = "https://www.acme.com"', 'SITE_URL = "https://www.acme.com/home"'),
      ['site: SITE_URL has more than a host (https://www.acme.com/home): put SITE_URL = "https://www.acme.com"'],
    ],
    [
      "an API URL with a path",
      (text) => text.replaceAll('"https://api.acme.com"', '"https://api.acme.com/v1"'),
      ["site: SUBSCRIPTION_API_URL has more than a host", "subscription API: PUBLIC_URL has more than a host"],
    ],
    [
      "site and API on one host",
      (text) =>
        text.replaceAll("https://api.acme.com", "https://www.acme.com").replaceAll('"api.acme.com"', '"www.acme.com"'),
      ["subscription API: has the site's host www.acme.com: give it a host of its own"],
    ],
    [
      "staging's addresses",
      (text) => text.replace('PUBLIC_URL = "https://api.acme.com"', 'PUBLIC_URL = "https://api.staging.acme.com"'),
      [
        "subscription API: PUBLIC_URL is also an address of staging",
        "PUBLIC_URL is not the site's SUBSCRIPTION_API_URL",
      ],
    ],
    [
      "a console that is the site itself",
      (text) => text.replaceAll("https://console.acme.com", "https://www.acme.com/login"),
      ["site: CONSOLE_URL is the site itself"],
    ],
    [
      "a route of one path",
      (text) =>
        text.replace(
          '{ pattern = "www.acme.com", custom_domain = true }',
          '{ pattern = "www.acme.com", zone_name = "acme.com" }',
        ),
      ["site: its route www.acme.com is one path alone: put custom_domain = true"],
    ],
    [
      "a misspelt variable",
      (text) =>
        text.replace(
          'LEGAL_EMAIL = "legal@acme.com"\nPACKAGE_ID_MINI = "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10"\nPACKAGE_ID_LITE = "0b1f6c8e-2f57-4d3b-8c61-94e3a7d5f220"\nPACKAGE_ID_STANDARD = "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430"\nSUBSCRIPTION_API_URL = "https://api.acme.com"',
          (found) => `${found}\nAUTOMATC_TAX = "true"`,
        ),
      ["site: AUTOMATC_TAX is no setting; is AUTOMATIC_TAX meant?: correct it in [env.production.vars]"],
    ],
    [
      "funnels that differ",
      (text) =>
        text
          .replace('dataset = "citewell_funnel"\n', 'dataset = "other"\n')
          .replace('FUNNEL_DATASET = "citewell_funnel"', 'FUNNEL_DATASET = "others"'),
      ['FUNNEL_DATASET is not the dataset that FUNNEL counts into: put FUNNEL_DATASET = "other"'],
    ],
    [
      "a space in a setting",
      (text) =>
        text.replaceAll('CONSOLE_URL = "https://console.acme.com"', 'CONSOLE_URL = "https://console.acme.com "'),
      ["site: CONSOLE_URL has a space at an end", "subscription API: CONSOLE_URL has a space at an end"],
    ],
  ])("finds %s, with its remedy", async (_name, change, findings) => {
    expect(told({ ...ready, ...(await settings(change)) })).toEqual(
      findings.map((finding) => expect.stringContaining(finding)),
    );
  });

  test.each(["mail.acme.com", "mail.abc.de", "live.abc.com"])("takes the own domain %s for emails", async (domain) => {
    const changed = await settings((text) => text.replaceAll(MAIL, `MAIL_FROM = "hello@${domain}"`));
    expect(told({ ...ready, ...changed })).toEqual([]);
  });

  test("finds the ids of two databases that were swapped, and a sender's domain that Cloudflare does not know", async () => {
    const databaseNames = new Map([
      [DATABASES.production, "citewell-subscriptions"],
      [DATABASES.staging, "citewell-subscriptions-staging"],
    ]);
    expect(told({ ...ready, databaseNames, mayEmail: true })).toEqual([]);
    const swapped = await settings((text) =>
      text
        .replaceAll(DATABASES.production, "?")
        .replaceAll(DATABASES.staging, DATABASES.production)
        .replaceAll("?", DATABASES.staging),
    );
    expect(told({ ...ready, ...swapped, databaseNames, mayEmail: false })).toEqual([
      "subscription API: Cloudflare sends no emails from acme.com, the domain of MAIL_FROM: npx wrangler email sending enable acme.com --env production --cwd functions/subscription-api",
      expect.stringMatching(
        /^subscription API: database_id is the one of citewell-subscriptions-staging, not of citewell-subscriptions: put into/,
      ),
    ]);
  });

  test("finds a missing operator token, and a secret that nothing reads", () => {
    const { secrets = { site: [], api: [] } } = ready;
    const api = [...secrets.api.filter((name) => name !== "OPERATOR_TOKEN"), "LINKS_SECRET"];
    expect(told({ ...ready, secrets: { ...secrets, api } })).toEqual([
      "subscription API: LINKS_SECRET is a secret that nothing reads; is LINK_SECRET meant?: npx wrangler secret delete LINKS_SECRET --env production --cwd functions/subscription-api",
      "subscription API: OPERATOR_TOKEN is a secret that is not set, which npm run catalog and the operator need: npx wrangler secret put OPERATOR_TOKEN --env production --cwd functions/subscription-api",
    ]);
  });

  test("accepts a shared secret in place of the service binding if both Workers have it [H1]", async () => {
    const { secrets = { site: [], api: [] } } = ready;
    const [site, api] = [secrets.site, secrets.api].map((names) => [...names, "SUBSCRIPTION_API_SECRET"]);
    const shared = { ...ready, ...(await settings(withoutBinding)) };
    expect(told({ ...shared, secrets: { site: site ?? [], api: api ?? [] } })).toEqual([]);
    for (const one of [
      { ...secrets, site: site ?? [] },
      { ...secrets, api: api ?? [] },
    ]) {
      expect(told({ ...shared, secrets: one })).toEqual([expect.stringContaining("SUBSCRIPTION_API_SECRET")]);
    }
  });

  test("says that a key of the wrong mode belongs to the shell, not the deployment", () => {
    vi.stubEnv("STRIPE_SECRET_KEY", "sk_test_0123456789abcdef");
    const findings = told(ready);
    vi.unstubAllEnvs();
    expect(findings).toEqual([
      "subscription API: STRIPE_PUBLISHABLE_KEY is not of the secret key's mode",
      "subscription API: STRIPE_SECRET_KEY of this shell is not of the publishable key's mode: unset it, or export the production value",
    ]);
  });

  test("finds unset secrets, unapplied migrations, and prices that Stripe does not have", () => {
    const { database } = ready;
    const packages = database?.packages.map((row) => ({ ...row, stripe_price_id: "price_mini" })) ?? [];
    const findings = told({
      ...ready,
      secrets: { site: [], api: ["STRIPE_SECRET_KEY"] },
      database: { migrations: ["0001_subscriptions.sql"], packages },
    });
    expect(findings).toEqual([
      "site: SESSION_SECRET is a secret that is not set: npx wrangler secret put SESSION_SECRET --env production",
      "subscription API: STRIPE_WEBHOOK_SECRET is a secret that is not set: npx wrangler secret put STRIPE_WEBHOOK_SECRET --env production --cwd functions/subscription-api",
      "subscription API: LINK_SECRET is a secret that is not set: npx wrangler secret put LINK_SECRET --env production --cwd functions/subscription-api",
      "subscription API: HASH_SECRET is a secret that is not set: npx wrangler secret put HASH_SECRET --env production --cwd functions/subscription-api",
      "subscription API: OPERATOR_TOKEN is a secret that is not set, which npm run catalog and the operator need: npx wrangler secret put OPERATOR_TOKEN --env production --cwd functions/subscription-api",
      "database: lacks 0002_trials_and_outbox.sql, 0003_sign_ups.sql, 0004_one_trial_per_person.sql, 0005_indexes.sql, 0006_drop_reasons.sql, 0007_request_ids.sql, 0008_first_payments.sql, 0009_cron_runs.sql, 0010_operator_page.sql, 0011_states.sql, 0012_erasures.sql: npm run deploy:subscription-api",
      "database: the package MINI has no price at Stripe: read -rs OPERATOR_TOKEN && export OPERATOR_TOKEN && npm run catalog -- --production",
      "database: the package LITE has no price at Stripe: read -rs OPERATOR_TOKEN && export OPERATOR_TOKEN && npm run catalog -- --production",
      "database: the package STANDARD has no price at Stripe: read -rs OPERATOR_TOKEN && export OPERATOR_TOKEN && npm run catalog -- --production",
    ]);
  });
});
