import { describe, expect, test } from "vitest";
import { company } from "../../../app/company";
import { readConfig } from "../../../functions/subscription-api/config";
import { LOCAL_SECRETS } from "../../../functions/subscription-api/local-development";
import { DEPLOYED, SETTINGS } from "../../support/api-in-process/settings";

const DB = { prepare: () => undefined };
const EMAIL = { send: async () => ({ messageId: "1" }) };

type Changed = Record<string, unknown>;

/** Reads the API's local settings with some changed. */
const configWith = (changed: Changed) => readConfig({ ...SETTINGS, DB, ...changed });
/** Names of the wrong settings, each with its problem. */
function problemsWith(changed: Changed): Record<string, string> {
  const result = configWith(changed);
  if (result.status === "valid") return {};
  return Object.fromEntries(result.problems.map(({ name, problem }) => [name, problem]));
}
const deployed = (changed: Changed = {}) => problemsWith({ ...DEPLOYED, ...changed });

const SECRETS = ["the-first-secret-that-signs-all-links", "the-second-secret-that-signs-links"];
const WEBHOOKS = ["whsec_0123456789abcdef", "whsec_fedcba9876543210"];
const LOCAL_MAIL = { kind: "http", url: "http://localhost:8789/emails", key: "re_local_development_only" };
const BINDING = { kind: "cloudflare", binding: EMAIL };
const stripe = { apiUrl: new URL("http://localhost:8789") };

test.each<[string, Changed, object]>([
  ["no maintenance or tax", {}, { inMaintenance: false, automaticTax: false }],
  ["the simulator, one trial for each address", {}, { isLocal: true, stripe, trials: { onePerPerson: false } }],
  ["two secrets of links", { LINK_SECRET: `${SECRETS.join(" , ")}\n` }, { links: { secrets: SECRETS } }],
  ["two secrets of Stripe", { STRIPE_WEBHOOK_SECRET: WEBHOOKS.join() }, { stripe: { webhookSecrets: WEBHOOKS } }],
  ["email over http although there is a binding", { EMAIL }, { mail: { transport: LOCAL_MAIL } }],
  ["email by its binding", { EMAIL, MAIL_API_URL: "" }, { mail: { transport: BINDING } }],
  ["empty settings, which count as none", { OPERATOR_TOKEN: "", CONSOLE_WEBHOOK_URL: "" }, { console: undefined }],
  ["one trial for each person", { ONE_TRIAL_PER_PERSON: "true" }, { trials: { onePerPerson: true } }],
  ["maintenance and tax", { MAINTENANCE: "true", AUTOMATIC_TAX: "true" }, { inMaintenance: true, automaticTax: true }],
  ["slashes after the API's URL", { PUBLIC_URL: "https://a.example/" }, { links: { publicUrl: "https://a.example" } }],
  ["slashes after the site's URL", { SITE_URL: "https://a.example//" }, { mail: { siteUrl: "https://a.example" } }],
  ["another host in emails", { HOST: "192.168.0.7" }, { mail: { siteUrl: "http://192.168.0.7:8787" } }],
  ["Stripe's test mode", { STRIPE_API_URL: "https://api.stripe.com" }, { isLocal: true }],
])("the API runs with %s", (_, changed, expected) => {
  expect(configWith(changed)).toMatchObject({ status: "valid", configuration: expected });
});

/** The settings of a stage, apart from its key. */
const STAGES = {
  local: {},
  "Stripe's test mode on this machine": { STRIPE_API_URL: "https://api.stripe.com" },
  staging: DEPLOYED,
  production: { ...DEPLOYED, STAGE: "production" },
};
const IN_STAGING = `${company.name} staging`;

describe.each(["sk", "rk"])("an %s_ key", (kind) => {
  test.each<[stage: keyof typeof STAGES, companyName: string]>([
    ["local", company.name],
    ["Stripe's test mode on this machine", company.name],
    ["staging", IN_STAGING],
  ])("for %s is a test key, emails are sent as %s, and a live key is refused", (stage, companyName) => {
    const given = { ...STAGES[stage], STRIPE_SECRET_KEY: `${kind}_test_0123456789abcdef` };
    expect(configWith(given)).toMatchObject({ status: "valid", configuration: { mail: { companyName } } });
    expect(problemsWith({ ...given, STRIPE_SECRET_KEY: `${kind}_live_0123_test_4567_abcdef` })).toEqual({
      STRIPE_SECRET_KEY: "must be a test key",
    });
  });

  test(`for production is a live key, emails are sent as ${company.name}, and a test key is refused`, () => {
    const given = { ...STAGES.production, STRIPE_SECRET_KEY: `${kind}_live_0123456789abcdef` };
    expect(configWith(given)).toMatchObject({
      status: "valid",
      configuration: { mail: { companyName: company.name }, stripe: { secretKey: given.STRIPE_SECRET_KEY } },
    });
    expect(problemsWith({ ...given, STRIPE_SECRET_KEY: `${kind}_test_0123_live_4567_abcdef` })).toEqual({
      STRIPE_SECRET_KEY: "must be a live key",
    });
  });
});

const OPTIONAL = [
  "STRIPE_API_URL",
  "MAIL_API_KEY",
  "CONSOLE_URL",
  "CONSOLE_WEBHOOK_URL",
  "CONSOLE_WEBHOOK_SECRET",
  "OPERATOR_TOKEN",
];

test("a deployment runs with its own settings, and needs each of these", () => {
  expect(deployed()).toEqual({});
  for (const name of [...Object.keys(DEPLOYED), "DB"].filter((one) => !OPTIONAL.includes(one)))
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
  expect(deployed({ HOST: "192.168.0.7" })).toEqual({ HOST: "is for local development only" });
});

const TOO_SHORT = "abcdefghijklmnopqrstuvwxyz01234";
const ELEVEN = "abcdefghijk".repeat(3);

test.each([
  [TOO_SHORT, /at least 32 characters/],
  [`${TOO_SHORT}     `, /at least 32 characters/],
  [`${TOO_SHORT}5`, undefined],
  [ELEVEN, /at least 12 different characters/],
  [`${ELEVEN}l`, undefined],
])("a secret %j is refused if it is weak, and the reason does not quote it: %s", (value, problem) => {
  for (const name of ["LINK_SECRET", "HASH_SECRET", "OPERATOR_TOKEN"]) {
    const problems = deployed({ [name]: value });
    expect(problems).toEqual(problem ? { [name]: expect.stringMatching(problem) } : {});
    expect(JSON.stringify(problems)).not.toContain(value.trim());
  }
});

test("no secret is used twice", () => {
  const one = "one-secret-0123456789-for-everything";
  for (const given of [
    { HASH_SECRET: one, LINK_SECRET: `${one} ` },
    { OPERATOR_TOKEN: one, HASH_SECRET: one },
    { OPERATOR_TOKEN: one, LINK_SECRET: one },
    { LINK_SECRET: `${one},${one}` },
  ])
    expect(Object.values(deployed(given)), Object.keys(given).join()).toEqual(["must differ from every other secret"]);
});

const OTHER_HOSTS = { STRIPE_API_URL: "https://api.stripe.com", PUBLIC_URL: "https://api.example" };
const THREE = ["a", "b", "c"].map((one) => `${one}-secret-of-links-0123456789-xyz`).join();

test.each<[string, Changed, string[]]>([
  ["no mail at all", { MAIL_API_URL: undefined }, ["MAIL_API_URL"]],
  ["a mail provider without its key", { MAIL_API_KEY: undefined }, ["MAIL_API_KEY"]],
  ["a console without its secret", { CONSOLE_WEBHOOK_SECRET: undefined }, ["CONSOLE_WEBHOOK_SECRET"]],
  ["a console over plain http", { CONSOLE_WEBHOOK_URL: "http://console.example/" }, ["CONSOLE_WEBHOOK_URL"]],
  ["a URL that is none", { CONSOLE_URL: "nonsense" }, ["CONSOLE_URL"]],
  ["a URL with credentials", { SITE_URL: "https://a:b@www.example" }, ["SITE_URL"]],
  ["a boolean that is none", { ONE_TRIAL_PER_PERSON: "yes" }, ["ONE_TRIAL_PER_PERSON"]],
  ["a token that no header can carry", { OPERATOR_TOKEN: "a token of 32 characters, with spaces" }, ["OPERATOR_TOKEN"]],
  ["a stage that is none", { ...DEPLOYED, STAGE: "prod" }, ["STAGE"]],
  ["Stripe's test mode elsewhere", OTHER_HOSTS, ["STRIPE_API_URL"]],
  ["a publishable key as the secret one", { STRIPE_SECRET_KEY: "pk_live_0123456789abcdef" }, ["STRIPE_SECRET_KEY"]],
  ["three secrets", { LINK_SECRET: THREE }, ["LINK_SECRET"]],
])("the API does not start with %s", (_, changed, names) => {
  expect(Object.keys(problemsWith(changed)).sort()).toEqual(names);
});
