import { describe, expect, test } from "vitest";
import { PAID_PLANS, settingOf } from "../../../app/contract/plans";
import { keysOf, readConfig } from "../../../functions/subscription-api/config";
import { LOCAL_SECRETS } from "../../../functions/subscription-api/local-development";
import { readWorkerSettings } from "../../../tools/wrangler/worker-settings";
import { databaseInMemory } from "../../support/api-in-process/database";
import { DEPLOYED, SETTINGS } from "../../support/api-in-process/settings";

const { d1: DB, rows } = databaseInMemory();
const EMAIL = { send: async () => ({ messageId: "1" }) };

type Changed = Record<string, unknown>;

/** What the API makes of its local settings with these in their place. */
const configWith = (changed: Changed) => readConfig({ ...SETTINGS, DB, ...changed });
/** The names and problems of what is wrong. */
function problemsWith(changed: Changed): Record<string, string> {
  const result = configWith(changed);
  return result.status === "valid"
    ? {}
    : Object.fromEntries(result.problems.map(({ name, problem }) => [name, problem]));
}
const deployed = (changed: Changed = {}) => problemsWith({ ...DEPLOYED, ...changed });

test.each<[string, Changed, object]>([
  [
    "the local settings",
    {},
    {
      ...{ isLocal: true, inMaintenance: false, deadlineFactor: 1, automaticTax: false },
      stripe: { apiUrl: new URL("http://localhost:8789") },
      mail: { transport: { kind: "http", url: "http://localhost:8789/emails", key: "re_local_development_only" } },
      console: { url: "http://localhost:8789/console/webhook", secret: SETTINGS.CONSOLE_WEBHOOK_SECRET },
      trials: { onePerPerson: false },
    },
  ],
  [
    "two secrets while one is changed, copied with whitespace",
    {
      LINK_SECRET: "the-first-secret-that-signs-all-links , the-second-secret-that-signs-links\n",
      STRIPE_WEBHOOK_SECRET: "whsec_0123456789abcdef,whsec_fedcba9876543210",
    },
    {
      links: { secrets: ["the-first-secret-that-signs-all-links", "the-second-secret-that-signs-links"] },
      stripe: { webhookSecrets: ["whsec_0123456789abcdef", "whsec_fedcba9876543210"] },
    },
  ],
  ["email over http although there is a binding", { EMAIL }, { mail: { transport: { kind: "http" } } }],
  [
    "email by its binding where there is no URL",
    { EMAIL, MAIL_API_URL: undefined },
    { mail: { transport: { kind: "cloudflare", binding: EMAIL } } },
  ],
  ["empty settings, which count as none", { OPERATOR_TOKEN: "", CONSOLE_WEBHOOK_URL: "" }, { console: undefined }],
  ["one trial for each person", { ONE_TRIAL_PER_PERSON: "true" }, { trials: { onePerPerson: true } }],
  [
    "longer deadlines, cheap passwords, maintenance and tax",
    { DEADLINE_FACTOR: "60", PASSWORD_COST: "4", MAINTENANCE: "true", AUTOMATIC_TAX: "true" },
    { deadlineFactor: 60, passwordCost: 4, inMaintenance: true, automaticTax: true },
  ],
  [
    "URLs with slashes at the end",
    { PUBLIC_URL: "http://localhost:8788/", SITE_URL: "http://localhost:8787//" },
    { links: { publicUrl: "http://localhost:8788" }, mail: { siteUrl: "http://localhost:8787" } },
  ],
  [
    "the host under which other devices find this machine, for the links of browsers alone",
    { HOST: "192.168.0.7" },
    {
      links: { publicUrl: "http://192.168.0.7:8788" },
      mail: { siteUrl: "http://192.168.0.7:8787", customerPortalUrl: "http://192.168.0.7:8789/p/login/test" },
      stripe: { apiUrl: new URL("http://localhost:8789") },
    },
  ],
  ["Stripe's test mode", { STRIPE_API_URL: "https://api.stripe.com" }, { isLocal: true }],
])("the API runs with %s", (_, changed, expected) => {
  expect(configWith(changed)).toMatchObject({ status: "valid", configuration: expected });
});

test("a deployment runs with its own settings, and needs each of these", () => {
  expect(deployed()).toEqual({});
  const {
    STRIPE_API_URL: _1,
    MAIL_API_KEY: _2,
    CONSOLE_WEBHOOK_URL: _3,
    CONSOLE_WEBHOOK_SECRET: _4,
    ...rest
  } = DEPLOYED;
  const { OPERATOR_TOKEN: _5, ...needed } = rest;
  for (const name of [...Object.keys(needed), "DB", "MAIL_FROM", "COMPANY_NAME", "SUPPORT_EMAIL", "SALES_EMAIL"])
    expect(deployed({ [name]: undefined }), name).toMatchObject({ [name]: expect.stringMatching(/^is missing/) });
  for (const name of ["SIGNUP_RATE_LIMIT", "ONE_TRIAL_PER_PERSON"])
    expect(Object.keys(deployed({ [name]: undefined }))).toEqual([name]);
});

test("a deployment refuses each local value, and what is only for local development", () => {
  for (const [name, value] of Object.entries(LOCAL_SECRETS))
    for (const given of [value, ` ${value}\n`])
      expect(deployed({ [name]: given })).toEqual({ [name]: "is the local value" });
  expect(deployed({ STRIPE_SECRET_KEY: "sk_test_local" })).toEqual({ STRIPE_SECRET_KEY: "is the local value" });
  for (const name of ["LINK_SECRET", "STRIPE_WEBHOOK_SECRET"] as const)
    expect(deployed({ [name]: `${DEPLOYED[name]},${LOCAL_SECRETS[name]}` })).toEqual({ [name]: "is the local value" });
  for (const name of ["SITE_URL", "PUBLIC_URL", "CUSTOMER_PORTAL_URL", "CONSOLE_URL", "MAIL_API_URL"])
    expect(deployed({ [name]: "http://localhost:8789/x" })).toEqual({ [name]: "must not be on this machine" });
  for (const [name, value] of Object.entries({ HOST: "192.168.0.7", DEADLINE_FACTOR: "2", PASSWORD_COST: "4" }))
    expect(deployed({ [name]: value })).toEqual({ [name]: "is for local development only" });
});

const SECRETS = ["LINK_SECRET", "HASH_SECRET", "OPERATOR_TOKEN"] as const;

describe("a weak secret stops the API, which names the setting and never the value", () => {
  test.each(SECRETS)("%s: at least 32 characters, 12 of them different, without the whitespace around it", (name) => {
    const eleven = "abcdefghijk".repeat(3);
    const cases: [string, RegExp | undefined][] = [
      ["abcdefghijklmnopqrstuvwxyz01234", /at least 32 characters/],
      ["abcdefghijklmnopqrstuvwxyz01234     ", /at least 32 characters/],
      ["abcdefghijklmnopqrstuvwxyz012345", undefined],
      [eleven, /at least 12 different characters/],
      [`${eleven}l`, undefined],
    ];
    for (const [value, problem] of cases) {
      const problems = deployed({ [name]: value });
      expect(problems, value).toEqual(problem ? { [name]: expect.stringMatching(problem) } : {});
      expect(JSON.stringify(problems)).not.toContain(value.trim());
    }
  });

  test("no secret is used twice, nor in two places", () => {
    const secret = "one-secret-0123456789-for-everything";
    for (const [name, other] of [
      ["HASH_SECRET", "LINK_SECRET"],
      ["OPERATOR_TOKEN", "HASH_SECRET"],
      ["OPERATOR_TOKEN", "LINK_SECRET"],
    ] as const)
      expect(Object.values(deployed({ [name]: secret, [other]: `${secret} ` }))).toEqual([
        "must differ from every other secret",
      ]);
    expect(Object.keys(deployed({ LINK_SECRET: `${secret},${secret}` }))).toEqual(["LINK_SECRET"]);
  });
});

test.each<[string, Changed, string[]]>([
  ["no mail at all", { MAIL_API_URL: undefined }, ["MAIL_API_URL"]],
  ["a mail provider without its key", { MAIL_API_KEY: undefined }, ["MAIL_API_KEY"]],
  ["a console without its secret", { CONSOLE_WEBHOOK_SECRET: undefined }, ["CONSOLE_WEBHOOK_SECRET"]],
  ["a console over plain http", { CONSOLE_WEBHOOK_URL: "http://console.example/" }, ["CONSOLE_WEBHOOK_URL"]],
  ["a URL that is none", { CONSOLE_URL: "nonsense" }, ["CONSOLE_URL"]],
  ["a URL with credentials", { SITE_URL: "https://a:b@www.example" }, ["SITE_URL"]],
  ["an address that is none", { SUPPORT_EMAIL: "support" }, ["SUPPORT_EMAIL"]],
  ["a boolean that is none", { ONE_TRIAL_PER_PERSON: "yes" }, ["ONE_TRIAL_PER_PERSON"]],
  ["a token that no header can carry", { OPERATOR_TOKEN: "a token of 32 characters, with spaces" }, ["OPERATOR_TOKEN"]],
  ["a live key for the simulator", { STRIPE_SECRET_KEY: "sk_live_0123456789abcdef" }, ["STRIPE_API_URL"]],
  [
    "Stripe's test mode elsewhere",
    { STRIPE_API_URL: "https://api.stripe.com", PUBLIC_URL: "https://api.example" },
    ["STRIPE_API_URL"],
  ],
  ["a publishable key as the secret one", { STRIPE_SECRET_KEY: "pk_live_0123456789abcdef" }, ["STRIPE_SECRET_KEY"]],
  ["a test key without its publishable key", { ...DEPLOYED, STRIPE_PUBLISHABLE_KEY: "" }, ["STRIPE_PUBLISHABLE_KEY"]],
  [
    "pk_live with sk_test",
    { ...DEPLOYED, STRIPE_PUBLISHABLE_KEY: "pk_live_0123456789abcdef" },
    ["STRIPE_PUBLISHABLE_KEY", "STRIPE_SECRET_KEY"],
  ],
  [
    "three secrets",
    { LINK_SECRET: ["a", "b", "c"].map((one) => `${one}-secret-of-links-0123456789-xyz`).join() },
    ["LINK_SECRET"],
  ],
  ["a deadline factor that is none", { DEADLINE_FACTOR: "0" }, ["DEADLINE_FACTOR"]],
])("the API does not start with %s", (_, changed, names) => {
  expect(Object.keys(problemsWith(changed)).sort()).toEqual(names);
});

test("the settings are read once for an isolate, and no environment is no configuration", () => {
  const env = { ...SETTINGS, DB };
  expect(readConfig(env)).toBe(readConfig(env));
  const nothing = readConfig(undefined);
  expect(nothing.status).toBe("invalid");
  expect(nothing.status === "invalid" && keysOf(nothing.problems)).toBeTruthy();
});

test("the site's settings and prices agree with the catalog of the migrations, locally and in both stages", () => {
  const catalog = rows("SELECT id, name, price_cents FROM packages ORDER BY price_cents");
  for (const stage of [undefined, "staging", "production"] as const) {
    const { vars } = readWorkerSettings("wrangler.toml", stage);
    const sold = PAID_PLANS.map((plan) => ({
      id: vars[settingOf(plan)],
      name: plan.title,
      price_cents: plan.monthlyPrice * 100,
    }));
    expect(sold, stage).toEqual(catalog);
  }
});
