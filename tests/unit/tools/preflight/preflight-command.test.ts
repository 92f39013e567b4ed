import { expect, test, vi } from "vitest";
import type { Neighbors } from "../../../../tools/neighbors";
import { problemOfApi } from "../../../../tools/preflight/api-of-others";
import { preflight } from "../../../../tools/preflight/preflight";
import type { Stage } from "../../../../tools/wrangler/wrangler";
import { SECRETS } from "../../../support/filled-in-settings";
import { deployment, type Edit, LIVE, PRICES, TEST } from "../filled-in-deployment";
import {
  type Answer,
  cloudflare,
  failing,
  fails,
  HOST,
  hostsOf,
  neighborsWith,
  OPERATOR,
  PAGE,
  siteAlone,
} from "../neighbors";
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

const NO_TABLE = fails("✘ [ERROR] no such table: d1_migrations");

test.each<Setup & { what: string; says: RegExp }>([
  { what: "everything is set", says: /Not checked: prices at Stripe \(the variable OPERATOR_TOKEN is not set\)/ },
  { what: "staging has its own settings", stage: "staging", says: /Not checked: prices/ },
  { what: "the database has no table yet", ...failing(/d1 execute/, NO_TABLE), says: /Deploying applies 0001_first/ },
  {
    what: "the API is silent about prices, of which one is new",
    account: { packages: PRICES.map((one, index) => (index > 0 ? one : { ...one, stripe_price_id: "price_mini" })) },
    others: api(HOST.silent),
    says: /Not checked: .*ENOTFOUND/,
  },
  { what: "the API is another release", others: api(() => Response.json({})), says: /Not checked: .*has none/ },
  {
    what: "the site is alone",
    others: { ...REFUSES, settingsOf: alone() },
    says: /beyond the contract: reminds, links-portal \(SUBSCRIPTION_API_PROMISES\)\. Failed calls are not tried again \(/,
  },
])("a stage is ready if $what", async ({ says, stage = "production", ...setup }) => {
  const { exitCode, last, output, changes } = await checked({ stage, ...setup });
  expect({ exitCode, last, changes }).toEqual({ exitCode: 0, last: `✓ Ready to deploy to ${stage}.`, changes: [] });
  expect(output).toMatch(says);
});

const KEY = [{ from: LIVE, to: TEST }];

test.each<Setup & { what: string; findings?: number; says: RegExp }>([
  { what: "Cloudflare is silent", ...failing(/^site secret list/), says: /✗ Cloudflare: .*A fetch request failed/ },
  { what: "the database is silent", ...failing(/d1 execute/), says: /✗ database: .*A fetch request failed/ },
  { what: "Cloudflare sends a page", ...failing(/^site secret list/, PAGE), says: /cannot be read: <!doctype html>/ },
  {
    what: "there is no Worker yet",
    ...failing(/secret list/, fails("This Worker does not exist on your account. [code: 10007]")),
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
    account: { packages: PRICES.map((one) => ({ ...one, stripe_price_id: "price_mini" })) },
    others: api(() => new Response("No.", { status: 401 })),
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
  const { exitCode, last, output, changes } = await checked(setup);
  const toFix = `${findings} to fix before a deployment to production.`;
  expect({ exitCode, last, changes }).toEqual({ exitCode: 1, last: toFix, changes: [] });
  expect(output).toMatch(says);
  expect(output, "a stack").not.toMatch(/^ +at /m);
});

test.each<{ what: string; others: Partial<Neighbors>; left: string }>([
  { what: "both Workers", others: {}, left: "secrets, migrations and packages" },
  { what: "the site alone", others: { settingsOf: siteAlone }, left: "secrets, and whether the API answers" },
])("offline, the preflight of $what asks nobody and says what it left out", async ({ others, left }) => {
  const { exitCode, output, asked } = await checked({ others, isOffline: true });
  expect({ exitCode, asked }).toEqual({ exitCode: 0, asked: [] });
  expect(output).toContain(`Not checked: ${left} (--offline).`);
  expect(output, "changes of a database that nobody asked").not.toContain("Deploying");
});

const FORM_URL = "https://api.other.com/subscription";
const NOT_JSON = "refused an empty form, but not as JSON";

test.each([
  { status: 400, type: "application/json", body: "{}", problem: undefined },
  { status: 422, type: "application/problem+json; charset=utf-8", body: "{}", problem: undefined },
  { status: 400, type: "text/html", body: "{}", problem: `${NOT_JSON} (text/html)` },
  { status: 400, type: "application/json", body: "no", problem: `${NOT_JSON} (application/json)` },
])("an API that answers an empty form with $status as $type is judged as $problem", async (row) => {
  const { status, type, body, problem } = row;
  const fetch = vi.fn(async () => new Response(body, { status, headers: { "content-type": type } }));
  expect(await problemOfApi("https://api.other.com", fetch)).toBe(problem && `${FORM_URL} ${problem}`);
  expect(fetch).toHaveBeenCalledWith(FORM_URL, expect.objectContaining({ method: "POST", body: "{}" }));
});

test("an API without https is not asked, and one that cannot be reached is named with the cause", async () => {
  const fetch = vi.fn();
  expect(await problemOfApi("http://api.other.com", fetch)).toBe("http://api.other.com is not an https URL");
  expect(fetch).not.toHaveBeenCalled();
  const unreachable = `${FORM_URL} cannot be reached (getaddrinfo ENOTFOUND)`;
  expect(await problemOfApi("https://api.other.com", hostsOf({}))).toBe(unreachable);
});
