import type { RunningWorker } from "../../support/workers/workers";

/** The email address of 100,000 pending sign-ups. */
export const CROWDED_EMAIL = "crowded@example.com";

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
      trial_end, created_at, updated_at, check_at)
    SELECT ${ID}, 'key-' || n, '${status}', '5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10',
      ${email ?? "'person-' || n || '@example.com'"}, 'hash', '2125550123', 'Engines & Sons', 'Ada Lovelace',
      '1 Example Street', 'Springfield', 'IL', '62701', 'United States', 'cus_' || n, 'seti_' || n,
      ${isTrial ? `'sub_' || n, ${time(DAY)}` : "NULL, NULL"}, ${created}, ${time(0)}, ${check} FROM numbers`;
}

const OLD = time(-2 * DAY);
/** 700,000 rows: pending sign-ups of one address, abandoned ones, trials with three messages each, and their claims. */
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

/** Fills a migrated, empty database with 700,000 rows. Takes some seconds. */
export async function fillDatabase({ database }: RunningWorker): Promise<void> {
  for (const sql of ROWS) await database.prepare(sql).run();
}
