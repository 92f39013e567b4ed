import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { company } from "../../../app/company";
import { PAID_PLANS } from "../../../app/contract/plans";
import { checkDeployment } from "../../../tools/preflight/checks";
import type { Deployment } from "../../../tools/preflight/deployment";
import { readWorkerSettings } from "../../../tools/wrangler/worker-settings";
import { API_FOLDER, root, type Stage } from "../../../tools/wrangler/wrangler";
import { DATABASES, filledIn } from "../../support/filled-in-settings";

const folder = mkdtempSync(join(tmpdir(), "preflight-"));
const files = ["wrangler.toml", `${API_FOLDER}/wrangler.toml`];
const texts = files.map((file) => filledIn(readFileSync(join(root, file), "utf8")));
const migrations = readdirSync(join(root, API_FOLDER, "migrations"));

/** A complete deployment after a change of the text of both files. */
function deployment(from: string | RegExp = "", to = "", stage: Stage = "production"): Deployment {
  const [siteFile = "", apiFile = ""] = texts.map((text, index) => {
    const file = join(folder, `${index}.toml`);
    writeFileSync(file, typeof from === "string" ? text.replaceAll(from || "\0", to) : text.replace(from, to));
    return file;
  });
  const of = (one: Stage) => ({ site: readWorkerSettings(siteFile, one), api: readWorkerSettings(apiFile, one) });
  const { site, api } = of(stage);
  const packages = PAID_PLANS.map((plan) => ({
    ...{ id: plan.packageId, name: plan.title, price_cents: plan.monthlyPrice * 100 },
    stripe_price_id: `price_0123456789abcdef${plan.title}`,
  }));
  const secrets = { site: site.requiredSecrets, api: [...api.requiredSecrets, "OPERATOR_TOKEN"] };
  const ours = { name: "Acme", salesEmail: "sales@acme.com", postalAddress: ["1 Main Street"], profiles: [] };
  const other = of(stage === "staging" ? "production" : "staging");
  const account = { secrets, database: { migrations, packages } };
  return { site, api, stage, other, account, migrations, company: ours };
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

/** What both files have in all such places, or the first place of a pattern; what is there instead; parts of the sentences. */
const REFUSED: [from: string | RegExp, to: string, ...sentences: string[]][] = [
  [LIVE, "sk_live_0123456789abcdef", "site: STRIPE_PUBLISHABLE_KEY must be", "API: STRIPE_PUBLISHABLE_KEY must be"],
  ['[[env.production.send_email]]\nname = "EMAIL"\n', "", "subscription API: MAIL_API_URL is missing"],
  [/CONSOLE_WEBHOOK_URL = ""/, `CONSOLE_WEBHOOK_URL = "${CONSOLE}"`, "_SECRET is missing: npx wrangler secret put "],
  [PORTAL, "", "site: CUSTOMER_PORTAL_URL is missing: correct it in [env.production", "--production prints it"],
  [PORTAL, PLACEHOLDER, "site: CUSTOMER_PORTAL_URL is a placeholder", "API: CUSTOMER_PORTAL_URL is a placeholder"],
  [API, `${API}\nSTRIPE_API_URL = "http://localhost:8789"`, "API: STRIPE_API_URL is a URL of this machine"],
  [API, `${API}\nOPERATOR_TOKEN = "0123456789"`, `OPERATOR_TOKEN is a secret: remove it from ${VARS}, then npx`],
  [API, `${API}\nPUBLIC_ADRESS = "x"`, `subscription API: PUBLIC_ADRESS is no setting: correct its name in ${VARS}`],
  [API, `${API}\nAUTOMATIC_TAX = "true"`, "subscription API: AUTOMATIC_TAX is not the site's"],
  [API, 'PUBLIC_URL = "https://other.acme.com"', "subscription API: PUBLIC_URL is not the site's SUBSCRIPTION_API_URL"],
  [API, 'PUBLIC_URL = "https://www.acme.com"', "subscription API: has the site's host: give it one of its own"],
  ['"https://api.acme.com"', '"https://api.acme.com/v1"', "subscription API: PUBLIC_URL has a path"],
  [SITE, 'SITE_URL = "https://www.acme.com/x"', "site: SITE_URL has a path"],
  [BOUND, 'service = "other"', `SUBSCRIPTION_API needs ${BOUND}`],
  [/entrypoint = "SiteApi"\n/, "", 'entrypoint = "SiteApi": the public one takes no sign-ups'],
  [LIVE, TEST, "site: STRIPE_PUBLISHABLE_KEY is no live key"],
  [PORTAL, "https://billing.stripe.com/p/login/test_1", "site: CUSTOMER_PORTAL_URL is not the portal of live mode"],
  [DATABASES.production, "citewell", "database_id is not set: put into [[env.production.d1_databases]]"],
  [DATABASES.production, DATABASES.staging, "subscription API: database_id is also the other stage's"],
  ['pattern = "api.acme.com"', 'pattern = "stripe.acme.com"', "subscription API: no route is api.acme.com: put routes"],
  [
    'pattern = "staging.acme.com"',
    'pattern = "www.acme.com"',
    "site: its route www.acme.com is also the other stage's",
  ],
  [ENV, `${ENV}workers_dev = true\n`, "site: has a second address", "API: has a second address"],
  [/"\* \* \* \* \*"/, '"*/5 * * * *"', "subscription API: its cron is not every minute"],
  [limiter("FLOOD_RATE_LIMIT"), "$1200", "site: FLOOD_RATE_LIMIT is 200, and 20 is usual"],
  [/"8703"/, '"8704"', "site: SIGNUP_RATE_LIMIT shares its namespace_id 8704", "site: FLOOD_RATE_LIMIT shares"],
  [/ONE_TRIAL_PER_PERSON = "true"/, 'ONE_TRIAL_PER_PERSON = "false"', `put ONE_TRIAL_PER_PERSON = "true" into ${VARS}`],
  [API, `${API}\nMAINTENANCE = "x"`, "subscription API: MAINTENANCE is x: remove it"],
  [/invocation_logs = false/, "invocation_logs = true", "site: logs URLs, some with a token", "API: logs URLs"],
];

test.each(REFUSED)(
  "the preflight tells what is wrong, and the remedy, where %s is %j: %s",
  (from, to, ...sentences) => {
    const found = checkDeployment(deployment(from, to)).join("\n");
    for (const sentence of sentences) expect(found).toContain(sentence);
  },
);

/** The same for what is not in a file. */
const MISSING: [change: (ready: Deployment) => Partial<Deployment>, sentence: string][] = [
  [() => ({ company }), 'app/company.ts: has the example "100 Example Street'],
  [() => ({ company }), `app/company.ts: has the example "${company.salesEmail}"`],
  [() => ({ company }), `app/company.ts: has the example "${company.consoleUrl}"`],
  [() => ({ migrations: [...migrations, "0099_new.sql"] }), "lacks 0099_new.sql: npm run deploy:subscription-api"],
  [() => ({ account: { database: { migrations, packages: [] } } }), "database: has no package"],
];

test.each(MISSING)("the preflight tells what is missing in the account or the code (%#): %s", (change, sentence) => {
  const ready = deployment();
  expect(checkDeployment({ ...ready, ...change(ready) }).join("\n")).toContain(sentence);
});

test("the preflight finds nothing in a complete deployment with limits below ten times the usual and no live key in staging", () => {
  expect(checkDeployment(deployment())).toEqual([]);
  expect(checkDeployment(deployment("", "", "staging"))).toEqual([]);
  expect(checkDeployment(deployment(limiter("FLOOD_RATE_LIMIT"), "$1199"))).toEqual([]);
  const withLiveKey = checkDeployment(deployment(TEST, LIVE, "staging"));
  expect(withLiveKey.at(-1)).toContain("STRIPE_PUBLISHABLE_KEY is no test key");
});
