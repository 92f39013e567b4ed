import { expect, test } from "vitest";
import { migrateDatabase } from "../../../tools/wrangler/migrate-database";
import { enoughOfTheMinute } from "../../support/visitors/senders";
import { siteVisitor } from "../../support/visitors/site-visitor";
import { rows, validRequest } from "../../support/visitors/visitor";
import { ORIGIN, startDeployedSite } from "../../support/workers/deployed-site";
import { startSite, startStripeSimulator } from "../../support/workers/workers";
import { API_ORIGIN, deployedApi, startDeployedApi } from "./deployed-api";

/* The two ways from the site to the API: its own entrypoint, and the network with a shared secret. */

test("the site reaches the API at the entrypoint in wrangler.toml, and the API limits by the client that the site names [H1]", async () => {
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
  const db = site.database;
  await migrateDatabase(db);
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

test("with a shared secret the API accepts sign-ups from the site only, and the secret is in no response and no log [H1] [F4] [G12]", async () => {
  const SUBSCRIPTION_API_SECRET = "a-shared-secret-of-the-tests-with-more-than-32-characters";
  const deployed = await startDeployedApi({ SUBSCRIPTION_API_SECRET });
  const site = await startDeployedSite(
    async (request) =>
      deployed.ask(new URL(request.url).pathname, {
        method: request.method,
        headers: [...request.headers],
        body: await request.text(),
      }),
    { vars: { SUBSCRIPTION_API_URL: API_ORIGIN, SUBSCRIPTION_API_SECRET, SUBSCRIPTION_API_TIMEOUT_MS: "9000" } },
  );
  const visitor = siteVisitor(site, ORIGIN);
  expect((await visitor.submit({ email: "network@example.com" })).status).toBe(303);

  const headers = { "Content-Type": "application/json", "Subscription-Api-Secret": `${SUBSCRIPTION_API_SECRET}x` };
  const refused = await deployed.ask("/subscription", { method: "POST", headers, body: JSON.stringify(validRequest) });
  expect(refused.status).toBe(401);
  for (const name of ["access-control-allow-origin", "server", "x-powered-by"])
    expect(refused.headers.has(name), name).toBe(false);
  expect(await rows(deployed.api, "SELECT email FROM sign_ups")).toEqual([{ email: "network@example.com" }]);
  const told = [...site.output, ...deployed.api.output, ...visitor.received, await refused.text()];
  expect(told.join()).not.toContain(SUBSCRIPTION_API_SECRET);
  await Promise.all([site.dispose(), deployed.dispose()]);
});
