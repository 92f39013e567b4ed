import { expect, test, vi } from "vitest";
import type { Neighbors } from "../../../../tools/neighbors";
import { problemOfApi } from "../../../../tools/preflight/api-of-others";
import { preflight } from "../../../../tools/preflight/preflight";
import type { Stage } from "../../../../tools/wrangler/wrangler";
import { SECRETS } from "../../../support/filled-in-settings";
import { deployment, type Edit, LIVE, PRICES, TEST } from "../filled-in-deployment";
import { type Answer, cloudflare, failing, HOST, hostsOf, neighborsWith, OPERATOR, siteAlone } from "../neighbors";
import { outcomeOf } from "../outcome";

/* `npm run preflight`: when a stage is ready, and when the command cannot know. It changes nothing. */

type Setup = {
  account?: Parameters<typeof cloudflare>[0];
  others?: Partial<Neighbors>;
  stage?: Stage;
  isOffline?: boolean;
};

async function checked({ account, others, stage = "production", isOffline = false }: Setup) {
  const { wrangler, changes, asked } = cloudflare({ stage, ...account });
  const beside = neighborsWith({ wrangler, ...others }, stage);
  const outcome = await outcomeOf(async () => (await preflight(stage, isOffline, beside)).isReady);
  return { ...outcome, changes, asked };
}

/** The API's answer about the packages' prices, or to an empty form. */
const api = (answer: Answer) => ({ fetch: hostsOf({ "api.acme.com": answer }), env: OPERATOR });
const REFUSES = api(() => Response.json({}, { status: 422 }));
/** A site in front of an API that somebody else runs, without the settings that only the reference API needs. */
const alone =
  (edits: Edit[] = []): Neighbors["settingsOf"] =>
  (target) => {
    const { site, other } = deployment(edits);
    const { CUSTOMER_PORTAL_URL: _, ...vars } = site.vars;
    const ofApi = { SUBSCRIPTION_API_IDEMPOTENT: "false", SUBSCRIPTION_API_PROMISES: "reminds, links-portal" };
    return {
      site: target === "production" ? { ...site, services: [], vars: { ...vars, ...ofApi } } : other.site,
      api: undefined,
    };
  };

const NO_TABLE = "✘ [ERROR] no such table: d1_migrations";
/** The first migration's prices, which Stripe does not know. */
const UNSOLD = PRICES.map((one) => ({ ...one, stripe_price_id: "price_mini" }));

test.each<Setup & { what: string; says: RegExp }>([
  { what: "everything is set", says: /Not checked: prices at Stripe \(the variable OPERATOR_TOKEN is not set\)/ },
  { what: "staging has its own settings", stage: "staging", says: /Not checked: prices/ },
  { what: "the database has no table yet", ...failing(/d1 execute/, NO_TABLE), says: /Deploying applies 0001_first/ },
  {
    what: "the API is silent about prices, of which one is new",
    ...{ account: { packages: [...UNSOLD.slice(0, 1), ...PRICES.slice(1)] }, others: api(HOST.silent) },
    says: /Not checked: .*ENOTFOUND/,
  },
  { what: "the API is another release", others: api(() => Response.json({})), says: /Not checked: .*has none/ },
  {
    what: "the site is alone",
    others: { ...REFUSES, settingsOf: alone() },
    says: /beyond the contract: reminds, links-portal \(SUBSCRIPTION_API_PROMISES\)\. Failed calls are not tried again \(/,
  },
])("a stage is ready if $what", async ({ says, stage = "production", ...setup }) => {
  const [last, output] = [`✓ Ready to deploy to ${stage}.`, expect.stringMatching(says)];
  expect(await checked({ stage, ...setup })).toMatchObject({ exitCode: 0, last, changes: [], output });
});

const KEY = [{ from: LIVE, to: TEST }];
const PAGE = "<!doctype html>";
const NO_WORKER = "This Worker does not exist on your account. [code: 10007]";

test.each<Setup & { what: string; findings?: number; says: RegExp }>([
  { what: "Cloudflare is silent", ...failing(/^site secret list/), says: /✗ Cloudflare: .*A fetch request failed/ },
  { what: "the database is silent", ...failing(/d1 execute/), says: /✗ database: .*A fetch request failed/ },
  { what: "Cloudflare sends a page", ...failing(/^site secret/, PAGE, true), says: /cannot be read: <!doctype html>/ },
  {
    ...{ what: "there is no Worker yet", ...failing(/secret list/, NO_WORKER) },
    findings: SECRETS.site.length + SECRETS.api.length,
    says: /secret put SESSION_SECRET/,
  },
  {
    what: "Stripe charges another price",
    others: api(() => Response.json({ prices: PRICES.map((one) => ({ ...one, at_stripe: null })) })),
    findings: PRICES.length,
    says: /its price at Stripe .* does not exist/,
  },
  {
    what: "the operator's token is another one, also before prices were set",
    ...{ account: { packages: UNSOLD }, others: api(() => new Response("No.", { status: 401 })) },
    says: /✗ The API answered 401: No\. Is OPERATOR_TOKEN the API's secret/,
  },
  { what: "the company is the example's", others: { company: { name: "acme.example" } }, says: /app\/company\.ts/ },
  { what: "this folder is no repository", others: { git: () => undefined }, says: /✗ this folder is not a git repo/ },
  {
    what: "the site's own API does not refuse an empty form",
    others: { settingsOf: siteAlone, ...api(() => new Response("ok")) },
    says: /: nothing \(SUBSCRIPTION_API_PROMISES\)\. Failed calls are tried again [\s\S]*✗ site: SUBSCRIPTION_API_URL: https:\/\/api\.acme\.com\/subscription answered an empty form with 200, not 400 or 422: is this the API's URL\?/,
  },
  { what: "the site alone has a test key", others: { ...REFUSES, settingsOf: alone(KEY) }, says: /must be a live key/ },
])("production is not ready if $what", async ({ findings = 1, says, ...setup }) => {
  const [last, output] = [`${findings} to fix before a deployment to production.`, expect.stringMatching(says)];
  const found = await checked(setup);
  expect(found).toMatchObject({ exitCode: 1, last, changes: [], output });
  expect(found.output, "a stack").not.toMatch(/^ +at /m);
});

test.each<{ what: string; others: Partial<Neighbors>; left: string }>([
  { what: "both Workers", others: {}, left: "secrets, migrations and packages" },
  { what: "the site alone", others: { settingsOf: siteAlone }, left: "secrets, and whether the API answers" },
])("offline, the preflight of $what asks nobody and says what it left out", async ({ others, left }) => {
  const found = await checked({ others, isOffline: true });
  const output = expect.stringContaining(`Not checked: ${left} (--offline).`);
  expect(found).toMatchObject({ exitCode: 0, asked: [], output });
  expect(found.output, "changes of a database that nobody asked").not.toContain("Deploying");
});

const FORM_URL = "https://api.other.com/subscription";
const NOT_JSON = "refused an empty form, but not as JSON";
const said = (status: number, type: string, body: string) => () =>
  new Response(body, { status, headers: { "content-type": type } });

test.each<{ what: string; answer: Answer; problem?: string }>([
  { what: "answers JSON", answer: said(400, "application/json", "{}") },
  { what: "answers problem details", answer: said(422, "application/problem+json; charset=utf-8", "{}") },
  { what: "says HTML", answer: said(400, "text/html", "{}"), problem: `${NOT_JSON} (text/html)` },
  { what: "has no JSON", answer: said(400, "application/json", "no"), problem: `${NOT_JSON} (application/json)` },
  { what: "is silent", answer: HOST.silent, problem: "cannot be reached (getaddrinfo ENOTFOUND)" },
])("an API that refuses an empty form and $what is judged as $problem", async ({ answer, problem }) => {
  const fetch = vi.fn(hostsOf({ "api.other.com": answer }));
  expect(await problemOfApi("https://api.other.com", fetch)).toBe(problem && `${FORM_URL} ${problem}`);
  expect(fetch.mock.calls).toMatchObject([[FORM_URL, { method: "POST", body: "{}" }]]);
  expect(await problemOfApi("http://api.other.com", fetch)).toBe("http://api.other.com is not an https URL");
  expect(fetch, "also without https").toHaveBeenCalledTimes(1);
});
