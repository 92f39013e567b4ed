import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { siteVisitor } from "../../support/visitors/site-visitor";
import { startDeployedSite } from "../../support/workers/deployed-site";
import { type RunningWorker, startSite, startSubscriptionApi } from "../../support/workers/workers";

/* What `wrangler deploy` without `--env` would put live, and what of it would answer. */

let site: RunningWorker;
let api: RunningWorker;

beforeAll(async () => {
  [site, api] = await Promise.all([startSite(), startSubscriptionApi()]);
});

afterAll(() => Promise.all([site.dispose(), api.dispose()]));

const status = async ({ mf }: RunningWorker, url: string, init?: { method: string }) => {
  const response = await mf.dispatchFetch(url, { redirect: "manual", ...init });
  await response.arrayBuffer();
  return response.status;
};

test.each([
  "https://citewell-site-local.somebody.workers.dev",
  "http://www.citewell.example",
  "http://127.0.0.1.example",
  "http://localhost.example",
  "http://192.168.0.7:8787",
])("with local settings both Workers refuse %s [H23]", async (origin) => {
  for (const path of ["/", "/subscription", "/health", "/nothing"]) expect(await status(site, origin + path)).toBe(421);
  expect(await status(site, `${origin}/subscription`, { method: "POST" })).toBe(421);
  for (const path of ["/subscription", "/webhooks/stripe", "/operator/export"]) {
    expect(await status(api, origin + path, { method: "POST" })).toBe(421);
  }
  expect(await status(api, `${origin}/health`)).toBe(421);
});

test.each([
  "http://localhost:8787",
  "http://127.0.0.1:9",
  "http://127.9.9.9",
  "http://[::1]:8787",
  "http://site.localhost",
])("with local settings the site serves %s", async (origin) => {
  expect(await status(site, `${origin}/pricing`)).toBe(200);
});

test("with HOST both Workers serve another device, which reaches the simulator on the same host", async () => {
  const STRIPE_JS_URL = "http://localhost:8789/endive/stripe.js";
  const [open, openApi] = await Promise.all([
    startSite({ vars: { HOST: "192.168.0.7", STRIPE_JS_URL } }),
    startSubscriptionApi({ vars: { HOST: "192.168.0.7" } }),
  ]);
  const policyAt = async (origin: string) => {
    const response = await open.mf.dispatchFetch(`${origin}/subscription`);
    await response.arrayBuffer();
    return [response.status, response.headers.get("Content-Security-Policy")];
  };
  for (const host of ["localhost", "192.168.0.7", "my-machine.local"]) {
    const policy = expect.stringContaining(` http://${host}:8789;`);
    expect(await policyAt(`http://${host}:8787`)).toEqual([200, policy]);
  }
  const sitemap = await open.mf.dispatchFetch("http://my-machine.local:8787/sitemap.xml");
  expect(await sitemap.text()).toContain("<loc>http://my-machine.local:8787/pricing</loc>");
  const refused = await open.mf.dispatchFetch("http://my-machine.local:8787/subscription", {
    method: "POST",
    headers: { Origin: "http://localhost:8787", "Content-Type": "application/x-www-form-urlencoded" },
  });
  expect(refused.status).toBe(403);
  expect(await status(openApi, "http://192.168.0.7:8788/nothing")).toBe(404);
  await Promise.all([open.dispose(), openApi.dispose()]);
});

test("the refusal explains how to serve other devices", async () => {
  const refused = await site.mf.dispatchFetch("http://192.168.0.7:8787/");
  expect(await refused.text()).toContain("To serve other devices, start with HOST=0.0.0.0 npm start.");
});

test("a deployment serves every host that Cloudflare routes to it", async () => {
  const deployed = await startDeployedSite(() => new Response());
  expect((await siteVisitor(deployed, "https://another.citewell.dev").get("/pricing")).status).toBe(200);
  await deployed.dispose();
});

test.each(["wrangler.toml", "functions/subscription-api/wrangler.toml"])(
  "the top level of %s is no deployment's: its name, no route, no workers.dev [H23]",
  (file) => {
    const config = fileURLToPath(new URL(`../../../${file}`, import.meta.url));
    const [local, production] = ["", "production"].map((env) =>
      unstable_readConfig({ config, env }, { hideWarnings: true }),
    );
    expect(local).toMatchObject({ name: `${production?.name}-local`, workers_dev: false });
    expect(local?.routes ?? []).toEqual([]);
  },
);
