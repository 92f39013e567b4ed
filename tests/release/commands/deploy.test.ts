import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { DATABASES } from "../../support/filled-in-settings";
import { rows } from "../../support/visitors/visitor";
import { API, checkOutForProduction, NAMES, USUAL } from "./production";

/* Preflight and deploy as a person types them. */

const { checkout, inAccount, inProduction, commitPrices } = await checkOutForProduction();
afterAll(checkout.dispose);
beforeEach(() => commitPrices(USUAL));

test("deploy refuses files that differ from the commit", async () => {
  const { run } = await inAccount();
  await checkout.change("app/company.ts", (text) => `${text}\n`);
  const { output, steps } = await run("deploy", ["production"]);
  checkout.commit();
  expect(output).toBe(
    "There are uncommitted changes, but the commit names the release: git add --all && git commit\nNothing was changed in production. To continue, correct the problem above, then: npm run deploy production\n",
  );
  expect(steps).toEqual([]);
});

test("a first deployment whose API does not answer yet ends before the site, and says to repeat it", async () => {
  const { run, execute } = await inAccount();
  const { output, steps, exitCode } = await run("deploy", ["production"]);
  expect(output).toMatch(
    /The API at api\.acme\.com cannot be reached.*Not live:\n {2}prices: .*\n {2}site: .*then: npm run deploy production/s,
  );
  expect({ steps, exitCode }).toEqual({ steps: ["citewell-subscription-api"], exitCode: 1 });
  const applied = await execute(DATABASES.production, "SELECT name FROM d1_migrations");
  expect(JSON.stringify(applied)).toContain("0001_first_release.sql");
});

test("a first deployment gives the packages their prices at Stripe, and deploys the site last", async () => {
  const { run, api, stripe } = await inProduction();
  const { output, steps, exitCode } = await run("deploy", ["production"]);
  expect(output).toMatch(/✓ Ready to deploy to production\..*✓ subscription API.*✓ prices: .*✓ site/s);
  expect(output, "advice that is wrong for this deployment").not.toMatch(/WARNING|Please add|experimental/);
  expect({ steps, exitCode }).toEqual({
    steps: [
      "citewell-subscription-api",
      "catalog: MINI 1999",
      "catalog: LITE 9950",
      "catalog: STANDARD 50000",
      "citewell-site",
    ],
    exitCode: 0,
  });
  const [{ stripe_price_id } = {}] = await rows(api, "SELECT stripe_price_id FROM packages WHERE name = 'MINI'");
  expect(await (await fetch(`${stripe.url}/v1/prices/${stripe_price_id}`, STRIPE_KEY)).json()).toMatchObject({
    unit_amount: USUAL.MINI,
  });
});

const STRIPE_KEY = { headers: { authorization: "Bearer sk_test_local" } };

test("a release without other prices needs no operator's token, and leaves the catalog alone", async () => {
  const { run } = await inProduction(USUAL);
  const { steps, exitCode } = await run("deploy", ["production"], {});
  expect({ steps, exitCode }).toEqual({ steps: NAMES.toReversed(), exitCode: 0 });
});

test("a release that lowers one price and raises another lowers before the site, and raises after it", async () => {
  const { run, prices } = await inProduction(USUAL);
  await commitPrices({ MINI: 1_500, LITE: 125_000 });
  const { output, steps } = await run("deploy", ["production"]);
  expect(output).toContain(
    "MINI: $19.99 → $15 a month, before the site\n  LITE: $99.50 → $1,250 a month, after the site",
  );
  expect(steps).toEqual(["citewell-subscription-api", "catalog: MINI 1500", "citewell-site", "catalog: LITE 125000"]);
  expect(await prices()).toEqual({ MINI: 1_500, LITE: 125_000, STANDARD: 50_000 });
});

/** The lines from "Live in", with the commit's name cut out. */
const endOf = (stdout: string, commit: string) =>
  stdout.slice(stdout.lastIndexOf("Live in production:")).replaceAll(commit, "{commit}").trimEnd().split("\n");

const MIGRATION = "0099_test.sql";
const LOWER = "  prices: MINI $15 a month";
const HIGHER = "  prices: LITE $250 a month";
const [MIGRATED, API_LIVE, SITE_LIVE] = [
  `  migrations: ${MIGRATION}`,
  "  subscription API: commit {commit}",
  "  site: commit {commit}",
];
const STEPS = [MIGRATED, API_LIVE, LOWER, SITE_LIVE, HIGHER];
const AGAIN = "To continue, correct the problem above, then: npm run deploy production";

test.each([
  { what: "the migration", sql: "SELECT nothing FROM nowhere;", done: 0 },
  { what: "the API's upload", fault: /^PUT .*citewell-subscription-api/, done: 1 },
  { what: "the lower price", fault: /catalog: MINI/, done: 2 },
  { what: "the site's upload", fault: /^(PUT|POST) .*citewell-site/, done: 3 },
  { what: "the higher price", fault: /catalog: LITE/, done: 4 },
  { what: "nothing", done: 5 },
])(
  "a deployment in which $what fails ends with what is live, what is not and how to continue",
  async ({ sql = "SELECT 1;", fault, done }) => {
    const { run, faults } = await inProduction(USUAL);
    const file = join(checkout.folder, API, "migrations", MIGRATION);
    onTestFinished(() => rm(file));
    await writeFile(file, sql);
    const commit = await commitPrices({ MINI: 1_500, LITE: 25_000 });
    if (fault) faults.push(fault);
    const { stdout, exitCode } = await run("deploy", ["production"]);
    const [live, left] = [STEPS.slice(0, done), STEPS.slice(done)];
    expect(endOf(stdout, commit)).toEqual([
      "Live in production:",
      ...(done > 0 ? live : ["  nothing of this release"]),
      ...(left.length > 0
        ? ["Not live:", ...left, AGAIN]
        : ["Everything is live. To check it: npm run smoke production"]),
    ]);
    expect(exitCode).toBe(left.length > 0 ? 1 : 0);
  },
);

test("a release with other prices and no operator's token changes nothing", async () => {
  const { run } = await inProduction(USUAL);
  await commitPrices({ MINI: 1_500, LITE: 9_950 });
  const { output, steps, exitCode } = await run("deploy", ["production"], { OPERATOR_TOKEN: "" });
  expect(output).toContain("read -rs OPERATOR_TOKEN && export OPERATOR_TOKEN");
  expect({ steps, exitCode }).toEqual({ steps: [], exitCode: 1 });
});

test("the preflight compares each package's price with what Stripe charges", async () => {
  const { run, api } = await inProduction(USUAL);
  await rows(api, "UPDATE packages SET price_cents = 1900 WHERE name = 'MINI'");
  const { output, exitCode } = await run("preflight", ["production"]);
  expect(output).toMatch(
    /✗ prices: MINI costs 1900 usd cents per 1 month, but .* charges 1999 usd cents per 1 month: .*npm run catalog/,
  );
  expect(exitCode).toBe(1);
});
