import { describe, expect, test } from "vitest";
import { readConfiguration } from "../../../app/pipeline/settings/configuration.server";
import { SETTINGS } from "../../support/site-in-process/site-context";

const secret = "a-secret-of-at-least-thirty-two-characters";

describe("the site's configuration", () => {
  test("is read with its defaults when complete", () => {
    const { STRIPE_PUBLISHABLE_KEY: _, ...required } = SETTINGS;
    expect(readConfiguration({ ...required, SUBSCRIPTION_API_URL: "https://api.site.example/" })).toMatchObject({
      status: "valid",
      configuration: {
        SUBSCRIPTION_API_URL: "https://api.site.example",
        SUBSCRIPTION_API_TIMEOUT_MS: 10_000,
        SUBSCRIPTION_API_IDEMPOTENT: false,
        STRIPE_PUBLISHABLE_KEY: "",
        RELEASE: "unknown",
        BOT_CHECK: true,
        DEADLINE_FACTOR: 1,
      },
    });
  });

  test("treats an empty variable as unset, and locally finds the API where npm start runs it [N4]", () => {
    const local = { ...SETTINGS, SITE_URL: "http://localhost:8787" };
    const empty = { SUBSCRIPTION_API_URL: "", STRIPE_PUBLISHABLE_KEY: "", STRIPE_JS_URL: "", TURNSTILE_SITE_KEY: "" };
    expect(readConfiguration({ ...local, ...empty })).toMatchObject({
      status: "valid",
      configuration: { SUBSCRIPTION_API_URL: "http://localhost:8788", STRIPE_PUBLISHABLE_KEY: "" },
    });
    expect(readConfiguration({ ...SETTINGS, SALES_EMAIL: "" })).toEqual({
      status: "invalid",
      problems: [{ name: "SALES_EMAIL", problem: "is missing" }],
    });
    expect(readConfiguration({ ...SETTINGS, SUBSCRIPTION_API_URL: "" })).toEqual({
      status: "invalid",
      problems: [{ name: "SUBSCRIPTION_API_URL", problem: "must be an https URL" }],
    });
  });

  test.each([
    ["SESSION_SECRET", undefined],
    ["SESSION_SECRET", "short"],
    ["SESSION_SECRET", `${secret},short`],
    ["SESSION_SECRET", `${secret},${secret},${secret}`],
    ["SESSION_SECRET", `${secret},only-for-local-development-never-for-a-deployment`],
    ["SESSION_SECRET", "only-for-local-development-never-for-a-deployment"],
    ["SUBSCRIPTION_API_URL", "https://user:pass@api.site.example"],
    ["SUBSCRIPTION_API_URL", "javascript:alert(1)"],
    ["SUBSCRIPTION_API_SECRET", "short"],
    ["SUBSCRIPTION_API_SECRET", `${secret},${secret}`],
    ["SUBSCRIPTION_API_SECRET", `${secret}\r\nX: y`],
    ["CUSTOMER_PORTAL_URL", undefined],
    ["CUSTOMER_PORTAL_URL", "http://localhost:8789/p/login/test"],
    ["STRIPE_JS_URL", "http://localhost:8789/endive/stripe.js"],
    ["STRIPE_API_URL", "http://localhost:8789"],
    ["BOT_CHECK", "false"],
    ["HOST", "192.168.0.7"],
    ["DEADLINE_FACTOR", "1000"],
    ["DEADLINE_FACTOR", "none"],
    ["STRIPE_PUBLISHABLE_KEY", "sk_live_oops"],
    ["PACKAGE_ID_MINI", "mini"],
    ["SALES_EMAIL", "sales"],
    ["SUBSCRIPTION_API_TIMEOUT_MS", "soon"],
    ["SUBSCRIPTION_API_IDEMPOTENT", "yes, please"],
    ["SIGNUP_RATE_LIMIT", undefined],
    ["CSP_REPORT_RATE_LIMIT", "10"],
    ["TURNSTILE_SITE_KEY", "0x4 not a k"],
    ["SIGNUP_NETWORK_RATE_LIMIT", undefined],
    ["FORM_NONCE_RATE_LIMIT", undefined],
    ["CARD_CHECK_RATE_LIMIT", undefined],
  ])("names an invalid %s, but not its value [C10]", (name, value) => {
    const read = readConfiguration({ ...SETTINGS, [name]: value });
    expect(read).toMatchObject({ status: "invalid", problems: [{ name }] });
    if (value) expect(JSON.stringify(read)).not.toContain(value);
  });

  test("requires both Turnstile keys or neither, and refuses test keys [H25]", () => {
    const [siteKey, secretKey] = ["0x4AAAAAAAsite_key", "0x4AAAAAAAsecret_key"];
    const problemsWith = (keys: Record<string, string>) => {
      const read = readConfiguration({ ...SETTINGS, ...keys });
      return read.status === "invalid" ? read.problems.map(({ name }) => name) : [];
    };
    expect(problemsWith({ TURNSTILE_SITE_KEY: siteKey, TURNSTILE_SECRET_KEY: secretKey })).toEqual([]);
    expect(problemsWith({ TURNSTILE_SITE_KEY: siteKey })).toEqual(["TURNSTILE_SECRET_KEY"]);
    expect(problemsWith({ TURNSTILE_SECRET_KEY: secretKey })).toEqual(["TURNSTILE_SITE_KEY"]);
    const forTests = { TURNSTILE_SITE_KEY: "1x00000000000000000000AA", TURNSTILE_SECRET_KEY: secretKey };
    expect(problemsWith(forTests)).toEqual(["TURNSTILE_SITE_KEY"]);
  });
});
