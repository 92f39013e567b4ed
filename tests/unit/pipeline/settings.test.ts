import { describe, expect, test } from "vitest";
import { readConfiguration } from "../../../app/pipeline/settings/configuration.server";
import { SETTINGS } from "../../support/site-in-process/site-settings";
import { smallSite } from "./small-site";

const secret = "a-secret-of-at-least-thirty-two-characters";
const other = "another secret, no: one without commas 12345".replace(/,/g, "");
const LOCAL = "only-for-local-development-never-for-a-deployment";
const LONG = "x".repeat(26);

const local = { SITE_URL: "http://localhost:8787", CUSTOMER_PORTAL_URL: "http://localhost:8789/p/login/test" };

/** The names of what is wrong. */
function wrongWith(change: Record<string, unknown>): string[] {
  const read = readConfiguration({ ...SETTINGS, ...change });
  return read.status === "invalid" ? read.problems.map(({ name }) => name) : [];
}

const url = "https://api.site.example";
const siteKey = "0x4AAAAAAAsite_key";
const secretKey = "0x4AAAAAAAsecret_key";
const forTests = "1x00000000000000000000AA";

/** A value of a setting, and whether a deployment and a Worker on this machine take it. */
const values: [name: string, value: unknown, deployed: boolean, onThisMachine: boolean][] = [
  ["SITE_URL", "www.site.example", false, false],
  ["CONSOLE_URL", "http://console.site.example", false, true],
  ["CUSTOMER_PORTAL_URL", undefined, false, false],
  ["CUSTOMER_PORTAL_URL", "http://localhost:8789/p/login/test", false, true],
  ["SUBSCRIPTION_API_URL", `${url}/v1/`, true, true],
  ["SUBSCRIPTION_API_URL", "", false, true],
  ["SUBSCRIPTION_API_URL", "http://api.site.example", false, true],
  ["SUBSCRIPTION_API_URL", "https://user:pass@api.site.example", false, false],
  ["SUBSCRIPTION_API_URL", "javascript:alert(1)", false, false],
  ["SUBSCRIPTION_API_TIMEOUT_MS", "100", true, true],
  ["SUBSCRIPTION_API_TIMEOUT_MS", "99", false, false],
  ["SUBSCRIPTION_API_TIMEOUT_MS", "60001", false, false],
  ["SUBSCRIPTION_API_TIMEOUT_MS", "soon", false, false],
  ["SUBSCRIPTION_API_IDEMPOTENT", "yes, please", false, false],
  ["DEADLINE_FACTOR", "1", true, true],
  ["DEADLINE_FACTOR", "2", false, true],
  ["DEADLINE_FACTOR", "none", false, false],
  ["STRIPE_JS_URL", "http://localhost:8789/endive/stripe.js", false, true],
  ["STRIPE_API_URL", "http://localhost:8789", false, true],
  ["HOST", "192.168.0.7", false, true],
  ["STRIPE_PUBLISHABLE_KEY", "", true, true],
  ["STRIPE_PUBLISHABLE_KEY", "sk_live_oops", false, false],
  ["PACKAGE_ID_MINI", "mini", false, false],
  ["SALES_EMAIL", "", false, false],
  ["SALES_EMAIL", "sales", false, false],
  ["ASSETS", undefined, false, false],
  ["SIGNUP_RATE_LIMIT", undefined, false, false],
  ["FLOOD_RATE_LIMIT", "10", false, false],
  ["SIGNUP_NETWORK_RATE_LIMIT", undefined, false, false],
  ["CARD_CHECK_RATE_LIMIT", undefined, false, false],
  ["SESSION_SECRET", undefined, false, false],
  ["SESSION_SECRET", `${secret},${other}`, true, true],
  ["SESSION_SECRET", ` ${secret}\n`, true, true],
  ["SESSION_SECRET", LOCAL, false, true],
  ["SESSION_SECRET", `${LOCAL}\n`, false, true],
  ["SESSION_SECRET", `${secret},${LOCAL}`, false, true],
  ["SESSION_SECRET", secret.slice(0, 31), false, false],
  ["SESSION_SECRET", `${secret.slice(0, 31)} `, false, false],
  ["SESSION_SECRET", `${LONG}abcdefghijk`, true, true],
  ["SESSION_SECRET", `${LONG}abcdefghij`, false, false],
  ["SESSION_SECRET", `${secret},short`, false, false],
  ["SESSION_SECRET", `${secret}, ${secret}`, false, false],
  ["SESSION_SECRET", `${secret},${other},${LOCAL}`, false, false],
  ["TURNSTILE_SITE_KEY", "0x4 not a k", false, false],
];

describe("a setting", () => {
  test.each(values)("%s=%j: taken by a deployment %s, on this machine %s", (name, value, deployed, onThisMachine) => {
    expect(wrongWith({ [name]: value })).toEqual(deployed ? [] : [name]);
    expect(wrongWith({ ...local, [name]: value })).toEqual(onThisMachine ? [] : [name]);
    const read = readConfiguration({ ...SETTINGS, [name]: value });
    if (!deployed && value) expect(JSON.stringify(read), "a problem does not show the value").not.toContain(value);
  });

  test.each<[change: Record<string, string>, wrong: string[]]>([
    [{ SITE_URL: "http://www.site.example" }, ["SITE_URL"]],
    [{ TURNSTILE_SITE_KEY: siteKey, TURNSTILE_SECRET_KEY: secretKey }, []],
    [{ TURNSTILE_SITE_KEY: siteKey }, ["TURNSTILE_SECRET_KEY"]],
    [{ TURNSTILE_SECRET_KEY: secretKey }, ["TURNSTILE_SITE_KEY"]],
    [{ TURNSTILE_SITE_KEY: forTests, TURNSTILE_SECRET_KEY: secretKey }, ["TURNSTILE_SITE_KEY"]],
    [{ TURNSTILE_SITE_KEY: siteKey, TURNSTILE_SECRET_KEY: secret, SESSION_SECRET: `${secret} ` }, ["SESSION_SECRET"]],
  ])("beside others: %j leaves %j wrong", (change, wrong) => {
    expect(wrongWith(change)).toEqual(wrong);
  });

  test("is read without what is no part of it, and with the defaults of the others", () => {
    const { STRIPE_PUBLISHABLE_KEY: _, ...required } = SETTINGS;
    const SESSION_SECRET = ` ${secret} , ${other}`;
    expect(readConfiguration({ ...required, SUBSCRIPTION_API_URL: `${url}/`, SESSION_SECRET })).toMatchObject({
      status: "valid",
      configuration: {
        SUBSCRIPTION_API_URL: url,
        SESSION_SECRET: [secret, other],
        SUBSCRIPTION_API_TIMEOUT_MS: 10_000,
        SUBSCRIPTION_API_IDEMPOTENT: false,
        DEADLINE_FACTOR: 1,
        STRIPE_PUBLISHABLE_KEY: "",
        RELEASE: "unknown",
      },
    });
  });
});

describe("a site with wrong settings", () => {
  test("answers 503 to everything, and only the health route names the settings, without their values", async () => {
    const { ask, logged } = smallSite({ SESSION_SECRET: "short-secret", SALES_EMAIL: "nobody" });
    const page = await ask("/pricing");
    expect([page.status, await page.text()]).toEqual([503, expect.stringContaining("Service temporarily unavailable")]);
    const health = await ask("/health");
    const problems = ["SALES_EMAIL", "SESSION_SECRET"].map((name) => expect.objectContaining({ name }));
    expect([health.status, await health.json()]).toEqual([503, { status: "error", problems }]);
    expect(logged).toContainEqual(expect.objectContaining({ level: "error", event: "misconfigured" }));
    expect(JSON.stringify(logged)).not.toMatch(/short-secret|nobody/);
  });

  test("or with local ones serves this machine alone, and another device only when asked to", async () => {
    const host = "http://192.168.0.7:8787";
    const alone = smallSite(local);
    expect((await alone.ask(`${host}/pricing`)).status).toBe(421);
    expect((await alone.ask("http://localhost:8787/pricing")).status).toBe(200);
    const shared = smallSite({ ...local, HOST: "0.0.0.0" });
    expect((await shared.ask(`${host}/pricing`)).status).toBe(200);
  });
});
