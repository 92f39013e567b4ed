import { describe, expect, test } from "vitest";
import { keysOf, readConfig } from "../../../functions/subscription-api/config";
import { databaseInMemory } from "../../support/api-in-process/database";
import { DEPLOYED, SETTINGS } from "../../support/api-in-process/settings";

const { d1: DB } = databaseInMemory();
const EMAIL = { send: async () => ({ messageId: "1" }) };
const SECRET = "s".repeat(32);
const AUDIENCE = "0123456789abcdef".repeat(4);

/** What the API makes of its local settings with these in their place. */
function configWith(changed: Record<string, unknown>) {
  return readConfig({ ...SETTINGS, DB, ...changed });
}

test.each<[string, Record<string, unknown>, object]>([
  [
    "the local settings",
    {},
    {
      isLocal: true,
      stripe: { apiUrl: new URL("http://localhost:8789") },
      siteSecrets: [],
      mail: { transport: { kind: "http", url: "http://localhost:8789/emails", key: "re_local_development_only" } },
      access: undefined,
      console: { url: "http://localhost:8789/console/webhook", secret: SETTINGS.CONSOLE_WEBHOOK_SECRET },
      funnelReader: {
        url: "http://localhost:8789/funnel/sql",
        token: SETTINGS.FUNNEL_SQL_TOKEN,
        dataset: "citewell_funnel",
      },
      trials: { onePerPerson: false },
    },
  ],
  [
    "two secrets while one is changed",
    {
      LINK_SECRET: `${"a".repeat(32)},${"b".repeat(32)}`,
      STRIPE_WEBHOOK_SECRET: "whsec_0123456789abcdef,whsec_fedcba9876543210",
    },
    {
      links: { secrets: ["a".repeat(32), "b".repeat(32)] },
      stripe: { webhookSecrets: ["whsec_0123456789abcdef", "whsec_fedcba9876543210"] },
    },
  ],
  ["email over http although there is a binding", { EMAIL }, { mail: { transport: { kind: "http" } } }],
  [
    "email by its binding where there is no URL",
    { EMAIL, MAIL_API_URL: undefined },
    { mail: { transport: { kind: "cloudflare", binding: EMAIL } } },
  ],
  [
    "both settings of Access",
    { ACCESS_URL: "https://team.example/", ACCESS_AUDIENCE: AUDIENCE },
    { access: { url: "https://team.example", audience: AUDIENCE } },
  ],
  [
    "empty settings, which count as none",
    { OPERATOR_TOKEN: "", CONSOLE_WEBHOOK_URL: "" },
    { operatorToken: undefined, console: undefined },
  ],
  ["no URL of the console", { CONSOLE_WEBHOOK_URL: undefined }, { console: undefined }],
  ["no URL of the funnel", { FUNNEL_SQL_URL: undefined }, { funnelReader: undefined }],
  ["one trial for each person", { ONE_TRIAL_PER_PERSON: "true" }, { trials: { onePerPerson: true } }],
  [
    "URLs with slashes at the end",
    { PUBLIC_URL: "http://localhost:8788/", SITE_URL: "http://localhost:8787//" },
    { links: { publicUrl: "http://localhost:8788" }, mail: { siteUrl: "http://localhost:8787" } },
  ],
])("the API runs with %s", (_, changed, expected) => {
  expect(configWith(changed)).toMatchObject({ status: "valid", configuration: expected });
});

test("links for browsers use the host under which other devices find this machine; the API's own calls stay local", () => {
  expect(configWith({ HOST: "192.168.0.7" })).toMatchObject({
    status: "valid",
    configuration: {
      links: { publicUrl: "http://192.168.0.7:8788" },
      mail: {
        siteUrl: "http://192.168.0.7:8787",
        customerPortalUrl: "http://192.168.0.7:8789/p/login/test",
        consoleUrl: SETTINGS.CONSOLE_URL,
      },
      stripe: { apiUrl: new URL("http://localhost:8789") },
    },
  });
  expect(configWith({ HOST: "" })).toMatchObject({ configuration: { links: { publicUrl: "http://localhost:8788" } } });
});

describe("settings that depend on each other", () => {
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
  ])("are reported: %s", (name, changed, problem) => {
    expect(configWith(changed)).toMatchObject({ status: "invalid", problems: [{ name, problem }] });
  });
});

test("a deployment's configuration has every setting", () => {
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
    AUTOMATIC_TAX: "true",
    REFUND_REPORTED: "false",
    SIGN_UPS_PER_EMAIL_A_DAY: "5",
    SIGN_UPS_PER_SENDER_A_DAY: "20",
    SIGN_UPS_PER_NETWORK_A_DAY: "30",
  });
  expect(result).toEqual({
    status: "valid",
    configuration: {
      ...{
        isLocal: false,
        deadlineFactor: 1,
        passwordCost: undefined,
        inMaintenance: false,
        release: "a-release",
        d1: DB,
        funnel: FUNNEL,
        siteSecrets: ["s".repeat(32)],
      },
      limits: { signUps: limiter, operator: limiter },
      stripe: {
        secretKey: "rk_live_0123456789abcdef",
        webhookSecrets: ["whsec_0123456789abcdef"],
        apiUrl: undefined,
      },
      automaticTax: true,
      refundsReported: false,
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
      trials: { hashSecret: "h".repeat(32), onePerPerson: true, signUpsPerDay: { email: 5, sender: 20, network: 30 } },
      console: undefined,
      operatorToken: "o".repeat(32),
      ...{ access: undefined, funnelReader: undefined },
    },
  });
});

test.each<[string, Record<string, unknown>, string[]]>([
  [
    "production without keys",
    { ...DEPLOYED, STRIPE_SECRET_KEY: undefined, STRIPE_WEBHOOK_SECRET: undefined },
    ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"],
  ],
  [
    "production with settings for tests",
    { ...DEPLOYED, DEADLINE_FACTOR: "1000", PASSWORD_COST: "1" },
    ["DEADLINE_FACTOR", "PASSWORD_COST"],
  ],
  [
    "production without the secrets of links and hashes",
    { ...DEPLOYED, LINK_SECRET: undefined, HASH_SECRET: undefined },
    ["HASH_SECRET", "LINK_SECRET"],
  ],
  [
    "production with the local secret of links as the old one",
    { ...DEPLOYED, LINK_SECRET: `${DEPLOYED.LINK_SECRET},signs-links-in-local-development-only` },
    ["LINK_SECRET"],
  ],
  [
    "production with the local keys and URLs",
    { STRIPE_API_URL: undefined },
    [
      "CONSOLE_WEBHOOK_SECRET",
      "CONSOLE_WEBHOOK_URL",
      "CUSTOMER_PORTAL_URL",
      "FUNNEL_SQL_URL",
      "HASH_SECRET",
      "LINK_SECRET",
      "MAIL_API_KEY",
      "MAIL_API_URL",
      "OPERATOR_TOKEN",
      "PUBLIC_URL",
      "SITE_URL",
      "STRIPE_SECRET_KEY",
      "STRIPE_WEBHOOK_SECRET",
    ],
  ],
  [
    "a publishable key in the secret one's place",
    { STRIPE_SECRET_KEY: "pk_live_0123456789abcdef0123" },
    ["STRIPE_SECRET_KEY"],
  ],
  [
    "pk_live with sk_test",
    {
      ...DEPLOYED,
      STRIPE_SECRET_KEY: "sk_test_0123456789abcdef0123",
      STRIPE_WEBHOOK_SECRET: "whsec_0123456789abcdef0123",
      STRIPE_PUBLISHABLE_KEY: "pk_live_0123456789abcdef0123",
    },
    ["STRIPE_PUBLISHABLE_KEY", "STRIPE_SECRET_KEY"],
  ],
  ["a console reached over plain http", { CONSOLE_WEBHOOK_URL: "http://console.example/" }, ["CONSOLE_WEBHOOK_URL"]],
  ["a console URL that is none", { CONSOLE_URL: "nonsense" }, ["CONSOLE_URL"]],
  ["no Customer Portal", { ...DEPLOYED, CUSTOMER_PORTAL_URL: "" }, ["CUSTOMER_PORTAL_URL"]],
  [
    "the simulator's Customer Portal",
    { ...DEPLOYED, CUSTOMER_PORTAL_URL: "http://localhost:8789/p/login/test" },
    ["CUSTOMER_PORTAL_URL"],
  ],
  ["a short operator's token", { OPERATOR_TOKEN: "short" }, ["OPERATOR_TOKEN"]],
  [
    "three secrets of the webhook",
    { STRIPE_WEBHOOK_SECRET: Array(3).fill(DEPLOYED.STRIPE_WEBHOOK_SECRET).join() },
    ["STRIPE_WEBHOOK_SECRET"],
  ],
  [
    "production with the local secret of the webhook as the old one",
    { ...DEPLOYED, STRIPE_WEBHOOK_SECRET: `${DEPLOYED.STRIPE_WEBHOOK_SECRET},whsec_local_development_only` },
    ["STRIPE_WEBHOOK_SECRET"],
  ],
  ["an old shared secret that is short", { SUBSCRIPTION_API_SECRET: `${SECRET},` }, ["SUBSCRIPTION_API_SECRET"]],
  ["three shared secrets", { SUBSCRIPTION_API_SECRET: `${SECRET},${SECRET},${SECRET}` }, ["SUBSCRIPTION_API_SECRET"]],
  ["a shared secret with a space", { SUBSCRIPTION_API_SECRET: `${SECRET} x` }, ["SUBSCRIPTION_API_SECRET"]],
  [
    "no limits",
    { SIGNUP_RATE_LIMIT: undefined, OPERATOR_RATE_LIMIT: "10" },
    ["OPERATOR_RATE_LIMIT", "SIGNUP_RATE_LIMIT"],
  ],
  [
    "limits that are none",
    {
      SIGN_UPS_PER_EMAIL_A_DAY: "0",
      SIGN_UPS_PER_SENDER_A_DAY: "many",
      SIGN_UPS_PER_NETWORK_A_DAY: "-1",
      ONE_TRIAL_PER_PERSON: "yes",
    },
    ["ONE_TRIAL_PER_PERSON", "SIGN_UPS_PER_EMAIL_A_DAY", "SIGN_UPS_PER_NETWORK_A_DAY", "SIGN_UPS_PER_SENDER_A_DAY"],
  ],
  ["its own URL over plain http", { PUBLIC_URL: "http://api.acme.com" }, ["PUBLIC_URL"]],
  ["a Stripe URL that is not on this machine", { STRIPE_API_URL: "https://stripe.example" }, ["STRIPE_API_URL"]],
])("%s are refused, and every invalid setting is named [G9]", (_, changed, keys) => {
  const result = configWith(changed);
  expect(result.status === "invalid" && keysOf(result.problems)).toEqual(keys);
});

test.each(["http://localhost:9", "http://127.0.0.2:9", "http://[::1]:9", "https://127.0.0.1:9"])(
  "a local Stripe may be at %s",
  (STRIPE_API_URL) => {
    expect(configWith({ STRIPE_API_URL })).toMatchObject({ status: "valid" });
  },
);

test("settings are parsed once for each isolate, and again for other bindings", () => {
  const env = { ...SETTINGS, DB };
  expect(readConfig(env)).toBe(readConfig(env));
  expect(readConfig({ ...env })).not.toBe(readConfig(env));
  for (const none of [null, undefined, "text"]) expect(readConfig(none)).toMatchObject({ status: "invalid" });
});
