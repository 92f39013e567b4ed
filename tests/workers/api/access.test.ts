import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { enoughOfTheMinute } from "../../support/visitors/senders";
import { siteVisitor } from "../../support/visitors/site-visitor";
import { rows, validRequest } from "../../support/visitors/visitor";
import { API_ORIGIN, type DeployedApi, deployedApi, startDeployedApi } from "../../support/workers/deployed-api";
import { ORIGIN, startDeployedSite } from "../../support/workers/deployed-site";
import { migrate, startSite, startStripeSimulator } from "../../support/workers/workers";

/* Who reaches what of the API: the public, the site by its own entrypoint, the site with a shared secret. */

const SECRET = "a-shared-secret-of-the-tests-with-more-than-32-characters";
const OLD_SECRET = "the-shared-secret-before-it-which-is-still-accepted";

const json = { "Content-Type": "application/json" };
const formOf = (email: string) => JSON.stringify({ ...validRequest, email });

test("the site reaches the API by the entrypoint that wrangler.toml names, and the API counts by the site's sender [H1]", async () => {
  const stripe = await startStripeSimulator();
  const api = deployedApi(stripe);
  const limit = { simple: { limit: 3, period: 60 as const } };
  await enoughOfTheMinute();
  const site = await startSite({
    environment: "production",
    vars: {
      SITE_URL: ORIGIN,
      SUBSCRIPTION_API_URL: API_ORIGIN,
      CUSTOMER_PORTAL_URL: "https://billing.stripe.com/p/login/test_0123456789",
      SESSION_SECRET: "a-secret-of-the-tests-with-more-than-32-characters",
    },
    beside: {
      ...api,
      miniflare: { ...api.miniflare, ratelimits: { SIGNUP_RATE_LIMIT: limit, OPERATOR_RATE_LIMIT: limit } },
    },
  });
  await migrate(await site.mf.getD1Database("DB", "citewell-subscription-api"));
  const db = await site.mf.getD1Database("DB", "citewell-subscription-api");
  const visitor = siteVisitor(site, ORIGIN);
  const from = (ip: string, email: string) => visitor.submit({ email }, { "CF-Connecting-IP": ip });

  expect((await from("2001:db8::1", "bound@example.com")).status).toBe(303);
  expect((await db.prepare("SELECT email FROM sign_ups").all()).results).toEqual([{ email: "bound@example.com" }]);

  for (let index = 1; index < 3; index += 1) {
    expect((await from("2001:db8::2", `${index}@example.com`)).status).toBe(303);
  }
  expect((await from("2001:db8::3", "one-more@example.com")).status).toBe(429);
  expect((await from("2001:db8:0:1::1", "other@example.com")).status).toBe(303);
  expect(JSON.stringify(site.logs)).not.toContain("2001:db8");
  await Promise.all([site.dispose(), stripe.dispose()]);
});

describe("the API with a shared secret", () => {
  let deployed: DeployedApi;
  beforeAll(async () => {
    deployed = await startDeployedApi({ SUBSCRIPTION_API_SECRET: `${SECRET},${OLD_SECRET}` });
  });
  afterAll(() => deployed.dispose());

  const sendWith = (secret: string | undefined, email: string, method = "POST") =>
    deployed.ask("/subscription", {
      method,
      headers: { ...json, ...(secret !== undefined && { "Subscription-Api-Secret": secret }) },
      ...(method === "POST" && { body: formOf(email) }),
    });

  test("answers 401 with another secret, says so in the log, and does nothing [H1] [G12]", async () => {
    const answer = await sendWith(`${SECRET}x`, "refused@example.com");
    expect(answer.status).toBe(401);
    expect(await answer.text()).not.toContain(SECRET);
    await expect.poll(() => deployed.api.logs).toContainEqual(expect.objectContaining({ event: "site_refused" }));
    expect(await rows(deployed.api, "SELECT id FROM sign_ups WHERE email = 'refused@example.com'")).toEqual([]);
  });

  test.each([SECRET, OLD_SECRET])("takes a sign-up with either secret of a change [H1]", async (secret) => {
    expect((await sendWith(secret, `${secret.slice(0, 5)}@example.com`)).status).toBe(200);
    expect((await sendWith(secret, "", "GET")).status).toBe(405);
  });

  test.each<[number, string, string]>([
    [401, "/subscription", "{}"],
    [413, "/webhooks/stripe", "x".repeat(257 * 1024)],
    [404, "/nothing", "{}"],
  ])("sends every security header with a %i of %s [H14]", async (status, path, body) => {
    const { status: actual, headers } = await deployed.ask(path, { method: "POST", headers: json, body });
    expect(actual).toBe(status);
    expect(Object.fromEntries(headers)).toMatchObject({
      "strict-transport-security": "max-age=63072000; includeSubDomains; preload",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      "x-request-id": expect.stringMatching(/^[\w-]{36}$/),
    });
    for (const name of ["access-control-allow-origin", "server", "x-powered-by"])
      expect(headers.has(name), name).toBe(false);
  });

  test("takes the site's sign-ups over the network; the secret is in no answer and no log [H1] [F4]", async () => {
    const site = await startDeployedSite(
      async (request) =>
        deployed.ask(new URL(request.url).pathname, {
          method: request.method,
          headers: [...request.headers],
          body: await request.text(),
        }),
      {
        vars: {
          SUBSCRIPTION_API_URL: API_ORIGIN,
          SUBSCRIPTION_API_SECRET: SECRET,
          SUBSCRIPTION_API_TIMEOUT_MS: "9000",
        },
      },
    );
    const visitor = siteVisitor(site, ORIGIN);
    expect((await visitor.submit({ email: "network@example.com" })).status).toBe(303);
    expect(await rows(deployed.api, "SELECT status FROM sign_ups WHERE email = 'network@example.com'")).toHaveLength(1);
    const logs = JSON.stringify([...site.output, ...deployed.api.output]);
    expect(logs + visitor.received.join()).not.toContain(SECRET);
    await site.dispose();
  });
});
