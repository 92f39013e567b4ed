import { TRIAL_DAYS } from "../../../app/contract/trial";
import { log } from "../log";
import type { Packages } from "../packages";
import type { SetupIntent } from "../stripe/card-setup";
import { mayExist, PaymentsError, unexpectedAnswer } from "../stripe/client";
import type { Payments, SubscriptionState } from "../stripe/payments";
import { ABANDONED_AFTER_MS, CONTINUED_FOR_MS, hasTooManyFailedCards, isOlder, type SignUp } from "./sign-up";
import type { SignUps } from "./store";
import type { Transition } from "./transitions";
import * as transitions from "./transitions";
import type { TrialClaims } from "./trial-claims";

export type AdvanceServices = { signUps: SignUps; payments: Payments; claims: TrialClaims; packages: Packages };

/**
 * The caller's own request. `card`: a setup intent for the card form. `not-me`: the end of a sign-up whose email address belongs to
 * someone else.
 */
export type Wish = "card" | "not-me";

/** The sign-up with nothing left to do; null if it is gone. `setupIntent`: of its card, if it was asked for on the way. */
export type Advanced = { signUp: SignUp | null; setupIntent?: SetupIntent };

/** A sign-up passes at most seven on its way; more means that it changes each time it is read. */
const MOST_STEPS = 20;

/** `card`: of which the next step need not ask Stripe again. */
type Step = { write: Transition; card?: SetupIntent } | { delete: true } | { stays: SetupIntent | undefined };

type TakeStep = (signUp: SignUp, services: AdvanceServices, wish?: Wish, card?: SetupIntent) => Promise<Step>;

/**
 * Takes a sign-up as far as Stripe, its card and the wish allow. Each step asks Stripe, acts there, and then writes one transition
 * over the row that was read; whoever was overtaken reads the row again. So every step may be repeated, after a crash or by several
 * callers at once: POST, status, webhook, cron handler and "This wasn't me" all call it. Throws PaymentsError and D1's errors.
 *
 * ```mermaid
 * stateDiagram-v2
 *   [*] --> pending: form accepted
 *   pending --> pending: customerMade, cardAsked, cardRefused
 *   pending --> card_set_up: cardSetUp
 *   pending --> ended: replaced, cards-failed, not-me
 *   pending --> [*]: 24 h without a card
 *   card_set_up --> Stripe: trialStarted
 *   state Stripe {
 *     trialing --> active
 *     trialing --> past_due
 *     active --> past_due
 *     past_due --> active
 *   }
 *   Stripe --> canceled: followed, disowned
 *   ended --> [*]: cleaned at Stripe at once, deleted a day later
 * ```
 */
export async function advance(read: SignUp, services: AdvanceServices, wish?: Wish): Promise<Advanced> {
  const { signUps } = services;
  let signUp: SignUp | null = read;
  let card: SetupIntent | undefined;
  for (let steps = 0; signUp !== null; steps += 1) {
    if (steps === MOST_STEPS) throw new Error("A sign-up changed each time it was read");
    const step = await nextStep(signUp, services, wish, card);
    if (step === undefined) {
      signUp = await signUps.find(signUp.id);
    } else if ("stays" in step) {
      return { signUp, ...(step.stays && { setupIntent: step.stays }) };
    } else if ("delete" in step) {
      await signUps.delete(signUp);
      signUp = await signUps.find(signUp.id);
    } else {
      const written = await signUps.write(signUp, step.write);
      if (written && step.write.logged) log(...step.write.logged);
      card = step.card;
      signUp = written ?? (await signUps.find(signUp.id));
    }
  }
  return { signUp: null };
}

/** Undefined if Stripe refused and the row has changed meanwhile: the caller reads it again. */
async function nextStep(...given: Parameters<TakeStep>): Promise<Step | undefined> {
  const [signUp, { signUps }] = given;
  try {
    return await STEPS[signUp.status](...given);
  } catch (error) {
    if (!(error instanceof PaymentsError)) throw error;
    if (error.reason === "failed") await signUps.write(signUp, transitions.attemptFailed(signUp));
    else if ((await signUps.find(signUp.id))?.version !== signUp.version) return undefined;
    throw error;
  }
}

const STEPS: Record<SignUp["status"], TakeStep> = {
  pending,
  card_set_up: startTrial,
  ended: clean,
  trialing: follow,
  active: follow,
  past_due: follow,
  canceled: async (signUp, services, wish) => (wish === "not-me" ? disown(signUp, services) : STAYS),
};

const STAYS = { stays: undefined };

/** The setup intent, unless an earlier step has just read it. */
async function cardOf({ stripe_setup_intent_id: id }: SignUp, payments: Payments, known?: SetupIntent) {
  return known && known.id === id ? known : payments.findSetupIntent(id);
}

async function pending(signUp: SignUp, services: AdvanceServices, wish?: Wish, known?: SetupIntent): Promise<Step> {
  const { payments } = services;
  if (wish === "not-me") return { write: transitions.ended(signUp, "not-me") };
  if (hasTooManyFailedCards(signUp)) return { write: transitions.ended(signUp, "cards-failed") };
  const setupIntent = await cardOf(signUp, payments, known);
  if (setupIntent?.state === "succeeded") return judgeCard(signUp, setupIntent, services);
  const isAbandoned = isOlder(signUp, wish === "card" ? CONTINUED_FOR_MS : ABANDONED_AFTER_MS);
  if (isAbandoned || setupIntent?.state === "canceled") return abandon(signUp, services);
  return setupIntent ? { stays: setupIntent } : askForCard(signUp, services, wish);
}

/** Creates the customer and the setup intent. Without the wish it only looks for objects of an earlier attempt. */
async function askForCard(signUp: SignUp, { payments }: AdvanceServices, wish?: Wish): Promise<Step> {
  const { stripe_customer_id: known } = signUp;
  if (wish !== "card" && !mayExist(signUp)) return STAYS;
  if (known === null) {
    const made = await (wish === "card" ? payments.findOrCreateCustomer(signUp) : payments.findCustomer(signUp));
    return made === undefined ? STAYS : { write: transitions.customerMade(made) };
  }
  const made = await (wish === "card"
    ? payments.findOrCreateSetupIntent(signUp, known)
    : payments.findSetupIntentOf(signUp, known));
  if (!made) return STAYS;
  // A list tells no card's fingerprint.
  return { write: transitions.cardAsked(made), ...(made.state === "open" && { card: made }) };
}

/** Of two sign-ups at once, the claims of the card's transition decide. */
async function judgeCard(signUp: SignUp, card: SetupIntent, services: AdvanceServices): Promise<Step> {
  const { claims, payments, signUps } = services;
  if (card.signUpId !== signUp.id || card.customerId !== signUp.stripe_customer_id) return STAYS;
  const claim = claims.of(signUp.email, card.fingerprint);
  if (await signUps.hasHadTrial(claim.email, signUp.id)) return { write: transitions.ended(signUp, "replaced") };
  if (claim.card === null || !(await signUps.hasHadTrial([claim.card], signUp.id))) {
    return { write: transitions.cardSetUp(claim), card };
  }
  if (card.paymentMethodId !== null) await payments.detachCard(card.paymentMethodId);
  return { write: transitions.cardRefused(signUp, claim.card) };
}

/** Cancels first, so that no card can be set up for a deleted sign-up, and deletes at Stripe before here. */
async function abandon(signUp: SignUp, services: AdvanceServices): Promise<Step> {
  const { payments } = services;
  if (signUp.stripe_setup_intent_id !== null) {
    const last = await payments.cancelSetupIntent(signUp.stripe_setup_intent_id);
    if (last.state === "succeeded") return judgeCard(signUp, last, services);
  }
  await deleteCustomer(signUp, payments);
  return { delete: true };
}

async function startTrial(signUp: SignUp, services: AdvanceServices, _?: Wish, known?: SetupIntent): Promise<Step> {
  const { packages, payments } = services;
  const { package_id, stripe_price_id: priceId, stripe_customer_id: customerId } = signUp;
  if (customerId === null) throw new Error("A sign-up whose card is set up has no customer");
  if (package_id !== null && priceId === null) {
    const chosen = await packages.find(package_id);
    if (chosen === null) throw new Error("A sign-up's package is not in the catalog");
    return { write: transitions.priceAgreed(chosen) };
  }
  const { paymentMethodId = null } = (await cardOf(signUp, payments, known)) ?? {};
  if (paymentMethodId === null) throw unexpectedAnswer("payment_method");
  await payments.setDefaultCard(customerId, paymentMethodId);
  const trial = priceId
    ? await payments.findOrCreateSubscription(signUp, { customerId, priceId })
    : trialWithoutPlan(new Date(Date.now() + TRIAL_DAYS * 24 * 60 * 60_000));
  return { write: transitions.trialStarted(signUp, trial) };
}

function trialWithoutPlan(trialEnd: Date): transitions.TrialState {
  const hasEnded = trialEnd.getTime() <= Date.now();
  return { stripeSubscriptionId: null, status: hasEnded ? "canceled" : "trialing", trialEnd };
}

/** Events arrive late, repeatedly and out of order, so the state is read anew. */
async function follow(signUp: SignUp, services: AdvanceServices, wish?: Wish): Promise<Step> {
  const { payments } = services;
  if (wish === "not-me") return disown(signUp, services);
  const subscription = await subscriptionOf(signUp, payments);
  const write = transitions.followed(signUp, subscription ?? trialWithoutPlan(new Date(signUp.trial_end ?? 0)));
  return write ? { write } : STAYS;
}

/** Undefined for a trial without a plan, unless sales made a subscription of which no event has told yet. */
async function subscriptionOf(
  { stripe_subscription_id: id, stripe_customer_id: customerId }: SignUp,
  payments: Payments,
): Promise<SubscriptionState | undefined> {
  if (id !== null) return payments.retrieveSubscription(id);
  if (customerId === null) throw new Error("A trial has no customer");
  return payments.findSubscriptionOf(customerId);
}

/** At Stripe first: the subscription ends at once, whatever is decided about the email address and the money. */
async function disown(signUp: SignUp, { claims, payments, signUps }: AdvanceServices): Promise<Step> {
  if (signUp.end_reason !== null) return STAYS;
  const subscription = await subscriptionOf(signUp, payments);
  let isOwners = signUp.status === "canceled";
  let isPaid = false;
  if (subscription) {
    isOwners = subscription.isCanceledByCustomer;
    isPaid = await payments.hasPaid(subscription.stripeSubscriptionId);
    await payments.cancelSubscription(subscription.stripeSubscriptionId);
  }
  await payments.releaseCard(signUp.stripe_setup_intent_id);
  const tellSupport = isPaid || signUp.email_verified_at !== null;
  const freed = claims.freedOf(signUp.email);
  // Once for each address: who confirms, pays or cancels has had the trial.
  const isFreed = !isOwners && !tellSupport && !(await signUps.hasHadTrial(freed.marks));
  return { write: transitions.disowned(signUp, { tellSupport, ...(isFreed && { freed }) }) };
}

/** The row ends first, so that no trial can begin; a day later nothing asks for it any more. */
async function clean(signUp: SignUp, { payments }: AdvanceServices): Promise<Step> {
  const { stripe_customer_id: customerId, stripe_setup_intent_id: setupIntentId, updated_at } = signUp;
  const isClean = customerId === null && setupIntentId === null;
  const isPast = Date.now() - Date.parse(updated_at) >= ABANDONED_AFTER_MS;
  if (isClean && !isPast) return STAYS;
  await payments.releaseCard(setupIntentId);
  await deleteCustomer(signUp, payments);
  return isPast ? { delete: true } : { write: transitions.cleaned() };
}

async function deleteCustomer(signUp: SignUp, payments: Payments): Promise<void> {
  const customerId = signUp.stripe_customer_id ?? (await payments.findCustomer(signUp));
  if (customerId !== undefined) await payments.deleteCustomer(customerId);
}
