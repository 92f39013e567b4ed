import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fastApi } from "../../support/fast-api/build";
import { enoughOfTheMinute } from "../../support/visitors/senders";
import { siteVisitor } from "../../support/visitors/site-visitor";
import { post, rows, signUp, validRequest } from "../../support/visitors/visitor";
import {
  API_ORIGIN,
  type DeployedApi,
  deployedApi,
  OPERATOR_TOKEN,
  startDeployedApi,
} from "../../support/workers/deployed-api";
import { ORIGIN, startDeployedSite } from "../../support/workers/deployed-site";
import { migrate, startBackend, startSite, startStripeSimulator } from "../../support/workers/workers";

/* Who reaches what of the API: the public, the site by its own entrypoint, the site with a shared secret. */

const SECRET = "a-shared-secret-of-the-tests-with-more-than-32-characters";
const OLD_SECRET = "the-shared-secret-before-it-which-is-still-accepted";

const json = { "Content-Type": "application/json" };
const formOf = (email: string) => JSON.stringify({ ...validRequest, email });

describe("the public entrypoint in production", () => {
  let deployed: DeployedApi;
  beforeAll(async () => {
    deployed = await startDeployedApi();
  });
  afterAll(() => deployed.dispose());

  const sendTo = (path: string, method: string, headers: Record<string, string> = {}) =>
    deployed.ask(path, {
      method,
      headers: { ...json, ...headers },
      ...(!["GET", "HEAD"].includes(method) && { body: formOf("public@example.com") }),
    });

  it.each(["POST", "GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "PROPFIND"])(
    "answers %s /subscription with 404, as any path that is not there [H1]",
    async (method) => {
      const [answer, unknown] = [await sendTo("/subscription", method), await sendTo("/nothing", method)];
      expect(answer.status).toBe(404);
      expect(await answer.text()).toBe(await unknown.text());
      expect(answer.headers.get("allow")).toBeNull();
    },
  );

  it.each([
    "/subscription/",
    "/Subscription",
    "/SUBSCRIPTION",
    "//subscription",
    "/%73ubscription",
    "/subscription%2f",
    "/subscription/x",
    "/subscription?secret=",
    "/./subscription",
    "/webhooks/../subscription",
    "/webhooks/stripe/../../subscription",
    "/health/subscription",
  ])("takes no sign-up at %s either [H1]", async (path) => {
    expect((await sendTo(path, "POST")).status).toBe(404);
  });

  it.each<Record<string, string>>([
    { "Subscription-Api-Secret": "" },
    { "Subscription-Api-Secret": "undefined" },
    { "Subscription-Api-Secret": SECRET },
    { "Subscription-Sender": "127.0.0.1", "CF-Worker": "citewell.dev" },
    { Host: "localhost", "X-Forwarded-Host": "localhost", "CF-Connecting-IP": "127.0.0.1" },
    { Authorization: `Bearer ${OPERATOR_TOKEN}` },
  ])("is not opened by the headers %j [H1]", async (headers) => {
    expect((await sendTo("/subscription", "POST", headers)).status).toBe(404);
    expect(await rows(deployed.api, "SELECT id FROM sign_ups")).toEqual([]);
  });

  it("answers Stripe's webhooks, the health check and the operator", async () => {
    expect((await sendTo("/webhooks/stripe", "POST")).status).toBe(400);
    expect((await sendTo("/operator/export", "POST")).status).toBe(401);
    expect((await sendTo("/operator/export", "POST", { Authorization: `Bearer ${OPERATOR_TOKEN}` })).status).toBe(200);
    // Healthy but for the packages, which have the placeholders of the migration as prices.
    expect(await (await sendTo("/health", "GET")).json()).toMatchObject({ keys: ["packages"] });
  });
});

it("the site reaches the API by the entrypoint that wrangler.toml names, and the API counts by the site's sender [H1]", async () => {
  await enoughOfTheMinute();
  const stripe = await startStripeSimulator();
  const site = await startSite({
    environment: "production",
    vars: {
      SITE_URL: ORIGIN,
      SUBSCRIPTION_API_URL: API_ORIGIN,
      CUSTOMER_PORTAL_URL: "https://billing.stripe.com/p/login/test_0123456789",
      SESSION_SECRET: "a-secret-of-the-tests-with-more-than-32-characters",
    },
    beside: await deployedApi(stripe),
  });
  await migrate(await site.mf.getD1Database("DB", "citewell-subscription-api"));
  const db = await site.mf.getD1Database("DB", "citewell-subscription-api");
  const visitor = siteVisitor(site, ORIGIN);
  const from = (ip: string, email: string) => visitor.submit({ email }, { "CF-Connecting-IP": ip });

  expect((await from("2001:db8::1", "bound@example.com")).status).toBe(303);
  expect((await db.prepare("SELECT email FROM sign_ups").all()).results).toEqual([{ email: "bound@example.com" }]);

  for (let index = 1; index < 30; index += 1) {
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

  it.each([
    undefined,
    "",
    "x",
    SECRET.slice(0, -1),
    `${SECRET}x`,
    SECRET.toUpperCase(),
    `${SECRET},${OLD_SECRET}`,
    `${SECRET}, ${SECRET}`,
    "x".repeat(300),
  ])("answers 401 with the secret %j, says so in the log, and does nothing [H1] [G12]", async (secret) => {
    const refused = () => deployed.api.logs.filter(({ event }) => event === "site_refused").length;
    const before = refused();
    const answer = await sendWith(secret, "refused@example.com");
    expect(answer.status).toBe(401);
    expect(await answer.text()).not.toContain(SECRET);
    expect((await sendWith(secret, "", "GET")).status).toBe(401);
    await expect.poll(refused).toBe(before + 2);
    expect(await rows(deployed.api, "SELECT id FROM sign_ups WHERE email = 'refused@example.com'")).toEqual([]);
  });

  it.each([SECRET, OLD_SECRET])("takes a sign-up with either secret of a change [H1]", async (secret) => {
    expect((await sendWith(secret, `${secret.slice(0, 5)}@example.com`)).status).toBe(200);
    expect((await sendWith(secret, "", "GET")).status).toBe(405);
  });

  it("counts thirty sign-ups a minute of one sender, whom the site names, and says when to come back [H1]", async () => {
    await enoughOfTheMinute();
    const from = (sender: string) =>
      deployed.ask("/subscription", {
        method: "POST",
        headers: {
          ...json,
          "Subscription-Api-Secret": SECRET,
          "Subscription-Sender": sender,
          "CF-Connecting-IP": "192.0.2.99",
        },
        body: "{}",
      });
    for (let n = 0; n < 30; n += 1) expect((await from("2001:db8::/64")).status).toBe(422);
    const refused = await from("2001:db8::/64");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    expect((await from("2001:db8:1::/64")).status).toBe(422);
    // What cannot be a sender is none: all of it counts as one.
    const tooLong = (n: number) => from(`${"x".repeat(63)}${10 + n}`);
    for (let n = 0; n < 30; n += 1) expect((await tooLong(n)).status).toBe(422);
    expect((await tooLong(30)).status).toBe(429);
  });

  it("takes the site's sign-ups over the network; the secret is in no answer and no log [H1] [F4]", async () => {
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

it("the local API takes a plain POST with no header of ours, and ignores those that it gets [H1]", async () => {
  const { api, dispose } = await startBackend(await fastApi());
  expect((await signUp(api, { email: "plain@example.com" })).status).toBe(200);
  const headers = { ...json, "Subscription-Api-Secret": "whatever", "Subscription-Sender": "somebody" };
  expect((await post(`${api.url}/subscription`, formOf("headers@example.com"), headers)).status).toBe(200);
  await dispose();
});
