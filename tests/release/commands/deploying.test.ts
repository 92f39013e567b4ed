import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import * as z from "zod";
import { namedBy } from "../../../tools/releases/deploy";
import { versionTagged } from "../../../tools/releases/rollback";
import { smoke, type Target } from "../../../tools/releases/smoke";
import { fields } from "../../support/visitors/site-visitor";
import { type Stack, startStack } from "../../support/visitors/visited-site";
import { rows } from "../../support/visitors/visitor";
import { startSubscriptionApi } from "../../support/workers/workers";
import { freePort } from "./free-port";

/* The parts of `npm run deploy`, `npm run smoke` and `npm run rollback` that can run locally. */

const root = fileURLToPath(new URL("../../..", import.meta.url));

const configuration = z.object({
  name: z.string(),
  vars: z.record(z.string(), z.unknown()),
  routes: z.array(z.object({ pattern: z.string() })),
  ratelimits: z.array(z.object({ name: z.string(), namespace_id: z.string(), simple: z.unknown() })),
  services: z.array(z.object({ service: z.string() })).optional(),
  d1_databases: z.array(z.object({ database_name: z.string() })),
  upload_source_maps: z.boolean(),
});

describe("the smoke test", () => {
  let stack: Stack;
  let target: Target;
  beforeAll(async () => {
    stack = await startStack();
    target = {
      siteUrl: stack.site.url,
      apiUrl: stack.api.url,
      packageId: fields.package_id,
      stripeUrl: stack.stripe.url,
      publishableKey: "pk_test_local",
    };
    return stack.dispose;
  });

  const failures = async (change: Partial<Target>) =>
    (await smoke({ ...target, ...change })).filter(({ passed }) => !passed).map(({ name, what }) => `${name}: ${what}`);

  test("the smoke test passes for a working deployment and creates no sign-up", async () => {
    const outcomes = await smoke(target);
    expect(outcomes.map(({ name, passed, what }) => (passed ? name : what))).toEqual([
      ...["pages", "site", "form", "refused post", "API", "API's doors", "Stripe key"],
    ]);
    expect(await rows(stack.api, "SELECT * FROM sign_ups")).toEqual([]);
  });

  test("the smoke test names a missing site", async () => {
    const siteUrl = `http://localhost:${await freePort()}`;
    const found = await failures({ siteUrl });
    expect(found.map((line) => line.split(":")[0])).toEqual(["pages", "site", "form", "refused post"]);
    for (const line of found) expect(line).toContain(`${new URL(siteUrl).host} cannot be reached`);
  });

  test("the smoke test names an unhealthy API, and a publishable key unknown to Stripe", async () => {
    const api = await startSubscriptionApi({ simulatorUrl: stack.stripe.url });
    await rows(api, "ALTER TABLE outbox RENAME TO inbox");
    expect(await failures({ apiUrl: api.url, publishableKey: "pk_live_unknown" })).toEqual([
      expect.stringMatching(/^API: \/health was answered 503: .*"DB"/),
      "Stripe key: Stripe does not know the publishable key",
    ]);
    await api.dispose();
  });
});

describe.each([
  ["the site", ".", ["env.SUBSCRIPTION_API (citewell-subscription-api#SiteApi)", "env.SITE_URL", "env.RELEASE"]],
  [
    "the subscription API",
    "functions/subscription-api",
    ["env.DB (citewell-subscriptions)", "env.EMAIL", "env.SIGNUP_RATE_LIMIT", "env.MAIL_FROM"],
  ],
])("deployments of %s", (_name, folder, bindings) => {
  test("Wrangler's dry run has the commit's name and production's bindings, and no local settings", async () => {
    const outdir = await mkdtemp(`${root}/build/named-`);
    const wrangler = `${root}/node_modules/wrangler/bin/wrangler.js`;
    const named = namedBy({ commit: "0123456789ab", subject: 'Say "hello": a = b' });
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [wrangler, "deploy", "--cwd", folder, "--env", "production", "--dry-run", "--outdir", outdir, ...named],
      { cwd: root, encoding: "utf8", env: { ...process.env, CI: "1", WRANGLER_SEND_METRICS: "false" } },
    );
    expect(status, stderr).toBe(0);
    for (const binding of bindings) expect(stdout).toContain(binding);
    expect(stdout).not.toMatch(/localhost|_local|only-for-local/);
    const [script = ""] = (await readdir(outdir)).filter((name) => name.endsWith(".js"));
    expect(await readFile(`${outdir}/${script}`, "utf8")).toMatch(/"0123456789ab"/);
    await rm(outdir, { recursive: true });
  });

  test("staging has the same settings as production, with its own name, host, database and rate limit namespaces", () => {
    const config = `${root}/${folder}/wrangler.toml`;
    const [staging, production] = ["staging", "production"].map((env) =>
      configuration.parse(unstable_readConfig({ config, env }, { hideWarnings: true })),
    );
    expect(Object.keys(staging?.vars ?? {})).toEqual(Object.keys(production?.vars ?? {}));
    const limitsOf = (environment: typeof staging) =>
      environment?.ratelimits.map(({ name, simple }) => ({ name, simple }));
    expect(limitsOf(staging)).toEqual(limitsOf(production));
    const own = [staging, production].map((environment) => [
      environment?.name,
      environment?.vars.SITE_URL,
      ...(environment?.ratelimits ?? []).map(({ namespace_id }) => namespace_id),
      ...(environment?.routes ?? []).map(({ pattern }) => pattern),
      ...(environment?.services ?? []).map(({ service }) => service),
      ...(environment?.d1_databases ?? []).map(({ database_name }) => database_name),
    ]);
    expect(new Set(own.flat()).size).toBe(own.flat().length);
    expect(staging?.upload_source_maps).toBe(true);
  });
});

describe("the version to roll back to", () => {
  const version = (id: string, created_on: string, annotations?: Record<string, string>) => ({
    id,
    metadata: { created_on },
    ...(annotations && { annotations: { "workers/triggered_by": "version_upload", ...annotations } }),
  });
  const list = JSON.stringify([
    version("first", "2026-01-01T00:00:00Z", { "workers/tag": "aaaaaaaaaaaa" }),
    version("again", "2026-01-03T00:00:00Z", { "workers/tag": "aaaaaaaaaaaa" }),
    version("secret", "2026-01-04T00:00:00Z", { "workers/triggered_by": "secret" }),
    version("bad", "2026-01-05T00:00:00Z", { "workers/tag": "bbbbbbbbbbbb" }),
    version("unnamed", "2026-01-06T00:00:00Z"),
  ]);

  test.each([
    ["aaaaaaaaaaaa", { id: "again", hasOldSecrets: true }],
    ["bbbbbbbbbbbb", { id: "bad", hasOldSecrets: false }],
    ["cccccccccccc", undefined],
  ])("rolling back to the tag %s deploys %o", (tag, version) => {
    expect(versionTagged(tag, list)).toEqual(version);
  });
});
