import type { Database } from "../../database";
import { type MessageKind, messageKey, newMessage } from "../../outbox/outbox";
import type { StripeEvent } from "../../stripe/events";
import {
  ABANDONED_AFTER_MS,
  CHECK_AFTER_MS,
  type EndReason,
  MAX_FAILED_CARDS,
  type SignUp,
  signUpOrNull,
} from "../sign-up";
import { processedEvent } from "./processed-events";
import { hasChanged, type SetUpCard } from "./sign-up-lifecycle";

/** `hash` identifies the card, across sign-ups. */
export type UsedCard = SetUpCard & { hash: string };

/** Emails about one used card in a day (UTC): they may reach strangers. */
const MAILS_OF_A_CARD = 3;

export type SignUpEndings = ReturnType<typeof signUpEndingsIn>;

/** Each method is one transaction and throws D1's errors. */
export function signUpEndingsIn(db: Database) {
  const now = () => new Date().toISOString();
  const after = (ms: number) => new Date(Date.now() + ms).toISOString();
  const byId = (id: string) => db.prepare("SELECT * FROM sign_ups WHERE id = ?").bind(id);
  // Frees the key for a new sign-up with the same form: no header's key contains a space.
  const freedKey = "'ended ' || id";

  return {
    /** Counts each event once. After too many failures the cron handler checks the sign-up. */
    async countDeclined(signUpId: string, setupIntentId: string, event: StripeEvent): Promise<SignUp | null> {
      const countCard = db
        .prepare(
          `UPDATE sign_ups
              SET declined_cards = declined_cards + 1, updated_at = ?4,
                  check_at = CASE WHEN declined_cards + 1 + used_cards >= ${MAX_FAILED_CARDS} THEN ?4 ELSE check_at END
            WHERE id = ?1 AND status = 'pending' AND stripe_setup_intent_id = ?2
              AND NOT EXISTS (SELECT 1 FROM stripe_events WHERE id = ?3)
           RETURNING id`,
        )
        .bind(signUpId, setupIntentId, event.id, now());
      const results = await db.batch([countCard, processedEvent(db, event), byId(signUpId)]);
      const stored = signUpOrNull.parse(results.at(-1)?.results[0] ?? null);
      return stored;
    },

    async refuseUsedCard(card: UsedCard, event?: StripeEvent): Promise<SignUp | null> {
      const { signUpId, setupIntentId, usedCards, hash } = card;
      const waitsForCard = "status = 'pending' AND used_cards = ? AND coalesce(stripe_setup_intent_id, ?) = ?";
      const values = [usedCards, setupIntentId, setupIntentId] as const;
      const message = { key: messageKey("card-used", signUpId), kind: "card-used" as const, signUpId };
      const mailsToday = [now().slice(0, 10), hash] as const;
      const countMail = db
        .prepare(
          `INSERT INTO sign_up_counts (day, hash, n)
           SELECT ?, ?, 1 FROM sign_ups
            WHERE id = ? AND ${waitsForCard} AND NOT EXISTS (SELECT 1 FROM outbox WHERE key = ?)
           ON CONFLICT (day, hash) DO UPDATE SET n = n + 1`,
        )
        .bind(...mailsToday, signUpId, ...values, message.key);
      const mayMail = `${waitsForCard}
        AND (SELECT n FROM sign_up_counts WHERE day = ? AND hash = ?) <= ${MAILS_OF_A_CARD}`;
      const refuse = db
        .prepare(
          `UPDATE sign_ups
              SET used_cards = used_cards + 1, stripe_setup_intent_id = NULL, check_at = ?, updated_at = ?
            WHERE id = ? AND ${waitsForCard}`,
        )
        .bind(after(CHECK_AFTER_MS), now(), signUpId, ...values);
      const results = await db.batch([
        countMail,
        newMessage(db, message, mayMail, ...values, ...mailsToday),
        ...(event ? [processedEvent(db, event)] : []),
        refuse,
        byId(signUpId),
      ]);
      return signUpOrNull.parse(results.at(-1)?.results[0] ?? null);
    },

    /** Ends a sign-up, which is deleted a day later. Returns whether it ended. */
    async endPending(id: string, reason: EndReason): Promise<boolean> {
      const end = db
        .prepare(
          `UPDATE sign_ups
              SET status = 'ended', end_reason = ?2, idempotency_key = ${freedKey}, check_at = ?3, updated_at = ?4
            WHERE id = ?1 AND status = 'pending'
           RETURNING id`,
        )
        .bind(id, reason, after(ABANDONED_AFTER_MS), now());
      return hasChanged(await end.all());
    },

    /** Frees the email address, claimed under these hashes; the card's claim stays. Returns whether it ended. */
    async endTrial(id: string, reason: EndReason, emailHashes: string[]): Promise<boolean> {
      const canEnd = "status IN ('card_set_up', 'trialing', 'active', 'past_due', 'canceled') AND end_reason IS NULL";
      const messageOf = (kind: MessageKind) => ({ key: messageKey(kind, id), kind, signUpId: id });
      const results = await db.batch([
        newMessage(db, messageOf("account-closed"), canEnd),
        newMessage(
          db,
          messageOf("not-me-reported"),
          `${canEnd} AND (email_verified_at IS NOT NULL OR paid_at IS NOT NULL)`,
        ),
        db
          .prepare("DELETE FROM trial_claims WHERE sign_up_id = ? AND hash IN (SELECT value FROM json_each(?))")
          .bind(id, JSON.stringify(emailHashes)),
        db
          .prepare(
            `UPDATE sign_ups
                SET status = 'canceled', end_reason = ?2, idempotency_key = ${freedKey}, check_at = NULL,
                    updated_at = ?3, version = version + 1
              WHERE id = ?1 AND ${canEnd}
             RETURNING id`,
          )
          .bind(id, reason, now()),
      ]);
      return hasChanged(results.at(-1));
    },

    /** Returns the changed sign-up. */
    async verifyEmail(id: string): Promise<SignUp | null> {
      const unverified = "email_verified_at IS NULL AND end_reason IS NULL";
      const message = { key: `email-verified/${id}`, kind: "email-verified" as const, signUpId: id };
      const results = await db.batch([
        newMessage(db, message, unverified),
        db
          .prepare(`UPDATE sign_ups SET email_verified_at = ?1, updated_at = ?1 WHERE id = ?2 AND ${unverified}`)
          .bind(now(), id),
        byId(id),
      ]);
      return signUpOrNull.parse(results.at(-1)?.results[0] ?? null);
    },
  };
}
