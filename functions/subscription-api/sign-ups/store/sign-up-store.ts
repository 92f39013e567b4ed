import type { SubscriptionRequest } from "../../../../app/contract/subscription-request";
import type { Database } from "../../database";
import { CHECK_AFTER_MS, HAD_TRIAL, type SignUp, signUpOrNull, signUpRow, signUpRows } from "../sign-up";
import { columnsOf } from "./field-columns";

export type NewSignUp = {
  id: string;
  idempotencyKey: string;
  passwordHash: string;
  request: SubscriptionRequest;
  requestId: string;
};

export type SignUps = ReturnType<typeof signUpsIn>;

/** Takes normalized emails. Every method throws D1's errors. */
export function signUpsIn(db: Database) {
  const byKey = (key: string) => db.prepare("SELECT * FROM sign_ups WHERE idempotency_key = ?").bind(key);
  const run = async (sql: string, ...values: (string | number)[]) => {
    await db
      .prepare(sql)
      .bind(...values)
      .run();
  };

  return {
    async find(id: string): Promise<SignUp | null> {
      return signUpOrNull.parse(await db.prepare("SELECT * FROM sign_ups WHERE id = ?").bind(id).first());
    },

    async findByKey(idempotencyKey: string): Promise<SignUp | null> {
      return signUpOrNull.parse(await byKey(idempotencyKey).first());
    },

    /** Found by its customer while its subscription is not recorded. */
    async findByStripe(stripeSubscriptionId: string, customerId: string): Promise<SignUp | null> {
      const found = db.prepare("SELECT * FROM sign_ups WHERE stripe_subscription_id = ? OR stripe_customer_id = ?");
      const signUps = signUpRows.parse((await found.bind(stripeSubscriptionId, customerId).all()).results);
      return signUps.find((one) => one.stripe_subscription_id === stripeSubscriptionId) ?? signUps[0] ?? null;
    },

    async findByEmail(email: string): Promise<SignUp[]> {
      const found = db.prepare("SELECT * FROM sign_ups WHERE email = ? ORDER BY created_at");
      return signUpRows.parse((await found.bind(email).all()).results);
    },

    /** @param hashes under which its trial may have been claimed, by a person who was erased since */
    async hasHadTrial(email: string, hashes: string[]): Promise<boolean> {
      const had = db.prepare(
        `SELECT 1 FROM trial_claims WHERE hash IN (SELECT value FROM json_each(?1))
         UNION ALL SELECT 1 FROM sign_ups WHERE email = ?2 AND ${HAD_TRIAL} LIMIT 1`,
      );
      return (await had.bind(JSON.stringify(hashes), email).first()) !== null;
    },

    async findPending(email: string, { limit, offset = 0 }: { limit: number; offset?: number }): Promise<SignUp[]> {
      const pending = db.prepare(
        `SELECT * FROM sign_ups WHERE email = ? AND status = 'pending' ORDER BY created_at DESC LIMIT ? OFFSET ?`,
      );
      return signUpRows.parse((await pending.bind(email, limit, offset).all()).results);
    },

    /** Returns the sign-up with this idempotency key, new or existing. */
    async add({ id, idempotencyKey, passwordHash, request, requestId }: NewSignUp): Promise<SignUp> {
      const now = new Date();
      const row = {
        id,
        idempotency_key: idempotencyKey,
        password_hash: passwordHash,
        ...columnsOf(request),
        created_at: now.toISOString(),
        updated_at: now.toISOString(),
        check_at: new Date(now.getTime() + CHECK_AFTER_MS).toISOString(),
        request_id: requestId,
      };
      const names = Object.keys(row);
      const insert = db.prepare(
        `INSERT INTO sign_ups (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})
         ON CONFLICT (idempotency_key) DO NOTHING`,
      );
      const [, stored] = await db.batch([insert.bind(...Object.values(row)), byKey(idempotencyKey)]);
      return signUpRow.parse(stored?.results[0]);
    },

    async recordCustomer(id: string, customerId: string): Promise<void> {
      await run(
        "UPDATE sign_ups SET stripe_customer_id = coalesce(stripe_customer_id, ?), updated_at = ? WHERE id = ?",
        customerId,
        new Date().toISOString(),
        id,
      );
    },

    /** The sign-up is accepted with its first one. */
    async recordSetupIntent(signUp: SignUp, setupIntentId: string): Promise<void> {
      const record = db.prepare(
        `UPDATE sign_ups SET stripe_setup_intent_id = ?, updated_at = ? WHERE id = ? AND stripe_setup_intent_id IS NULL`,
      );
      await record.bind(setupIntentId, new Date().toISOString(), signUp.id).run();
    },

    /** The next attempt has new idempotency keys. */
    async endAttempt(id: string, attempt: number): Promise<void> {
      await run("UPDATE sign_ups SET stripe_attempt = ?2 + 1 WHERE id = ?1 AND stripe_attempt = ?2", id, attempt);
    },

    async deleteUnchanged({ id, status }: SignUp): Promise<void> {
      await run("DELETE FROM sign_ups WHERE id = ? AND status = ?", id, status);
    },

    /** Keeps the trial's claims, and adds a claim of the email address for a trial older than claims. */
    async erase(id: string, emailHash: string): Promise<void> {
      const claim = db.prepare(
        `INSERT INTO trial_claims (hash) SELECT ?2 FROM sign_ups WHERE id = ?1 AND ${HAD_TRIAL}
         ON CONFLICT (hash) DO NOTHING`,
      );
      await db.batch([claim.bind(id, emailHash), db.prepare("DELETE FROM sign_ups WHERE id = ?").bind(id)]);
    },
  };
}
