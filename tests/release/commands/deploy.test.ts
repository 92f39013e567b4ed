import { afterAll, expect, onTestFinished, test } from "vitest";
import { DATABASES, filledIn, filledInCompany } from "../../support/filled-in-settings";
import { checkOut } from "./checkout";
import { startCloudflare, type Version } from "./cloudflare";

/* Preflight, deploy and rollback as a person types them, with a stand-in for Cloudflare's API. */

const API = "functions/subscription-api";
const NAMES = ["citewell-site", "citewell-subscription-api"];

const checkout = await checkOut();
afterAll(checkout.dispose);
for (const file of ["wrangler.toml", `${API}/wrangler.toml`]) await checkout.change(file, filledIn);
await checkout.change("app/company.ts", filledInCompany);

/** Runs commands in the checkout with an account of Cloudflare. No command shows a stack. */
async function inAccount() {
  const cloudflare = await startCloudflare();
  onTestFinished(cloudflare.dispose);
  const run = async (script: string, ...args: string[]) => {
    const ended = await checkout.run(script, args, cloudflare.env);
    expect(ended.output).not.toMatch(/\n\s+at |node:internal/);
    return ended;
  };
  return { ...cloudflare, run };
}

test("deploy refuses changed files, then a database without tables or prices, and deploys the API before the site", async () => {
  const { run, changes, execute } = await inAccount();
  const deploy = (...args: string[]) => run("deploy", "--production", ...args);
  checkout.commit();

  await checkout.change("app/company.ts", (text) => `${text}\n`);
  expect((await deploy()).output).toBe("Files differ from the commit, which names the release: git commit them.\n");
  const commit = checkout.commit();
  expect((await deploy()).output).toContain("database: has no tables yet: npm run deploy:subscription-api");
  expect(changes).toEqual([]);

  const api = await deploy("--only", "subscription-api");
  expect(api.output).toContain(`✓ subscription API: ${commit} is live for production`);
  expect(changes.join()).not.toContain("citewell-site");
  expect((await deploy()).output).toContain("has no price at Stripe: ");

  await execute(DATABASES.production, "UPDATE packages SET stripe_price_id = 'price_0123456789abcdef' || name");
  changes.length = 0;
  const { output, exitCode } = await deploy();
  expect(output).toMatch(/✓ Ready to deploy to production\..*✓ subscription API.*✓ site/s);
  expect([output, exitCode]).toEqual([expect.stringContaining("live site's releases cannot be read"), 0]);
  const changed = new Set(changes.flatMap((change) => change.match(/citewell-[\w-]+/) ?? []));
  expect([...changed]).toEqual(NAMES.toReversed());
});

const version = (id: string, day: number, annotations: Record<string, string>): Version => {
  const metadata = { created_on: `2026-01-0${day}T00:00:00Z` };
  return { id, metadata, annotations: { "workers/triggered_by": "upload", ...annotations } };
};

test("rollback deploys a commit's versions, the site first, and nothing where a secret was changed since", async () => {
  const { run, changes, versions } = await inAccount();
  const good = "aaaaaaaaaaaa";
  const secret = version("secret", 2, { "workers/triggered_by": "secret" });
  for (const name of NAMES) {
    const bad = version(`${name}-bad`, 3, { "workers/tag": "b" });
    const tagged = [version(`${name}-good`, 1, { "workers/tag": good }), bad];
    versions.set(name, tagged).set(`${name}-staging`, [...tagged, secret]);
  }
  const rollBack = async (...args: string[]) => {
    const before = changes.length;
    const ended = await run("rollback", ...args);
    return { ...ended, changes: changes.slice(before).filter((change) => !change.startsWith("POST")) };
  };
  const { output, ...done } = await rollBack(good.padEnd(40, "0"));
  expect(done).toEqual({ exitCode: 0, changes: NAMES.map((name) => `${name} ${name}-good`) });
  expect(output).toMatch(/✓ site: version citewell-site-good of a{12} is live in production\n✓ subscription API/);
  const refused = { exitCode: 1, changes: [], output: expect.stringContaining("✗ site: a secret was changed since") };
  expect(await rollBack(good, "--staging")).toEqual(refused);
});
