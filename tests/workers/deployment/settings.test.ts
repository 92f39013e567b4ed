import { join } from "node:path";
import { expect, test } from "vitest";
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
const [local, staging, production] = [read(), read("staging"), read("production")];

test.each([
  { stage: "staging", ...staging },
  { stage: "production", ...production },
])("in $stage nothing is local, both know their release, and the API takes three times the site's forms", (row) => {
  const { site, api } = row;
  for (const { name, vars, version_metadata } of [site, api]) {
    expect(JSON.stringify([name, vars])).not.toMatch(/localhost|[-_]local/);
    expect(version_metadata).toEqual({ binding: "RELEASE" });
  }
  expect(site.define, "React for production").toMatchObject({ "process.env.NODE_ENV": '"production"' });
  const ofSignUps = ({ ratelimits }: typeof site) => {
    const { limit = 0, period } = ratelimits.find(({ name }) => name === "SIGNUP_RATE_LIMIT")?.simple ?? {};
    return limit / Number(period);
  };
  expect(ofSignUps(api)).toBeGreaterThanOrEqual(3 * ofSignUps(site));
});

test("staging is as production, but for its hosts and keys", () => {
  const shared = ({ vars }: typeof local.site) =>
    Object.entries(vars).filter(([name]) => !/^STAGE$|URL$|KEY$/.test(name));
  expect(shared(staging.site)).toEqual(shared(production.site));
  expect(shared(staging.api)).toEqual(shared(production.api));
});

test("no two Workers or stages share a name, a route, a rate limiter or a database", () => {
  const all = [local, staging, production].flatMap(({ site, api }) => [site, api]);
  const values = [
    ...all.flatMap(({ name, routes }) => [name, ...routes]),
    ...all.flatMap(({ ratelimits }) => ratelimits.map(({ namespace_id }) => namespace_id)),
    ...[staging, production].flatMap(({ api }) => api.d1_databases.map(({ database_name }) => database_name)),
  ];
  expect(values.length).toBeGreaterThan(15);
  expect(values.filter((value, index) => values.indexOf(value) !== index)).toEqual([]);
});

test("the local Workers cannot be reached if they are deployed by mistake, and have the simulator's console", () => {
  for (const settings of [local.site, local.api]) {
    expect(settings).toMatchObject({ routes: [], workers_dev: false, name: expect.stringMatching(/-local$/) });
    expect(settings.vars.CONSOLE_URL).toBe("http://localhost:8789/console");
  }
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
