import { expect, test } from "vitest";
import { company } from "../../../app/company";
import { readConfiguration } from "../../../app/pipeline/settings/configuration.server";
import { SETTINGS } from "../../support/site-in-process/site-settings";
import { smallSite } from "./small-site";

const [secret, other] = ["a-secret-of-at-least-thirty-two-characters", "another-secret-of-at-least-32-characters"];
const LOCAL = "only-for-local-development-never-for-a-deployment";
const LONG = "x".repeat(26);
const local = { SITE_URL: "http://localhost:8787" };

/** The names of what is wrong. */
function wrongWith(change: Record<string, unknown>): string[] {
  const read = readConfiguration({ ...SETTINGS, ...change });
  return read.status === "invalid" ? read.problems.map(({ name }) => name) : [];
}

const { STRIPE_PUBLISHABLE_KEY: _, SUBSCRIPTION_API_URL: __, SITE_URL, ...required } = SETTINGS;
/** Values of a setting by where they are taken: in a deployment too, on this machine alone, or nowhere. */
const values: [name: string, takenBy: "all" | "local" | "none", ...values: unknown[]][] = [
  ...Object.keys(required).map((name): [string, "none", undefined] => [name, "none", undefined]),
  ["SITE_URL", "none", "www.site.example"],
  ["CONSOLE_URL", "local", "http://console.site.example"],
  ["CUSTOMER_PORTAL_URL", "local", "http://localhost:8789/p/login/test"],
  ["SUBSCRIPTION_API_URL", "all", "https://api.site.example/v1/"],
  ["SUBSCRIPTION_API_URL", "local", "", "http://api.site.example"],
  ["SUBSCRIPTION_API_URL", "none", "https://user@site.example", "https://:pass@site.example", "javascript:alert(1)"],
  ["SUBSCRIPTION_API_TIMEOUT_MS", "all", "100", "60000"],
  ["SUBSCRIPTION_API_TIMEOUT_MS", "none", "99", "60001", "1e3"],
  ["AUTOMATIC_TAX", "none", "1"],
  ["DEADLINE_FACTOR", "all", "1"],
  ["DEADLINE_FACTOR", "local", "2", "9999"],
  ["DEADLINE_FACTOR", "none", "0", "10000"],
  ["STRIPE_JS_URL", "local", "http://localhost:8789/endive/stripe.js"],
  ["STRIPE_API_URL", "local", "http://localhost:8789"],
  ["HOST", "local", "192.168.0.7"],
  ["STRIPE_PUBLISHABLE_KEY", "all", ""],
  ["STRIPE_PUBLISHABLE_KEY", "none", "sk_live_oops"],
  ["FLOOD_RATE_LIMIT", "none", "10"],
  ["SESSION_SECRET", "all", `${secret},${other}`, ` ${secret}\n`, secret.slice(0, 32), `${LONG}abcdefghijk`],
  ["SESSION_SECRET", "local", `${LOCAL}\n`, `${secret},${LOCAL}`],
  ["SESSION_SECRET", "none", `${secret.slice(0, 31)} `, `${LONG}abcdefghij`, `${secret},short`],
  ["SESSION_SECRET", "none", `${secret}, ${secret}`, `${secret},${other},${LOCAL}`],
  ["TURNSTILE_SITE_KEY", "none", "0x4 not a k"],
];
const rows = values.flatMap(([name, takenBy, ...all]) => all.map((value) => [name, value, takenBy] as const));

test.each(rows)("the setting %s=%j is taken by: %s", (name, value, takenBy) => {
  expect(wrongWith({ [name]: value })).toEqual(takenBy === "all" ? [] : [name]);
  expect(wrongWith({ ...local, [name]: value })).toEqual(takenBy === "none" ? [name] : []);
  const problems = JSON.stringify(readConfiguration({ ...SETTINGS, [name]: value }));
  if (takenBy !== "all" && value) expect(problems, "a problem does not show the value").not.toContain(value);
});

const [TURNSTILE_SITE_KEY, TURNSTILE_SECRET_KEY] = ["0x4AAAAAAAsite_key", "0x4AAAAAAAsecret_key"];
const forTests = "1x00000000000000000000AA";

test.each<[change: Record<string, string>, wrong: string[]]>([
  [{ SITE_URL: "http://www.site.example" }, ["SITE_URL"]],
  [{ TURNSTILE_SITE_KEY, TURNSTILE_SECRET_KEY }, []],
  [{ TURNSTILE_SITE_KEY }, ["TURNSTILE_SECRET_KEY"]],
  [{ TURNSTILE_SECRET_KEY }, ["TURNSTILE_SITE_KEY"]],
  [{ TURNSTILE_SITE_KEY: forTests, TURNSTILE_SECRET_KEY }, ["TURNSTILE_SITE_KEY"]],
  [{ TURNSTILE_SITE_KEY, TURNSTILE_SECRET_KEY: forTests }, ["TURNSTILE_SECRET_KEY"]],
  [{ TURNSTILE_SITE_KEY, TURNSTILE_SECRET_KEY: secret, SESSION_SECRET: `${secret} ` }, ["SESSION_SECRET"]],
])("the settings %j leave %j wrong", (change, wrong) => {
  expect(wrongWith(change)).toEqual(wrong);
});

test("a setting is read without what is no part of it, and with the defaults of the others", () => {
  const typed = { SUBSCRIPTION_API_URL: "https://api.site.example/", SESSION_SECRET: ` ${secret} , ${other}` };
  expect(readConfiguration({ ...required, SITE_URL, ...typed })).toMatchObject({
    status: "valid",
    configuration: {
      ...{ SUBSCRIPTION_API_URL: "https://api.site.example", SESSION_SECRET: [secret, other], RELEASE: "unknown" },
      ...{ SUBSCRIPTION_API_TIMEOUT_MS: 10_000, SUBSCRIPTION_API_IDEMPOTENT: false, AUTOMATIC_TAX: false },
      ...{ CONSOLE_URL: company.consoleUrl, DEADLINE_FACTOR: 1, STRIPE_PUBLISHABLE_KEY: "" },
    },
  });
});

test("a site with wrong settings answers 503, and only its health route names them, without their values", async () => {
  const { ask, logged } = smallSite({ SESSION_SECRET: "short-secret", CUSTOMER_PORTAL_URL: "nobody" });
  const page = await ask("/pricing");
  expect([page.status, await page.text()]).toEqual([503, expect.stringContaining("Service temporarily unavailable")]);
  const health = await ask("/health");
  const problems = ["CUSTOMER_PORTAL_URL", "SESSION_SECRET"].map((name) => expect.objectContaining({ name }));
  expect([health.status, await health.json()]).toEqual([503, { status: "error", problems }]);
  expect(logged).toContainEqual(expect.objectContaining({ level: "error", event: "misconfigured" }));
  expect(JSON.stringify(logged)).not.toMatch(/short-secret|nobody/);
});

test("local settings serve this machine alone, and another device only when asked to; a deployment serves every host", async () => {
  const answerOf = async (settings: object, url: string) => {
    const answer = await smallSite({ ...settings }).ask(url);
    return [answer.status, await answer.text()];
  };
  const refused = [421, expect.stringContaining("start with HOST=0.0.0.0 npm start.")];
  const device = "http://192.168.0.7:8787/pricing";
  for (const url of [device, "http://192.168.0.7:8787/health", "https://site.somebody.workers.dev/nothing"])
    expect(await answerOf(local, url)).toEqual(refused);
  const served = [200, expect.stringContaining("Pricing")];
  expect(await answerOf(local, "http://[::1]:8787/pricing")).toEqual(served);
  expect(await answerOf({ ...local, HOST: "0.0.0.0" }, device)).toEqual(served);
  expect(await answerOf({}, "https://another.site.example/pricing")).toEqual(served);
});
