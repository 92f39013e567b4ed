import { copyFile, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PAID_PLANS, settingOf } from "../../../app/contract/plans";
import { migrateDatabase } from "../../../tools/wrangler/migrate-database";
import { readWorkerSettings } from "../../../tools/wrangler/worker-settings";
import { enterCard, rows, signUp } from "../../support/visitors/visitor";
import { startStripeSimulator, startSubscriptionApi } from "../../support/workers/workers";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const migrationsFolder = join(root, "functions/subscription-api/migrations");
const siteToml = join(root, "wrangler.toml");

/** Empty databases, one for each test. */
const databaseNames = ["catalog", "first", "second", "third"] as const;
let databases: Miniflare;
beforeAll(() => {
  databases = new Miniflare({ modules: true, script: "export default {}", d1Databases: [...databaseNames] });
});
afterAll(() => databases.dispose());

const database = (name: (typeof databaseNames)[number]) => databases.getD1Database(name);

describe("catalog and site", () => {
  test("agree on ids, names and prices, locally and in both stages", async () => {
    const db = await database("catalog");
    await migrateDatabase(db);
    const { results } = await db.prepare("SELECT id, name, price_cents FROM packages ORDER BY price_cents").all();
    for (const environment of [undefined, "staging", "production"] as const) {
      const { vars } = readWorkerSettings(siteToml, environment);
      const sold = PAID_PLANS.map((plan) => ({
        id: vars[settingOf(plan)],
        name: plan.title,
        price_cents: plan.monthlyPrice * 100,
      }));
      expect(sold, environment).toEqual(results);
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

  test("upgrade a database of the first migration with its sign-ups", async () => {
    const db = await database("first");
    const { folder, remove } = await firstMigrations(1);
    await migrateDatabase(db, folder);
    for (const status of ["pending", "active", "canceled"]) await insertOldSignUp(db, status);
    await migrateDatabase(db);
    await migrateDatabase(db);

    expect((await db.prepare("SELECT id, check_at, version FROM sign_ups ORDER BY id").all()).results).toEqual([
      { id: "active", check_at: "2026-01-02T00:00:00.000Z", version: 0 },
      { id: "canceled", check_at: null, version: 0 },
      { id: "pending", check_at: "2026-01-02T00:00:00.000Z", version: 0 },
    ]);
    const applied = await db.prepare("SELECT name FROM d1_migrations ORDER BY id").all();
    expect(applied.results.map(({ name }) => name)).toEqual(await readdir(migrationsFolder));
    await remove();
  });

  test("rename the table of sign-ups and keep its messages, cascading deletes and indexes", async () => {
    const db = await database("second");
    const { folder, remove } = await firstMigrations(2);
    await migrateDatabase(db, folder);
    await insertOldSignUp(db, "active");
    const message = "'trial-started/active', 'active', 'trial-started', '2026-01-01', '2026-01-01'";
    await db
      .prepare(`INSERT INTO outbox (key, subscription_id, kind, next_attempt_at, created_at) VALUES (${message})`)
      .run();
    await migrateDatabase(db);

    expect(await db.prepare("SELECT sign_up_id FROM outbox").all()).toMatchObject({
      results: [{ sign_up_id: "active" }],
    });
    const indexes = await db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
      .all();
    expect(indexes.results.map(({ name }) => name)).toEqual([
      "erasures_by_time",
      "outbox_dead",
      "outbox_due",
      "outbox_retried",
      "outbox_settled",
      "outbox_sign_up",
      "sign_ups_by_day",
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

  test("rename states and keep every other column, message and claim", async () => {
    const db = await database("third");
    const { folder, remove } = await firstMigrations(10);
    await migrateDatabase(db, folder);
    const states = [
      { status: "pending", became: "pending" },
      { status: "active", became: "card_set_up", check_rank: 0 },
      { status: "active", became: "active", subscription: "sub_1" },
      { status: "superseded", became: "ended", reason: null, becameReason: "replaced", check_rank: 2 },
      { status: "superseded", became: "ended", reason: "cards-failed", check_rank: 2 },
      { status: "superseded", became: "ended", reason: "not-me", check_rank: 2 },
      { status: "trialing", became: "trialing", subscription: "sub_2" },
      { status: "trialing", became: "trialing" },
      { status: "past_due", became: "past_due", subscription: "sub_3" },
      { status: "canceled", became: "canceled", reason: "not-me", subscription: "sub_4" },
    ];
    for (const [index, { status, reason = null, subscription = null }] of states.entries()) {
      await db
        .prepare(
          `INSERT INTO sign_ups (${signUpColumns}, end_reason, stripe_subscription_id, stripe_customer_id,
             stripe_setup_intent_id, trial_end, paid_at, email_verified_at, check_at, request_id, declined_cards,
             used_cards, version, stripe_attempt)
           VALUES (?1, 'key-' || ?1, ?2, ?1 || '@example.com', 'hash', '1', 'company', 'name', 'street', 'city', 'state', 'zip',
             'country', '2026-01-01T01:00:00Z', '2026-01-02T01:00:00Z', ?3, ?4, 'cus_' || ?1, 'seti_' || ?1, 'end', 'paid',
             'verified', '2026-01-01T02:00:00Z', 'request', 1, 2, 3, 4)`,
        )
        .bind(String(index), status, reason, subscription)
        .run();
      await db.batch([
        db.prepare("INSERT INTO trial_claims VALUES ('hash-' || ?1, ?1)").bind(String(index)),
        db
          .prepare(
            "INSERT INTO outbox VALUES ('key-' || ?1, ?1, 'card-used', 'dropped', 5, 'a', 'b', 'c', 'trial-began')",
          )
          .bind(String(index)),
      ]);
    }
    const read = async (table: string) => (await db.prepare(`SELECT * FROM ${table} ORDER BY 1`).all()).results;
    const before = await Promise.all(["sign_ups", "outbox", "trial_claims"].map(read));
    await migrateDatabase(db);

    const [signUps = [], ...others] = await Promise.all(["sign_ups", "outbox", "trial_claims"].map(read));
    expect(others).toEqual(before.slice(1));
    expect(signUps).toEqual(
      states.map(({ became, becameReason, check_rank = 1 }, index) => ({
        ...before[0]?.[index],
        status: became,
        end_reason: becameReason ?? before[0]?.[index]?.end_reason,
        check_rank,
      })),
    );
    await remove();
  });
});

describe("Cloudflare's binding", () => {
  test("sends the email if no HTTP provider is configured", async () => {
    const stripe = await startStripeSimulator();
    const api = await startSubscriptionApi({
      simulatorUrl: stripe.url,
      vars: { MAIL_API_URL: undefined },
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
