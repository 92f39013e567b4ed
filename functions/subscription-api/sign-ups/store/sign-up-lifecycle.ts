import type { Database } from "../../database";
import type { TrialClaim } from "../../limits/trial-claims";
import { messageKey, newMessage, reminderKey } from "../../outbox/outbox";
import type { StripeEvent } from "../../stripe/events";
import {
  ABANDONED_AFTER_MS,
  CHECK_AFTER_MS,
  type CheckRank,
  HAD_TRIAL,
  MAX_FAILED_CARDS,
  nextTrialCheck,
  type SignUp,
  signUpOrNull,
  signUpRows,
  TRIAL_START_GRACE_MS,
  type TrialState,
} from "../sign-up";
import { processedEvent } from "./processed-events";

/** A card set up at Stripe, after `usedCards` refused ones. */
export type SetUpCard = { signUpId: string; setupIntentId: string; customerId: string; usedCards: number };

export type SignUpLifecycle = ReturnType<typeof signUpLifecycleIn>;

/** Each method is one transaction with its messages and Stripe event, and throws D1's errors. */
export function signUpLifecycleIn(db: Database) {
  const now = () => new Date().toISOString();
  const after = (ms: number) => new Date(Date.now() + ms).toISOString();
  const byId = (id: string) => db.prepare("SELECT * FROM sign_ups WHERE id = ?").bind(id);

  return {
    /** Stays pending if its card was used or it waits for another card; becomes replaced if its email had a trial. */
    async recordCard(card: SetUpCard, claim: TrialClaim, event?: StripeEvent): Promise<SignUp | null> {
      const { signUpId, setupIntentId, customerId, usedCards } = card;
      const waitsForCard = `mine.id = ?1 AND mine.status = 'pending' AND mine.used_cards = ?4
        AND mine.declined_cards + mine.used_cards < ${MAX_FAILED_CARDS}
        AND coalesce(mine.stripe_setup_intent_id, ?2) = ?2 AND coalesce(mine.stripe_customer_id, ?3) = ?3`;
      const identity = [signUpId, setupIntentId, customerId, usedCards, JSON.stringify(claim.emails)] as const;
      const hadTrial = `(
        EXISTS (SELECT 1 FROM trial_claims
                 WHERE hash IN (SELECT value FROM json_each(?5)) AND sign_up_id IS NOT mine.id)
        OR EXISTS (SELECT 1 FROM sign_ups AS other WHERE email = mine.email AND id <> mine.id AND ${HAD_TRIAL}))`;
      // Claims all hashes or none; the primary key decides between simultaneous sign-ups.
      const claimTrial = db
        .prepare(
          `INSERT INTO trial_claims (hash, sign_up_id)
           SELECT claimed.value, mine.id FROM sign_ups AS mine, json_each(?6) AS claimed
            WHERE ${waitsForCard} AND NOT ${hadTrial}
              AND NOT EXISTS (SELECT 1 FROM trial_claims WHERE hash IN (SELECT value FROM json_each(?6)))`,
        )
        .bind(...identity, JSON.stringify([claim.email, ...(claim.card === null ? [] : [claim.card])]));
      const hasClaim = "EXISTS (SELECT 1 FROM trial_claims WHERE sign_up_id = mine.id)";
      const update = db
        .prepare(
          `UPDATE sign_ups AS mine
              SET status = CASE WHEN ${hasClaim} THEN 'card_set_up' ELSE 'ended' END,
                  end_reason = CASE WHEN ${hasClaim} THEN NULL ELSE 'replaced' END,
                  check_at = CASE WHEN ${hasClaim} THEN ?8 ELSE ?7 END,
                  stripe_customer_id = ?3, stripe_setup_intent_id = ?2, updated_at = ?6
            WHERE ${waitsForCard} AND (${hasClaim} OR ${hadTrial})
           RETURNING id`,
        )
        .bind(...identity, now(), after(ABANDONED_AFTER_MS), after(TRIAL_START_GRACE_MS));
      const finished = `NOT EXISTS (SELECT 1 FROM sign_ups WHERE id = ? AND (status = 'pending' OR status = 'card_set_up'))`;
      const results = await db.batch([
        claimTrial,
        update,
        ...(event ? [processedEvent(db, event, finished, signUpId)] : []),
        byId(signUpId),
      ]);
      const stored = signUpOrNull.parse(results.at(-1)?.results[0] ?? null);
      return stored;
    },

    /** Idempotent. @param remindAt when to send the reminder; null for none */
    async startTrial(
      id: string,
      trial: TrialState,
      { event, remindAt }: { event?: StripeEvent; remindAt: Date | null },
    ): Promise<SignUp | null> {
      const messages = trial.status === "canceled" ? [] : (["trial-started", "account-created"] as const);
      const reminder = reminderOf(id, trial, remindAt);
      const update = db
        .prepare(
          `UPDATE sign_ups
              SET status = ?2, stripe_subscription_id = ?3, trial_end = ?4, check_at = ?5, updated_at = ?6,
                  version = version + 1
            WHERE id = ?1 AND status = 'card_set_up'
           RETURNING id`,
        )
        .bind(id, trial.status, trial.stripeSubscriptionId, iso(trial.trialEnd), iso(nextTrialCheck(trial)), now());
      const results = await db.batch([
        ...messages.map((kind) =>
          newMessage(db, { key: messageKey(kind, id), kind, signUpId: id }, "status = 'card_set_up'"),
        ),
        ...(reminder ? [newMessage(db, reminder, "status = 'card_set_up'")] : []),
        ...(event ? [processedEvent(db, event)] : []),
        update,
        byId(id),
      ]);
      const stored = signUpOrNull.parse(results.at(-1)?.results[0] ?? null);
      return stored;
    },

    /** False, without a change, if the sign-up has changed since it was read. */
    async applyStripeState(
      read: SignUp,
      trial: TrialState,
      { event, remindAt }: { event?: StripeEvent; remindAt: Date | null },
    ): Promise<boolean> {
      const unchanged = "EXISTS (SELECT 1 FROM sign_ups WHERE id = ? AND version = ?)";
      const update = db
        .prepare(
          `UPDATE sign_ups
              SET status = ?3, stripe_subscription_id = ?4, trial_end = coalesce(?5, trial_end), check_at = ?6,
                  updated_at = ?7,
                  version = version + (status <> ?3 OR stripe_subscription_id IS NOT ?4 OR trial_end IS NOT coalesce(?5, trial_end))
            WHERE id = ?1 AND version = ?2
           RETURNING id`,
        )
        .bind(
          read.id,
          read.version,
          trial.status,
          trial.stripeSubscriptionId,
          iso(trial.trialEnd),
          iso(nextTrialCheck(trial)),
          now(),
        );
      const reminder = reminderOf(read.id, trial, remindAt);
      const results = await db.batch([
        ...(reminder ? [newMessage(db, reminder, "version = ?", read.version)] : []),
        ...(event ? [processedEvent(db, event, unchanged, read.id, read.version)] : []),
        update,
      ]);
      return hasChanged(results.at(-1));
    },

    /** Idempotent. */
    async recordPayment(signUp: SignUp, event: StripeEvent): Promise<void> {
      const record = db
        .prepare("UPDATE sign_ups SET paid_at = ?1, updated_at = ?1 WHERE id = ?2 AND paid_at IS NULL RETURNING id")
        .bind(now(), signUp.id);
      await db.batch([record, processedEvent(db, event)]);
    },

    /** Leases due sign-ups, so that overlapping runs take different ones. The next check is at the lease's end. */
    async takeDue(rank: CheckRank, limit: number): Promise<{ signUps: SignUp[]; leaseEnd: string }> {
      const take = db.withoutRetry.prepare(
        `UPDATE sign_ups SET check_at = ?1
          WHERE id IN (SELECT id FROM sign_ups WHERE check_rank = ?2 AND check_at <= ?3 ORDER BY check_at LIMIT ?4)
         RETURNING *`,
      );
      const leaseEnd = after(CHECK_AFTER_MS);
      const taken = await take.bind(leaseEnd, rank, now(), limit).all();
      return { signUps: signUpRows.parse(taken.results), leaseEnd };
    },

    /** Keeps the time of a check that was rescheduled since the lease. */
    async scheduleChecks(checks: { id: string; at: Date }[], leaseEnd: string): Promise<void> {
      if (checks.length === 0) return;
      const schedule = db.prepare(
        `UPDATE sign_ups SET check_at = planned.value ->> 'at' FROM json_each(?1) AS planned
          WHERE sign_ups.id = planned.value ->> 'id' AND check_at = ?2`,
      );
      await schedule.bind(JSON.stringify(checks), leaseEnd).run();
    },

    /** The next scheduled run deletes it, here and at Stripe. */
    async replace(id: string): Promise<void> {
      await db
        .prepare(
          `UPDATE sign_ups SET status = 'ended', end_reason = 'replaced', check_at = ?1, updated_at = ?1
            WHERE id = ?2 AND status = 'pending'`,
        )
        .bind(now(), id)
        .run();
    },
  };
}

/** The row returned by an update. */
export function hasChanged(result: { results: unknown[] } | undefined): boolean {
  return result?.results.length === 1;
}

function reminderOf(signUpId: string, { status, trialEnd }: TrialState, notBefore: Date | null) {
  if (notBefore === null || status !== "trialing") return null;
  return { key: reminderKey(signUpId, trialEnd), kind: "trial-ending" as const, signUpId, notBefore };
}

function iso(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}
