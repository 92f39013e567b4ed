import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { CARDS, newCard, rowOf } from "../../support/stripe/set-up-card";
import { deliverEvent, eventOf, sign } from "../../support/stripe/stripe-events";
import { enterCard, mails, post, rows, signUp } from "../../support/visitors/visitor";
import { startFaultyProxy } from "../../support/workers/upstream";
import {
  openAddress,
  type RunningWorker,
  runScheduled,
  startStripeSimulator,
  startSubscriptionApi,
} from "../../support/workers/workers";
import { CROWDED_EMAIL, fillDatabase } from "./full-database";
import { type RecordedStatement, recordedDatabase } from "./recorded-database";

const API = join(import.meta.dirname, "../../../functions/subscription-api");
/** The local token (functions/subscription-api/wrangler.toml). */
const OPERATOR_TOKEN = "only-for-local-development-never-for-a-deployment";
/** A batch of due sign-ups; others read far less. */
const MAX_ROWS_READ = 500;
/** A run of the cron handler deletes 2,000 rows of a table, and reads each four times. */
const MAX_ROWS_READ_TO_DELETE = 8_000;
/** The operator's status counts the sign-ups of a month, from an index. */
const MAX_ROWS_READ_TO_COUNT_A_MONTH = 400_000;

const oneLine = (sql: string) => sql.replaceAll(/\s+/g, " ").trim();

describe("the statements of the API, on a database of a million rows", () => {
  let api: RunningWorker;
  let stripe: RunningWorker;
  let proxy: Awaited<ReturnType<typeof startFaultyProxy>>;
  const { wrapper, recorded } = recordedDatabase();
  beforeAll(async () => {
    const address = await openAddress();
    stripe = await startStripeSimulator({ webhookUrl: `${address.url}/webhooks/stripe` });
    proxy = await startFaultyProxy(stripe.url);
    const vars = { ONE_TRIAL_PER_PERSON: "true" };
    api = await startSubscriptionApi({ simulatorUrl: proxy.url, address, wrapper, vars });
    await fillDatabase(api);
    await doEverything();
  }, 180_000);
  afterAll(() => Promise.all([api.dispose(), stripe.dispose(), proxy.dispose()]));

  // `expect.poll` works only in a test.
  const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 15_000, interval: 50 });

  const operator = (path: string, body: object = {}) =>
    post(`${api.url}/operator/${path}`, JSON.stringify(body), {
      authorization: `Bearer ${OPERATOR_TOKEN}`,
      "content-type": "application/json",
    });

  async function makeDue(email: string): Promise<void> {
    await rows(api, "UPDATE sign_ups SET check_at = '2026-01-01' WHERE email = ?", email);
  }

  async function onTrial(email: string, card = newCard()): Promise<string> {
    const { clientSecret } = await signUp(api, { email });
    await enterCard(stripe.url, clientSecret, card);
    await eventually(async () => expect(await rowOf(api, email)).toMatchObject({ status: "trialing" }));
    await eventually(async () => expect(await mails(stripe, email)).toHaveLength(1));
    return (await mails(stripe, email))[0]?.text ?? "";
  }

  const linkIn = (mail: string, path: string) => new RegExp(`https?://\\S+${path}[\\w.-]+`).exec(mail)?.[0] ?? "";

  async function subscriptionEvent(type: string, object: object): Promise<void> {
    const payload = eventOf(`customer.subscription.${type}`, object);
    expect((await deliverEvent(api, payload, sign(payload))).status).toBe(200);
  }

  /** Every operation, with what can fail on the way. */
  async function doEverything(): Promise<void> {
    expect((await fetch(`${api.url}/health`)).status).toBe(200);
    expect((await operator("catalog")).status).toBe(200);

    // Sign-ups: new beside many others, repeated, and changed.
    expect((await signUp(api, { email: CROWDED_EMAIL })).status).toBe(200);
    for (const _ of [1, 2]) await signUp(api, { email: "again@example.com" }, "again");
    const accepted = await signUp(api, { email: "status@example.com" });
    const { status_url } = JSON.parse(accepted.text);
    expect((await fetch(status_url)).status).toBe(200);

    // A Stripe call that fails for its key, and a delayed message.
    proxy.breakAt("POST /v1/customers", "500-before");
    expect((await signUp(api, { email: "fails@example.com" })).status).toBe(503);
    proxy.repair();
    proxy.breakAt("POST /emails", "500-before");
    const { clientSecret } = await signUp(api, { email: "unsent@example.com" });
    await enterCard(stripe.url, clientSecret, newCard());
    await eventually(async () => expect(api.logs).toContainEqual(expect.objectContaining({ event: "message_failed" })));
    proxy.repair();

    // Cards: declined, used, good.
    const card = newCard();
    const mail = await onTrial("trial@example.com", card);
    for (const [email, number] of [
      ["declined@example.com", CARDS.declined],
      ["used@example.com", card],
    ] as const) {
      for (let failed = 1; failed <= 5; failed += 1) {
        const { clientSecret } = await signUp(api, { email }, email);
        await enterCard(stripe.url, clientSecret, number);
        const counted = () =>
          rowOf(api, email).then(({ declined_cards, used_cards }) => Number(declined_cards) + Number(used_cards));
        await eventually(async () => expect(await counted()).toBe(failed));
      }
      await eventually(async () => expect(await rowOf(api, email)).toMatchObject({ end_reason: "cards-failed" }));
    }

    // Stripe's events about a subscription.
    const { stripe_subscription_id, stripe_customer_id } = await rowOf(api, "trial@example.com");
    await subscriptionEvent("trial_will_end", { id: stripe_subscription_id, customer: stripe_customer_id });
    await subscriptionEvent("updated", { id: "sub_unknown", customer: "cus_unknown" });

    // The first payment.
    const body = new URLSearchParams({ seconds: String(6 * 86_400) });
    await fetch(`${stripe.url}/dashboard/${stripe_customer_id}`, { method: "POST", body });
    await eventually(async () => expect(await rowOf(api, "trial@example.com")).toMatchObject({ status: "active" }));

    // The cron handler: a waiting card, a sign-up to delete, an overdue trial.
    await signUp(api, { email: "waits@example.com" });
    await rows(api, "UPDATE sign_ups SET updated_at = '2026-01-01' WHERE email = 'used@example.com'");
    for (const name of ["waits", "used", "trial"]) await makeDue(`${name}@example.com`);
    await runScheduled(api);

    // Links, and the operator's commands.
    expect((await fetch(linkIn(mail, "/links/verify-email/"))).status).toBe(200);
    for (const text of [mail, await onTrial("not-me@example.com")])
      expect((await fetch(linkIn(text, "/links/not-me/"), { method: "POST" })).status).toBe(200);
    for (const [command, body, status] of [
      ["status", {}, 200],
      ["messages", {}, 200],
      ["messages", { send_again: "none" }, 409],
    ] as const)
      expect((await operator(command, body)).status).toBe(status);
    expect((await operator("export", { email: "trial@example.com" })).status).toBe(200);
    expect((await operator("erase", { email: "trial@example.com" })).status).toBe(200);
  }

  let plans = 0;

  /** SQLite's query plan. The SQL comment avoids a cached plan. */
  async function planOf({ sql, values }: RecordedStatement): Promise<string[]> {
    plans += 1;
    const plan = await rows(api, `EXPLAIN QUERY PLAN /* ${plans} */ ${sql}`, ...values);
    return plan.map(({ detail }) => String(detail));
  }

  /** Statements that scan or sort a whole table, with the plan's lines. */
  async function scans(): Promise<string[]> {
    const distinct = new Map(recorded.map((statement) => [statement.sql, statement]));
    const found: string[] = [];
    for (const statement of distinct.values()) {
      // There are three packages.
      if (!/\b(sign_ups|outbox|stripe_events|trial_claims)\b/.test(statement.sql)) continue;
      const plan = await planOf(statement);
      const bad = plan.filter(
        (line) =>
          (/^SCAN /.test(line) && !/VIRTUAL TABLE|^SCAN \(?subquery|^SCAN CONSTANT ROW/.test(line)) ||
          // The outbox sorts no more than six messages of each kind.
          (/TEMP B-TREE|AUTOMATIC/.test(line) && !statement.sql.includes("ROW_NUMBER() OVER")),
      );
      if (bad.length > 0) found.push(`${bad.join("; ")}: ${oneLine(statement.sql)}`);
    }
    return found;
  }

  test("every statement in the API's source is measured", () => {
    const sent = [...new Set(recorded.map(({ sql }) => oneLine(sql)))];
    const inSource = statementsInSource();
    expect(inSource.length).toBeGreaterThan(30);
    const missed = inSource.filter((parts) => !sent.some((sql) => hasInOrder(sql, parts)));
    expect(missed.map((parts) => parts.join(" … "))).toEqual([]);
  });

  test("every statement uses an index, so none scans or sorts a growing table", async () => {
    expect(await scans()).toEqual([]);
  });

  test("every statement reads few rows, even for /health and a sign-up beside 100,000 pending ones", () => {
    const limitOf = (sql: string) => {
      if (sql.startsWith("SELECT substr(created_at, 1, 10) AS day")) return MAX_ROWS_READ_TO_COUNT_A_MONTH;
      return /^DELETE .* LIMIT/s.test(sql) ? MAX_ROWS_READ_TO_DELETE : MAX_ROWS_READ;
    };
    const costly = recorded.filter(({ sql, rowsRead }) => rowsRead > limitOf(sql));
    expect(costly.map(({ sql, rowsRead }) => `${rowsRead}: ${oneLine(sql)}`)).toEqual([]);
  });

  test("a missing index is noticed", async () => {
    await rows(api, "DROP INDEX outbox_dead");
    await rows(api, "DROP INDEX sign_ups_due");
    const found = await scans();
    expect(found).toContainEqual(expect.stringMatching(/^SCAN outbox.*: SELECT count\(\*\)/));
    expect(found).toContainEqual(expect.stringMatching(/^SCAN sign_ups.*: UPDATE sign_ups SET check_at/));
  });
});

function hasInOrder(sql: string, parts: string[]): boolean {
  let from = 0;
  for (const part of parts) {
    const at = sql.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return true;
}

/** SQL statements in the API's source, each split at its interpolations. */
function statementsInSource(): string[][] {
  // The statements for a restored database run once, in maintenance.
  const files = readdirSync(API, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && !path.endsWith("after-restore.ts"),
  );
  return files.flatMap((file) => {
    const literals = readFileSync(join(API, file), "utf8").matchAll(
      /(["`])(\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\s.*?)\1/gs,
    );
    return [...literals].map(([, , sql = ""]) => sql.split(/\$\{[^}]*\}/).map(oneLine));
  });
}
