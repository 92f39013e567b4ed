import { spawnSync } from "node:child_process";
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { companyFacts } from "../../app/company-facts";
import { MONTHLY_PRICES } from "../../app/contract/plan-prices";
import { plans } from "../../app/pricing/plans";
import type { CloudflareAccount } from "../../functions/tools/cloudflare-account";
import { askAccount } from "../../functions/tools/preflight";
import { checkDeployment, type Deployment } from "../../functions/tools/preflight-checks";
import { readWorkerSettings } from "../../functions/tools/worker-settings";
import { fastApi } from "../support/fast-api/build";
import { enterCard, rows, signUp } from "../support/visitor";
import { migrate, startStripeSimulator, startSubscriptionApi } from "../support/workers";

const root = fileURLToPath(new URL("../..", import.meta.url));
const migrationsFolder = join(root, "functions/subscription-api/migrations");
const siteToml = join(root, "wrangler.toml");
const apiToml = join(root, "functions/subscription-api/wrangler.toml");

/** The repository's wrangler.toml files as an owner has filled them in. */
const filledIn = (text: string) =>
  text
    .replaceAll("citewell.example", "acme.com")
    .replaceAll('CUSTOMER_PORTAL_URL = ""', 'CUSTOMER_PORTAL_URL = "https://billing.stripe.com/p/login/0123456789"')
    .replaceAll('STRIPE_PUBLISHABLE_KEY = ""', 'STRIPE_PUBLISHABLE_KEY = "pk_live_0123456789abcdef"')
    .replaceAll("00000000-0000-0000-0000-000000000000", "3f0c9c1e-6f5b-4b0a-9a3e-0d6f1c2b3a4d");

const withoutBinding = (text: string) => text.replace(/\[\[env\.production\.services\]\][^[]+/, "");

const NEEDS_ENTRYPOINT = 'needs entrypoint = "SiteApi": the public one takes no sign-ups';

const company = {
  name: "Citewell",
  postalAddress: ["Citewell, Inc.", "1 Main Street", "Dover, Delaware 19901"],
  profiles: ["https://social.test/@citewell"],
};

/** Empty databases, one for each test. */
const databaseNames = ["preflight", "catalogue", "first", "second"] as const;
let databases: Miniflare;
beforeAll(() => {
  databases = new Miniflare({ modules: true, script: "export default {}", d1Databases: [...databaseNames] });
});
afterAll(() => databases.dispose());

const database = (name: (typeof databaseNames)[number]) => databases.getD1Database(name);

describe("the preflight", () => {
  let folder: string;
  let ready: Deployment;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "preflight-"));
    const db = await database("preflight");
    await migrate(db);
    await db.prepare("UPDATE packages SET stripe_price_id = 'price_0123456789abcdef' || name").run();
    const packages = (await db.prepare("SELECT id, name, price_cents, stripe_price_id FROM packages").all()).results;
    const migrations = await readdir(migrationsFolder);
    ready = {
      company,
      migrations,
      secrets: {
        site: ["SESSION_SECRET"],
        api: ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "OPERATOR_TOKEN", "LINK_SECRET", "HASH_SECRET"],
      },
      database: { migrations, packages },
      ...(await settings()),
    };
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** What Wrangler makes of the filled-in files, after a change of their text. */
  async function settings(change: (text: string) => string = (text) => text) {
    const files = { site: join(folder, "site.toml"), api: join(folder, "api.toml") };
    await writeFile(files.site, change(filledIn(await readFile(siteToml, "utf8"))));
    await writeFile(files.api, change(filledIn(await readFile(apiToml, "utf8"))));
    return { site: readWorkerSettings(files.site, "production"), api: readWorkerSettings(files.api, "production") };
  }

  const told = (deployment: Deployment) => checkDeployment(deployment).map(({ where, what }) => `${where}: ${what}`);

  it("finds nothing when everything is there", () => {
    expect(told(ready)).toEqual([]);
  });

  it("refuses the example address and profile of a fresh checkout [P18]", () => {
    expect(told({ ...ready, company: { ...company, ...companyFacts } })).toEqual([
      "app/company-facts.ts: has the example 100 Example Street, Suite 400",
      "app/company-facts.ts: has the example https://social.example/@citewell",
    ]);
  });

  it("names every placeholder of a fresh checkout, and ends with exit code 1", () => {
    const program = join(root, "functions/tools/preflight.ts");
    const { stdout, status } = spawnSync(process.execPath, ["--import", "tsx", program, "--offline"], {
      encoding: "utf8",
    });
    expect(status).toBe(1);
    for (const name of [
      "SITE_URL",
      "CONSOLE_URL",
      "CUSTOMER_PORTAL_URL",
      "SUBSCRIPTION_API_URL",
      "MAIL_FROM",
      "STRIPE_PUBLISHABLE_KEY",
    ]) {
      expect(stdout).toContain(name);
    }
    expect(stdout).toContain("database_id is not set");
    expect(stdout).toContain("Not checked: Stripe (--offline).");
    expect(stdout).toMatch(/\d+ to mend before a deployment\./);
  });

  it.each<[string, (text: string) => string, string[]]>([
    [
      "keys of different modes",
      (text) =>
        text.replace(
          /(modes?, test or live[^\n]*\n)STRIPE_PUBLISHABLE_KEY = "pk_live_/,
          '$1STRIPE_PUBLISHABLE_KEY = "pk_test_',
        ),
      ["subscription API: STRIPE_PUBLISHABLE_KEY is not the site's"],
    ],
    [
      "a secret in the publishable key's place",
      (text) => text.replaceAll("pk_live_", "sk_live_"),
      [
        "site: STRIPE_PUBLISHABLE_KEY must be a publishable key (pk_…) or empty",
        "subscription API: STRIPE_PUBLISHABLE_KEY must be a publishable key (pk_…)",
      ],
    ],
    [
      "no way to send mail",
      (text) => text.replace('[[env.production.send_email]]\nname = "EMAIL"\n', ""),
      ["subscription API: MAIL_API_URL is missing, and there is no EMAIL binding"],
    ],
    [
      "a mail provider without its key",
      (text) => text.replace('\nMAIL_API_URL = ""', '\nMAIL_API_URL = "https://mail.acme.com/emails"'),
      ["subscription API: MAIL_API_KEY is missing"],
    ],
    [
      "a console without its secret",
      (text) => text.replace('CONSOLE_WEBHOOK_URL = ""', 'CONSOLE_WEBHOOK_URL = "https://console.acme.com/hooks"'),
      ["subscription API: CONSOLE_WEBHOOK_SECRET is missing"],
    ],
    [
      "no cron",
      (text) =>
        text.replace('[env.production.triggers]\ncrons = ["* * * * *"]', "[env.production.triggers]\ncrons = []"),
      ["subscription API: [triggers] has no cron: mail would not be sent again after a failure"],
    ],
    [
      "a route that is not the API's address",
      (text) => text.replace('pattern = "api.acme.com"', 'pattern = "stripe.acme.com"'),
      ["subscription API: no route is api.acme.com, the host of the site's SUBSCRIPTION_API_URL"],
    ],
    [
      "a URL of the API that the site does not know",
      (text) => text.replace('PUBLIC_URL = "https://api.acme.com"', 'PUBLIC_URL = "https://other.acme.com"'),
      ["subscription API: PUBLIC_URL is not the site's SUBSCRIPTION_API_URL"],
    ],
    [
      "another contact for sales",
      (text) => text.replace(/(SALES_EMAIL = ")sales(@acme.com"\nSITE_URL)/, "$1deals$2"),
      ["subscription API: SALES_EMAIL is not the site's"],
    ],
    [
      "a binding to another Worker",
      (text) => text.replace('service = "citewell-subscription-api"', 'service = "other"'),
      ["subscription API: the site's service binding names other"],
    ],
    [
      "an open door: a binding to the public entrypoint [H1]",
      (text) => text.replace('entrypoint = "SiteApi"\n', ""),
      [`subscription API: the site's service binding ${NEEDS_ENTRYPOINT}`],
    ],
    [
      "an open door: a binding to an entrypoint that is not there [H1]",
      (text) => text.replace('entrypoint = "SiteApi"', 'entrypoint = "Site"'),
      [`subscription API: the site's service binding ${NEEDS_ENTRYPOINT}`],
    ],
    [
      "an open door: neither binding nor secret [H1]",
      withoutBinding,
      ["subscription API: the site has no service binding, so both Workers need the secret SUBSCRIPTION_API_SECRET"],
    ],
    [
      "an open door: Stripe on this machine, as in local development [H1]",
      (text) => text.replace('\nMAIL_API_URL = ""', '\nMAIL_API_URL = ""\nSTRIPE_API_URL = "http://localhost:8789"'),
      [
        "subscription API: STRIPE_API_URL must be empty with a live key",
        "subscription API: STRIPE_API_URL is for local development: anybody could post sign-ups",
      ],
    ],
    [
      "a limit that is missing",
      (text) =>
        text.replace(
          '[[env.production.ratelimits]]\nname = "OPERATOR_RATE_LIMIT"',
          '[[env.production.ratelimits]]\nname = "OTHER"',
        ),
      ["subscription API: OPERATOR_RATE_LIMIT is missing"],
    ],
    [
      "a plan whose package is not in the catalogue",
      (text) => text.replaceAll("5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10", "5a4a55f1-8a3c-4b0e-9d8e-000000000000"),
      ["database: has no package 5a4a55f1-8a3c-4b0e-9d8e-000000000000, the site's PACKAGE_ID_MINI"],
    ],
  ])("names %s", async (_name, change, findings) => {
    expect(told({ ...ready, ...(await settings(change)) })).toEqual(findings);
  });

  it("takes a shared secret for the service binding, when both Workers have it [H1]", async () => {
    const { secrets = { site: [], api: [] } } = ready;
    const [site, api] = [secrets.site, secrets.api].map((names) => [...names, "SUBSCRIPTION_API_SECRET"]);
    const shared = { ...ready, ...(await settings(withoutBinding)) };
    expect(told({ ...shared, secrets: { site: site ?? [], api: api ?? [] } })).toEqual([]);
    for (const one of [
      { ...secrets, site: site ?? [] },
      { ...secrets, api: api ?? [] },
    ]) {
      expect(told({ ...shared, secrets: one })).toEqual([expect.stringContaining("SUBSCRIPTION_API_SECRET")]);
    }
  });

  it("names secrets that are not set, migrations that are not applied, and prices that Stripe does not have", () => {
    const { database } = ready;
    const packages = database?.packages.map((row) => ({ ...row, stripe_price_id: "price_mini" })) ?? [];
    const findings = told({
      ...ready,
      secrets: { site: [], api: ["STRIPE_SECRET_KEY"] },
      database: { migrations: ["0001_subscriptions.sql"], packages },
    });
    expect(findings).toEqual([
      "site: the secret SESSION_SECRET is not set: wrangler secret put SESSION_SECRET",
      "site: SESSION_SECRET is missing",
      "subscription API: the secret STRIPE_WEBHOOK_SECRET is not set: wrangler secret put STRIPE_WEBHOOK_SECRET",
      "subscription API: the secret LINK_SECRET is not set: wrangler secret put LINK_SECRET",
      "subscription API: the secret HASH_SECRET is not set: wrangler secret put HASH_SECRET",
      "subscription API: STRIPE_WEBHOOK_SECRET is missing",
      "subscription API: LINK_SECRET is missing",
      "subscription API: HASH_SECRET is missing",
      "database: lacks 0002_trials_and_outbox.sql, 0003_sign_ups.sql, 0004_one_trial_per_person.sql, 0005_indexes.sql, 0006_drop_reasons.sql, 0007_request_ids.sql, 0008_first_payments.sql, 0009_cron_runs.sql: npm run deploy:subscription-api",
      "database: the package MINI has no price at Stripe: npm run catalogue -- --production",
      "database: the package LITE has no price at Stripe: npm run catalogue -- --production",
      "database: the package STANDARD has no price at Stripe: npm run catalogue -- --production",
    ]);
  });

  it("says what to do when the account does not answer", () => {
    const silent: CloudflareAccount = { secretsOf: () => undefined, query: () => undefined };
    expect(askAccount(silent).unanswered).toEqual([
      { where: "site", what: "its secrets cannot be read: npx wrangler login" },
      { where: "subscription API", what: "its secrets cannot be read: npx wrangler login" },
      { where: "database", what: "cannot be read: npm run deploy:subscription-api migrates it" },
    ]);
  });
});

describe("the deployment", () => {
  it.each([
    ["the site", ".", ["env.SUBSCRIPTION_API (citewell-subscription-api#SiteApi)", "env.SITE_URL", "env.RELEASE"]],
    [
      "the subscription API",
      "functions/subscription-api",
      ["env.DB (citewell-subscriptions)", "env.EMAIL", "env.SIGNUP_RATE_LIMIT", "env.MAIL_FROM"],
    ],
  ])("of %s passes Wrangler's dry run, with its bindings and nothing local", async (_name, folder, bindings) => {
    const outdir = await mkdtemp(join(tmpdir(), "dry-run-"));
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [
        join(root, "node_modules/wrangler/bin/wrangler.js"),
        ...["deploy", "--cwd", folder, "--env", "production", "--dry-run", "--outdir", outdir],
      ],
      { cwd: root, encoding: "utf8", env: { ...process.env, CI: "1", WRANGLER_SEND_METRICS: "false" } },
    );
    expect(status, stderr).toBe(0);
    for (const binding of bindings) expect(stdout).toContain(binding);
    expect(stdout).not.toMatch(/localhost|_local|only-for-local/);
    await rm(outdir, { recursive: true });
  });
});

describe("the catalogue and the site", () => {
  it("agree on ids, names and prices, locally and in production", async () => {
    const db = await database("catalogue");
    await migrate(db);
    const { results } = await db.prepare("SELECT id, name, price_cents FROM packages ORDER BY price_cents").all();
    expect(results.map(({ name, price_cents }) => [name, price_cents])).toEqual(
      Object.entries(MONTHLY_PRICES).map(([name, dollars]) => [name, dollars * 100]),
    );
    for (const environment of [undefined, "production"] as const) {
      const { vars } = readWorkerSettings(siteToml, environment);
      const packageIds = {
        mini: String(vars.PACKAGE_ID_MINI),
        lite: String(vars.PACKAGE_ID_LITE),
        standard: String(vars.PACKAGE_ID_STANDARD),
      };
      const sold = plans({ packageIds, salesEmail: "" }).filter(({ packageId }) => packageId !== null);
      expect(
        sold.map(({ packageId, title, price }) => ({ id: packageId, name: title, price_cents: Number(price) * 100 })),
      ).toEqual(results);
    }
  });
});

describe("the migrations", () => {
  const signUpColumns = `id, idempotency_key, status, email, password_hash, phone, company_name, full_name, address,
                         city, state, zip_code, country, created_at, updated_at`;

  /** A folder with the first migrations only. */
  async function firstMigrations(count: number) {
    const folder = await mkdtemp(join(tmpdir(), "migrations-"));
    const names = (await readdir(migrationsFolder)).sort().slice(0, count);
    for (const name of names) await copyFile(join(migrationsFolder, name), join(folder, name));
    return { folder, remove: () => rm(folder, { recursive: true }) };
  }

  /** A sign-up as the releases before 0003 wrote it: its id is its status. */
  function insertOldSignUp(db: D1Database, status: string) {
    const values =
      "'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x', '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'";
    return db
      .prepare(`INSERT INTO subscriptions (${signUpColumns}) VALUES (?1, ?1, ?1, ?1 || '@x', ${values})`)
      .bind(status)
      .run();
  }

  it("bring a database of the first migration up to date, with its sign-ups", async () => {
    const db = await database("first");
    const { folder, remove } = await firstMigrations(1);
    await migrate(db, folder);
    for (const status of ["pending", "active", "canceled"]) await insertOldSignUp(db, status);
    await migrate(db);
    await migrate(db);

    expect((await db.prepare("SELECT id, check_at, version FROM sign_ups ORDER BY id").all()).results).toEqual([
      { id: "active", check_at: "2026-01-02T00:00:00.000Z", version: 0 },
      { id: "canceled", check_at: null, version: 0 },
      { id: "pending", check_at: "2026-01-02T00:00:00.000Z", version: 0 },
    ]);
    const applied = await db.prepare("SELECT name FROM d1_migrations ORDER BY id").all();
    expect(applied.results.map(({ name }) => name)).toEqual(await readdir(migrationsFolder));
    await remove();
  });

  it("rename the sign-ups' table with its messages, which are still deleted together, and with every index", async () => {
    const db = await database("second");
    const { folder, remove } = await firstMigrations(2);
    await migrate(db, folder);
    await insertOldSignUp(db, "active");
    const message = "'trial-started/active', 'active', 'trial-started', '2026-01-01', '2026-01-01'";
    await db
      .prepare(`INSERT INTO outbox (key, subscription_id, kind, next_attempt_at, created_at) VALUES (${message})`)
      .run();
    await migrate(db);

    expect(await db.prepare("SELECT sign_up_id FROM outbox").all()).toMatchObject({
      results: [{ sign_up_id: "active" }],
    });
    const indexes = await db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
      .all();
    expect(indexes.results.map(({ name }) => name)).toEqual([
      "outbox_dead",
      "outbox_due",
      "outbox_settled",
      "outbox_sign_up",
      "sign_ups_due",
      "sign_ups_email",
      "sign_ups_had_trial",
      "sign_ups_live_email",
      "sign_ups_pending",
      "stripe_events_received_at",
      "trial_claims_sign_up",
    ]);
    await db.prepare("DELETE FROM sign_ups").run();
    expect((await db.prepare("SELECT key FROM outbox").all()).results).toEqual([]);
    await remove();
  });

  it("are applied to a database that was kept from an earlier run", async () => {
    const persist = await mkdtemp(join(tmpdir(), "database-"));
    const before = await startSubscriptionApi({ persist });
    for (const table of [
      "trial_claims",
      "sign_up_counts",
      "cron_runs",
      "outbox",
      "sign_ups",
      "packages",
      "stripe_events",
      "d1_migrations",
    ]) {
      await rows(before, `DROP TABLE ${table}`);
    }
    const { folder, remove } = await firstMigrations(1);
    await migrate(await before.mf.getD1Database("DB"), folder);
    await before.dispose();

    const outboundService = () => Response.json({ data: [] });
    const after = await startSubscriptionApi({ persist, miniflare: { outboundService } });
    expect((await fetch(`${after.url}/health`)).status).toBe(200);
    await after.dispose();
    await Promise.all([remove(), rm(persist, { recursive: true })]);
  });
});

describe("Cloudflare's binding", () => {
  it("sends the mail where no HTTP provider is set", async () => {
    const stripe = await startStripeSimulator();
    const api = await startSubscriptionApi({
      simulatorUrl: stripe.url,
      vars: { MAIL_API_URL: undefined },
      ...(await fastApi()),
      miniflare: { email: { send_email: [{ name: "EMAIL" }] } },
    });
    const { clientSecret } = await signUp(api, { email: "binding@example.com" });
    await enterCard(stripe.url, clientSecret);
    await signUp(api, { email: "binding@example.com" });

    await expect
      .poll(() => rows(api, "SELECT state, attempts FROM outbox WHERE kind = 'trial-started'"))
      .toEqual([{ state: "sent", attempts: 1 }]);
    const said = api.said.join("\n");
    expect(said).toContain("To: binding@example.com");
    expect(said).toContain("Subject: Your Citewell trial has started");
    const text = /Text: (\S+\.txt)/.exec(said)?.[1] ?? "";
    expect(await readFile(text, "utf8")).toContain("Hello Ada Lovelace,");
    await Promise.all([api.dispose(), stripe.dispose()]);
  });
});
