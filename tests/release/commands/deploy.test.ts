import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DATABASES, filledIn } from "../../support/filled-in-settings";
import { type Checkout, checkOut } from "./checkout";
import { SECRETS, startCloudflare, type Version } from "./cloudflare";

/* Preflight, deploy and rollback as a person types them, with a stand-in for Cloudflare's API. */

const API = "functions/subscription-api";
/** Each command starts Node and Wrangler several times. */
const SLOW = 600_000;

let checkout: Checkout;
beforeAll(async () => {
  checkout = await checkOut();
  for (const file of ["wrangler.toml", `${API}/wrangler.toml`]) await checkout.change(file, filledIn);
  await checkout.change("app/company-facts.ts", (text) =>
    text.replace("100 Example Street, Suite 400", "1 Main Street").replace("social.example", "social.acme.com"),
  );
});
afterAll(() => checkout.dispose());

const expectNoStack = (output: string) => expect(output).not.toMatch(/\n\s+at |node:internal/);

test(
  "the preflight of a new account lists each missing secret as a command to paste",
  async () => {
    const cloudflare = await startCloudflare({ isNew: true });
    const { output, exitCode } = await checkout.run("preflight", ["--staging"], cloudflare.env);
    await cloudflare.dispose();
    expect(exitCode).toBe(1);
    expectNoStack(output);
    for (const name of SECRETS.site) expect(output).toContain(`npx wrangler secret put ${name} --env staging\n`);
    for (const name of SECRETS.api)
      expect(output).toContain(`npx wrangler secret put ${name} --env staging --cwd ${API}\n`);
  },
  SLOW,
);

test(
  "a refused login is told in one sentence, once",
  async () => {
    const cloudflare = await startCloudflare({ refuses: true });
    const { output, exitCode } = await checkout.run("preflight", [], cloudflare.env);
    await cloudflare.dispose();
    expect(exitCode).toBe(1);
    expectNoStack(output);
    expect(output.split("Cloudflare refuses the login")).toHaveLength(2);
  },
  SLOW,
);

test(
  "deploy refuses changed files, tables that are not there and a broken migration, then deploys the API, prices and all in order",
  async () => {
    const cloudflare = await startCloudflare();
    const deploy = (...args: string[]) => checkout.run("deploy", ["--production", ...args], cloudflare.env);
    checkout.commit();

    const migration = join(checkout.folder, API, "migrations/0099_broken.sql");
    await writeFile(migration, "CREATE TABLE half (id TEXT);\nINSERT INTO nowhere VALUES (1);");
    expect((await deploy()).output).toBe("Files differ from the commit, which names the release: git commit them.\n");
    checkout.commit();
    const broken = await deploy("--only", "subscription-api");
    expectNoStack(broken.output);
    expect(broken.output).toMatch(
      /0099_broken\.sql.*no such table: nowhere.*A migration failed, and D1 rolled it back/s,
    );
    expect(cloudflare.changes).toEqual([]);

    await rm(migration);
    const commit = checkout.commit();
    const early = await deploy();
    expect(early).toMatchObject({ exitCode: 1, output: expect.stringContaining("has no price at Stripe: ") });
    expect(cloudflare.changes).toEqual([]);

    const api = await deploy("--only", "subscription-api");
    expect(api).toEqual({
      exitCode: 0,
      output: expect.stringContaining(`✓ subscription API: ${commit} is live for production`),
    });
    expect(cloudflare.changes.join()).not.toContain("citewell-site");

    await cloudflare.execute(
      DATABASES.production,
      "UPDATE packages SET stripe_price_id = 'price_0123456789abcdef' || name",
    );
    cloudflare.changes.length = 0;
    const { output, exitCode } = await deploy();
    expect(output).toMatch(
      /✓ Ready to deploy to production\..*✓ subscription API.*live site's releases cannot be read.*✓ site/s,
    );
    expect(exitCode).toBe(0);
    const changed = new Set(cloudflare.changes.flatMap((change) => change.match(/citewell-[\w-]+/) ?? []));
    expect([...changed]).toEqual(["citewell-subscription-api", "citewell-site"]);
    await cloudflare.dispose();
  },
  SLOW,
);

const version = (id: string, day: number, annotations: Record<string, string>): Version => ({
  id,
  metadata: { created_on: `2026-01-0${day}T00:00:00Z` },
  annotations: { "workers/triggered_by": "upload", ...annotations },
});

test(
  "rollback deploys a commit's versions, the site first, and nothing where a secret was changed since",
  async () => {
    const cloudflare = await startCloudflare();
    const good = "aaaaaaaaaaaa";
    for (const name of ["citewell-site", "citewell-subscription-api"]) {
      const tagged = [
        version(`${name}-good`, 1, { "workers/tag": good }),
        version(`${name}-bad`, 3, { "workers/tag": "b" }),
      ];
      cloudflare.versions.set(name, tagged);
      cloudflare.versions.set(`${name}-staging`, [
        ...tagged,
        version("secret", 2, { "workers/triggered_by": "secret" }),
      ]);
    }
    const rollBack = async (...args: string[]) => {
      const before = cloudflare.changes.length;
      const ended = await checkout.run("rollback", args, cloudflare.env);
      return { ...ended, changes: cloudflare.changes.slice(before).filter((change) => !change.startsWith("POST")) };
    };
    expect(await rollBack(good.padEnd(40, "0"))).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(
        /✓ site: version citewell-site-good of a{12} is live in production\n✓ subscription API/,
      ),
      changes: ["citewell-site citewell-site-good", "citewell-subscription-api citewell-subscription-api-good"],
    });
    const refused = await rollBack(good, "--staging");
    expect(refused).toMatchObject({ exitCode: 1, changes: [] });
    expect(refused.output).toContain("✗ site: a secret was changed since");
    expect((await rollBack("cccccccccccc")).output).toContain(
      "no version has the tag cccccccccccc. Nothing was changed.",
    );
    await cloudflare.dispose();
  },
  SLOW,
);
