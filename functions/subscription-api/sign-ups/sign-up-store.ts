import type { D1Database } from "@cloudflare/workers-types";
import * as z from "zod";
import type { SubscriptionRequest } from "../../../app/contract/subscription-request";
import { newMessage } from "../outbox/outbox";

/** A sign-up as it is stored. */
export type SignUp = z.output<typeof row>;

/** A sign-up as it is first written; the password only as its hash. */
export type NewSignUp = {
  id: string;
  idempotencyKey: string;
  passwordHash: string;
  request: SubscriptionRequest;
};

/** A card that Stripe has set up for a sign-up. */
export type CardSetUp = {
  signUpId: string;
  customerId: string;
  setupIntentId: string;
};

/** A trial, or what became of it, in the words of this database. */
export type TrialState = {
  /** Null for a trial without a plan: there is nothing that Stripe could charge. */
  stripeSubscriptionId: string | null;
  status: "active" | "trialing" | "past_due" | "canceled";
  trialEnd: Date | null;
};

/** A Stripe event, remembered in the same transaction as what it changed. */
export type EventId = { id: string; type: string };

const LIVE = "('active', 'trialing', 'past_due')";

/** The sign-up's card is set up and its trial has yet to begin. */
const AWAITS_TRIAL = "status = 'active' AND stripe_subscription_id IS NULL";

/** How many open sign-ups of one e-mail are looked at: each costs a call to Stripe. */
const PENDING_LIMIT = 5;

/** The trial of every plan (specification, section 9). */
export const TRIAL_DAYS = 5;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A sign-up without a card is given up after this long. */
export const ABANDONED_AFTER_MS = 24 * HOUR;
/** When a new sign-up is looked at for a card of which no webhook told; and any one again, when a look failed. */
const CHECK_MS = 10 * MINUTE;
/** How long the trial's beginning is left to the webhook before the cron handler takes over. */
const TRIAL_CHECK_MS = 2 * MINUTE;
/** How long after a trial's end Stripe's webhook is awaited. */
const TRIAL_END_GRACE_MS = HOUR;

const row = z.object({
  id: z.string(),
  status: z.enum(["pending", "active", "trialing", "past_due", "canceled", "superseded"]),
  package_id: z.string().nullable(),
  email: z.string(),
  password_hash: z.string(),
  phone: z.string(),
  company_name: z.string(),
  full_name: z.string(),
  address: z.string(),
  city: z.string(),
  state: z.string(),
  zip_code: z.string(),
  country: z.string(),
  stripe_customer_id: z.string().nullable(),
  stripe_setup_intent_id: z.string().nullable(),
  stripe_subscription_id: z.string().nullable(),
  stripe_attempt: z.number(),
  trial_end: z.string().nullable(),
  version: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
});

/** Whether a sign-up's card is set up but its trial has yet to begin. */
export function awaitsTrial({ status, stripe_subscription_id }: SignUp): boolean {
  return status === "active" && stripe_subscription_id === null;
}

export type SignUps = ReturnType<typeof signUpsIn>;

/** The sign-ups in D1. Every method throws what D1 throws. */
export function signUpsIn(db: D1Database) {
  const now = () => new Date().toISOString();
  const after = (ms: number) => new Date(Date.now() + ms).toISOString();
  const byId = (id: string) => db.prepare("SELECT * FROM sign_ups WHERE id = ?").bind(id);
  const byKey = (key: string) => db.prepare("SELECT * FROM sign_ups WHERE idempotency_key = ?").bind(key);
  /** The event is remembered where the condition holds: what is not done yet has to come again. */
  const processedEvent = (event: EventId, condition = "TRUE", ...values: (string | number)[]) =>
    db
      .prepare(
        `INSERT INTO stripe_events (id, type, received_at) SELECT ?, ?, ? WHERE ${condition}
         ON CONFLICT (id) DO NOTHING`,
      )
      .bind(event.id, event.type, now(), ...values);

  return {
    /** The sign-up that a request with this idempotency key has made. */
    async findByKey(idempotencyKey: string): Promise<SignUp | null> {
      return row.nullable().parse(await byKey(idempotencyKey).first());
    },

    /** The sign-up of a Stripe subscription or, while that is not noted here yet, of its customer. */
    async findByStripe(stripeSubscriptionId: string, customerId: string): Promise<SignUp | null> {
      const found = db.prepare(
        `SELECT * FROM sign_ups WHERE stripe_subscription_id = ?1 OR stripe_customer_id = ?2
          ORDER BY stripe_subscription_id IS NOT ?1 LIMIT 1`,
      );
      return row.nullable().parse(await found.bind(stripeSubscriptionId, customerId).first());
    },

    /** Every sign-up with this e-mail, in its normal form. */
    async findByEmail(email: string): Promise<SignUp[]> {
      const found = db.prepare("SELECT * FROM sign_ups WHERE email = ? ORDER BY created_at");
      return z.array(row).parse((await found.bind(email).all()).results);
    },

    /** Whether a subscription with this e-mail, in its normal form, is active, trialing or past due. */
    async hasLive(email: string): Promise<boolean> {
      const live = db.prepare(`SELECT 1 FROM sign_ups WHERE lower(email) = lower(?) AND status IN ${LIVE}`);
      return (await live.bind(email).first()) !== null;
    },

    /** The latest sign-ups with this e-mail that have a setup intent but, as far as is known here, no card. */
    async findPending(email: string): Promise<SignUp[]> {
      const pending = db.prepare(
        `SELECT * FROM sign_ups
          WHERE email = ? AND status = 'pending' AND stripe_setup_intent_id IS NOT NULL
          ORDER BY created_at DESC LIMIT ${PENDING_LIMIT}`,
      );
      return z.array(row).parse((await pending.bind(email).all()).results);
    },

    /**
     * Writes a sign-up, unless its idempotency key is taken.
     * @returns the sign-up under that key: the given one, or the one that came first
     */
    async add({ id, idempotencyKey, passwordHash, request }: NewSignUp): Promise<SignUp> {
      const insert = db.prepare(
        `INSERT INTO sign_ups (
           id, idempotency_key, package_id, email, password_hash, phone, company_name, full_name, address, city, state,
           zip_code, country, created_at, updated_at, check_at
         ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?14, ?15)
         ON CONFLICT (idempotency_key) DO NOTHING`,
      );
      const [, stored] = await db.batch([
        insert.bind(
          id,
          idempotencyKey,
          request.package_id ?? null,
          request.email,
          passwordHash,
          request.phone,
          request.company_name,
          request.full_name,
          request.address,
          request.city,
          request.state,
          request.zipCode,
          request.country,
          now(),
          after(CHECK_MS),
        ),
        byKey(idempotencyKey),
      ]);
      return row.parse(stored?.results[0]);
    },

    /** Notes the Stripe customer of a sign-up; the first one noted stays. */
    async recordCustomer(id: string, customerId: string): Promise<void> {
      await db
        .prepare(
          "UPDATE sign_ups SET stripe_customer_id = coalesce(stripe_customer_id, ?), updated_at = ? WHERE id = ?",
        )
        .bind(customerId, now(), id)
        .run();
    },

    /** Notes the setup intent of a sign-up; the first one noted stays. */
    async recordSetupIntent(id: string, setupIntentId: string): Promise<void> {
      await db
        .prepare(
          "UPDATE sign_ups SET stripe_setup_intent_id = coalesce(stripe_setup_intent_id, ?), updated_at = ? WHERE id = ?",
        )
        .bind(setupIntentId, now(), id)
        .run();
    },

    /** Ends an attempt at Stripe: the next one has idempotency keys of its own. Of several that end it, one counts. */
    async endAttempt(id: string, attempt: number): Promise<void> {
      await db
        .prepare("UPDATE sign_ups SET stripe_attempt = ?2 + 1 WHERE id = ?1 AND stripe_attempt = ?2")
        .bind(id, attempt)
        .run();
    },

    /**
     * Makes a pending sign-up active now that its card is set up, or superseded when another one with the same e-mail
     * came first. One statement decides, so that of two at the same time one wins; repeating it changes nothing.
     * @param event the Stripe event that told so; remembered once nothing is left to do for it
     * @returns the sign-up as it is then; null when there is none
     */
    async activate(card: CardSetUp, event?: EventId): Promise<SignUp | null> {
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
          after(TRIAL_CHECK_MS),
        );
      const finished = `NOT EXISTS (SELECT 1 FROM sign_ups WHERE id = ? AND ${AWAITS_TRIAL})`;
      const [, found] = await db.batch([
        update,
        byId(card.signUpId),
        ...(event ? [processedEvent(event, finished, card.signUpId)] : []),
      ]);
      return row.nullable().parse(found?.results[0] ?? null);
    },

    /**
     * Writes that the trial of an active sign-up has begun and, in the same transaction, what has to be told of it.
     * Repeating it changes nothing.
     * @returns the sign-up as it is then; null when it is gone
     */
    async beginTrial(id: string, trial: TrialState, event?: EventId): Promise<SignUp | null> {
      const tells = trial.status === "canceled" ? [] : (["trial-started", "account-created"] as const);
      const update = db
        .prepare(
          `UPDATE sign_ups
              SET status = ?2, stripe_subscription_id = ?3, trial_end = ?4, check_at = ?5, updated_at = ?6,
                  version = version + 1
            WHERE id = ?1 AND ${AWAITS_TRIAL}`,
        )
        .bind(id, trial.status, trial.stripeSubscriptionId, timeOf(trial.trialEnd), checkTimeOf(trial), now());
      const results = await db.batch([
        ...tells.map((kind) => newMessage(db, { key: `${kind}/${id}`, kind, signUpId: id }, AWAITS_TRIAL)),
        ...(event ? [processedEvent(event)] : []),
        update,
        byId(id),
      ]);
      return row.nullable().parse(results.at(-1)?.results[0] ?? null);
    },

    /**
     * Takes over what Stripe says of a subscription, unless the sign-up has changed since it was read.
     * @param told.event remembered with it
     * @param told.trialEnding whether the visitor is to be told that the trial ends
     * @returns whether it was taken over
     */
    async applyStripeState(
      known: SignUp,
      trial: TrialState,
      { event, trialEnding }: { event?: EventId; trialEnding: boolean },
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
          known.id,
          known.version,
          trial.status,
          trial.stripeSubscriptionId,
          timeOf(trial.trialEnd),
          checkTimeOf(trial),
          now(),
        );
      const reminder = {
        key: `trial-ending/${known.id}/${timeOf(trial.trialEnd)}`,
        kind: "trial-ending" as const,
        signUpId: known.id,
      };
      const results = await db.batch([
        ...(trialEnding && trial.status === "trialing" ? [newMessage(db, reminder, "version = ?", known.version)] : []),
        ...(event ? [processedEvent(event, unchanged, known.id, known.version)] : []),
        update,
      ]);
      return results.at(-1)?.results.length === 1;
    },

    /**
     * Takes sign-ups that are to be looked at now, and puts their next look off, so that two runs do not take the same.
     */
    async takeDue(limit: number): Promise<SignUp[]> {
      const take = db.prepare(
        `UPDATE sign_ups SET check_at = ?1
          WHERE id IN (SELECT id FROM sign_ups WHERE check_at <= ?2 ORDER BY check_at LIMIT ?3)
         RETURNING *`,
      );
      return z.array(row).parse((await take.bind(after(CHECK_MS), now(), limit).all()).results);
    },

    /** Looks at a pending sign-up again when it is twice as old, or when it is given up. */
    async scheduleNextCheck({ id, created_at }: SignUp): Promise<void> {
      const created = Date.parse(created_at);
      const next = Math.min(2 * Date.now() - created, created + ABANDONED_AFTER_MS);
      await db
        .prepare("UPDATE sign_ups SET check_at = ? WHERE id = ? AND status = 'pending'")
        .bind(new Date(next).toISOString(), id)
        .run();
    },

    /** Removes a sign-up and its messages, if it still has the status that it was read with. */
    async remove({ id, status }: Pick<SignUp, "id" | "status">): Promise<void> {
      await db.prepare("DELETE FROM sign_ups WHERE id = ? AND status = ?").bind(id, status).run();
    },

    /** Removes a sign-up and its messages, whatever became of it. */
    async erase(id: string): Promise<void> {
      await db.prepare("DELETE FROM sign_ups WHERE id = ?").bind(id).run();
    },

    /** Whether an event with this id has been processed. */
    async isProcessed(id: string): Promise<boolean> {
      return (await db.prepare("SELECT 1 FROM stripe_events WHERE id = ?").bind(id).first()) !== null;
    },

    /** Remembers an event that changes nothing here. */
    async markProcessed(event: EventId): Promise<void> {
      await processedEvent(event).run();
    },

    /** Forgets events that Stripe has long stopped sending. */
    async deleteEventsBefore(time: Date): Promise<void> {
      await db.prepare("DELETE FROM stripe_events WHERE received_at < ?").bind(time.toISOString()).run();
    },
  };
}

function timeOf(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}

/** A trial is looked at when it should be over: without a plan at once, else when Stripe had the time to tell. */
function checkTimeOf({ status, stripeSubscriptionId, trialEnd }: TrialState): string | null {
  if (status !== "trialing" || trialEnd === null) return null;
  const grace = stripeSubscriptionId === null ? 0 : TRIAL_END_GRACE_MS;
  return new Date(trialEnd.getTime() + grace).toISOString();
}
