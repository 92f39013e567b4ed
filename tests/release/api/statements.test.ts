import { fetch, type Request, Response } from "miniflare";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { LOCAL_SECRETS } from "../../../functions/subscription-api/local-development";
import { deliver, eventOf } from "../../support/stripe-events";
import { enterCard, mails, newCard, post, rowOf, rows, signUp } from "../../support/visitors/visitor";
import { openAddress } from "../../support/workers/address";
import { startStripeSimulator, startSubscriptionApi } from "../../support/workers/workers";
import { CROWDED_EMAIL, fillDatabase } from "./full-database";
import { hasInOrder, oneLine, statementsInSource } from "./source-statements";

/** As Stripe says it. */
const ERROR = JSON.stringify({ error: { type: "api_error" } });
/** Most rows that a statement may read. The first that fits decides. */
const MOST_ROWS = [
  {
    what: "the operator's status, which counts the sign-ups of a month from an index",
    is: (sql: string) => sql.startsWith("SELECT substr(created_at, 1, 10) AS day"),
    rows: 400_000,
  },
  {
    what: "the cron handler's cleaning, which deletes 2,000 rows of a table and reads each four times",
    is: (sql: string) => sql.startsWith("DELETE ") && sql.includes(" LIMIT"),
    rows: 8_000,
  },
  // A batch of due sign-ups; others read far less.
  { what: "anything else", is: () => true, rows: 500 },
];

const address = await openAddress();
const stripe = await startStripeSimulator({ webhookUrl: `${address.url}/webhooks/stripe` });
/** Requests whose method and path contain these words get a 500. */
let broken: string | undefined;
async function outboundService(request: Request) {
  const isBroken = broken !== undefined && `${request.method} ${new URL(request.url).pathname}`.includes(broken);
  return isBroken ? new Response(ERROR, { status: 500 }) : fetch(request);
}

const statements = z.array(z.object({ sql: z.string(), values: z.array(z.unknown()), rowsRead: z.number() }));
/** Every statement of the API, batches included, and its cost. */
const recorded: z.output<typeof statements> = [];
async function recorder(request: Request) {
  recorded.push(...statements.parse(await request.json()));
  return new Response();
}
const wrapper = /* js */ `
import worker from "./worker.js";

function recording({ DB, ...env }) {
  async function record(statements, results) {
    const recorded = statements.map(({ sql, values }, at) => ({ sql, values, rowsRead: results[at].meta.rows_read }));
    await env.RECORDER.fetch("http://recorder", { method: "POST", body: JSON.stringify(recorded) });
    return results;
  }
  function prepared(real, sql, values) {
    const bind = (...given) => prepared(real.bind(...given), sql, given);
    const all = async () => (await record([{ sql, values }], [await real.all()]))[0];
    const first = async (column) => {
      const [row] = (await all()).results;
      return (column === undefined ? row : row?.[column]) ?? null;
    };
    return { real, sql, values, bind, all, run: all, first };
  }
  const batch = async (statements) => record(statements, await DB.batch(statements.map(({ real }) => real)));
  return { ...env, DB: { prepare: (sql) => prepared(DB.prepare(sql), sql, []), batch } };
}

export default {
  fetch: (request, env, context) => worker.fetch(request, recording(env), context),
  scheduled: (controller, env, context) => worker.scheduled(controller, recording(env), context),
};`;
const api = await startSubscriptionApi({
  simulatorUrl: stripe.url,
  address,
  vars: { ONE_TRIAL_PER_PERSON: "true" },
  wrapper: { script: wrapper },
  miniflare: { serviceBindings: { RECORDER: recorder }, outboundService },
});
afterAll(() => Promise.all([api.dispose(), stripe.dispose()]));

describe("the statements of the API, on a database of 700,000 rows", () => {
  beforeAll(async () => {
    await fillDatabase(api);
    await doEverything();
  }, 180_000);

  // `expect.poll` works only in a test.
  const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 15_000, interval: 50 });
  const becomes = (email: string, columns: object) =>
    eventually(async () => expect(await rowOf(api, email)).toMatchObject(columns));
  async function operator(command: string, body: object, status = 200): Promise<void> {
    const headers = { authorization: `Bearer ${LOCAL_SECRETS.OPERATOR_TOKEN}`, "content-type": "application/json" };
    expect((await post(`${api.url}/operator/${command}`, JSON.stringify(body), headers)).status).toBe(status);
  }
  async function signUpWithCard(email: string, card: string, key?: string): Promise<void> {
    const { clientSecret } = await signUp(api, { email }, key);
    await enterCard(stripe.url, clientSecret, card);
  }
  /** Begins a trial. Returns the text of its first email. */
  async function onTrial(email: string, card = newCard()): Promise<string> {
    await signUpWithCard(email, card);
    await becomes(email, { status: "trialing" });
    await eventually(async () => expect(await mails(stripe, email)).toHaveLength(1));
    return (await mails(stripe, email))[0]?.text ?? "";
  }
  async function open(mail: string, path: string, method = "GET"): Promise<void> {
    const url = new RegExp(`https?://\\S+/links/${path}/[\\w.-]+`).exec(mail)?.[0] ?? "";
    expect((await fetch(url, { method })).status).toBe(200);
  }
  async function subscriptionEvent(type: string, object: object): Promise<void> {
    expect(await deliver(api, eventOf(`customer.subscription.${type}`, object))).toBe(200);
  }

  /** Every operation, with what can fail on the way. */
  async function doEverything(): Promise<void> {
    expect((await fetch(`${api.url}/health`)).status).toBe(200);
    await operator("catalog", {});

    // Sign-ups: new beside many others, repeated, and changed.
    expect((await signUp(api, { email: CROWDED_EMAIL })).status).toBe(200);
    for (const _ of [1, 2]) await signUp(api, { email: "again@example.com" }, "again");
    const accepted = await signUp(api, { email: "status@example.com" });
    expect((await fetch(JSON.parse(accepted.text).status_url)).status).toBe(200);

    // A Stripe call that fails for its key, and a delayed message.
    broken = "POST /v1/customers";
    expect((await signUp(api, { email: "fails@example.com" })).status).toBe(503);
    broken = "POST /emails";
    await signUpWithCard("unsent@example.com", newCard());
    await eventually(async () => expect(api.logs).toContainEqual(expect.objectContaining({ event: "message_failed" })));
    broken = undefined;

    // Cards: declined, used, good.
    const card = newCard();
    const mail = await onTrial("trial@example.com", card);
    for (const [column, number] of Object.entries({ declined_cards: "4000000000000002", used_cards: card })) {
      for (let failed = 1; failed <= 5; failed += 1) {
        await signUpWithCard(`${column}@example.com`, number, column);
        await becomes(`${column}@example.com`, { [column]: failed });
      }
      await becomes(`${column}@example.com`, { end_reason: "cards-failed" });
    }

    // Stripe's events about a subscription, and the first payment.
    const { stripe_subscription_id: id, stripe_customer_id: customer } = await rowOf(api, "trial@example.com");
    await subscriptionEvent("trial_will_end", { id, customer });
    await subscriptionEvent("updated", { id: "sub_unknown", customer: "cus_unknown" });
    const body = new URLSearchParams({ seconds: String(6 * 86_400) });
    await fetch(`${stripe.url}/dashboard/${customer}`, { method: "POST", body });
    await becomes("trial@example.com", { status: "active" });

    // The cron handler: a waiting card, a sign-up to delete, an overdue trial.
    await signUp(api, { email: "waits@example.com" });
    await rows(api, "UPDATE sign_ups SET updated_at = '2026-01-01' WHERE email = 'used_cards@example.com'");
    for (const name of ["waits", "used_cards", "trial"])
      await rows(api, "UPDATE sign_ups SET check_at = '2026-01-01' WHERE email = ?", `${name}@example.com`);
    // A reminder of an end that has moved at Stripe.
    await onTrial("moved@example.com");
    const end = new Date(Date.now() + 86_400_000).toISOString();
    await rows(api, "UPDATE sign_ups SET trial_end = ? WHERE email = 'moved@example.com'", end);
    await rows(
      api,
      `UPDATE outbox SET key = 'trial-ending/' || sign_up_id || '/' || ?, next_attempt_at = '2026-01-01'
       WHERE kind = 'trial-ending' AND sign_up_id = (SELECT id FROM sign_ups WHERE email = 'moved@example.com')`,
      end,
    );
    const trigger = new URL("/cdn-cgi/handler/scheduled?cron=*+*+*+*+*", await api.mf.ready);
    expect((await fetch(trigger)).status).toBe(200);

    // Links, and the operator's commands.
    await open(mail, "verify-email", "POST");
    for (const text of [mail, await onTrial("not-me@example.com")]) await open(text, "not-me", "POST");
    await operator("status", {});
    await operator("messages", {});
    await operator("messages", { send_again: "none" }, 409);
    for (const command of ["export", "erase"]) await operator(command, { email: "trial@example.com" });
    expect((await fetch(trigger)).status).toBe(200);
  }

  /** Statements that scan or sort a whole table, with the lines of SQLite's plan. */
  async function scans(): Promise<string[]> {
    const found: string[] = [];
    const last = [...new Map(recorded.map((one) => [one.sql, one])).values()];
    for (const [at, { sql, values }] of last.entries()) {
      // There are three packages.
      if (!/\b(sign_ups|outbox|trial_claims)\b/.test(sql)) continue;
      // The SQL comment avoids a cached plan.
      const plan = await rows(api, `EXPLAIN QUERY PLAN /* ${at} */ ${sql}`, ...values);
      const bad = plan
        .map(({ detail }) => String(detail))
        .filter(
          (line) =>
            (/^SCAN /.test(line) && !/VIRTUAL TABLE|^SCAN \(?subquery|^SCAN CONSTANT ROW/.test(line)) ||
            // The outbox sorts no more than six messages of each kind.
            (/TEMP B-TREE|AUTOMATIC/.test(line) && !sql.includes("ROW_NUMBER() OVER")),
        );
      if (bad.length > 0) found.push(`${bad.join("; ")}: ${oneLine(sql)}`);
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

  test("every statement reads few rows, even for /health and a sign-up among 100,000 pending ones", () => {
    const mostOf = (sql: string) => MOST_ROWS.find(({ is }) => is(sql))?.rows ?? 0;
    const costly = recorded.filter(({ sql, rowsRead }) => rowsRead > mostOf(sql));
    expect(costly.map(({ sql, rowsRead }) => `${rowsRead}: ${oneLine(sql)}`)).toEqual([]);
  });
});
