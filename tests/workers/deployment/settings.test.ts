import { join } from "node:path";
import { expect, test } from "vitest";
import { readWorkerSettings } from "../../../tools/wrangler/worker-settings";
import { API_FOLDER, root, type Stage } from "../../../tools/wrangler/wrangler";
import { siteVisitor } from "../../support/visitors/site-visitor";
import { startSite } from "../../support/workers/workers";

/* What each wrangler.toml puts live: what the stages need, and HOST for local settings. */

const read = (stage?: Stage) => ({
  site: readWorkerSettings(join(root, "wrangler.toml"), stage),
  api: readWorkerSettings(join(root, API_FOLDER, "wrangler.toml"), stage),
});
const local = read();
const [staging, production] = [read("staging"), read("production")];

test.each([
  ["staging", staging],
  ["production", production],
])("in %s the usual limits hold, and nothing secret is public", (_, { site, api }) => {
  expect(site.requiredSecrets).toEqual(["SESSION_SECRET"]);
  const [SITE_URL, PUBLIC_URL] = [`https://${site.routes}`, `https://${api.routes}`];
  const own = { SUBSCRIPTION_API_IDEMPOTENT: "true", SITE_URL, SUBSCRIPTION_API_URL: PUBLIC_URL };
  expect([site.vars, site.define]).toMatchObject([own, { "process.env.NODE_ENV": '"production"' }]);
  expect(api.d1_databases).toMatchObject([{ binding: "DB", migrations_dir: "migrations" }]);
  const secrets = ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "LINK_SECRET", "HASH_SECRET"];
  expect(api.requiredSecrets).toEqual(secrets);
  expect(api.vars).toMatchObject({ ONE_TRIAL_PER_PERSON: "true", PUBLIC_URL, SITE_URL });
  const limits = [site, api].flatMap(({ ratelimits }) =>
    ratelimits.map(({ name, simple: { limit, period } }) => [name, limit, period]),
  );
  expect(limits).toEqual([
    ["SIGNUP_RATE_LIMIT", 10, 60],
    ["FLOOD_RATE_LIMIT", 20, 60],
    ["SIGNUP_NETWORK_RATE_LIMIT", 60, 60],
    ["CARD_CHECK_RATE_LIMIT", 30, 60],
    ["SIGNUP_RATE_LIMIT", 30, 60],
  ]);
  for (const { vars, requiredSecrets, workers_dev, observability, version_metadata, name } of [site, api]) {
    for (const secret of requiredSecrets) expect(vars).not.toHaveProperty(secret);
    expect(JSON.stringify([name, vars])).not.toMatch(/-local"|localhost|local_|only-for-local|_test_/);
    const isLogged = [observability?.enabled, observability?.logs?.invocation_logs];
    expect([workers_dev, version_metadata, ...isLogged]).toEqual([false, { binding: "RELEASE" }, true, false]);
  }
});

test("staging is production on other hosts, and no two Workers share a name, a route, a limiter or a database", () => {
  for (const worker of ["site", "api"] as const) {
    const [of, expected] = [staging, production].map((stage) => JSON.stringify(stage[worker].vars));
    const hosts = expected?.replace(/\/\/(www|api)\./g, "//$1.staging.").replaceAll("//www.staging.", "//staging.");
    expect(of).toBe(hosts);
  }
  const all = [local, staging, production].flatMap(({ site, api }) => [site, api]);
  for (const own of [
    all.map(({ name }) => name),
    all.flatMap(({ routes }) => routes),
    all.flatMap(({ ratelimits }) => ratelimits.map(({ namespace_id }) => namespace_id)),
    [staging, production].flatMap(({ api }) => api.d1_databases.map(({ database_name }) => database_name)),
  ])
    expect(new Set(own).size).toBe(own.length);
  for (const { name, routes, workers_dev } of [local.site, local.api])
    expect([routes, workers_dev, name.endsWith("-local")]).toEqual([[], false, true]);
});

test("with HOST local settings serve other devices, and their simulator", async () => {
  const vars = { HOST: "192.168.0.7", STRIPE_JS_URL: "http://localhost:8789/endive/stripe.js" };
  const shared = await startSite({ vars });
  const visitor = siteVisitor(shared, "http://192.168.0.7:8787");
  const { status, headers } = await visitor.get("/subscription");
  const policy = expect.stringContaining(" http://192.168.0.7:8789;");
  expect([status, headers.get("Content-Security-Policy")]).toEqual([200, policy]);
  expect((await visitor.get("/sitemap.xml")).body).toContain("<loc>http://192.168.0.7:8787/pricing");
  await shared.dispose();
});
