import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCommand } from "../../../tools/operator";
import { type TestMode, testModeOf, whatIsLeft } from "../../../tools/start/test-mode";
import { eventOf, secondsNow, sign } from "../../support/stripe/stripe-events";
import { nonceIn, siteVisitor } from "../../support/visitors/site-visitor";
import { enterCard, mails, post, rows, signUp, stripeAt } from "../../support/visitors/visitor";
import {
  type RunningWorker,
  startSite,
  startStripeSimulator,
  startSubscriptionApi,
} from "../../support/workers/workers";

const root = join(import.meta.dirname, "../../..");
const STRIPE = "https://api.stripe.com";

const keys = {
  STRIPE_SECRET_KEY: "sk_test_0123456789abcdef",
  STRIPE_PUBLISHABLE_KEY: "pk_test_0123456789abcdef",
  STRIPE_WEBHOOK_SECRET: "whsec_0123456789abcdef0123",
  CUSTOMER_PORTAL_URL: "https://billing.stripe.com/p/login/test_0123456789",
};

function settingsFor(environment: NodeJS.ProcessEnv): TestMode {
  const settings = testModeOf(environment);
  if (!settings) throw new Error("No test mode");
  return settings;
}

describe("the variables of test mode", () => {
  test("without a Stripe key there are no test mode variables, and the simulator is used [O5]", () => {
    expect(testModeOf({ PATH: "/bin", STRIPE_SECRET_KEY: "", STRIPE_WEBHOOK_SECRET: "whsec_x" })).toBeUndefined();
  });

  test("in test mode each Worker gets only the variables that it needs [O5]", () => {
    const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, ...both } = keys;
    expect(testModeOf({ ...keys, PATH: "/bin" })).toEqual({
      site: { ...both, STRIPE_API_URL: STRIPE, STRIPE_JS_URL: "https://js.stripe.com/endive/stripe.js" },
      api: { ...both, STRIPE_API_URL: STRIPE, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET },
    });
    const least = settingsFor({ ...keys, STRIPE_WEBHOOK_SECRET: "", CUSTOMER_PORTAL_URL: undefined });
    expect(Object.keys(least.api)).not.toContain("STRIPE_WEBHOOK_SECRET");
    expect(whatIsLeft(least)).toContain("start again with its secret as STRIPE_WEBHOOK_SECRET:\n  stripe listen");
  });

  test.each([
    [
      "a live secret key",
      { ...keys, STRIPE_SECRET_KEY: "sk_live_0123456789abcdef" },
      /^STRIPE_SECRET_KEY is a live key\./,
    ],
    ["a live restricted key", { STRIPE_SECRET_KEY: "rk_live_0123456789abcdef" }, /^STRIPE_SECRET_KEY is a live key\./],
    [
      "a live publishable key",
      { ...keys, STRIPE_PUBLISHABLE_KEY: "pk_live_0123" },
      /^STRIPE_PUBLISHABLE_KEY is a live key\./,
    ],
    [
      "one key alone",
      { STRIPE_SECRET_KEY: keys.STRIPE_SECRET_KEY },
      /^STRIPE_PUBLISHABLE_KEY is missing beside STRIPE_SECRET_KEY\.$/,
    ],
    [
      "the other key alone",
      { STRIPE_PUBLISHABLE_KEY: "pk_test_x" },
      /^STRIPE_SECRET_KEY is missing beside STRIPE_PUBLISHABLE_KEY\.$/,
    ],
    [
      "keys in each other's place",
      { ...keys, STRIPE_SECRET_KEY: keys.STRIPE_PUBLISHABLE_KEY },
      /^STRIPE_SECRET_KEY must be a test key/,
    ],
    [
      "a secret that is none",
      { ...keys, STRIPE_WEBHOOK_SECRET: "we_0123456789abcdef" },
      /^STRIPE_WEBHOOK_SECRET must be what `stripe listen` prints/,
    ],
  ])("refuse %s in one sentence, which has no key [O5]", (_, environment, sentence) => {
    expect(() => testModeOf(environment)).toThrow(sentence);
    expect(() => testModeOf(environment)).not.toThrow("0123456789abcdef");
  });

  test("npm start refuses a live Stripe key before it builds or runs anything [O5]", async () => {
    const env = {
      PATH: process.env.PATH,
      STRIPE_SECRET_KEY: "sk_live_0123456789abcdef",
      STRIPE_PUBLISHABLE_KEY: "pk_live_x",
    };
    const child = spawn(process.execPath, ["--import", "tsx", "tools/start/start.ts"], { cwd: root, env });
    const [out, err, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    expect(exitCode).toBe(1);
    expect(out + err).toBe(
      "STRIPE_SECRET_KEY is a live key. npm start takes test keys alone: unset it, or take one of a sandbox.\n",
    );
  });
});

describe("the Workers in test mode", () => {
  let stripe: RunningWorker;
  let api: RunningWorker;
  let site: RunningWorker;

  /** Sends requests for Stripe's host to the simulator; all others to their own host. */
  async function outboundService(request: Request): Promise<Response> {
    const { method, headers, url } = request;
    const answer = await fetch(url.replace(STRIPE, stripe.url), {
      method,
      headers: [...headers].filter(([name]) => !/^(host|connection|content-length|accept-encoding)$/i.test(name)),
      ...(method !== "GET" && method !== "DELETE" && { body: await request.text() }),
    });
    const type = answer.headers.get("content-type") ?? "text/plain";
    return new Response(await answer.text(), { status: answer.status, headers: { "content-type": type } });
  }

  beforeAll(async () => {
    const settings = settingsFor(keys);
    stripe = await startStripeSimulator();
    const local = { MAIL_API_URL: `${stripe.url}/emails`, CONSOLE_WEBHOOK_URL: `${stripe.url}/console/webhook` };
    api = await startSubscriptionApi({
      vars: { ...settings.api, ...local },
      miniflare: { outboundService },
    });
    site = await startSite({
      vars: { ...settings.site, SUBSCRIPTION_API_URL: api.url },
      miniflare: { outboundService },
    });
  });
  afterAll(() => Promise.all([api.dispose(), site.dispose(), stripe.dispose()]));

  test("the Workers in test mode are healthy and sell test mode's prices [O5]", async () => {
    await runCommand(["catalog", "--url", api.url]);
    const [row] = await rows(api, "SELECT stripe_price_id AS id FROM packages WHERE name = 'STANDARD'");
    const prices = await stripeAt(stripe).prices.list({ limit: 100 });
    expect(prices.data.find(({ id }) => id === row?.id)).toMatchObject({ unit_amount: 50_000 });
    for (const { url } of [api, site]) expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  test("a sign-up in test mode reaches its trial, and its email is in the local mailbox [O5]", async () => {
    const email = "test-mode@example.com";
    const { status, clientSecret } = await signUp(api, { email });
    expect(status).toBe(200);
    await enterCard(stripe.url, clientSecret);
    const intent = await stripeAt(stripe).setupIntents.retrieve(String(clientSecret).split("_secret_")[0] ?? "");
    const payload = eventOf("setup_intent.succeeded", intent);
    const delivered = (secret: string) =>
      post(`${api.url}/webhooks/stripe`, payload, { "stripe-signature": sign(payload, secret, secondsNow()) });
    expect((await delivered("whsec_local_development_only")).status).toBe(400);
    expect((await delivered(keys.STRIPE_WEBHOOK_SECRET)).status).toBe(200);
    await expect.poll(() => mails(stripe, email)).toHaveLength(1);
    expect((await mails(stripe, email))[0]?.text).toContain(keys.CUSTOMER_PORTAL_URL);
  });

  test("the card step in test mode loads Stripe's own script with the test key [O5]", async () => {
    const visitor = siteVisitor(site);
    const { cookie } = await visitor.submit({
      email: "js@example.com",
      form_nonce: nonceIn(await visitor.get("/subscription")),
    });
    const card = await visitor.get("/subscription", { Cookie: cookie });
    expect(card.body).toContain("https://js.stripe.com/endive/stripe.js");
    expect(card.body).toContain(keys.STRIPE_PUBLISHABLE_KEY);
    expect(card.body).not.toContain("localhost:8789");
    expect(card.headers.get("content-security-policy")).not.toContain("localhost:8789");
  });
});
