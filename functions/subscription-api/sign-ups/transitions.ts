import { MAX_FAILED_CARDS, REMINDER_DAYS } from "../../../app/contract/trial";
import type { LogFields, LogLevel } from "../../../app/shared/log-line";
import { messagesOnce, type NewMessage, reminderKey } from "../outbox/outbox";
import type { AgreedPrice } from "../packages";
import type { SetupIntent } from "../stripe/card-setup";
import type { SubscriptionState } from "../stripe/payments";
import type { StripeEvent } from "../stripe/webhook";
import {
  ABANDONED_AFTER_MS,
  after,
  CHECK_AFTER_MS,
  hasTooManyFailedCards,
  nextTrialCheck,
  type SignUp,
  TRIAL_START_GRACE_MS,
} from "./sign-up";
import type { TrialClaim } from "./trial-claims";

/** A change of one sign-up, written as a whole over the row that was read, or not at all. */
export type Transition = {
  columns: Partial<Omit<SignUp, "id" | "version" | "updated_at">> & { idempotency_key?: string };
  messages?: NewMessage[];
  /** Hashes that the sign-up claims, all or none: without them nothing is written. */
  claims?: string[];
  /** Gives back the claims with these hashes, and remembers it by the others. */
  freed?: { claims: string[]; marks: string[] };
  logged?: [LogLevel, event: string, fields: LogFields];
};

/** A subscription of Stripe, or a trial without a plan. */
export type TrialState = Pick<SubscriptionState, "status" | "trialEnd"> & {
  stripeSubscriptionId: string | null;
};

const REMINDED_BEFORE_MS = REMINDER_DAYS * 24 * 60 * 60_000;

/** Stripe would repeat its failure to create something for the keys of this attempt. */
export function attemptFailed({ stripe_attempt }: SignUp): Transition {
  return { columns: { stripe_attempt: stripe_attempt + 1 } };
}

/** For a row of an earlier release, which kept no price. */
export function priceAgreed({ price_cents, stripe_price_id }: AgreedPrice): Transition {
  return { columns: { price_cents, stripe_price_id } };
}

export function customerMade(stripe_customer_id: string): Transition {
  return { columns: { stripe_customer_id } };
}

export function cardAsked({ id }: SetupIntent): Transition {
  return { columns: { stripe_setup_intent_id: id } };
}

/** Undefined if this event was counted before: Stripe may deliver it more than once. */
export function cardDeclined(signUp: SignUp, { id }: StripeEvent): Transition | undefined {
  const counted = signUp.declined_events.split(" ");
  if (counted.includes(id)) return undefined;
  const declined_cards = signUp.declined_cards + 1;
  const declined_events = [...counted, id].slice(-MAX_FAILED_CARDS).join(" ").trim();
  const isLast = hasTooManyFailedCards({ ...signUp, declined_cards });
  return { columns: { declined_cards, declined_events, ...(isLast && { check_at: after(0) }) } };
}

/** @param card the keyed hash of a card that has had a trial */
export function cardRefused({ id, used_cards }: SignUp, card: string): Transition {
  return {
    columns: { used_cards: used_cards + 1, stripe_setup_intent_id: null, check_at: after(CHECK_AFTER_MS) },
    messages: [{ kind: "card-used", card }],
    logged: ["info", "used_card_refused", { signUpId: id, usedCards: used_cards + 1 }],
  };
}

export function cardSetUp({ email, card }: TrialClaim): Transition {
  return {
    columns: { status: "card_set_up", check_at: after(TRIAL_START_GRACE_MS) },
    claims: card === null ? email : [...email, card],
  };
}

/** Frees the key, so that the same form can begin again. */
export function ended({ id }: SignUp, end_reason: NonNullable<SignUp["end_reason"]>): Transition {
  return {
    columns: { status: "ended", end_reason, idempotency_key: freedKey(id), check_at: after(0) },
    logged: ["warn", "sign_up_ended", { signUpId: id, reason: end_reason }],
  };
}

/** Nothing is left at Stripe; the row answers questions about its status for another day. */
export function cleaned(): Transition {
  const columns = { stripe_customer_id: null, stripe_setup_intent_id: null, check_at: after(ABANDONED_AFTER_MS) };
  return { columns };
}

export function trialStarted({ id }: SignUp, trial: TrialState): Transition {
  const told = trial.status === "canceled" ? [] : messagesOnce(id, "trial-started", "account-created");
  return {
    columns: columnsOf(trial),
    messages: [...told, ...reminderOf(id, trial)],
    logged: ["info", "trial_started", { signUpId: id, status: trial.status }],
  };
}

/** Undefined if the sign-up knows this state already. */
export function followed(signUp: SignUp, trial: TrialState): Transition | undefined {
  const columns = columnsOf({ ...trial, trialEnd: trial.trialEnd ?? dateOf(signUp.trial_end) });
  const { status, stripe_subscription_id, trial_end } = columns;
  const isKnown =
    signUp.status === status &&
    signUp.stripe_subscription_id === stripe_subscription_id &&
    signUp.trial_end === trial_end;
  return isKnown ? undefined : { columns, messages: reminderOf(signUp.id, trial) };
}

/** @param tellSupport about a payment or a confirmed address, on which people decide */
export function disowned(
  { id }: SignUp,
  { freed, tellSupport }: { freed?: Transition["freed"]; tellSupport: boolean },
): Transition {
  return {
    columns: { status: "canceled", end_reason: "not-me", idempotency_key: freedKey(id), check_at: null },
    messages: messagesOnce(id, "account-closed", ...(tellSupport ? (["not-me-reported"] as const) : [])),
    freed,
    logged: ["warn", "sign_up_ended", { signUpId: id, reason: "not-me" }],
  };
}

/** Undefined if it was confirmed before, or the sign-up has ended. */
export function emailConfirmed({ id, end_reason, email_verified_at }: SignUp): Transition | undefined {
  if (end_reason !== null || email_verified_at !== null) return undefined;
  return {
    columns: { email_verified_at: after(0) },
    messages: messagesOnce(id, "email-verified"),
  };
}

/** No header's key contains a space. */
function freedKey(id: string): string {
  return `ended ${id}`;
}

function columnsOf({ status, stripeSubscriptionId, trialEnd }: TrialState) {
  const trial_end = trialEnd?.toISOString() ?? null;
  const check_at = status === "trialing" ? nextTrialCheck(trial_end) : null;
  return { status, stripe_subscription_id: stripeSubscriptionId, trial_end, check_at };
}

/** None without a plan, whose end charges nothing. */
function reminderOf(id: string, { status, stripeSubscriptionId, trialEnd }: TrialState): NewMessage[] {
  if (status !== "trialing" || stripeSubscriptionId === null || trialEnd === null) return [];
  const notBefore = new Date(trialEnd.getTime() - REMINDED_BEFORE_MS);
  return [{ kind: "trial-ending", key: reminderKey(id, trialEnd), notBefore }];
}

function dateOf(time: string | null): Date | null {
  return time === null ? null : new Date(time);
}
