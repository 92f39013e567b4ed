import type { RunningWorker } from "../../support/workers/workers";

/** The email address of 100,000 pending sign-ups. */
export const CROWDED_EMAIL = "crowded@example.com";

/** Numbers, as the table `numbers (n)`. */
const numbers = (count: number, from = 0) =>
  `WITH RECURSIVE numbers (n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM numbers LIMIT ${count})`;

/** A time as the API writes it, so many seconds from now; a number or an expression. */
const time = (seconds: number | string) => `strftime('%Y-%m-%dT%H:%M:%fZ', 'now', (${seconds}) || ' seconds')`;

const DAY = 24 * 60 * 60;

/** Sign-ups of one kind, numbered `from` on. Seconds are from now on, and may be expressions of n. */
type ManySignUps = {
  count: number;
  from: number;
  status: string;
  /** `person-{n}@example.com` when absent. */
  email?: string;
  createdIn: number | string;
  /** Never when absent. */
  checkIn?: number | string;
};

/** A statement that inserts them: their customers are `cus_{n}`, their setup intents `seti_{n}`. */
function insertion({ count, from, status, email, createdIn, checkIn }: ManySignUps): string {
  const isTrial = ["trialing", "canceled"].includes(status);
  return `${numbers(count, from)}
    INSERT INTO sign_ups (id, idempotency_key, status, package_id, email, password_hash, phone, company_name, full_name,
      address, city, state, zip_code, country, stripe_customer_id, stripe_setup_intent_id, stripe_subscription_id,
      trial_end, created_at, updated_at, check_at)
    SELECT printf('00000000-0000-4000-8000-%012d', n), 'key-' || n, '${status}', '5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10',
      ${email === undefined ? "'person-' || n || '@example.com'" : `'${email}'`}, 'hash', '2125550123', 'Engines & Sons',
      'Ada Lovelace', '1 Example Street', 'Springfield', 'IL', '62701', 'United States', 'cus_' || n, 'seti_' || n,
      ${isTrial ? "'sub_' || n" : "NULL"}, ${isTrial ? time(DAY) : "NULL"}, ${time(createdIn)}, ${time(0)},
      ${checkIn === undefined ? "NULL" : time(checkIn)}
    FROM numbers`;
}

/**
 * A million rows: 100,000 pending sign-ups of one email address, 100,000 abandoned and due ones, 100,000 trials with
 * three sent messages each, and what else grows with them.
 */
const ROWS = [
  insertion({ count: 100_000, from: 0, status: "pending", email: CROWDED_EMAIL, createdIn: "-n / 2", checkIn: DAY }),
  insertion({ count: 100_000, from: 100_000, status: "pending", createdIn: -2 * DAY, checkIn: -60 }),
  insertion({ count: 50_000, from: 200_000, status: "trialing", createdIn: -2 * DAY, checkIn: 3 * DAY }),
  insertion({ count: 50_000, from: 250_000, status: "canceled", createdIn: -90 * DAY }),
  ...["trial-started", "trial-ending", "account-created"].map(
    (kind) => `${numbers(100_000, 200_000)}
     INSERT INTO outbox (key, sign_up_id, kind, state, attempts, next_attempt_at, created_at, settled_at)
     SELECT '${kind}/' || n, printf('00000000-0000-4000-8000-%012d', n), '${kind}', 'sent', 1, ${time(0)}, ${time(0)},
       ${time("(200000 - n) * 40")}
     FROM numbers`,
  ),
  `${numbers(200_000)}
   INSERT INTO stripe_events (id, type, received_at) SELECT 'evt_' || n, 'x', ${time("-n * 20")} FROM numbers`,
  `${numbers(100_000, 200_000)} INSERT INTO trial_claims (hash, sign_up_id)
   SELECT 'hash-' || n, printf('00000000-0000-4000-8000-%012d', n) FROM numbers`,
];

/** Fills a migrated, empty database with a million rows. Takes some seconds. */
export async function fillDatabase({ database }: RunningWorker): Promise<void> {
  for (const sql of ROWS) await database.prepare(sql).run();
}
