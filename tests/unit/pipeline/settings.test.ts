import { describe, expect, test } from "vitest";
import { company } from "../../../app/company";
import { readConfiguration } from "../../../app/pipeline/settings/configuration.server";
import { SETTINGS } from "../../support/site-in-process/site-settings";
import { smallSite } from "./small-site";

/* The site's settings: the values accepted locally and in a deployment, and the answers of a site with wrong ones. */

const SECRET = "a-secret-of-at-least-thirty-two-characters";
const OTHER_SECRET = "another-secret-of-at-least-32-characters";
const LOCAL_SECRET = "only-for-local-development-never-for-a-deployment";
const LOCAL = { SITE_URL: "http://localhost:8787" };

/** Names of a deployment's wrong settings after a change. */
function wrongWith(change: Record<string, unknown>): string[] {
  const read = readConfiguration({ ...SETTINGS, ...change });
  return read.status === "invalid" ? read.problems.map(({ name }) => name) : [];
}

const { STAGE, STRIPE_PUBLISHABLE_KEY: _, SUBSCRIPTION_API_URL: __, SITE_URL, ...required } = SETTINGS;
type Value = { name: string; value: unknown };

/** Values that a deployment takes, and this machine as well. */
const TAKEN: Value[] = [
  { name: "SUBSCRIPTION_API_URL", value: "https://api.site.example/v1/" },
  { name: "SUBSCRIPTION_API_TIMEOUT_MS", value: "100" },
  { name: "SUBSCRIPTION_API_TIMEOUT_MS", value: "60000" },
  { name: "STRIPE_PUBLISHABLE_KEY", value: "" },
  { name: "SESSION_SECRET", value: `${SECRET},${OTHER_SECRET}` },
  { name: "SESSION_SECRET", value: ` ${SECRET}\n` },
  { name: "SESSION_SECRET", value: SECRET.slice(0, 32) },
  { name: "SESSION_SECRET", value: `${"x".repeat(26)}abcdefghijk` },
];

/** Values for this machine alone: with them, a deployment would talk to a simulator, or have a known secret. */
const LOCAL_ONLY: Value[] = [
  { name: "CONSOLE_URL", value: "http://console.site.example" },
  { name: "CUSTOMER_PORTAL_URL", value: "http://localhost:8789/p/login/test" },
  { name: "SUBSCRIPTION_API_URL", value: "" },
  { name: "SUBSCRIPTION_API_URL", value: "http://api.site.example" },
  { name: "STRIPE_JS_URL", value: "http://localhost:8789/endive/stripe.js" },
  { name: "STRIPE_API_URL", value: "http://localhost:8789" },
  { name: "HOST", value: "192.168.0.7" },
  { name: "SESSION_SECRET", value: `${LOCAL_SECRET}\n` },
  { name: "SESSION_SECRET", value: `${SECRET},${LOCAL_SECRET}` },
];

const WRONG: Value[] = [
  ...Object.keys(required).map((name) => ({ name, value: undefined })),
  { name: "SITE_URL", value: "www.site.example" },
  { name: "SUBSCRIPTION_API_URL", value: "https://user@site.example" },
  { name: "SUBSCRIPTION_API_URL", value: "https://:pass@site.example" },
  { name: "SUBSCRIPTION_API_URL", value: "javascript:alert(1)" },
  { name: "SUBSCRIPTION_API_TIMEOUT_MS", value: "99" },
  { name: "SUBSCRIPTION_API_TIMEOUT_MS", value: "60001" },
  { name: "SUBSCRIPTION_API_TIMEOUT_MS", value: "1e3" },
  { name: "AUTOMATIC_TAX", value: "1" },
  { name: "STRIPE_PUBLISHABLE_KEY", value: "sk_live_oops" },
  { name: "FLOOD_RATE_LIMIT", value: "10" },
  { name: "SESSION_SECRET", value: `${SECRET.slice(0, 31)} ` },
  { name: "SESSION_SECRET", value: `${"x".repeat(26)}abcdefghij` },
  { name: "SESSION_SECRET", value: `${SECRET},short` },
  { name: "SESSION_SECRET", value: `${SECRET}, ${SECRET}` },
  { name: "SESSION_SECRET", value: `${SECRET},${OTHER_SECRET},${LOCAL_SECRET}` },
  { name: "TURNSTILE_SITE_KEY", value: "0x4 not a k" },
];

test.each(TAKEN)("a deployment and this machine take $name=$value", ({ name, value }) => {
  expect(wrongWith({ [name]: value })).toEqual([]);
  expect(wrongWith({ ...LOCAL, [name]: value })).toEqual([]);
});

test.each(LOCAL_ONLY)("this machine takes $name=$value, a deployment does not", ({ name, value }) => {
  expect(wrongWith({ ...LOCAL, [name]: value })).toEqual([]);
  expect(wrongWith({ [name]: value })).toEqual([name]);
});

test.each(WRONG)("neither takes $name=$value", ({ name, value }) => {
  expect(wrongWith({ [name]: value })).toEqual([name]);
  expect(wrongWith({ ...LOCAL, [name]: value })).toEqual([name]);
});

test.each([...LOCAL_ONLY, ...WRONG].filter(({ value }) => value))(
  "the problem with $name does not show its value $value",
  ({ name, value }) => {
    expect(JSON.stringify(readConfiguration({ ...SETTINGS, [name]: value }))).not.toContain(value);
  },
);

test.each([
  { stage: "staging", key: "pk_test_1", wrong: [] },
  { stage: "staging", key: "pk_live_1", wrong: ["STRIPE_PUBLISHABLE_KEY"] },
  { stage: "production", key: "pk_live_1", wrong: [] },
  { stage: "production", key: "pk_test_1", wrong: ["STRIPE_PUBLISHABLE_KEY"] },
])("$stage with the key $key has these wrong settings: $wrong", ({ stage, key, wrong }) => {
  expect(wrongWith({ STAGE: stage, STRIPE_PUBLISHABLE_KEY: key })).toEqual(wrong);
});

test("this machine needs no stage, and takes no live key", () => {
  expect(wrongWith({ ...LOCAL, STAGE: undefined })).toEqual([]);
  expect(wrongWith({ ...LOCAL, STRIPE_PUBLISHABLE_KEY: "pk_live_1" })).toEqual(["STRIPE_PUBLISHABLE_KEY"]);
});

test("a deployment needs its stage, which is production or staging", () => {
  expect(wrongWith({ STAGE: undefined })).toEqual(["STAGE"]);
  expect(wrongWith({ STAGE: "prod" })).toEqual(["STAGE"]);
});

test("a deployment has an https URL", () => {
  expect(wrongWith({ SITE_URL: "http://www.site.example" })).toEqual(["SITE_URL"]);
});

describe("Turnstile's keys", () => {
  const TURNSTILE_SITE_KEY = "0x4AAAAAAAsite_key";
  const TURNSTILE_SECRET_KEY = "0x4AAAAAAAsecret_key";
  const FOR_TESTS = "1x00000000000000000000AA";

  test("are taken together", () => {
    expect(wrongWith({ TURNSTILE_SITE_KEY, TURNSTILE_SECRET_KEY })).toEqual([]);
  });

  test("need each other", () => {
    expect(wrongWith({ TURNSTILE_SITE_KEY })).toEqual(["TURNSTILE_SECRET_KEY"]);
    expect(wrongWith({ TURNSTILE_SECRET_KEY })).toEqual(["TURNSTILE_SITE_KEY"]);
  });

  test("are not Cloudflare's for tests in a deployment", () => {
    expect(wrongWith({ TURNSTILE_SITE_KEY: FOR_TESTS, TURNSTILE_SECRET_KEY })).toEqual(["TURNSTILE_SITE_KEY"]);
    expect(wrongWith({ TURNSTILE_SITE_KEY, TURNSTILE_SECRET_KEY: FOR_TESTS })).toEqual(["TURNSTILE_SECRET_KEY"]);
  });

  test("differ from the session's secret", () => {
    const same = { TURNSTILE_SECRET_KEY: SECRET, SESSION_SECRET: `${SECRET} ` };
    expect(wrongWith({ TURNSTILE_SITE_KEY, ...same })).toEqual(["SESSION_SECRET"]);
  });
});

describe("a configuration", () => {
  const configurationOf = (change: Record<string, unknown>) => {
    const read = readConfiguration({ ...required, STAGE, SITE_URL, ...change });
    if (read.status === "valid") return read.configuration;
    const wrong = read.problems.map(({ name, problem }) => `${name} ${problem}`);
    throw new Error(`The settings are refused: ${wrong.join("; ")}`);
  };

  test("has the defaults of settings that are left out", () => {
    expect(configurationOf({ SUBSCRIPTION_API_URL: "https://api.site.example" })).toMatchObject({
      SUBSCRIPTION_API_TIMEOUT_MS: 10_000,
      SUBSCRIPTION_API_IDEMPOTENT: false,
      AUTOMATIC_TAX: false,
      STRIPE_PUBLISHABLE_KEY: "",
      CONSOLE_URL: company.consoleUrl,
      RELEASE: "unknown",
    });
  });

  test("has URLs without a slash at the end and secrets without spaces", () => {
    const typed = {
      SUBSCRIPTION_API_URL: "https://api.site.example/",
      SESSION_SECRET: ` ${SECRET} , ${OTHER_SECRET}`,
    };
    expect(configurationOf(typed)).toMatchObject({
      SUBSCRIPTION_API_URL: "https://api.site.example",
      SESSION_SECRET: [SECRET, OTHER_SECRET],
    });
  });
});

describe("a site with wrong settings", () => {
  const wrongSite = () => smallSite({ SESSION_SECRET: "short-secret", CUSTOMER_PORTAL_URL: "nobody" });

  test("answers every page with 503, without their names", async () => {
    const page = await wrongSite().ask("/pricing");
    expect(page).toHaveStatus(503);
    const text = await page.text();
    expect(text).toContain("Service temporarily unavailable");
    expect(text).not.toMatch(/SESSION_SECRET|CUSTOMER_PORTAL_URL/);
  });

  test("names them on its health route", async () => {
    const health = await wrongSite().ask("/health");
    expect(health).toHaveStatus(503);
    const problems = ["CUSTOMER_PORTAL_URL", "SESSION_SECRET"].map((name) => expect.objectContaining({ name }));
    expect(await health.json()).toEqual({ status: "error", problems });
  });

  test("logs an error, and shows their values nowhere", async () => {
    const { ask, logged } = wrongSite();
    const health = await (await ask("/health")).text();
    expect(logged).toContainEqual(expect.objectContaining({ level: "error", event: "misconfigured" }));
    expect(health + JSON.stringify(logged)).not.toMatch(/short-secret|nobody/);
  });
});

describe("the host of a request", () => {
  const DEVICE = "http://192.168.0.7:8787";

  test.each([`${DEVICE}/pricing`, `${DEVICE}/health`, "https://site.somebody.workers.dev/nothing"])(
    "is refused by local settings if it is not this machine, with a way to allow it: %s",
    async (url) => {
      const answer = await smallSite(LOCAL).ask(url);
      expect(answer).toHaveStatus(421);
      expect(await answer.text()).toContain("start with HOST=0.0.0.0 npm start.");
    },
  );

  test("is accepted by local settings on this machine", async () => {
    expect(await smallSite(LOCAL).ask("http://[::1]:8787/pricing")).toHaveStatus(200);
  });

  test("is accepted by local settings on another device if npm start serves it", async () => {
    expect(await smallSite({ ...LOCAL, HOST: "0.0.0.0" }).ask(`${DEVICE}/pricing`)).toHaveStatus(200);
  });

  test("is accepted by a deployment, whatever it is", async () => {
    expect(await smallSite().ask("https://another.site.example/pricing")).toHaveStatus(200);
  });
});
