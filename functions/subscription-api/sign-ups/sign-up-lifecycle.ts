import type { D1Database } from "@cloudflare/workers-types";
import * as z from "zod";
import { newMessage } from "../outbox/outbox";
import type { CardSetUp, StripeEvent } from "../stripe/webhook";
import {
  ABANDONED_AFTER_MS,
  AWAITS_TRIAL,
  CHECK_AFTER_MS,
  LIVE,
  nextPendingCheck,
  nextTrialCheck,
  type SignUp,
  signUpRow,
  TRIAL_START_GRACE_MS,
  type TrialState,
} from "./sign-up";

export type SignUpLifecycle = ReturnType<typeof signUpLifecycleIn>;

/** State changes, each in one transaction with its messages and its Stripe event. Throws what D1 throws. */
export function signUpLifecycleIn(db: D1Database) {
  const now = () => new Date().toISOString();
  const after = (ms: number) => new Date(Date.now() + ms).toISOString();
  const byId = (id: string) => db.prepare("SELECT * FROM sign_ups WHERE id = ?").bind(id);

  /** Without a match Stripe has to send the event again. */
  const processedEvent = (event: StripeEvent, condition = "TRUE", ...values: (string | number)[]) =>
    db
      .prepare(
        `INSERT INTO stripe_events (id, type, received_at) SELECT ?, ?, ? WHERE ${condition}
         ON CONFLICT (id) DO NOTHING`,
      )
      .bind(event.id, event.type, now(), ...values);

  return {
    /** Makes a pending sign-up active, or superseded when another one with its e-mail is live. */
    async activate(card: CardSetUp, event?: StripeEvent): Promise<SignUp | null> {
      // One statement, so that one of two at the same time wins.
      const update = db
        .prepare(
          `UPDATE sign_ups AS mine
              SET (status, check_at) = (
                    SELECT CASE WHEN found THEN 'superseded' ELSE 'active' END, CASE WHEN found THEN ?5 ELSE ?6 END
                      FROM (SELECT EXISTS (
                        SELECT 1 FROM sign_ups AS other
                         WHERE lower(other.email) = lower(mine.email) AND other.status IN ${LIVE}
                      ) AS found)),
                  stripe_customer_id = coalesce(stripe_customer_id, ?2),
                  stripe_setup_intent_id = coalesce(stripe_setup_intent_id, ?3),
                  updated_at = ?4
            WHERE id = ?1 AND status = 'pending'`,
        )
        .bind(
          card.signUpId,
          card.customerId,
          card.setupIntentId,
          now(),
          after(ABANDONED_AFTER_MS),
          after(TRIAL_START_GRACE_MS),
        );
      const finished = `NOT EXISTS (SELECT 1 FROM sign_ups WHERE id = ? AND ${AWAITS_TRIAL})`;
      const [, found] = await db.batch([
        update,
        byId(card.signUpId),
        ...(event ? [processedEvent(event, finished, card.signUpId)] : []),
      ]);
      return signUpRow.nullable().parse(found?.results[0] ?? null);
    },

    /** Records the trial of an active sign-up and its messages. A repetition changes nothing. */
    async startTrial(id: string, trial: TrialState, event?: StripeEvent): Promise<SignUp | null> {
      const messages = trial.status === "canceled" ? [] : (["trial-started", "account-created"] as const);
      const update = db
        .prepare(
          `UPDATE sign_ups
              SET status = ?2, stripe_subscription_id = ?3, trial_end = ?4, check_at = ?5, updated_at = ?6,
                  version = version + 1
            WHERE id = ?1 AND ${AWAITS_TRIAL}`,
        )
        .bind(id, trial.status, trial.stripeSubscriptionId, iso(trial.trialEnd), iso(nextTrialCheck(trial)), now());
      const results = await db.batch([
        ...messages.map((kind) => newMessage(db, { key: `${kind}/${id}`, kind, signUpId: id }, AWAITS_TRIAL)),
        ...(event ? [processedEvent(event)] : []),
        update,
        byId(id),
      ]);
      return signUpRow.nullable().parse(results.at(-1)?.results[0] ?? null);
    },

    /** Returns false, and changes nothing, when the sign-up has changed since it was read. */
    async applyStripeState(
      read: SignUp,
      trial: TrialState,
      { event, remind }: { event?: StripeEvent; remind: boolean },
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
      const reminder = {
        key: `trial-ending/${read.id}/${iso(trial.trialEnd)}`,
        kind: "trial-ending" as const,
        signUpId: read.id,
      };
      const results = await db.batch([
        ...(remind && trial.status === "trialing" ? [newMessage(db, reminder, "version = ?", read.version)] : []),
        ...(event ? [processedEvent(event, unchanged, read.id, read.version)] : []),
        update,
      ]);
      return results.at(-1)?.results.length === 1;
    },

    /** Takes due sign-ups and postpones their check, so that two runs do not take the same. */
    async takeDue(limit: number): Promise<SignUp[]> {
      const take = db.prepare(
        `UPDATE sign_ups SET check_at = ?1
          WHERE id IN (SELECT id FROM sign_ups WHERE check_at <= ?2 ORDER BY check_at LIMIT ?3)
         RETURNING *`,
      );
      return z.array(signUpRow).parse((await take.bind(after(CHECK_AFTER_MS), now(), limit).all()).results);
    },

    async scheduleNextCheck(pending: SignUp): Promise<void> {
      await db
        .prepare("UPDATE sign_ups SET check_at = ? WHERE id = ? AND status = 'pending'")
        .bind(iso(nextPendingCheck(pending)), pending.id)
        .run();
    },

    /** Gives up a pending sign-up; the next scheduled run deletes it, here and at Stripe. */
    async supersede(id: string): Promise<void> {
      await db
        .prepare(
          "UPDATE sign_ups SET status = 'superseded', check_at = ?1, updated_at = ?1 WHERE id = ?2 AND status = 'pending'",
        )
        .bind(now(), id)
        .run();
    },

    async isProcessed(event: StripeEvent): Promise<boolean> {
      return (await db.prepare("SELECT 1 FROM stripe_events WHERE id = ?").bind(event.id).first()) !== null;
    },

    async markProcessed(event: StripeEvent): Promise<void> {
      await processedEvent(event).run();
    },

    async deleteEventsBefore(time: Date): Promise<void> {
      await db.prepare("DELETE FROM stripe_events WHERE received_at < ?").bind(time.toISOString()).run();
    },
  };
}

function iso(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}
