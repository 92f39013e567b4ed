import * as z from "zod";
import { fieldColumns } from "./store/field-columns";

export type SignUp = z.output<typeof signUpRow>;

export const signUpRow = z.object({
  id: z.string(),
  status: z.enum(["pending", "card_set_up", "ended", "trialing", "active", "past_due", "canceled"]),
  package_id: z.string().nullable(),
  password_hash: z.string(),
  ...fieldColumns,
  stripe_customer_id: z.string().nullable(),
  stripe_setup_intent_id: z.string().nullable(),
  stripe_subscription_id: z.string().nullable(),
  stripe_attempt: z.number(),
  trial_end: z.string().nullable(),
  email_verified_at: z.string().nullable(),
  declined_cards: z.number(),
  used_cards: z.number(),
  request_id: z.string().nullable(),
  paid_at: z.string().nullable(),
  end_reason: z.enum(["replaced", "cards-failed", "not-me"]).nullable(),
  version: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
});

// Built once, because building a schema costs more than parsing.
export const signUpOrNull = signUpRow.nullable();
export const signUpRows = z.array(signUpRow);

export type TrialState = {
  stripeSubscriptionId: string | null;
  status: "trialing" | "active" | "past_due" | "canceled";
  trialEnd: Date | null;
};

export type EndReason = NonNullable<SignUp["end_reason"]>;

/** An email has at most one such sign-up. */
export const LIVE = "('card_set_up', 'trialing', 'active', 'past_due')";

/** A live sign-up, or one whose trial has ended, except by "not me". */
export const HAD_TRIAL = `(status IN ${LIVE} OR (trial_end IS NOT NULL AND end_reason IS NULL))`;

export const MAX_FAILED_CARDS = 5;

export function hasTooManyFailedCards({ declined_cards, used_cards }: SignUp): boolean {
  return declined_cards + used_cards >= MAX_FAILED_CARDS;
}

/** Order in which due sign-ups are checked (column `check_rank`). */
export const CHECK_RANKS = { cardSetUp: 0, mayHaveTrial: 1, leftToDelete: 2 } as const;
export type CheckRank = (typeof CHECK_RANKS)[keyof typeof CHECK_RANKS];

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export const ABANDONED_AFTER_MS = 24 * HOUR;
/** Age up to which the same form continues its sign-up. Ends before deletion, so no request works on a deleted row. */
export const CONTINUED_FOR_MS = ABANDONED_AFTER_MS - 5 * MINUTE;
/** Time until the first check for a lost webhook. */
export const CHECK_AFTER_MS = 10 * MINUTE;
export const TRIAL_START_GRACE_MS = 2 * MINUTE;
export const TRIAL_END_GRACE_MS = HOUR;

export function isOlder({ created_at }: Pick<SignUp, "created_at">, milliseconds: number): boolean {
  return Date.now() - Date.parse(created_at) >= milliseconds;
}

export function statusEnd({ created_at }: Pick<SignUp, "created_at">): Date {
  return new Date(Date.parse(created_at) + ABANDONED_AFTER_MS);
}

/** Null: only webhooks update the trial. */
export function nextTrialCheck({ status, stripeSubscriptionId, trialEnd }: TrialState): Date | null {
  if (status !== "trialing" || trialEnd === null) return null;
  return new Date(trialEnd.getTime() + (stripeSubscriptionId === null ? 0 : TRIAL_END_GRACE_MS));
}

/** At three times its age, and when it is abandoned: six times in all. */
export function nextPendingCheck({ created_at }: Pick<SignUp, "created_at">): Date {
  const created = Date.parse(created_at);
  return new Date(created + Math.min(3 * (Date.now() - created), ABANDONED_AFTER_MS));
}
