import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fastApi } from "../../support/fast-api/build";
import { eventOf, sign } from "../../support/stripe/stripe-events";
import { post, rows, validRequest } from "../../support/visitors/visitor";
import { type RunningWorker, runScheduled, startSubscriptionApi, type Wrapper } from "../../support/workers/workers";

type Vars = Record<string, string | undefined>;

/** The built Worker, its bindings replaced by those in a header of each request; null takes one away. */
const withVarsOfRequest: Wrapper = {
  services: {},
  script: `
    import worker from "./worker.js";
    function bindings(env, request) {
      const vars = Object.entries(JSON.parse(request.headers.get("test-vars")));
      const kept = Object.entries(env).filter(([name]) => !vars.some(([changed]) => changed === name));
      return Object.fromEntries([...kept, ...vars.filter(([, value]) => value !== null)]);
    }
    export default { fetch: (request, env, context) => worker.fetch(request, bindings(env, request), context) };
  `,
};

/** What a deployment sets in place of the local URLs and pretend secrets. */
const DEPLOYED = {
  STRIPE_API_URL: undefined,
  STRIPE_SECRET_KEY: "sk_test_0123456789abcdef0123",
  STRIPE_WEBHOOK_SECRET: "whsec_0123456789abcdef0123",
  MAIL_API_URL: "https://mail.example/emails",
  MAIL_API_KEY: "re_0123456789abcdef0123",
  CONSOLE_WEBHOOK_URL: undefined,
  CONSOLE_WEBHOOK_SECRET: undefined,
  FUNNEL_SQL_URL: undefined,
  OPERATOR_TOKEN: undefined,
  CUSTOMER_PORTAL_URL: "https://billing.stripe.com/p/login/test_0123456789",
  PUBLIC_URL: "https://api.acme.com",
  SITE_URL: "https://www.acme.com",
  LINK_SECRET: "a-deployment-has-links-of-its-own",
  HASH_SECRET: "a-deployment-has-hashes-of-its-own",
};

const SECRET = "s".repeat(32);

describe("the configuration of the subscription API", () => {
  let api: RunningWorker;
  beforeAll(async () => {
    // Stripe has nothing, and takes every key.
    const outboundService = () => Response.json({ data: [] });
    api = await startSubscriptionApi({ wrapper: withVarsOfRequest, miniflare: { outboundService } });
  });
  afterAll(() => api.dispose());

  const header = (vars: Vars) => ({
    "test-vars": JSON.stringify(vars, (_name, value) => (value === undefined ? null : value)),
  });
  /** Over https, as production demands. */
  async function ask(path: string, vars: Vars, init: { method?: string; body?: string } = {}) {
    const headers = { "content-type": "application/json", ...header(vars) };
    const response = await api.mf.dispatchFetch(`https://localhost${path}`, { ...init, headers });
    const text = await response.text();
    return { status: response.status, contentType: response.headers.get("content-type"), text, body: JSON.parse(text) };
  }
  async function health(vars: Vars) {
    const { status, body } = await ask("/health", vars);
    return { status, body };
  }
  const signUp = (vars: Vars) => ask("/subscription", vars, { method: "POST", body: JSON.stringify(validRequest) });

  it.each([
    [
      "production without keys",
      { ...DEPLOYED, STRIPE_SECRET_KEY: undefined, STRIPE_WEBHOOK_SECRET: undefined },
      ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"],
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
      "Access without the application's tag",
      { ...DEPLOYED, ACCESS_URL: "https://acme.cloudflareaccess.com" },
      ["ACCESS_AUDIENCE"],
    ],
    [
      "a tag of Access without the team",
      { ...DEPLOYED, ACCESS_AUDIENCE: "0123456789abcdef".repeat(4) },
      ["ACCESS_URL"],
    ],
    [
      "a funnel that nobody may read",
      { ...DEPLOYED, FUNNEL_SQL_URL: "https://sql.example/", FUNNEL_SQL_TOKEN: undefined, FUNNEL_DATASET: undefined },
      ["FUNNEL_DATASET", "FUNNEL_SQL_TOKEN"],
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
    ["no way to send mail", { MAIL_API_URL: undefined }, ["MAIL_API_URL"]],
    ["a mail provider without its key", { MAIL_API_KEY: undefined }, ["MAIL_API_KEY"]],
    ["a console without its secret", { CONSOLE_WEBHOOK_SECRET: undefined }, ["CONSOLE_WEBHOOK_SECRET"]],
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
    ["a short shared secret", { SUBSCRIPTION_API_SECRET: "short" }, ["SUBSCRIPTION_API_SECRET"]],
    ["an old shared secret that is short", { SUBSCRIPTION_API_SECRET: `${SECRET},` }, ["SUBSCRIPTION_API_SECRET"]],
    ["three shared secrets", { SUBSCRIPTION_API_SECRET: `${SECRET},${SECRET},${SECRET}` }, ["SUBSCRIPTION_API_SECRET"]],
    ["a shared secret with a space", { SUBSCRIPTION_API_SECRET: `${SECRET} x` }, ["SUBSCRIPTION_API_SECRET"]],
    [
      "no limits",
      { SIGNUP_RATE_LIMIT: undefined, OPERATOR_RATE_LIMIT: "10" },
      ["OPERATOR_RATE_LIMIT", "SIGNUP_RATE_LIMIT"],
    ],
    ["short secrets", { LINK_SECRET: "short", HASH_SECRET: "short" }, ["HASH_SECRET", "LINK_SECRET"]],
    [
      "limits that are none",
      { SIGN_UPS_PER_EMAIL_A_DAY: "0", SIGN_UPS_PER_SENDER_A_DAY: "many", ONE_TRIAL_PER_PERSON: "yes" },
      ["ONE_TRIAL_PER_PERSON", "SIGN_UPS_PER_EMAIL_A_DAY", "SIGN_UPS_PER_SENDER_A_DAY"],
    ],
    ["its own URL over plain http", { PUBLIC_URL: "http://api.acme.com" }, ["PUBLIC_URL"]],
    ["a Stripe URL that is not on this machine", { STRIPE_API_URL: "https://stripe.example" }, ["STRIPE_API_URL"]],
    [
      "Stripe's test mode for an API that is not on this machine",
      { STRIPE_API_URL: "https://api.stripe.com", PUBLIC_URL: "https://api.acme.com" },
      ["STRIPE_API_URL"],
    ],
    [
      "a live key with the URL of Stripe's test mode",
      { STRIPE_API_URL: "https://api.stripe.com", STRIPE_SECRET_KEY: "sk_live_0123456789abcdef0123" },
      ["STRIPE_API_URL"],
    ],
    ["a live key for a local Stripe", { STRIPE_SECRET_KEY: "sk_live_0123456789abcdef0123" }, ["STRIPE_API_URL"]],
  ])("with %s every route refuses and names the keys, not their values [G9]", async (_name, vars, keys) => {
    const logged = api.logs.length;
    const answer = await signUp(vars);

    expect(await health(vars)).toMatchObject({ status: 503, body: { keys } });
    expect(answer).toMatchObject({ status: 503, contentType: "application/problem+json", body: { keys } });
    expect(answer.text).not.toMatch(/_live_|_test_|whsec_|stripe\.example/);
    await expect
      .poll(() => api.logs.slice(logged))
      .toContainEqual(expect.objectContaining({ event: "configuration_invalid", keys }));
  });

  it.each(["http://localhost:9", "http://127.0.0.2:9", "http://[::1]:9", "https://127.0.0.1:9"])(
    "takes a local Stripe at %s",
    async (STRIPE_API_URL) => {
      expect(await health({ STRIPE_API_URL })).toMatchObject({ status: 200 });
    },
  );

  it("takes Stripe's webhooks signed with either secret while STRIPE_WEBHOOK_SECRET is changed [G7]", async () => {
    const [NEW, OLD] = ["whsec_the_new_one_0123456789", "whsec_the_old_one_0123456789"];
    const payload = eventOf("customer.created", { object: "customer", id: "cus_1" });
    const deliver = async (secret: string, STRIPE_WEBHOOK_SECRET: string) => {
      const headers = { "stripe-signature": sign(payload, secret), ...header({ STRIPE_WEBHOOK_SECRET }) };
      return (await post(`${api.url}/webhooks/stripe`, payload, headers)).status;
    };
    expect(await deliver(NEW, `${NEW},${OLD}`)).toBe(200);
    expect(await deliver(OLD, `${NEW},${OLD}`)).toBe(200);
    expect(await deliver(OLD, NEW)).toBe(400);
    expect(await deliver("whsec_of_somebody_else_0123456789", `${NEW},${OLD}`)).toBe(400);
  });

  it("has no operator's routes where no token is configured", async () => {
    const answer = await post(`${api.url}/operator/export`, "{}", {
      authorization: "Bearer ",
      ...header({ OPERATOR_TOKEN: "" }),
    });
    expect(answer.status).toBe(404);
  });

  it("a wrong one keeps the cron handler from its work, and is named in the log [G9]", async () => {
    const wrong = await startSubscriptionApi({ ...(await fastApi()), vars: { LINK_SECRET: "short" } });
    await runScheduled(wrong);
    await expect.poll(() => wrong.logs).toHaveLength(1);
    expect(wrong.logs).toMatchObject([{ level: "error", event: "configuration_invalid", keys: ["LINK_SECRET"] }]);
    await wrong.dispose();
  });

  it("is healthy in production once the catalogue's prices are Stripe's own", async () => {
    expect(await health(DEPLOYED)).toMatchObject({ status: 503, body: { keys: ["packages"] } });
    await rows(api, "UPDATE packages SET stripe_price_id = 'price_0123456789abcdef' || name");
    expect(await health(DEPLOYED)).toMatchObject({ status: 200, body: { status: "ok", dead_messages: 0 } });
  });

  it("is not healthy while the database lacks a migration", async () => {
    await rows(api, "DROP TABLE outbox");
    expect(await health({})).toMatchObject({ status: 503, body: { keys: ["DB"] } });
  });
});
