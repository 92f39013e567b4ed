import { describe, expect, test } from "vitest";
import { keysOf, readConfig } from "../../../functions/subscription-api/config";
import { SETTINGS } from "../../support/api-in-process/runtime";
import { databaseInMemory } from "../../support/database/database-in-memory";

const { db: DB } = databaseInMemory();
const EMAIL = { send: async () => ({ messageId: "1" }) };
const AUDIENCE = "0123456789abcdef".repeat(4);

/** What the API makes of its local settings with these in their place. */
function configWith(changed: Record<string, unknown>) {
  return readConfig({ ...SETTINGS, DB, RELEASE: { id: "a-release" }, ...changed });
}

test.each<[string, Record<string, unknown>, object]>([
  ["is local with Stripe on this machine", {}, { isLocal: true, stripe: { apiUrl: new URL("http://localhost:8789") } }],
  [
    "takes two secrets while one is changed",
    {
      LINK_SECRET: `${"a".repeat(32)},${"b".repeat(32)}`,
      STRIPE_WEBHOOK_SECRET: "whsec_0123456789abcdef,whsec_fedcba9876543210",
    },
    {
      links: { secrets: ["a".repeat(32), "b".repeat(32)] },
      stripe: { webhookSecrets: ["whsec_0123456789abcdef", "whsec_fedcba9876543210"] },
    },
  ],
  ["needs no secret of the site", {}, { siteSecrets: [] }],
  ["sends mail over http", { EMAIL }, { mail: { transport: { kind: "http", url: "http://localhost:8789/emails" } } }],
  ["sends mail over http with its key", {}, { mail: { transport: { key: "re_local_development_only" } } }],
  [
    "sends mail by its binding where there is no URL",
    { EMAIL, MAIL_API_URL: undefined },
    { mail: { transport: { kind: "cloudflare", binding: EMAIL } } },
  ],
  [
    "knows Access by both of its settings",
    { ACCESS_URL: "https://team.example/", ACCESS_AUDIENCE: AUDIENCE },
    { access: { url: "https://team.example", audience: AUDIENCE } },
  ],
  ["has no Access without them", {}, { access: undefined }],
  [
    "takes an empty setting for none",
    { OPERATOR_TOKEN: "", CONSOLE_WEBHOOK_URL: "" },
    { operatorToken: undefined, console: undefined },
  ],
  ["has no console without a URL", { CONSOLE_WEBHOOK_URL: undefined }, { console: undefined }],
  [
    "has a console with both",
    {},
    { console: { url: "http://localhost:8789/console/webhook", secret: SETTINGS.CONSOLE_WEBHOOK_SECRET } },
  ],
  ["reads no funnel without its URL", { FUNNEL_SQL_URL: undefined }, { funnelReader: undefined }],
  [
    "reads the funnel with all three",
    {},
    {
      funnelReader: {
        url: "http://localhost:8789/funnel/sql",
        token: SETTINGS.FUNNEL_SQL_TOKEN,
        dataset: "citewell_funnel",
      },
    },
  ],
  ["gives one trial to each person only where that is said", {}, { trials: { onePerPerson: false } }],
  ["gives one trial to each person", { ONE_TRIAL_PER_PERSON: "true" }, { trials: { onePerPerson: true } }],
  [
    "leaves out the slash at the end",
    { PUBLIC_URL: "http://localhost:8788/", SITE_URL: "http://localhost:8787//" },
    { links: { publicUrl: "http://localhost:8788" }, mail: { siteUrl: "http://localhost:8787" } },
  ],
])("%s", (_, changed, expected) => {
  expect(configWith(changed)).toMatchObject({ status: "valid", configuration: expected });
});

describe("settings that need each other", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["MAIL_API_URL", { MAIL_API_URL: undefined }, "is missing, and there is no EMAIL binding"],
    ["MAIL_API_KEY", { MAIL_API_KEY: undefined }, "is missing"],
    ["ACCESS_AUDIENCE", { ACCESS_URL: "https://team.example" }, "is missing"],
    ["ACCESS_URL", { ACCESS_AUDIENCE: AUDIENCE }, "is missing"],
    ["FUNNEL_SQL_TOKEN", { FUNNEL_SQL_TOKEN: undefined }, "is missing"],
    ["FUNNEL_DATASET", { FUNNEL_DATASET: undefined }, "is missing"],
    ["CONSOLE_WEBHOOK_SECRET", { CONSOLE_WEBHOOK_SECRET: undefined }, "is missing"],
    ["STRIPE_API_URL", { STRIPE_SECRET_KEY: "sk_live_0123456789abcdef" }, "must be empty with a live key"],
    [
      "STRIPE_API_URL",
      { STRIPE_API_URL: "https://api.stripe.com", PUBLIC_URL: "https://api.example" },
      "must be on this machine, or https://api.stripe.com where PUBLIC_URL is on this machine",
    ],
  ])("%s is named", (name, changed, problem) => {
    expect(configWith(changed)).toMatchObject({ status: "invalid", problems: [{ name, problem }] });
  });
});

test("a deployment has every setting in its place", () => {
  const limiter = { limit: async () => ({ success: true }) };
  const FUNNEL = { writeDataPoint() {} };
  const result = readConfig({
    ...{ DB, FUNNEL, EMAIL, RELEASE: { id: "a-release" }, SIGNUP_RATE_LIMIT: limiter, OPERATOR_RATE_LIMIT: limiter },
    STRIPE_SECRET_KEY: "rk_live_0123456789abcdef",
    STRIPE_WEBHOOK_SECRET: "whsec_0123456789abcdef",
    MAIL_FROM: "from@acme.example",
    COMPANY_NAME: "Acme",
    CONSOLE_URL: "https://console.acme.example",
    CUSTOMER_PORTAL_URL: "https://portal.acme.example",
    SUPPORT_EMAIL: "support@acme.example",
    SALES_EMAIL: "sales@acme.example",
    OPERATOR_TOKEN: "o".repeat(32),
    SUBSCRIPTION_API_SECRET: "s".repeat(32),
    PUBLIC_URL: "https://api.acme.example",
    SITE_URL: "https://www.acme.example",
    LINK_SECRET: "l".repeat(32),
    HASH_SECRET: "h".repeat(32),
    ONE_TRIAL_PER_PERSON: "true",
    SIGN_UPS_PER_EMAIL_A_DAY: "5",
    SIGN_UPS_PER_SENDER_A_DAY: "20",
  });
  expect(result).toEqual({
    status: "valid",
    configuration: {
      ...{ isLocal: false, release: "a-release", db: DB, funnel: FUNNEL, siteSecrets: ["s".repeat(32)] },
      limits: { signUps: limiter, operator: limiter },
      stripe: {
        secretKey: "rk_live_0123456789abcdef",
        webhookSecrets: ["whsec_0123456789abcdef"],
        apiUrl: undefined,
      },
      mail: {
        transport: { kind: "cloudflare", binding: EMAIL },
        from: "from@acme.example",
        companyName: "Acme",
        consoleUrl: "https://console.acme.example",
        customerPortalUrl: "https://portal.acme.example",
        siteUrl: "https://www.acme.example",
        supportEmail: "support@acme.example",
        salesEmail: "sales@acme.example",
      },
      links: { publicUrl: "https://api.acme.example", secrets: ["l".repeat(32)] },
      trials: { hashSecret: "h".repeat(32), onePerPerson: true, signUpsPerDay: { email: 5, sender: 20 } },
      console: undefined,
      operatorToken: "o".repeat(32),
      ...{ access: undefined, funnelReader: undefined },
    },
  });
});

test("the names of wrong settings are sorted, without what is wrong", () => {
  const result = configWith({ LINK_SECRET: "short", HASH_SECRET: "short", COMPANY_NAME: "" });
  if (result.status === "valid") throw new Error("The settings are valid");
  expect(keysOf(result.problems)).toEqual(["COMPANY_NAME", "HASH_SECRET", "LINK_SECRET"]);
});

test("is read once for each isolate, and again for other bindings", () => {
  const env = { ...SETTINGS, DB, RELEASE: { id: "a-release" } };
  expect(readConfig(env)).toBe(readConfig(env));
  expect(readConfig({ ...env })).not.toBe(readConfig(env));
  for (const none of [null, undefined, "text"]) expect(readConfig(none)).toMatchObject({ status: "invalid" });
});
