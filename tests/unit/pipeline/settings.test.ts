import { expect, test } from "vitest";
import { company } from "../../../app/company";
import { readConfiguration } from "../../../app/pipeline/settings/configuration.server";
import { SETTINGS } from "../../support/site-in-process/site-settings";
import { smallSite } from "./small-site";

/* The site's settings: the values accepted locally and in a deployment, and the answers of a site with wrong ones. */

const SECRET = "a-secret-of-at-least-thirty-two-characters";
const OTHER_SECRET = "another-secret-of-at-least-32-characters";
const LOCAL_SECRET = "only-for-local-development-never-for-a-deployment";
const LOCAL = { SITE_URL: "http://localhost:8787" };

/** Names of a deployment's wrong settings after a change. No problem shows the changed value. */
function wrongWith(change: Record<string, unknown>): string[] {
  const read = readConfiguration({ ...SETTINGS, ...change });
  if (read.status === "valid") return [];
  for (const value of Object.values(change).filter(Boolean)) expect(JSON.stringify(read)).not.toContain(String(value));
  return read.problems.map(({ name }) => name);
}

const { STAGE, SITE_URL, ...rest } = SETTINGS;
const { STRIPE_PUBLISHABLE_KEY: _key, SUBSCRIPTION_API_URL: _api, CUSTOMER_PORTAL_URL: _portal, ...required } = rest;
type Values = Record<string, unknown[]>;
const rowsOf = (all: Values) =>
  Object.entries(all).flatMap(([name, values]) => values.map((value) => ({ name, value })));

/** Values that a deployment takes, and this machine as well. */
const TAKEN: Values = {
  SUBSCRIPTION_API_URL: ["https://api.site.example/v1/"],
  SUBSCRIPTION_API_TIMEOUT_MS: ["100", "60000"],
  SUBSCRIPTION_API_PROMISES: ["reminds, ends-sign-ups", ""],
  CUSTOMER_PORTAL_URL: [""],
  CONSOLE_URL: ["https://console.site.example/?from=site#login"],
  STRIPE_PUBLISHABLE_KEY: [""],
  SESSION_SECRET: [`${SECRET},${OTHER_SECRET}`, ` ${SECRET}\n`, SECRET.slice(0, 32), `${"x".repeat(26)}abcdefghijk`],
};

/** Values for this machine alone: with them, a deployment would talk to a simulator, or have a known secret. */
const LOCAL_ONLY: Values = {
  CONSOLE_URL: ["http://console.site.example"],
  CUSTOMER_PORTAL_URL: ["http://localhost:8789/p/login/test"],
  SUBSCRIPTION_API_URL: ["", "http://api.site.example"],
  STRIPE_JS_URL: ["http://localhost:8789/endive/stripe.js"],
  STRIPE_API_URL: ["http://localhost:8789"],
  HOST: ["192.168.0.7"],
  SESSION_SECRET: [`${LOCAL_SECRET}\n`, `${SECRET},${LOCAL_SECRET}`],
};

const WITH_QUERY = ["?tenant=1", "#api", "/?", "/v1#"].map((end) => `https://site.example${end}`);
const WRONG: Values = {
  ...Object.fromEntries(Object.keys(required).map((name) => [name, [undefined]])),
  SITE_URL: ["www.site.example", ...WITH_QUERY],
  SUBSCRIPTION_API_URL: ["https://user@site.example", "https://:pw@site.example", "javascript:alert(1)", ...WITH_QUERY],
  SUBSCRIPTION_API_PROMISES: ["reminds, sends-gifts"],
  SUBSCRIPTION_API_TIMEOUT_MS: ["99", "60001", "1e3"],
  AUTOMATIC_TAX: ["1"],
  STRIPE_PUBLISHABLE_KEY: ["sk_live_oops"],
  FLOOD_RATE_LIMIT: [undefined, "10"],
  SESSION_SECRET: [
    undefined,
    `${SECRET.slice(0, 31)} `,
    `${"x".repeat(26)}abcdefghij`,
    `${SECRET},short`,
    `${SECRET}, ${SECRET}`,
    `${SECRET},${OTHER_SECRET},${LOCAL_SECRET}`,
  ],
  TURNSTILE_SITE_KEY: ["0x4 not a k"],
};

test.each([
  ...rowsOf(TAKEN).map((row) => ({ ...row, deployed: "right", local: "right" })),
  ...rowsOf(LOCAL_ONLY).map((row) => ({ ...row, deployed: "wrong", local: "right" })),
  ...rowsOf(WRONG).map((row) => ({ ...row, deployed: "wrong", local: "wrong" })),
])("$name=$value is $deployed in a deployment and $local on this machine", ({ name, value, deployed, local }) => {
  expect(wrongWith({ [name]: value }), "in a deployment").toEqual(deployed === "wrong" ? [name] : []);
  expect(wrongWith({ ...LOCAL, [name]: value }), "on this machine").toEqual(local === "wrong" ? [name] : []);
});

const [PORTAL, SITE_KEY, SECRET_KEY] = ["CUSTOMER_PORTAL_URL", "TURNSTILE_SITE_KEY", "TURNSTILE_SECRET_KEY"] as const;
const TURNSTILE = { [SITE_KEY]: "0x4AAAAAAAsite_key", [SECRET_KEY]: "0x4AAAAAAAsecret_key" };
const TWICE = { [SECRET_KEY]: SECRET, SESSION_SECRET: `${SECRET} ` };
const FOR_TESTS = "1x00000000000000000000AA";
const KEY = "STRIPE_PUBLISHABLE_KEY";
const LIVE = { [KEY]: "pk_live_1" };
const WITH_API = { SUBSCRIPTION_API: { fetch } };

test.each<{ where: string; change: Record<string, unknown>; wrong?: string }>([
  { where: "staging with a live key", change: LIVE, wrong: KEY },
  { where: "production with a live key", change: { STAGE: "production", ...LIVE } },
  { where: "production with a test key", change: { STAGE: "production" }, wrong: KEY },
  { where: "this machine without a stage", change: { ...LOCAL, STAGE: undefined } },
  { where: "this machine with a live key", change: { ...LOCAL, ...LIVE }, wrong: KEY },
  { where: "a deployment without a stage", change: { STAGE: undefined }, wrong: "STAGE" },
  { where: "a deployment with an unknown stage", change: { STAGE: "live" }, wrong: "STAGE" },
  { where: "a deployment over http", change: { SITE_URL: "http://www.site.example" }, wrong: "SITE_URL" },
  { where: "the reference API with its portal", change: WITH_API },
  { where: "the reference API alone", change: { ...WITH_API, [PORTAL]: undefined }, wrong: PORTAL },
  { where: "a site with Turnstile", change: TURNSTILE },
  { where: "Turnstile without its secret", change: { ...TURNSTILE, [SECRET_KEY]: undefined }, wrong: SECRET_KEY },
  { where: "Turnstile without its site key", change: { ...TURNSTILE, [SITE_KEY]: undefined }, wrong: SITE_KEY },
  { where: "Turnstile's site key for tests", change: { ...TURNSTILE, [SITE_KEY]: FOR_TESTS }, wrong: SITE_KEY },
  { where: "Turnstile's secret for tests", change: { ...TURNSTILE, [SECRET_KEY]: FOR_TESTS }, wrong: SECRET_KEY },
  { where: "a secret used twice", change: { ...TURNSTILE, ...TWICE }, wrong: "SESSION_SECRET" },
])("$where has this wrong setting: $wrong", ({ change, wrong }) => {
  expect(wrongWith(change)).toEqual(wrong === undefined ? [] : [wrong]);
});

test.each([
  {
    what: "the defaults of settings that are left out",
    change: { SUBSCRIPTION_API_URL: "https://api.site.example" },
    configuration: {
      SUBSCRIPTION_API_TIMEOUT_MS: 10_000,
      SUBSCRIPTION_API_IDEMPOTENT: false,
      AUTOMATIC_TAX: false,
      STRIPE_PUBLISHABLE_KEY: "",
      CONSOLE_URL: company.consoleUrl,
      RELEASE: "unknown",
    },
  },
  {
    what: "URLs without a slash at the end and secrets without spaces",
    change: { SUBSCRIPTION_API_URL: "https://api.site.example/", SESSION_SECRET: ` ${SECRET} , ${OTHER_SECRET}` },
    configuration: { SUBSCRIPTION_API_URL: "https://api.site.example", SESSION_SECRET: [SECRET, OTHER_SECRET] },
  },
])("a configuration has $what", ({ change, configuration }) => {
  const read = readConfiguration({ ...required, STAGE, SITE_URL, ...change });
  expect(read).toEqual({ status: "valid", configuration: expect.objectContaining(configuration) });
});

test("a site with wrong settings answers 503, names them on its health route and in an error, and shows their values nowhere", async () => {
  const { ask, logged } = smallSite({ SESSION_SECRET: "short-secret", CUSTOMER_PORTAL_URL: "nobody" });
  const page = await ask("/pricing");
  expect(page).toHaveStatus(503);
  const text = await page.text();
  expect(text).toContain("Service temporarily unavailable");
  expect(text).not.toMatch(/SESSION_SECRET|CUSTOMER_PORTAL_URL/);
  const health = await ask("/health");
  expect(health).toHaveStatus(503);
  const report = await health.json();
  const problems = ["CUSTOMER_PORTAL_URL", "SESSION_SECRET"].map((name) => expect.objectContaining({ name }));
  expect(report).toEqual({ status: "error", problems });
  expect(logged).toContainEqual(expect.objectContaining({ level: "error", event: "misconfigured" }));
  expect(text + JSON.stringify([report, logged])).not.toMatch(/short-secret|nobody/);
});

const DEVICE = "http://192.168.0.7:8787";

test.each([
  { site: "a local site", settings: LOCAL, url: `${DEVICE}/pricing`, status: 421 },
  { site: "a local site", settings: LOCAL, url: "https://site.somebody.workers.dev/health", status: 421 },
  { site: "a local site", settings: LOCAL, url: "http://[::1]:8787/pricing", status: 200 },
  { site: "npm start on all", settings: { ...LOCAL, HOST: "0.0.0.0" }, url: `${DEVICE}/pricing`, status: 200 },
  { site: "a deployment", settings: {}, url: "https://another.site.example/pricing", status: 200 },
])("$site answers $url with $status, and a refusal says how to allow it", async ({ settings, url, status }) => {
  const answer = await smallSite(settings).ask(url);
  expect(answer).toHaveStatus(status);
  expect((await answer.text()).includes("start with HOST=0.0.0.0 npm start.")).toBe(status === 421);
});
