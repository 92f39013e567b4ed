import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Checkout, checkOut } from "./checkout";
import { type StandIn, startCloudflare, type Version } from "./cloudflare";

/* `npm run rollback` as a person types it, with a stand-in for Cloudflare's API. */

const GOOD = "aaaaaaaaaaaa";
const BAD = "bbbbbbbbbbbb";
const SLOW = { timeout: 300_000 };

const version = (id: string, day: number, annotations: Record<string, string>): Version => ({
  id,
  metadata: { created_on: `2026-01-0${day}T00:00:00Z` },
  annotations,
});
const releases = (worker: string) => [
  version(`${worker}-good`, 1, { "workers/tag": GOOD, "workers/triggered_by": "upload" }),
  version(`${worker}-bad`, 3, { "workers/tag": BAD, "workers/triggered_by": "upload" }),
];

describe("npm run rollback", SLOW, () => {
  let checkout: Checkout;
  let cloudflare: StandIn;
  beforeAll(async () => {
    [checkout, cloudflare] = await Promise.all([checkOut(), startCloudflare()]);
    for (const stage of ["", "-staging"]) {
      cloudflare.account.versions.set(`citewell-site${stage}`, releases("site"));
      cloudflare.account.versions.set(`citewell-subscription-api${stage}`, releases("api"));
    }
  });
  afterAll(() => Promise.all([checkout.dispose(), cloudflare.dispose()]));

  const rollBack = async (...args: string[]) => {
    const before = cloudflare.changes.length;
    const ended = await checkout.run("rollback", args, cloudflare.env);
    return { ...ended, changes: cloudflare.changes.slice(before).filter((change) => !change.startsWith("POST")) };
  };

  test("npm run rollback deploys the earlier release, the site first, by a short or full commit hash", async () => {
    const { output, exitCode, changes } = await rollBack(GOOD.padEnd(40, "0"));
    expect(output).toBe(
      [
        `✓ site: version site-good of ${GOOD} is live in production`,
        `✓ subscription-api: version api-good of ${GOOD} is live in production`,
        `Until the next deployment no secret can be set. To set one: git switch --detach ${GOOD} && npm install && npm run deploy -- --untried`,
        "",
      ].join("\n"),
    );
    expect(changes).toEqual(["citewell-site site-good", "citewell-subscription-api api-good"]);
    expect(exitCode).toBe(0);
  });

  test("npm run rollback restores no old secret without --old-secrets, and says how to keep the new one", async () => {
    const changed = version("api-secret", 2, { "workers/triggered_by": "secret" });
    cloudflare.account.versions.get("citewell-subscription-api-staging")?.push(changed);

    const refused = await rollBack(GOOD, "--staging");
    expect(refused).toMatchObject({ exitCode: 1, changes: [] });
    expect(refused.output).toContain("✗ subscription-api: a secret was changed since");
    expect(refused.output).toContain(`git switch --detach ${GOOD} && npm install && npm run deploy -- --staging\n`);

    const told = await rollBack(GOOD, "--staging", "--only", "subscription-api", "--old-secrets");
    expect(told.changes).toEqual(["citewell-subscription-api-staging api-good"]);
    expect(told.exitCode).toBe(0);
  });
});
