import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../app/contract/dates";
import { isCleanedUp, type SignUp } from "../sign-up";
import type { SubscriptionState } from "../stripe/subscriptions";

/** The same form continues its sign-up until so long after its end: a bit before, so that none continues one that is being deleted. */
export const CONTINUED_UNTIL_MS = -5 * MINUTE_MS;
/** How long after its end a sign-up waits for a card that Stripe is still processing. */
export const PROCESSED_UNTIL_MS = DAY_MS;
/** How long an ended sign-up still answers for its status. */
export const KEPT_AFTER_END_MS = DAY_MS;

/** How long a customer may take to appear: Stripe carries on after our timeout, and networks deliver for minutes. */
export const CUSTOMER_MAY_ARRIVE_MS = HOUR_MS;

/** How soon after the form the cron handler looks for a card whose webhook was lost. */
export const FIRST_CHECK_AFTER_MS = 10 * MINUTE_MS;
/** How long the webhook or page that found the card has to start the trial before the cron handler does. */
export const TRIAL_START_GRACE_MS = 2 * MINUTE_MS;
/** How long after a trial's end Stripe may take to charge. */
const TRIAL_END_GRACE_MS = HOUR_MS;
/** The pause between checks while Stripe is still processing a card or has not ended a trial. */
const UNFINISHED_PAUSE_MS = 10 * MINUTE_MS;
/** The pause between checks of a paid subscription, for changes whose event Stripe never sent, as to a disabled endpoint. */
const PAID_PAUSE_MS = DAY_MS;
/** How long a cron run has a due sign-up to itself; longer than a run takes. */
export const CHECK_LEASE_MS = 10 * MINUTE_MS;

export function fromNow(milliseconds: number): string {
  return new Date(Date.now() + milliseconds).toISOString();
}

export function now(): string {
  return fromNow(0);
}

export function isPast(time: string, milliseconds: number): boolean {
  return Date.now() - Date.parse(time) >= milliseconds;
}

type Kept = Pick<SignUp, "created_at" | "sign_up_hours">;

/** When a sign-up without a card ends, and is deleted. */
export function signUpEnd({ created_at, sign_up_hours }: Kept): Date {
  return new Date(Date.parse(created_at) + sign_up_hours * HOUR_MS);
}

export function isPastEnd(signUp: Kept, milliseconds = 0): boolean {
  return isPast(signUpEnd(signUp).toISOString(), milliseconds);
}

/** When the status link expires: an hour after the end, so that a waiting page still learns of it. */
export function statusEnd(signUp: Kept): Date {
  return new Date(signUpEnd(signUp).getTime() + HOUR_MS);
}

/** When the cron handler next checks a sign-up that it left unchanged; null if nothing can change it. */
export function nextCheck(signUp: SignUp): string | null {
  switch (signUp.status) {
    case "pending":
      return nextCardCheck(signUp);
    case "card_set_up":
      return fromNow(TRIAL_START_GRACE_MS);
    case "ended":
      return fromNow(isCleanedUp(signUp) ? KEPT_AFTER_END_MS : UNFINISHED_PAUSE_MS);
    case "trialing":
    case "active":
    case "past_due":
    case "canceled":
      return nextSubscriptionCheck(signUp.status, signUp.trial_end);
  }
}

export function nextSubscriptionCheck(status: SubscriptionState["status"], trialEnd: string | null): string | null {
  if (status === "canceled") return null;
  if (status !== "trialing") return fromNow(PAID_PAUSE_MS);
  if (trialEnd === null) return null;
  return new Date(Math.max(Date.parse(trialEnd) + TRIAL_END_GRACE_MS, Date.now() + UNFINISHED_PAUSE_MS)).toISOString();
}

/** After ten minutes, then each time the sign-up is three times as old, and when it is abandoned. */
function nextCardCheck(signUp: SignUp): string {
  const { created_at } = signUp;
  if (isPastEnd(signUp)) return fromNow(UNFINISHED_PAUSE_MS);
  const created = Date.parse(created_at);
  return new Date(Math.min(created + 3 * (Date.now() - created), signUpEnd(signUp).getTime())).toISOString();
}
