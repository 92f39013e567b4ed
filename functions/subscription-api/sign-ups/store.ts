import * as z from "zod";
import type { SubscriptionRequest } from "../../../app/contract/subscription-request";
import type { Database, Statement } from "../database";
import { type NewMessage, newMessage } from "../outbox/outbox";
import { type AgreedTerms, type CheckRank, formColumnsOf, type SignUp, signUpRow } from "../sign-up";
import { CHECK_LEASE_MS, FIRST_CHECK_AFTER_MS, fromNow, now } from "./timing";
import type { SecondTrial } from "./trial-hashes";

export type NewSignUp = {
  id: string;
  idempotencyKey: string;
  passwordHash: string;
  request: SubscriptionRequest;
  requestId: string;
  terms: AgreedTerms & Pick<SignUp, "sign_up_hours">;
};

/** A change to one sign-up. It is written as a whole, and only if the row is still as it was read. */
export type Change = {
  columns: Partial<Omit<SignUp, "id" | "version" | "updated_at">> & { idempotency_key?: string };
  messages?: NewMessage[];
  /** Hashes that the sign-up claims, all or none. If another sign-up has one of them, the change is not written. */
  claims?: string[];
  releasesClaims?: true;
  secondTrial?: SecondTrial | undefined;
};

export type SignUps = ReturnType<typeof signUpsIn>;

const MOST_TRIES = 20;

// Built once, because building a schema costs more than parsing.
const signUpOrNull = signUpRow.nullable();
const signUpRows = z.array(signUpRow);

/** Expects normalized email addresses. Every method throws D1's errors. */
export function signUpsIn(db: Database) {
  const allOf = async (sql: string, ...values: string[]) =>
    signUpRows.parse(
      (
        await db
          .prepare(sql)
          .bind(...values)
          .all()
      ).results,
    );
  const oneOf = async (sql: string, ...values: string[]) =>
    signUpOrNull.parse(
      await db
        .prepare(sql)
        .bind(...values)
        .first(),
    );
  const byKey = "SELECT * FROM sign_ups WHERE idempotency_key = ?";
  const find = (id: string) => oneOf("SELECT * FROM sign_ups WHERE id = ?", id);

  /**
   * Writes the whole change; or nothing, and returns null, if the row has changed since it was read, as by a write whose answer
   * was lost, or another sign-up has one of the claims. Elsewhere, only `check_at` and restored rows are updated.
   */
  async function write({ id, version }: SignUp, change: Change): Promise<SignUp | null> {
    const { columns, messages = [], claims, releasesClaims, secondTrial } = change;
    const batch: Record<string, Statement> = {};
    const ofHashes = (sql: string, hashes: string[]) => db.prepare(sql).bind(id, version, JSON.stringify(hashes));
    if (claims) {
      batch.claims = ofHashes(
        `INSERT INTO trial_claims (hash, sign_up_id) SELECT value, ?1 FROM json_each(?3)
          WHERE ${UNCHANGED} AND NOT EXISTS (SELECT 1 FROM trial_claims WHERE hash IN (SELECT value FROM json_each(?3)))`,
        claims,
      );
    }
    if (releasesClaims) {
      batch.released = db.prepare(`DELETE FROM trial_claims WHERE sign_up_id = ?1 AND ${UNCHANGED}`).bind(id, version);
    }
    if (secondTrial) {
      batch.released = ofHashes(
        `DELETE FROM trial_claims
          WHERE sign_up_id = ?1 AND hash IN (SELECT value FROM json_each(?3)) AND ${UNCHANGED}`,
        secondTrial.released,
      );
      batch.secondTrial = ofHashes(
        `INSERT INTO trial_claims (hash, sign_up_id) SELECT value, ?1 FROM json_each(?3)
          WHERE ${UNCHANGED} ON CONFLICT (hash) DO NOTHING`,
        secondTrial.claimed,
      );
    }
    for (const message of messages) batch[message.kind] = newMessage(db, message, { id, version });
    const row = { ...columns, updated_at: now(), version: version + 1 };
    const hasClaims = claims ? "AND EXISTS (SELECT 1 FROM trial_claims WHERE sign_up_id = sign_ups.id)" : "";
    const set = Object.keys(row).map((name) => `${name} = ?`);
    batch.update = db
      .prepare(`UPDATE sign_ups SET ${set.join(", ")} WHERE id = ? AND version = ? ${hasClaims} RETURNING *`)
      .bind(...Object.values(row), id, version);
    const written = await db.batch(batch);
    return signUpOrNull.parse(written.update?.results[0] ?? null);
  }

  return {
    find,
    findByKey: (idempotencyKey: string) => oneOf(byKey, idempotencyKey),
    findByEmail: (email: string) => allOf("SELECT * FROM sign_ups WHERE email = ? ORDER BY created_at", email),

    async findByIds(ids: string[]): Promise<SignUp[]> {
      return allOf("SELECT * FROM sign_ups WHERE id IN (SELECT value FROM json_each(?))", JSON.stringify(ids));
    },

    /** Finds a sign-up by its subscription, or by its customer if the subscription is not recorded yet. */
    async findByStripe(stripeSubscriptionId: string, customerId: string): Promise<SignUp | null> {
      const found = "SELECT * FROM sign_ups WHERE stripe_subscription_id = ? OR stripe_customer_id = ?";
      const signUps = await allOf(found, stripeSubscriptionId, customerId);
      return signUps.find((one) => one.stripe_subscription_id === stripeSubscriptionId) ?? signUps[0] ?? null;
    },

    /** True if a trial was claimed with one of these hashes, even by a person who has been erased since. */
    async hasHadTrial(hashes: string[], exceptBy = ""): Promise<boolean> {
      const found = db.prepare(
        "SELECT 1 FROM trial_claims WHERE hash IN (SELECT value FROM json_each(?1)) AND sign_up_id IS NOT ?2 LIMIT 1",
      );
      return (await found.bind(JSON.stringify(hashes), exceptBy).first()) !== null;
    },

    /** Returns the sign-up with this idempotency key, new or existing. */
    async add({ id, idempotencyKey, passwordHash, request, requestId, terms }: NewSignUp): Promise<SignUp> {
      const row = {
        id,
        idempotency_key: idempotencyKey,
        password_hash: passwordHash,
        ...formColumnsOf(request),
        ...terms,
        created_at: now(),
        updated_at: now(),
        check_at: fromNow(FIRST_CHECK_AFTER_MS),
        request_id: requestId,
      };
      const names = Object.keys(row);
      const insert = db.prepare(
        `INSERT INTO sign_ups (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})
         ON CONFLICT (idempotency_key) DO NOTHING`,
      );
      const { stored } = await db.batch({
        insert: insert.bind(...Object.values(row)),
        stored: db.prepare(byKey).bind(idempotencyKey),
      });
      return signUpRow.parse(stored.results[0]);
    },

    write,

    /** Makes a change that does not depend on Stripe. Tries again if another writer gets in between. */
    async change(id: string, changeOf: (signUp: SignUp) => Change | undefined): Promise<SignUp | null> {
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const read = await find(id);
        const change = read && changeOf(read);
        if (!change) return read;
        const written = await write(read, change);
        if (written) return written;
      }
      throw new Error("A sign-up changed each time it was read");
    },

    /** Deletes the sign-up, unless it has changed since it was read. Keeps the claims of a trial. */
    async delete({ id, version }: SignUp): Promise<void> {
      await db.prepare("DELETE FROM sign_ups WHERE id = ? AND version = ?").bind(id, version).run();
    },

    async erase(id: string): Promise<void> {
      await db.prepare("DELETE FROM sign_ups WHERE id = ?").bind(id).run();
    },

    /** Leases due sign-ups, so that overlapping cron runs take different ones. A lease ends when one is due again. */
    async takeDue(rank: CheckRank, dueBy: Date, limit: number): Promise<SignUp[]> {
      const take = db.prepare(
        `UPDATE sign_ups SET check_at = ?1
          WHERE id IN (SELECT id FROM sign_ups WHERE check_rank = ?2 AND check_at <= ?3 ORDER BY check_at LIMIT ?4)
         RETURNING *`,
      );
      return signUpRows.parse(
        (await take.bind(fromNow(CHECK_LEASE_MS), rank, dueBy.toISOString(), limit).all()).results,
      );
    },

    /** Plans the next check of sign-ups that have not changed since they were leased. */
    async planChecks(checks: { read: SignUp; at: string | null }[]): Promise<void> {
      if (checks.length === 0) return;
      const planned = checks.map(({ read: { id, version, check_at }, at }) => ({ id, version, lease: check_at, at }));
      const plan = db.prepare(
        `UPDATE sign_ups SET check_at = planned.value ->> 'at' FROM json_each(?1) AS planned
          WHERE sign_ups.id = planned.value ->> 'id' AND version = planned.value ->> 'version'
            AND check_at = planned.value ->> 'lease'`,
      );
      await plan.bind(JSON.stringify(planned)).run();
    },
  };
}

const UNCHANGED = "EXISTS (SELECT 1 FROM sign_ups WHERE id = ?1 AND version = ?2)";
