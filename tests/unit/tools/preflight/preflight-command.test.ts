import { expect, test } from "vitest";
import type { Neighbors } from "../../../../tools/neighbors";
import { preflight } from "../../../../tools/preflight/preflight";
import { SECRETS } from "../../../support/filled-in-settings";
import { PRICES } from "../filled-in-deployment";
import {
  type Answer,
  cloudflare,
  FAULTS,
  HOST,
  hostsOf,
  neighborsWith,
  OPERATOR_TOKEN,
  repository,
  SAYS,
  siteAlone,
  timeIsUp,
  WRANGLER,
} from "../neighbors";
import { outcomeOf } from "../outcome";

/* `npm run preflight`: when a stage is ready, and when the command cannot know. It changes nothing. */

const READY = "✓ Ready to deploy to production.";
const ONE = "1 to fix before a deployment to production.";

/** The API's answer about the packages' prices. */
const api = (answer: Answer) => ({ fetch: hostsOf({ "api.acme.com": answer }), env: { OPERATOR_TOKEN } });
const pricesAre = (prices: object[]) => api(() => Response.json({ prices }));

const run = (beside: Neighbors, isOffline = false) =>
  outcomeOf(async () => (await preflight("production", isOffline, beside)).isReady);

const NO_WORKER = { succeeded: false, stdout: "", output: "This Worker does not exist on your account. [code: 10007]" };
const NO_TABLE = { succeeded: false, stdout: "", output: "✘ [ERROR] no such table: d1_migrations" };
const after = (at: RegExp, as: (typeof WRANGLER)[keyof typeof WRANGLER]) => ({ faults: [{ at, as }] });

test.each<{ what: string; account?: Parameters<typeof cloudflare>[0]; others?: Partial<Neighbors>; says?: RegExp }>([
  { what: "everything is set", says: /Not checked: prices at Stripe \(the variable OPERATOR_TOKEN is not set\)/ },
  { what: "Stripe charges the packages' prices", others: pricesAre(PRICES) },
  { what: "the database has no table yet", account: after(/d1 execute/, NO_TABLE), says: /Deploying applies 0001/ },
  { what: "a migration is new", account: { migrations: [] }, says: /Deploying applies 0001_first_release\.sql/ },
  {
    what: "the API does not answer about prices",
    others: api(HOST.silent as Answer),
    says: /Not checked: .*ENOTFOUND/,
  },
  { what: "the API fails", others: api(HOST.failing as Answer), says: /Not checked: .*The API answered 500/ },
  { what: "another program answers as the API", others: api(HOST.html as Answer), says: /Not checked: .*<!doctype/ },
  { what: "the API is another release", others: api(() => Response.json({})), says: /Not checked: .*has none/ },
  {
    what: "the operator's token is another one",
    others: api(() => new Response("No.", { status: 401 })),
    says: /Not checked: .*Is OPERATOR_TOKEN the API's secret/,
  },
])("production is ready if $what", async ({ account, others, says = /./ }) => {
  const { wrangler, changes } = cloudflare(account);
  const { exitCode, last, output } = await run(neighborsWith({ wrangler, ...others }));
  expect({ exitCode, last, changes }).toEqual({ exitCode: 0, last: READY, changes: [] });
  expect(output).toMatch(says);
});

test("an API that never answers about prices is given up", async () => {
  timeIsUp();
  const { exitCode, output } = await run(neighborsWith(api(HOST.slow as Answer)));
  expect(output).toMatch(/Not checked: prices at Stripe \(.*too slow/);
  expect(exitCode).toBe(0);
});

test.each(
  [/^site secret list/, /^api secret list/, /d1 execute/].flatMap((at) => FAULTS.map((fault) => ({ at, fault }))),
)("production is not ready if Cloudflare is $fault at $at", async ({ at, fault }) => {
  const { wrangler, changes } = cloudflare(after(at, WRANGLER[fault]));
  const { exitCode, last, output } = await run(neighborsWith({ wrangler }));
  expect({ exitCode, last, changes }).toEqual({ exitCode: 1, last: ONE, changes: [] });
  expect(output).toMatch(SAYS[fault]);
  expect(output, "a stack").not.toMatch(/^ +at /m);
});

test.each<{
  what: string;
  account?: Parameters<typeof cloudflare>[0];
  others?: Partial<Neighbors>;
  findings: number;
  says: RegExp;
}>([
  {
    what: "there is no Worker yet",
    account: after(/secret list/, NO_WORKER),
    findings: SECRETS.site.length + SECRETS.api.length,
    says: /secret put SESSION_SECRET/,
  },
  {
    what: "a secret is missing",
    account: { secrets: { ...SECRETS, site: [] } },
    findings: 1,
    says: /SESSION_SECRET is missing/,
  },
  {
    what: "Stripe charges another price",
    others: pricesAre(PRICES.map((one) => ({ ...one, at_stripe: null }))),
    findings: PRICES.length,
    says: /its price at Stripe .* does not exist/,
  },
  {
    what: "Stripe does not have a custom plan's price",
    others: pricesAre([{ ...PRICES[0], status: "custom", at_stripe: null }]),
    findings: 1,
    says: /its price at Stripe .* does not exist/,
  },
  {
    what: "the company is the example's",
    others: { company: { name: "https://console.citewell.example" } },
    findings: 1,
    says: /app\/company\.ts/,
  },
])("production is not ready if $what", async ({ account, others, findings, says }) => {
  const { wrangler } = cloudflare(account);
  const { exitCode, last, output } = await run(neighborsWith({ wrangler, ...others }));
  expect({ exitCode, last }).toEqual({ exitCode: 1, last: `${findings} to fix before a deployment to production.` });
  expect(output).toMatch(says);
});

test("production is not ready outside a repository", async () => {
  const { exitCode, last, output } = await run(neighborsWith({ git: repository({ log: undefined }) }));
  expect({ exitCode, last }).toEqual({ exitCode: 1, last: ONE });
  expect(output).toContain("✗ this folder is not a git repository");
});

test.each<{ what: string; others: Partial<Neighbors>; left: string }>([
  { what: "both Workers", others: {}, left: "secrets, migrations and packages" },
  { what: "the site alone", others: { settingsOf: siteAlone }, left: "secrets, and whether the API answers" },
])("offline, the preflight of $what asks nobody and says what it left out", async ({ others, left }) => {
  const { wrangler, asked } = cloudflare();
  const { exitCode, last, output } = await run(neighborsWith({ wrangler, ...others }), true);
  expect({ exitCode, last, asked }).toEqual({ exitCode: 0, last: READY, asked: [] });
  expect(output).toContain(`Not checked: ${left} (--offline).`);
  expect(output, "changes of a database that nobody asked").not.toContain("Deploying");
});

test("the site alone is not ready if its own API does not refuse an empty form", async () => {
  const { exitCode, output } = await run(neighborsWith({ settingsOf: siteAlone, ...api(() => new Response("ok")) }));
  expect(output).toContain(
    "✗ site: SUBSCRIPTION_API_URL: https://api.acme.com/subscription answered an empty form with 200",
  );
  expect(exitCode).toBe(1);
});

test("staging is ready by its own settings", async () => {
  const beside = neighborsWith({}, "staging");
  const { exitCode, last } = await outcomeOf(async () => (await preflight("staging", false, beside)).isReady);
  expect({ exitCode, last }).toEqual({ exitCode: 0, last: "✓ Ready to deploy to staging." });
});
