import type { D1Database } from "@cloudflare/workers-types";
import * as z from "zod";
import type { SubscriptionRequest } from "../../app/signup/contract";

/** A sign-up as it is stored. */
export type Subscription = z.output<typeof row>;

/** A sign-up as it is first written; the password only as its hash. */
export type NewSubscription = {
  id: string;
  idempotencyKey: string;
  passwordHash: string;
  request: SubscriptionRequest;
};

/** A card that Stripe has set up for a sign-up. */
export type CardSetUp = {
  subscriptionId: string;
  customerId: string;
  setupIntentId: string;
};

/** What a set-up card made of its sign-up; `unchanged` when there is no such row or it was no longer pending. */
export type Activation = "active" | "superseded" | "unchanged";

const LIVE = "('active', 'trialing', 'past_due')";

/** How many open sign-ups of one e-mail are looked at: each costs a call to Stripe. */
const PENDING_LIMIT = 5;

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
});

export type Subscriptions = ReturnType<typeof subscriptionsIn>;

/** The sign-ups in D1. Every method throws what D1 throws. */
export function subscriptionsIn(db: D1Database) {
  const now = () => new Date().toISOString();
  const byKey = (key: string) => db.prepare("SELECT * FROM subscriptions WHERE idempotency_key = ?").bind(key);
  const rememberEvent = (event: { id: string; type: string }) =>
    db
      .prepare("INSERT INTO stripe_events (id, type, received_at) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING")
      .bind(event.id, event.type, now());

  return {
    /** The sign-up that a request with this idempotency key has made. */
    async findByKey(idempotencyKey: string): Promise<Subscription | null> {
      return row.nullable().parse(await byKey(idempotencyKey).first());
    },

    /** Whether a subscription with this e-mail, in its normal form, is active, trialing or past due. */
    async hasLive(email: string): Promise<boolean> {
      const live = db.prepare(`SELECT 1 FROM subscriptions WHERE lower(email) = lower(?) AND status IN ${LIVE}`);
      return (await live.bind(email).first()) !== null;
    },

    /** The latest sign-ups with this e-mail that have a setup intent but, as far as is known here, no card. */
    async findPending(email: string): Promise<Subscription[]> {
      const pending = db.prepare(
        `SELECT * FROM subscriptions
          WHERE email = ? AND status = 'pending' AND stripe_setup_intent_id IS NOT NULL
          ORDER BY created_at DESC LIMIT ${PENDING_LIMIT}`,
      );
      return z.array(row).parse((await pending.bind(email).all()).results);
    },

    /**
     * Writes a sign-up, unless its idempotency key is taken.
     * @returns the sign-up under that key: the given one, or the one that came first
     */
    async add({ id, idempotencyKey, passwordHash, request }: NewSubscription): Promise<Subscription> {
      const insert = db.prepare(
        `INSERT INTO subscriptions (
           id, idempotency_key, package_id, email, password_hash, phone, company_name, full_name, address, city, state,
           zip_code, country, created_at, updated_at
         ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?14)
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
        ),
        byKey(idempotencyKey),
      ]);
      return row.parse(stored?.results[0]);
    },

    /** Notes the Stripe customer of a sign-up; the first one noted stays. */
    async recordCustomer(id: string, customerId: string): Promise<void> {
      await db
        .prepare(
          "UPDATE subscriptions SET stripe_customer_id = coalesce(stripe_customer_id, ?), updated_at = ? WHERE id = ?",
        )
        .bind(customerId, now(), id)
        .run();
    },

    /** Notes the setup intent of a sign-up; the first one noted stays. */
    async recordSetupIntent(id: string, setupIntentId: string): Promise<void> {
      await db
        .prepare(
          "UPDATE subscriptions SET stripe_setup_intent_id = coalesce(stripe_setup_intent_id, ?), updated_at = ? WHERE id = ?",
        )
        .bind(setupIntentId, now(), id)
        .run();
    },

    /**
     * Makes a pending sign-up active now that its card is set up, or superseded when another one with the same e-mail
     * came first. One statement decides, so that of two at the same time one wins; repeating it changes nothing.
     * @param event the Stripe event that told so, remembered in the same transaction
     */
    async activate(card: CardSetUp, event?: { id: string; type: string }): Promise<Activation> {
      const update = db
        .prepare(
          `UPDATE subscriptions AS mine
              SET status = CASE
                    WHEN EXISTS (SELECT 1 FROM subscriptions AS other
                                  WHERE lower(other.email) = lower(mine.email) AND other.status IN ${LIVE})
                    THEN 'superseded' ELSE 'active' END,
                  stripe_customer_id = coalesce(stripe_customer_id, ?2),
                  stripe_setup_intent_id = coalesce(stripe_setup_intent_id, ?3),
                  updated_at = ?4
            WHERE id = ?1 AND status = 'pending'
           RETURNING status`,
        )
        .bind(card.subscriptionId, card.customerId, card.setupIntentId, now());
      const [updated] = await db.batch(event ? [update, rememberEvent(event)] : [update]);
      const [changed] = z.array(z.object({ status: z.enum(["active", "superseded"]) })).parse(updated?.results);
      return changed?.status ?? "unchanged";
    },

    /** Whether an event with this id has been processed. */
    async knowsEvent(id: string): Promise<boolean> {
      return (await db.prepare("SELECT 1 FROM stripe_events WHERE id = ?").bind(id).first()) !== null;
    },
  };
}
