import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import { afterAll, describe, expect, test } from "vitest";
import { PAID_PLANS, settingOf } from "../../../app/contract/plans";
import { migrateDatabase } from "../../../tools/wrangler/migrate-database";
import { readWorkerSettings } from "../../../tools/wrangler/worker-settings";
import { siteVisitor } from "../../support/visitors/site-visitor";
import { type RunningWorker, startDeployedSite, startSite, startSubscriptionApi } from "../../support/workers/workers";

/* What each wrangler.toml puts live: what the stages need, and that local settings serve this machine only. */

const fileOf = (folder: string) => fileURLToPath(new URL(`../../../${folder}wrangler.toml`, import.meta.url));
const SITE = fileOf("");
const API = fileOf("functions/subscription-api/");
const STAGES = [undefined, "staging", "production"] as const;

describe.each(["staging", "production"] as const)("in %s", (stage) => {
  const site = readWorkerSettings(SITE, stage);
  const api = readWorkerSettings(API, stage);

  test("the site asks this stage's API through its private entrypoint, and has its secret", () => {
    const SUBSCRIPTION_API = { binding: "SUBSCRIPTION_API", service: api.name, entrypoint: "SiteApi" };
    expect(site.services).toEqual([expect.objectContaining(SUBSCRIPTION_API)]);
    expect(site.requiredSecrets).toContain("SESSION_SECRET");
    expect(site.vars).not.toHaveProperty("SESSION_SECRET");
    expect(site.vars).toMatchObject({ SUBSCRIPTION_API_IDEMPOTENT: "true" });
  });

  test("the site limits each sender, and no limiter is shared", () => {
    const limits = Object.fromEntries(site.ratelimits.map(({ name, simple }) => [name, simple.limit]));
    expect(limits).toEqual({
      SIGNUP_RATE_LIMIT: 10,
      FLOOD_RATE_LIMIT: 20,
      SIGNUP_NETWORK_RATE_LIMIT: 60,
      CARD_CHECK_RATE_LIMIT: 30,
    });
    const ids = [SITE, API].flatMap((file) =>
      STAGES.flatMap((each) => readWorkerSettings(file, each).ratelimits.map(({ namespace_id }) => namespace_id)),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("both Workers have their own name and route, no workers.dev, and no log of whole URLs", () => {
    for (const [file, { name, routes, workers_dev, observability }] of [
      [SITE, site],
      [API, api],
    ] as const) {
      expect([routes.length > 0, workers_dev, observability?.logs?.invocation_logs]).toEqual([true, false, false]);
      const local = readWorkerSettings(file);
      expect([local.routes, local.workers_dev, local.name.endsWith("-local")]).toEqual([[], false, true]);
      expect(local.name).not.toBe(name);
    }
  });
});

test("catalog and site agree on ids, names and prices, locally and in both stages", async () => {
  const databases = new Miniflare({ modules: true, script: "export default {}", d1Databases: ["catalog"] });
  const db = await databases.getD1Database("catalog");
  await migrateDatabase(db);
  const { results } = await db.prepare("SELECT id, name, price_cents FROM packages ORDER BY price_cents").all();
  await databases.dispose();
  for (const stage of STAGES) {
    const { vars } = readWorkerSettings(SITE, stage);
    const sold = PAID_PLANS.map((plan) => [vars[settingOf(plan)], plan.title, plan.monthlyPrice * 100]);
    expect(sold, stage).toEqual(results.map(({ id, name, price_cents }) => [id, name, price_cents]));
  }
});

const STRIPE_JS_URL = "http://localhost:8789/endive/stripe.js";
const [site, api, shared] = await Promise.all([
  startSite(),
  startSubscriptionApi(),
  startSite({ vars: { HOST: "192.168.0.7", STRIPE_JS_URL } }),
]);
afterAll(() => Promise.all([site, api, shared].map((worker) => worker.dispose())));

async function ask(
  { mf }: RunningWorker,
  url: string,
  init: { method?: string; headers?: Record<string, string> } = {},
) {
  const response = await mf.dispatchFetch(url, { redirect: "manual", ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe("local settings", () => {
  test.each([
    "https://citewell-site-local.somebody.workers.dev",
    "http://www.citewell.example",
    "http://127.0.0.1.example",
    "http://localhost.example",
    "http://192.168.0.7:8787",
  ])("refuse %s in both Workers, and say how to serve another device", async (origin) => {
    for (const path of ["/", "/subscription", "/health", "/nothing"]) {
      const { status, text } = await ask(site, origin + path);
      expect([status, text]).toEqual([421, expect.stringContaining("start with HOST=0.0.0.0 npm start.")]);
    }
    for (const [worker, path] of [
      [site, "/subscription"],
      [api, "/subscription"],
      [api, "/webhooks/stripe"],
      [api, "/operator/export"],
    ] as const) {
      expect((await ask(worker, origin + path, { method: "POST" })).status).toBe(421);
    }
  });

  test.each([
    "http://localhost:8787",
    "http://127.0.0.1:9",
    "http://127.9.9.9",
    "http://[::1]:8787",
    "http://site.localhost",
  ])("serve %s", async (origin) => {
    expect((await ask(site, `${origin}/pricing`)).status).toBe(200);
  });

  test.each(["localhost", "192.168.0.7", "my-machine.local"])(
    "with HOST serve %s, where the same host has the simulator",
    async (host) => {
      const origin = `http://${host}:8787`;
      const { status, headers } = await ask(shared, `${origin}/subscription`);
      const policy = headers.get("Content-Security-Policy");
      expect([status, policy]).toEqual([200, expect.stringContaining(` http://${host}:8789;`)]);
      const sitemap = await ask(shared, `${origin}/sitemap.xml`);
      if (host !== "localhost") expect(sitemap.text).toContain(`<loc>${origin}/pricing</loc>`);
      const foreign = { Origin: "http://evil.test:8787", "Content-Type": "application/x-www-form-urlencoded" };
      expect((await ask(shared, `${origin}/subscription`, { method: "POST", headers: foreign })).status).toBe(403);
    },
  );
});

test("a deployment serves every host that Cloudflare routes to it", async () => {
  const deployed = await startDeployedSite(() => new Response());
  expect((await siteVisitor(deployed, "https://another.citewell.dev").get("/pricing")).status).toBe(200);
  await deployed.dispose();
});
