import * as z from "zod";
import { MAX_FAILED_CARDS } from "../../../app/contract/trial";
import { fieldColumns } from "./field-columns";

export type SignUp = z.output<typeof signUpRow>;

/** A row of the table `sign_ups`. Times are ISO 8601 in UTC. */
export const signUpRow = z.object({
  id: z.string(),
  status: z.enum(["pending", "card_set_up", "ended", "trialing", "active", "past_due", "canceled"]),
  end_reason: z.enum(["replaced", "cards-failed", "not-me"]).nullable(),
  package_id: z.string().nullable(),
  password_hash: z.string(),
  ...fieldColumns,
  /** US cents a month, agreed to with the form; null without a plan. */
  price_cents: z.number().nullable(),
  stripe_price_id: z.string().nullable(),
  stripe_customer_id: z.string().nullable(),
  stripe_setup_intent_id: z.string().nullable(),
  stripe_subscription_id: z.string().nullable(),
  stripe_attempt: z.number(),
  trial_end: z.string().nullable(),
  email_verified_at: z.string().nullable(),
  declined_cards: z.number(),
  used_cards: z.number(),
  /** IDs of the declined cards' events, with a space between them. */
  declined_events: z.string(),
  request_id: z.string().nullable(),
  version: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
  check_at: z.string().nullable(),
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export const ABANDONED_AFTER_MS = 24 * HOUR;
/** Age up to which the same form continues its sign-up. Ends before deletion, so no request works on a deleted row. */
export const CONTINUED_FOR_MS = ABANDONED_AFTER_MS - 5 * MINUTE;
/** Until the check that makes up for a lost webhook, and how long a run of the cron handler keeps a sign-up. */
export const CHECK_AFTER_MS = 10 * MINUTE;
/** Until the cron handler takes over from whoever set up the card. */
export const TRIAL_START_GRACE_MS = 2 * MINUTE;
/** How long after a trial's end Stripe may take to charge. */
export const TRIAL_END_GRACE_MS = HOUR;

/** The order in which due sign-ups are checked (column `check_rank`). */
export const CHECK_RANKS = { cardSetUp: 0, mayHaveTrial: 1, leftToDelete: 2 } as const;
export type CheckRank = (typeof CHECK_RANKS)[keyof typeof CHECK_RANKS];

export function after(milliseconds: number): string {
  return new Date(Date.now() + milliseconds).toISOString();
}

export function isOlder({ created_at }: Pick<SignUp, "created_at">, milliseconds: number): boolean {
  return Date.now() - Date.parse(created_at) >= milliseconds;
}

/** True while only its card decides whether there will be a trial. */
export function isBeforeTrial({ status }: SignUp): boolean {
  return status === "pending" || status === "card_set_up";
}

export function hasTooManyFailedCards({ declined_cards, used_cards }: SignUp): boolean {
  return declined_cards + used_cards >= MAX_FAILED_CARDS;
}

/** When a sign-up ends that has no card by then. */
export function signUpEnd({ created_at }: Pick<SignUp, "created_at">): Date {
  return new Date(Date.parse(created_at) + ABANDONED_AFTER_MS);
}

/** When its status can no longer be asked for: an hour later, so that a page that waits is told of the end. */
export function statusEnd(signUp: Pick<SignUp, "created_at">): Date {
  return new Date(signUpEnd(signUp).getTime() + HOUR);
}

/** When the cron handler looks again at a sign-up that it left as it was; null if only webhooks change it. */
export function nextCheck(signUp: SignUp): string | null {
  switch (signUp.status) {
    case "pending":
      return nextPendingCheck(signUp);
    case "card_set_up":
      return after(TRIAL_START_GRACE_MS);
    case "ended":
      return after(ABANDONED_AFTER_MS);
    case "trialing":
      return nextTrialCheck(signUp.trial_end);
    case "active":
    case "past_due":
    case "canceled":
      return null;
  }
}

/** An hour after the trial's end; if Stripe is late even then, every ten minutes. */
export function nextTrialCheck(trialEnd: string | null): string | null {
  if (trialEnd === null) return null;
  return new Date(Math.max(Date.parse(trialEnd) + TRIAL_END_GRACE_MS, Date.now() + CHECK_AFTER_MS)).toISOString();
}

/** At three times its age, and when it is abandoned: six times in all. */
function nextPendingCheck({ created_at }: SignUp): string {
  const created = Date.parse(created_at);
  return new Date(created + Math.min(3 * (Date.now() - created), ABANDONED_AFTER_MS)).toISOString();
}
