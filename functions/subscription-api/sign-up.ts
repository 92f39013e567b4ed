import * as z from "zod";
import type { SubscriptionRequest } from "../../app/contract/subscription-request";

/** The form's fields as columns; the password is stored as its hash. */
export const formColumns = z.object({
  package_id: z.string().nullable(),
  email: z.string(),
  phone: z.string(),
  company_name: z.string(),
  full_name: z.string(),
  address: z.string(),
  city: z.string(),
  state: z.string(),
  zip_code: z.string(),
  country: z.string(),
});

const agreedTerms = z.object({
  /** US cents a month; null without a plan. */
  price_cents: z.number().nullable(),
  stripe_price_id: z.string().nullable(),
  tax_added: z.number().transform(Boolean),
  trial_days: z.number(),
});

export type AgreedTerms = z.output<typeof agreedTerms>;

/** A row of the table `sign_ups`. Times are ISO 8601 in UTC. */
export const signUpRow = z.object({
  id: z.string(),
  /** In the order of a sign-up's life, as `npm run status` shows them; `ended` means ended before a trial. */
  status: z.enum(["pending", "card_set_up", "trialing", "active", "past_due", "canceled", "ended"]),
  end_reason: z.enum(["replaced", "withdrawn", "cards-failed", "card-removed", "not-me"]).nullable(),
  ...formColumns.shape,
  password_hash: z.string(),
  ...agreedTerms.shape,
  /** Without a card, it ends after so many. */
  sign_up_hours: z.number(),
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

export type SignUp = z.output<typeof signUpRow>;

export function formColumnsOf(request: SubscriptionRequest): z.output<typeof formColumns> {
  return {
    package_id: request.package_id ?? null,
    email: request.email,
    phone: request.phone,
    company_name: request.company_name,
    full_name: request.full_name,
    address: request.address,
    city: request.city,
    state: request.state,
    zip_code: request.zipCode,
    country: request.country,
  };
}

/** The terms as the API's answers have them. */
export function termsOf({ price_cents, tax_added, trial_days }: Omit<AgreedTerms, "stripe_price_id">) {
  return { ...(price_cents !== null && { price_cents, currency: "usd" as const }), tax_added, trial_days };
}

/** The order in which due sign-ups are checked (column `check_rank`). */
export const CHECK_RANKS = { cardSetUp: 0, mayHaveTrial: 1, leftToDelete: 2 } as const;
export type CheckRank = (typeof CHECK_RANKS)[keyof typeof CHECK_RANKS];

/** True while the sign-up has no trial yet and a card can still start one. */
export function isBeforeTrial({ status }: Pick<SignUp, "status">): boolean {
  return status === "pending" || status === "card_set_up";
}

/** True once the trial has started, even if it has ended since. */
export function hasStartedTrial({ status }: Pick<SignUp, "status">): boolean {
  return !isBeforeTrial({ status }) && status !== "ended";
}

/** True if the API ended the sign-up itself: before a trial, or because the address's owner did not sign up. */
export function wasEnded({ end_reason }: Pick<SignUp, "end_reason">): boolean {
  return end_reason !== null;
}

export function isCleanedUp({ stripe_customer_id, stripe_setup_intent_id }: SignUp): boolean {
  return stripe_customer_id === null && stripe_setup_intent_id === null;
}
