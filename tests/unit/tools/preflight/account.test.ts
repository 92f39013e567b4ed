import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { company } from "../../../../app/company";
import { checkDeployment } from "../../../../tools/preflight/checks";
import { readWorkerSettings } from "../../../../tools/wrangler/worker-settings";
import { API_FOLDER, root, type Stage } from "../../../../tools/wrangler/wrangler";
import { SECRETS } from "../../../support/filled-in-settings";
import { deployment, files, LIVE, limiter, PRICES, TEST } from "../filled-in-deployment";

/* What the preflight says of the whole repository, the company, the secrets and the prices at Stripe. */

/** False once an owner has filled in the repository. */
const isUnedited = [...files, "app/company.ts"].every((file) =>
  readFileSync(join(root, file), "utf8").includes("citewell.example"),
);

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
  { what: "a postal address", example: "100 Example Street, Suite 400" },
  { what: "an email address", example: "sales@citewell.example" },
  { what: "a URL", example: "https://console.citewell.example" },
  { what: "a profile", example: "https://social.example/@citewell" },
])("the preflight names $what that is still the example's", ({ example }) => {
  const [found, ...others] = checkDeployment({ ...deployment(), company: { name: "Acme", profiles: [example] } });
  expect(found).toContain(`app/company.ts: has the example "${example}"`);
  expect(others).toEqual([]);
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

test("the preflight does not look at a retired package's price", () => {
  const prices = PRICES.map((one) => ({ ...one, status: "retired" as const, at_stripe: null }));
  expect(checkDeployment({ ...deployment(), account: { prices } })).toEqual([]);
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
