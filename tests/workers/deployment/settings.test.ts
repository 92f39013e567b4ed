import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readWorkerSettings } from "../../../tools/wrangler/worker-settings";
import { API_FOLDER, root, type Stage } from "../../../tools/wrangler/wrangler";
import { siteVisitor } from "../../support/visitors/site-visitor";
import { startDeployedSite, startSite, startSubscriptionApi } from "../../support/workers/workers";

/* What each wrangler.toml puts live: what the stages need, and that local settings serve this machine only. */

const read = (stage?: Stage) => ({
  site: readWorkerSettings(join(root, "wrangler.toml"), stage),
  api: readWorkerSettings(join(root, API_FOLDER, "wrangler.toml"), stage),
});
const local = read();
const [staging, production] = [read("staging"), read("production")];

test.each([
  ["staging", staging],
  ["production", production],
])("in %s the site asks the API through its private entrypoint, and nothing secret is public", (_, { site, api }) => {
  const binding = { binding: "SUBSCRIPTION_API", service: api.name, entrypoint: "SiteApi" };
  expect(site.services).toEqual([expect.objectContaining(binding)]);
  expect(site.requiredSecrets).toEqual(["SESSION_SECRET"]);
  const [SITE_URL, PUBLIC_URL] = [`https://${site.routes}`, `https://${api.routes}`];
  const own = { SUBSCRIPTION_API_IDEMPOTENT: "true", SITE_URL, SUBSCRIPTION_API_URL: PUBLIC_URL };
  expect([site.vars, site.define]).toMatchObject([own, { "process.env.NODE_ENV": '"production"' }]);
  expect(api.d1_databases).toMatchObject([{ binding: "DB", migrations_dir: "migrations" }]);
  expect([api.send_email, api.triggers.crons]).toEqual([[{ name: "EMAIL" }], ["* * * * *"]]);
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

const STRIPE_JS_URL = "http://localhost:8789/endive/stripe.js";
const workers = await Promise.all([
  startSite(),
  startSubscriptionApi(),
  startSite({ vars: { HOST: "192.168.0.7", STRIPE_JS_URL } }),
  startDeployedSite(() => new Response()),
]);
afterAll(() => Promise.all(workers.map((worker) => worker.dispose())));
const [site, api, shared, deployed] = workers;

const FOREIGN = ["https://citewell-site-local.somebody.workers.dev", "http://192.168.0.7:8787"];
const refused = [
  ...["/", "/subscription", "/health", "/nothing"].map((path) => [site, "GET", path] as const),
  ...["/subscription", "/webhooks/stripe", "/operator/export"].map((path) => [api, "POST", path] as const),
  [site, "POST", "/subscription"] as const,
];
test.each(FOREIGN)("local settings refuse %s in both Workers, and say how to serve another device", async (origin) => {
  for (const [worker, method, path] of refused) {
    const { status, text } = await siteVisitor(worker, origin).send(method, path);
    const how = expect.stringContaining("start with HOST=0.0.0.0 npm start.");
    expect([path, status, text]).toEqual([path, 421, how]);
  }
});

test.each(["http://localhost:8787", "http://[::1]:8787", "https://another.citewell.dev"])(
  "local settings serve this machine, a deployment every host that Cloudflare routes to it: %s",
  async (origin) => {
    const worker = origin.startsWith("https:") ? deployed : site;
    expect((await siteVisitor(worker, origin).get("/pricing")).status).toBe(200);
  },
);

test("with HOST they serve other devices, and their simulator, but no form of another site", async () => {
  const visitor = siteVisitor(shared, "http://192.168.0.7:8787");
  const { status, headers } = await visitor.get("/subscription");
  const policy = expect.stringContaining(" http://192.168.0.7:8789;");
  expect([status, headers.get("Content-Security-Policy")]).toEqual([200, policy]);
  expect((await visitor.get("/sitemap.xml")).body).toContain("<loc>http://192.168.0.7:8787/pricing");
  expect((await visitor.submit({}, { Origin: "http://evil.test:8787", "Sec-Fetch-Site": "" })).status).toBe(403);
});
