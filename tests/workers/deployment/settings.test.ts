import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readWorkerSettings } from "../../../tools/wrangler/worker-settings";
import { API_FOLDER, root, type Stage } from "../../../tools/wrangler/wrangler";
import { readPage } from "../../support/visitors/page";
import { siteVisitor } from "../../support/visitors/site-visitor";
import { startSite } from "../../support/workers/workers";

/* The settings that each wrangler.toml deploys beyond what the preflight checks (tests/unit/tools/), and HOST for local settings. */

const read = (stage?: Stage) => ({
  site: readWorkerSettings(join(root, "wrangler.toml"), stage),
  api: readWorkerSettings(join(root, API_FOLDER, "wrangler.toml"), stage),
});
const local = read();
const staging = read("staging");
const production = read("production");
const deployed = [
  { stage: "staging", worker: "site", settings: staging.site },
  { stage: "staging", worker: "API", settings: staging.api },
  { stage: "production", worker: "site", settings: production.site },
  { stage: "production", worker: "API", settings: production.api },
];

describe.each(deployed)("in $stage the $worker", ({ settings }) => {
  test("has none of the local settings", () => {
    expect(JSON.stringify([settings.name, settings.vars])).not.toMatch(/localhost|[-_]local/);
  });

  test("knows its release", () => {
    expect(settings.version_metadata).toEqual({ binding: "RELEASE" });
  });
});

describe.each([
  { stage: "staging", ...staging },
  { stage: "production", ...production },
])("in $stage", ({ site, api }) => {
  test("the site runs React for production", () => {
    expect(site.define).toMatchObject({ "process.env.NODE_ENV": '"production"' });
  });

  test("the API's limit lets through each form that the site's does, three times", () => {
    const ofSignUps = ({ ratelimits }: typeof site) => {
      const { limit = 0, period } = ratelimits.find(({ name }) => name === "SIGNUP_RATE_LIMIT")?.simple ?? {};
      return limit / Number(period);
    };
    expect(ofSignUps(api)).toBeGreaterThanOrEqual(3 * ofSignUps(site));
  });
});

test.each([
  { worker: "the site", inProduction: production.site, inStaging: staging.site },
  { worker: "the API", inProduction: production.api, inStaging: staging.api },
])("in staging $worker is as in production, but for its hosts and keys", ({ inProduction, inStaging }) => {
  const shared = ({ vars }: typeof inProduction) =>
    Object.entries(vars).filter(([name]) => !/^STAGE$|URL$|KEY$/.test(name));
  expect(shared(inStaging)).toEqual(shared(inProduction));
});

describe("of all Workers and stages", () => {
  const all = [local, staging, production].flatMap(({ site, api }) => [site, api]);

  test.each([
    { what: "name", values: all.map(({ name }) => name) },
    { what: "route", values: all.flatMap(({ routes }) => routes) },
    {
      what: "rate limiter",
      values: all.flatMap(({ ratelimits }) => ratelimits.map(({ namespace_id }) => namespace_id)),
    },
    {
      what: "database",
      values: [staging, production].flatMap(({ api }) => api.d1_databases.map(({ database_name }) => database_name)),
    },
  ])("no two share a $what", ({ values }) => {
    expect(values.length).toBeGreaterThan(1);
    expect(values.filter((value, index) => values.indexOf(value) !== index)).toEqual([]);
  });

  test.each([
    { worker: "site", settings: local.site },
    { worker: "API", settings: local.api },
  ])("the local $worker cannot be reached if it is deployed by mistake", ({ settings }) => {
    expect(settings.routes).toEqual([]);
    expect(settings.workers_dev).toBe(false);
    expect(settings.name).toMatch(/-local$/);
  });
});

test.each(["site", "api"] as const)("the Customer Console of the local %s is the simulator's", (worker) => {
  expect(local[worker].vars.CONSOLE_URL).toBe("http://localhost:8789/console");
});

test("with HOST local settings serve other devices, and their simulator", async () => {
  const vars = { HOST: "192.168.0.7", STRIPE_JS_URL: "http://localhost:8789/endive/stripe.js" };
  const shared = await startSite({ vars });
  const visitor = siteVisitor(shared, "http://192.168.0.7:8787");
  const form = await visitor.get("/subscription");
  expect(form).toHaveStatus(200);
  expect(form).toHaveHeader("Content-Security-Policy", / http:\/\/192\.168\.0\.7:8789;/);
  expect((await visitor.get("/sitemap.xml")).body).toContain("<loc>http://192.168.0.7:8787/pricing");
  const page = readPage(await visitor.get("/"));
  expect(page.links("header nav a")).toContain("Customer Console: http://192.168.0.7:8789/console");
  await shared.dispose();
});
