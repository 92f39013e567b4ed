import { expect, test } from "vitest";
import { company } from "../../../app/company";
import { readConfig } from "../../../functions/subscription-api/config";
import { LOCAL_SECRETS } from "../../../functions/subscription-api/local-development";
import { DEPLOYED, SETTINGS } from "../../support/api-in-process/settings";

const DB = { prepare: () => undefined };
const EMAIL = { send: async () => ({ messageId: "1" }) };

type Changed = Record<string, unknown>;

const configWith = (changed: Changed) => readConfig({ ...SETTINGS, DB, ...changed });
/** Names of the wrong settings, each with its problem. */
function problemsWith(changed: Changed): Record<string, string> {
  const result = configWith(changed);
  if (result.status === "valid") return {};
  return Object.fromEntries(result.problems.map(({ name, problem }) => [name, problem]));
}
const deployed = (changed: Changed = {}) => problemsWith({ ...DEPLOYED, ...changed });

const SECRETS = ["the-first-secret-that-signs-all-links", "the-second-secret-that-signs-links"];
const LOCAL = {
  isLocal: true,
  inMaintenance: false,
  stripe: { apiUrl: new URL("http://localhost:8789") },
  offer: { tax_added: false },
  trials: { onePerPerson: false },
  mail: { transport: { kind: "http", url: "http://localhost:8789/emails", key: LOCAL_SECRETS.MAIL_API_KEY } },
};
const BY_BINDING = { mail: { transport: { kind: "cloudflare", binding: EMAIL } } };
const ON_HOST = {
  links: { publicUrl: "http://192.168.0.7:8788" },
  mail: { siteUrl: "http://192.168.0.7:8787", customerPortalUrl: "http://192.168.0.7:8789/p/login/test" },
};
const ONE_EACH = { trials: { onePerPerson: true }, offer: { tax_added: false }, inMaintenance: false };
const MAINTAINED = { inMaintenance: true, offer: { tax_added: true } };

test.each<{ what: string; changed: Changed; gets: object }>([
  { what: "the local settings, with email over http although there is a binding", changed: { EMAIL }, gets: LOCAL },
  { what: "email by its binding", changed: { EMAIL, MAIL_API_URL: "" }, gets: BY_BINDING },
  { what: "two secrets", changed: { LINK_SECRET: `${SECRETS.join(" , ")}\n` }, gets: { links: { secrets: SECRETS } } },
  { what: "an empty setting, which is none", changed: { CONSOLE_WEBHOOK_URL: "" }, gets: { console: undefined } },
  { what: "one trial for each person", changed: { ONE_TRIAL_PER_PERSON: "true" }, gets: ONE_EACH },
  { what: "maintenance and tax", changed: { MAINTENANCE: "true", AUTOMATIC_TAX: "true" }, gets: MAINTAINED },
  {
    what: "slashes after URLs",
    changed: { PUBLIC_URL: "https://a.example/", SITE_URL: "https://b.example//" },
    gets: { links: { publicUrl: "https://a.example" }, mail: { siteUrl: "https://b.example" } },
  },
  { what: "another host in emails", changed: { HOST: "192.168.0.7" }, gets: ON_HOST },
])("the API runs with $what", ({ changed, gets }) => {
  expect(configWith(changed)).toMatchObject({ status: "valid", configuration: gets });
});

const TEST_MODE = { STRIPE_API_URL: "https://api.stripe.com" };

test.each([
  { stage: "local", settings: {}, mode: "test", companyName: company.name },
  { stage: "Stripe's test mode on this machine", settings: TEST_MODE, mode: "test", companyName: company.name },
  { stage: "staging", settings: DEPLOYED, mode: "test", companyName: `${company.name} staging` },
  { stage: "production", settings: { ...DEPLOYED, STAGE: "production" }, mode: "live", companyName: company.name },
])("a key of $stage is a $mode key, and emails are sent as $companyName", ({ settings, mode, companyName }) => {
  const otherMode = mode === "test" ? "live" : "test";
  for (const kind of ["sk", "rk"]) {
    const secretKey = `${kind}_${mode}_0123456789abcdef`;
    const configuration = { mail: { companyName }, stripe: { secretKey } };
    expect(configWith({ ...settings, STRIPE_SECRET_KEY: secretKey })).toMatchObject({ status: "valid", configuration });
    const refused = `${kind}_${otherMode}_0123_${mode}_4567_abcdef`;
    const problem = { STRIPE_SECRET_KEY: `must be a ${mode} key` };
    expect(problemsWith({ ...settings, STRIPE_SECRET_KEY: refused })).toEqual(problem);
  }
});

test("a deployment runs with its own settings, and needs each of these", () => {
  expect(deployed()).toEqual({});
  const needed = Object.entries(DEPLOYED).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  for (const name of [...needed, "DB"])
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

const LENGTH_31 = "abcdefghijklmnopqrstuvwxyz01234";
const ELEVEN_LETTERS = "abcdefghijk".repeat(3);

test.each([
  { secret: `${LENGTH_31}     `, problem: "must have at least 32 characters" },
  { secret: `${LENGTH_31}5`, problem: undefined },
  { secret: ELEVEN_LETTERS, problem: "must have at least 12 different characters" },
  { secret: `${ELEVEN_LETTERS}l`, problem: undefined },
])("the secret “$secret” is refused if it is weak: $problem", ({ secret, problem }) => {
  for (const name of ["LINK_SECRET", "HASH_SECRET", "OPERATOR_TOKEN"]) {
    const problems = problem === undefined ? {} : { [name]: expect.stringContaining(problem) };
    expect(deployed({ [name]: secret })).toEqual(problems);
  }
});

test("no secret is used twice", () => {
  const one = "one-secret-0123456789-for-everything";
  for (const given of [{ HASH_SECRET: one, LINK_SECRET: `${one} ` }, { LINK_SECRET: `${one},${one}` }])
    expect(Object.values(deployed(given)), Object.keys(given).join()).toEqual(["must differ from every other secret"]);
});

const THREE = ["a", "b", "c"].map((one) => `${one}-secret-of-links-0123456789-xyz`).join();

test.each<{ name: string; value: unknown; others?: Changed }>([
  { name: "CONSOLE_WEBHOOK_SECRET", value: undefined },
  { name: "MAIL_API_KEY", value: undefined },
  { name: "MAIL_API_URL", value: undefined },
  { name: "CONSOLE_WEBHOOK_URL", value: "http://console.example/" },
  { name: "CONSOLE_URL", value: "nonsense" },
  { name: "SITE_URL", value: "https://a:b@www.example" },
  { name: "PUBLIC_URL", value: "https://api.example?tenant=1" },
  { name: "ONE_TRIAL_PER_PERSON", value: "yes" },
  { name: "OPERATOR_TOKEN", value: "a token of 32 characters, with spaces" },
  { name: "STAGE", value: "prod" },
  { name: "STRIPE_SECRET_KEY", value: "pk_live_0123456789abcdef" },
  { name: "LINK_SECRET", value: THREE },
  { name: "STRIPE_API_URL", value: TEST_MODE.STRIPE_API_URL, others: { PUBLIC_URL: "https://api.example" } },
])("the API does not start with the $name $value", ({ name, value, others }) => {
  expect(Object.keys(problemsWith({ ...others, [name]: value }))).toEqual([name]);
});
