import * as z from "zod";
import type { Database, Statement } from "../database";
import { signUpRow } from "../sign-up";
import { isLastAttempt, pauseAfter } from "./retries";

export const EMAILS_TO_CUSTOMERS = ["trial-started", "trial-ending", "card-used"] as const;
const EMAILS_TO_SUPPORT = ["not-me-reported", "second-subscription"] as const;
const EMAILS = [...EMAILS_TO_CUSTOMERS, ...EMAILS_TO_SUPPORT] as const;
const ACCOUNT_WEBHOOKS = ["account-created", "email-verified", "account-closed"] as const;

const messageKinds = z.enum([...EMAILS, ...ACCOUNT_WEBHOOKS]);
export type MessageKind = z.output<typeof messageKinds>;

export type Message = z.output<typeof message>;
const message = signUpRow.extend({
  key: z.string(),
  kind: messageKinds,
  attempts: z.number(),
  lease_end: z.string(),
  package_name: z.string().nullable(),
});
const messages = z.array(message);
const keysOnly = z.array(z.object({ key: z.string() }));
const kindsOnly = z.array(z.object({ kind: messageKinds }));
const keysOf = (rows: unknown) => keysOnly.parse(rows).map(({ key }) => key);

/** Why a message is not sent: it is no longer true, was sent before a restore, or is about an unknown charge. */
export type DropReason =
  | "sign-up-ended"
  | "trial-began"
  | "trial-over"
  | "another-end"
  | "invoiced"
  | "unknown-charge"
  | "no-subscription"
  | "restored";

/** `reason` is a status or an error's name, never the receiver's text. */
export type SendOutcome = { status: "sent" } | { status: "failed"; reason: string };

/** How long a run has to send a message before another run may take it. Asking Stripe and sending take up to 40 s. */
export const SEND_LEASE_MS = 120_000;

export type Outbox = ReturnType<typeof outboxIn>;

export function messageKey(kind: KeyedKind, signUpId: string): string {
  return `${kind}/${signUpId}`;
}
export function messagesOnce(signUpId: string, ...kinds: KeyedKind[]): NewMessage[] {
  return kinds.map((kind) => ({ kind, key: messageKey(kind, signUpId) }));
}

/** The key of a reminder: one for each day (UTC) on which Stripe ends the trial. */
export function reminderKey(signUpId: string, trialEnd: Date): string {
  return `trial-ending/${signUpId}/${trialEnd.toISOString().slice(0, 10)}`;
}
export function sentKinds(hasConsole: boolean): MessageKind[] {
  return hasConsole ? [...EMAILS, ...ACCOUNT_WEBHOOKS] : [...EMAILS];
}

type KeyedKind = Exclude<MessageKind, "card-used">;

export type NewMessage =
  | { kind: KeyedKind; key: string; notBefore?: Date }
  /** @property card the keyed hash of a card that has had a trial */
  | { kind: "card-used"; card: string };

/** The most emails per day (UTC) about one card, because they may go to strangers whose address someone else typed. */
const EMAILS_ABOUT_A_CARD = 3;

/** Inserts nothing if the sign-up has another version. A reminder dropped because the trial's end moved is due again. */
export function newMessage(
  db: Database,
  message: NewMessage,
  { id, version }: { id: string; version: number },
): Statement {
  const now = new Date();
  if (message.kind === "card-used") return newCardUsedMessage(db, message.card, { id, version }, now);
  const { key, kind, notBefore } = message;
  const due = notBefore && notBefore > now ? notBefore : now;
  return db
    .prepare(
      `INSERT INTO outbox (key, sign_up_id, kind, next_attempt_at, created_at)
       SELECT ?, id, ?, ?, ? FROM sign_ups WHERE id = ? AND version = ?
       ON CONFLICT (key) DO UPDATE
         SET state = 'due', drop_reason = NULL, settled_at = NULL, attempts = 0, next_attempt_at = excluded.next_attempt_at
         WHERE state = 'dropped' AND drop_reason = 'another-end'`,
    )
    .bind(key, kind, due.toISOString(), now.toISOString(), id, version);
}

/** Uses the card's next free key of the day. Inserts nothing if none is free, or if the sign-up has already had such an email. */
function newCardUsedMessage(
  db: Database,
  card: string,
  { id, version }: { id: string; version: number },
  now: Date,
): Statement {
  const day = now.toISOString().slice(0, 10);
  const keys = Array.from({ length: EMAILS_ABOUT_A_CARD }, (_, index) => `card-used/${card}/${day}/${index + 1}`);
  return db
    .prepare(
      `INSERT INTO outbox (key, sign_up_id, kind, next_attempt_at, created_at)
       SELECT free.value, ?1, 'card-used', ?4, ?4 FROM json_each(?3) AS free
        WHERE EXISTS (SELECT 1 FROM sign_ups WHERE id = ?1 AND version = ?2)
          AND NOT EXISTS (SELECT 1 FROM outbox WHERE key = free.value)
          AND NOT EXISTS (SELECT 1 FROM outbox WHERE sign_up_id = ?1 AND kind = 'card-used')
        LIMIT 1`,
    )
    .bind(id, version, JSON.stringify(keys), now.toISOString());
}

export function outboxIn(db: Database) {
  return {
    /** Leases due messages, the kinds in turn, so that a flood of one delays no other. Concurrent runs get different ones. */
    async take(kinds: readonly MessageKind[], limit: number): Promise<Message[]> {
      const now = new Date().toISOString();
      // CROSS JOIN makes SQLite look up each kind in the index, and read at most `limit` rows of it.
      const due = db.prepare(
        `SELECT key FROM (
           SELECT due.key, due.next_attempt_at,
                  ROW_NUMBER() OVER (PARTITION BY due.kind ORDER BY due.next_attempt_at) AS turn
             FROM json_each(?1) AS wanted CROSS JOIN outbox AS due
            WHERE due.key IN (
              SELECT key FROM outbox WHERE state = 'due' AND kind = wanted.value AND next_attempt_at <= ?2
               ORDER BY next_attempt_at LIMIT ?3))
          ORDER BY turn, next_attempt_at LIMIT ?3`,
      );
      const keys = keysOf((await due.bind(JSON.stringify(kinds), now, limit).all()).results);
      if (keys.length === 0) return [];
      const leases = db.prepare(
        `UPDATE outbox SET next_attempt_at = ?1
          WHERE key IN (SELECT value FROM json_each(?3)) AND state = 'due' AND next_attempt_at <= ?2 RETURNING key`,
      );
      const leaseEnd = new Date(Date.parse(now) + SEND_LEASE_MS).toISOString();
      const leased = keysOf((await leases.bind(leaseEnd, now, JSON.stringify(keys)).all()).results);
      if (leased.length === 0) return [];
      const contents = db.prepare(
        `SELECT sign_ups.*, outbox.key, kind, attempts, next_attempt_at AS lease_end, packages.name AS package_name
           FROM outbox JOIN sign_ups ON sign_ups.id = outbox.sign_up_id
           LEFT JOIN packages ON packages.id = sign_ups.package_id
          WHERE outbox.key IN (SELECT value FROM json_each(?))`,
      );
      return messages.parse((await contents.bind(JSON.stringify(leased)).all()).results);
    },

    /** What an erasure waits for: support decides about a refund, and the console, if there is one, closes the account. */
    async undeliveredKinds(signUpIds: readonly string[], hasConsole: boolean): Promise<MessageKind[]> {
      const undelivered = db.prepare(
        `SELECT kind FROM outbox
          WHERE sign_up_id IN (SELECT value FROM json_each(?1))
            AND (kind IN (SELECT value FROM json_each(?3)) AND state IN ('due', 'dead')
              OR kind = 'account-closed' AND (state = 'dead' OR state = 'due' AND ?2))`,
      );
      const { results } = await undelivered
        .bind(JSON.stringify(signUpIds), hasConsole ? 1 : 0, JSON.stringify(EMAILS_TO_SUPPORT))
        .all();
      return [...new Set(kindsOnly.parse(results).map(({ kind }) => kind))].sort();
    },
    async settle({ key }: Message, dropReason: DropReason | null): Promise<void> {
      await db
        .prepare(
          `UPDATE outbox SET state = ?, drop_reason = ?, settled_at = ?, attempts = attempts + 1
            WHERE key = ? AND state = 'due'`,
        )
        .bind(dropReason === null ? "sent" : "dropped", dropReason, new Date().toISOString(), key)
        .run();
    },

    /** Records a failed attempt: the message is due again later, or given up. A crash during a lease does not count. */
    async postpone({ key, attempts, lease_end }: Message): Promise<"due" | "dead"> {
      const failed = attempts + 1;
      const state = isLastAttempt(failed) ? "dead" : "due";
      const next = new Date(Date.now() + pauseAfter(failed)).toISOString();
      await db
        .prepare(
          `UPDATE outbox SET state = ?, attempts = ?, next_attempt_at = ?
            WHERE key = ? AND state = 'due' AND next_attempt_at = ?`,
        )
        .bind(state, failed, next, key, lease_end)
        .run();
      return state;
    },

    /** Makes the message's sign-up due for the cron handler, which asks Stripe about it. */
    async checkSignUpOf({ id }: Message): Promise<void> {
      await db.prepare("UPDATE sign_ups SET check_at = ? WHERE id = ?").bind(new Date().toISOString(), id).run();
    },

    async messagesOf(signUpId: string): Promise<unknown[]> {
      const found = db.prepare("SELECT * FROM outbox WHERE sign_up_id = ? ORDER BY created_at");
      return (await found.bind(signUpId).all()).results;
    },
    async oldestDue(kinds: readonly MessageKind[]): Promise<string | null> {
      // Reads the first entry of each kind in the index.
      const oldest = db.prepare(
        `SELECT min(first) AS oldest FROM (
           SELECT (SELECT next_attempt_at FROM outbox
                    WHERE state = 'due' AND kind = wanted.value AND next_attempt_at <= ?2
                    ORDER BY next_attempt_at LIMIT 1) AS first
             FROM json_each(?1) AS wanted)`,
      );
      const found = await oldest.bind(JSON.stringify(kinds), new Date().toISOString()).first("oldest");
      return z.string().nullable().parse(found);
    },

    async countDead(): Promise<number> {
      const counted = "SELECT count(*) AS n FROM (SELECT 1 FROM outbox WHERE state = 'dead' LIMIT 1000)";
      return z.number().parse(await db.prepare(counted).first("n"));
    },
    async deleteSettled(before: Date, limit: number): Promise<number> {
      const settled = db.prepare(
        "DELETE FROM outbox WHERE rowid IN (SELECT rowid FROM outbox WHERE settled_at < ? LIMIT ?)",
      );
      return (await settled.bind(before.toISOString(), limit).run()).meta.changes;
    },
  };
}
