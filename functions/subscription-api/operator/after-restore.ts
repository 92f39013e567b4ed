import * as z from "zod";
import { DAY_MS } from "../../../app/contract/dates";
import { inParallel } from "../connections";
import type { Database } from "../database";
import { EMAILS_TO_CUSTOMERS, messageKey } from "../outbox/outbox";
import type { SignUps } from "../sign-ups/store";
import { dateOf } from "../stripe/client";
import type { StripeEvents, StripeEventTypes } from "../stripe/event-list";
import type { Payments } from "../stripe/payments";

export type RestoreServices = {
  signUps: SignUps;
  payments: Payments;
  restored: ReturnType<typeof restoredDatabase>;
  stripeEvents: StripeEvents;
};

/** `restoredTo` is the time of the restored data, `stoppedAt` is when maintenance began, and `from` is the last part's `next`. */
export type Restore = { restoredTo: Date; stoppedAt: Date; from?: string | undefined };

/** What one part did, which may be repeated. `next` is where the next part begins, or null after the last one. */
export type RestoreReport = {
  /** Customers at Stripe whose sign-up is missing from the database. */
  missing: { sign_up_id: string; customer_id: string; had_trial: boolean }[];
  /** Sign-ups that were erased, abandoned or ended after `restoredTo`, and are deleted again. */
  deleted_again: number;
  emails_held_back: number;
  /** Sign-ups that the cron handler advances once maintenance is over. */
  checked_again: number;
  next: string | null;
};

const ROWS = 2_000;
/** Stripe keeps events for so long: https://docs.stripe.com/api/events */
export const STRIPE_EVENT_DAYS = 30;
const TYPES: StripeEventTypes = ["customer.created", "customer.deleted", "customer.subscription.created"];

const ofSignUp = z.object({ id: z.string(), metadata: z.object({ sign_up_id: z.guid() }) });

/** Why a restore cannot be reconciled; undefined if it can. With wrong times, Stripe's list of events would be empty or too short. */
export function problemWith({ restoredTo, stoppedAt }: Restore): string | undefined {
  if (restoredTo > stoppedAt) return "restored_to is later than stopped_at: are the two swapped?";
  if (stoppedAt.getTime() > Date.now()) return "stopped_at is in the future";
  if (Date.now() - restoredTo.getTime() > STRIPE_EVENT_DAYS * DAY_MS)
    return `restored_to is more than ${STRIPE_EVENT_DAYS} days ago: Stripe no longer has all events since`;
  return undefined;
}

/** First marks sign-ups for the cron handler, then reads Stripe's events. Throws PaymentsError and D1's errors. */
export async function reconcileRestored(restore: Restore, services: RestoreServices): Promise<RestoreReport> {
  const { restored } = services;
  const [part, last = ""] = (restore.from ?? "rows/").split("/");
  if (part !== "rows") return readEvents(restore, last, services);
  const emails_held_back = last === "" ? await restored.holdBackDue(restore.stoppedAt) : 0;
  const ids = await restored.checkAgain(last, ROWS);
  const next = ids.length < ROWS ? "events/" : `rows/${ids.at(-1)}`;
  return { missing: [], deleted_again: 0, emails_held_back, checked_again: ids.length, next };
}

async function readEvents({ restoredTo, stoppedAt }: Restore, last: string, services: RestoreServices) {
  const { signUps, payments, restored, stripeEvents } = services;
  const { events, next: after } = await stripeEvents.page({ types: TYPES, from: restoredTo }, last);
  const next = after === null ? null : `events/${after}`;
  const report: RestoreReport = { missing: [], deleted_again: 0, emails_held_back: 0, checked_again: 0, next };
  const begun: string[] = [];
  const ofSignUps = events.filter(({ data: { object } }) => ofSignUp.safeParse(object).success);
  await inParallel(ofSignUps, async ({ type, created, data }) => {
    const { id, metadata } = ofSignUp.parse(data.object);
    const signUp = await signUps.find(metadata.sign_up_id);
    if (type === "customer.subscription.created") {
      if (signUp && (dateOf(created) ?? stoppedAt) < stoppedAt) begun.push(signUp.id);
    } else if (type === "customer.deleted") {
      if (signUp) await signUps.erase(signUp.id);
      if (signUp) report.deleted_again += 1;
    } else {
      const had_trial = signUp ? null : await payments.hasCustomerHadTrial(id);
      if (had_trial !== null) report.missing.push({ sign_up_id: metadata.sign_up_id, customer_id: id, had_trial });
    }
  });
  report.emails_held_back = await restored.holdBackStarts(begun);
  return report;
}

/** Changes to a restored database. Each can be repeated. Every method throws D1's errors. */
export function restoredDatabase(db: Database) {
  const now = () => new Date().toISOString();
  const idsOf = (results: unknown) => z.array(z.object({ id: z.string() })).parse(results);

  return {
    /** Starts new attempts, so that the cron handler looks for objects that rows have lost. Returns the sign-ups' IDs. */
    async checkAgain(last: string, limit: number): Promise<string[]> {
      const checked = db.prepare(
        `UPDATE sign_ups SET check_at = ?1, stripe_attempt = stripe_attempt + 1, version = version + 1
          WHERE id IN (SELECT id FROM sign_ups WHERE id > ?2 ORDER BY id LIMIT ?3) RETURNING id`,
      );
      const { results } = await checked.bind(now(), last, limit).all();
      return idsOf(results)
        .map(({ id }) => id)
        .sort();
    },

    /** Drops emails to customers that went out before maintenance. Keeps failed ones and reports: better sent twice than never. */
    async holdBackDue(before: Date): Promise<number> {
      const held = db.prepare(
        `UPDATE outbox SET state = 'dropped', drop_reason = 'restored', settled_at = ?1
          WHERE state = 'due' AND kind IN (SELECT value FROM json_each(?2)) AND next_attempt_at < ?3 AND attempts = 0
         RETURNING key`,
      );
      return (await held.bind(now(), JSON.stringify(EMAILS_TO_CUSTOMERS), before.toISOString()).all()).results.length;
    },

    /** Records that the start emails of these sign-ups went out, so that they are not sent again. Returns their number. */
    async holdBackStarts(signUpIds: string[]): Promise<number> {
      const kind = "trial-started";
      const held = db.prepare(
        `INSERT INTO outbox (key, sign_up_id, kind, state, drop_reason, next_attempt_at, created_at, settled_at)
         SELECT begun.value ->> 'key', sign_ups.id, ?1, 'dropped', 'restored', ?2, ?2, ?2
           FROM json_each(?3) AS begun JOIN sign_ups ON sign_ups.id = begun.value ->> 'id' WHERE TRUE
         ON CONFLICT (key) DO NOTHING RETURNING key`,
      );
      const starts = signUpIds.map((id) => ({ id, key: messageKey(kind, id) }));
      return (await held.bind(kind, now(), JSON.stringify(starts)).all()).results.length;
    },
  };
}
