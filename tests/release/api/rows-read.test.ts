import { fetch, type Request, Response } from "miniflare";
import { afterAll, expect, test, vi } from "vitest";
import * as z from "zod";
import { PAID_PLANS } from "../../../app/contract/plans";
import { LOCAL_SECRETS } from "../../../functions/subscription-api/local-development";
import { enterCard, post, rowOf, signUp } from "../../support/visitors/visitor";
import { openAddress } from "../../support/workers/address";
import { startStripeSimulator, startSubscriptionApi } from "../../support/workers/workers";

/* How many rows D1 reads for a statement of the API in a database of 700,000 rows. That it has an index is proven by the unit tests. */

/** The email address of 100,000 pending sign-ups. */
const CROWDED_EMAIL = "crowded@example.com";
const DAY = 24 * 60 * 60;
/** Numbers, as the table `numbers (n)`. */
const numbers = (count: number, from = 0) =>
  `WITH RECURSIVE numbers (n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM numbers LIMIT ${count})`;
/** A time as the API writes it, so many seconds from now; a number or an expression. */
const time = (seconds: number | string) => `strftime('%Y-%m-%dT%H:%M:%fZ', 'now', (${seconds}) || ' seconds')`;
const ID = "printf('00000000-0000-4000-8000-%012d', n)";

/** SQL of the values that differ between kinds of sign-ups; a trial has a subscription and an end. */
type Kind = { status: string; email?: string; created: string; check: string; isTrial?: boolean };

/** Inserts sign-ups, numbered `from` on: their customers are `cus_{n}`, their setup intents `seti_{n}`. */
function signUps(count: number, from: number, { status, email, created, check, isTrial = false }: Kind): string {
  return `${numbers(count, from)}
    INSERT INTO sign_ups (id, idempotency_key, status, package_id, email, password_hash, phone, company_name, full_name,
      address, city, state, zip_code, country, stripe_customer_id, stripe_setup_intent_id, stripe_subscription_id,
      trial_end, tax_added, trial_days, sign_up_hours, created_at, updated_at, check_at)
    SELECT ${ID}, 'key-' || n, '${status}', '${PAID_PLANS[0].packageId}',
      ${email ?? "'person-' || n || '@example.com'"}, 'hash', '2125550123', 'Engines & Sons', 'Ada Lovelace',
      '1 Example Street', 'Springfield', 'IL', '62701', 'United States', 'cus_' || n, 'seti_' || n,
      ${isTrial ? `'sub_' || n, ${time(DAY)}` : "NULL, NULL"}, 0, 5, 24, ${created}, ${time(0)}, ${check} FROM numbers`;
}

const OLD = time(-2 * DAY);
/** Pending sign-ups of one address, abandoned ones, trials with three messages each, and their claims. */
const ROWS = [
  signUps(1e5, 0, { status: "pending", email: `'${CROWDED_EMAIL}'`, created: time("-n / 2"), check: time(DAY) }),
  signUps(1e5, 1e5, { status: "pending", created: OLD, check: time(-60) }),
  signUps(5e4, 2e5, { status: "trialing", created: OLD, check: time(3 * DAY), isTrial: true }),
  signUps(5e4, 2.5e5, { status: "canceled", created: time(-90 * DAY), check: "NULL", isTrial: true }),
  ...["trial-started", "trial-ending", "account-created"].map(
    (kind) => `${numbers(1e5, 2e5)}
     INSERT INTO outbox (key, sign_up_id, kind, state, attempts, next_attempt_at, created_at, settled_at)
     SELECT '${kind}/' || n, ${ID}, '${kind}', 'sent', 1, ${time(0)}, ${time(0)}, ${time("(200000 - n) * 40")} FROM numbers`,
  ),
  `${numbers(1e5, 2e5)} INSERT INTO trial_claims (hash, sign_up_id) SELECT 'hash-' || n, ${ID} FROM numbers`,
];

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

const statements = z.array(z.object({ sql: z.string(), rowsRead: z.number() }));
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
    const recorded = statements.map(({ sql }, at) => ({ sql, rowsRead: results[at].meta.rows_read }));
    await env.RECORDER.fetch("http://recorder", { method: "POST", body: JSON.stringify(recorded) });
    return results;
  }
  function prepared(real, sql) {
    const all = async () => (await record([{ sql }], [await real.all()]))[0];
    const first = async (column) => {
      const [row] = (await all()).results;
      return (column === undefined ? row : row?.[column]) ?? null;
    };
    return { real, sql, bind: (...values) => prepared(real.bind(...values), sql), all, run: all, first };
  }
  const batch = async (statements) => record(statements, await DB.batch(statements.map(({ real }) => real)));
  return { ...env, DB: { prepare: (sql) => prepared(DB.prepare(sql), sql), batch } };
}

export default {
  fetch: (request, env, context) => worker.fetch(request, recording(env), context),
  scheduled: (controller, env, context) => worker.scheduled(controller, recording(env), context),
};`;

const address = await openAddress();
const stripe = await startStripeSimulator({ webhookUrl: `${address.url}/webhooks/stripe` });
const api = await startSubscriptionApi({
  simulatorUrl: stripe.url,
  address,
  vars: { ONE_TRIAL_PER_PERSON: "true" },
  wrapper: { script: wrapper },
  miniflare: { serviceBindings: { RECORDER: recorder } },
});
afterAll(() => Promise.all([api.dispose(), stripe.dispose()]));

async function operator(command: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${LOCAL_SECRETS.OPERATOR_TOKEN}`, "content-type": "application/json" };
  expect((await post(`${api.url}/operator/${command}`, JSON.stringify(body), headers)).status).toBe(200);
}

test("every statement reads few rows, even for /health and a sign-up among 100,000 pending ones", async () => {
  for (const sql of ROWS) await api.database.prepare(sql).run();
  expect((await fetch(`${api.url}/health`)).status).toBe(200);
  expect((await signUp(api, { email: CROWDED_EMAIL })).status).toBe(200);
  const email = "trial@example.com";
  await enterCard(stripe.url, (await signUp(api, { email })).clientSecret);
  const isOnTrial = async () => expect(await rowOf(api, email)).toMatchObject({ status: "trialing" });
  await vi.waitFor(isOnTrial, { timeout: 15_000, interval: 50 });
  const cron = new URL("/cdn-cgi/handler/scheduled?cron=*+*+*+*+*", await api.mf.ready);
  expect((await fetch(cron)).status).toBe(200);
  for (const command of ["status", "messages"]) await operator(command, {});
  for (const command of ["export", "erase"]) await operator(command, { email });

  expect(recorded.length, "statements").toBeGreaterThan(30);
  const mostOf = (sql: string) => MOST_ROWS.find(({ is }) => is(sql))?.rows ?? 0;
  const costly = recorded.filter(({ sql, rowsRead }) => rowsRead > mostOf(sql.replaceAll(/\s+/g, " ").trim()));
  expect(costly.map(({ sql, rowsRead }) => `${rowsRead}: ${sql}`)).toEqual([]);
});
