import type { SubscriptionRequest } from "../../../app/contract/subscription-request";
import { isWorse, type SomeTerms } from "../../../app/contract/terms";
import type { Offer } from "../config";
import { log } from "../log";
import { isSold } from "../packages";
import type { PasswordSlot } from "../passwords/password-limiter";
import {
  type AgreedTerms,
  formColumns,
  formColumnsOf,
  hasStartedTrial,
  isBeforeTrial,
  type SignUp,
  termsOf,
} from "../sign-up";
import { PaymentsError, unexpectedAnswer } from "../stripe/client";
import { CONTINUED_UNTIL_MS, isPastEnd } from "./timing";
import { type Advanced, advanceToCardForm } from "./transitions/advance";
import type { AdvanceServices } from "./transitions/transition";

export type SignUpServices = AdvanceServices & { passwords: PasswordSlot; offer: Offer };

export type PostedForm = {
  request: SubscriptionRequest;
  idempotencyKey: string;
  shown: SomeTerms;
  requestId: string;
};

export type SignUpResult =
  | { status: "created"; clientSecret: string; signUp: SignUp }
  | { status: "duplicate" }
  | { status: "unknown-package" }
  | { status: "retired-package" }
  /** The terms that the form can have now are worse than it showed. Nothing new was stored. */
  | { status: "terms-changed"; terms: AgreedTerms }
  | { status: "key-reused" }
  /** The key's sign-up is gone; a retry starts a new one. */
  | { status: "ended" }
  | { status: "email-refused" }
  /** The password could not be hashed or compared in time; nothing was changed. */
  | { status: "busy" };

/** Idempotent: the same request with the same key continues after a failure. Throws PaymentsError and D1's errors. */
export async function createSignUp(form: PostedForm, services: SignUpServices): Promise<SignUpResult> {
  const { request, idempotencyKey, requestId } = form;
  const { offer, passwords, signUps } = services;
  const known = await signUps.findByKey(idempotencyKey);
  if (known) return continueStored(known, form, services);
  const chosen = await chosenTerms(form, services);
  if ("refused" in chosen) return chosen.refused;
  // Before the email address is looked up, so that a known address costs a hash too.
  const passwordHash = await passwords.hash(request.password);
  if (passwordHash === undefined) return { status: "busy" };
  if (await hasHadTrial(request.email, services)) return { status: "duplicate" };
  const id = crypto.randomUUID();
  const terms = { ...chosen.terms, sign_up_hours: offer.sign_up_hours };
  const stored = await signUps.add({ id, idempotencyKey, passwordHash, request, requestId, terms });
  return stored.id === id ? finish(stored, services) : continueStored(stored, form, services);
}

async function continueStored(stored: SignUp, form: PostedForm, services: SignUpServices): Promise<SignUpResult> {
  const { request } = form;
  const samePassword = await services.passwords.verify(request.password, stored.password_hash);
  if (samePassword === undefined) return { status: "busy" };
  const asked = formColumnsOf(request);
  const sameFields = formColumns.keyof().options.every((name) => asked[name] === stored[name]);
  if (!samePassword || !sameFields) return { status: "key-reused" };
  if (isTooLateToContinue(stored)) return { status: "duplicate" };
  if (stored.status !== "pending" || !isWorseThanShown(stored, form)) return finish(stored, services);
  return continueOnBetterTerms(stored, form, services);
}

/** The same form was sent again from a page with better terms. The visitor has seen both, so the better ones count. */
async function continueOnBetterTerms(
  stored: SignUp,
  form: PostedForm,
  services: SignUpServices,
): Promise<SignUpResult> {
  const chosen = await chosenTerms(form, services, stored);
  if ("refused" in chosen) return chosen.refused;
  const agreed = await services.signUps.change(stored.id, (read) =>
    read.status === "pending" && isWorseThanShown(read, form) ? { columns: bestOf(read, chosen.terms) } : undefined,
  );
  return agreed === null ? { status: "ended" } : finish(agreed, services);
}

/** The terms that a form agrees to, which are at least as good as the ones that it has; or why the form is refused. */
async function chosenTerms(
  form: PostedForm,
  { offer, packages }: SignUpServices,
  stored?: SignUp,
): Promise<{ terms: AgreedTerms } | { refused: SignUpResult }> {
  const packageId = form.request.package_id;
  const plan = packageId === undefined ? undefined : await packages.find(packageId);
  if (plan === null) return { refused: { status: "unknown-package" } };
  if (plan && !isSold(plan)) return { refused: { status: "retired-package" } };
  const { price_cents = null, stripe_price_id = null } = plan ?? {};
  const { trial_days } = offer;
  const current = { price_cents, stripe_price_id, tax_added: plan !== undefined && offer.tax_added, trial_days };
  const terms = stored ? bestOf(stored, current) : current;
  if (!isWorseThanShown(terms, form)) return { terms };
  log("warn", "terms_changed", { packageId, ...termsOf(terms), shown: JSON.stringify(form.shown) });
  return { refused: { status: "terms-changed", terms } };
}

function isWorseThanShown(terms: AgreedTerms, { shown }: PostedForm): boolean {
  return isWorse(termsOf(terms), shown);
}

function bestOf(one: AgreedTerms, other: AgreedTerms): AgreedTerms {
  const { price_cents, stripe_price_id } = (other.price_cents ?? 0) < (one.price_cents ?? 0) ? other : one;
  const tax_added = one.tax_added && other.tax_added;
  return { price_cents, stripe_price_id, tax_added, trial_days: Math.max(one.trial_days, other.trial_days) };
}

function isTooLateToContinue(stored: SignUp): boolean {
  if (!hasStartedTrial(stored)) return false;
  return stored.status === "canceled" || isPastEnd(stored, CONTINUED_UNTIL_MS);
}

function hasHadTrial(email: string, { signUps, trialHashes }: AdvanceServices, exceptBy?: string): Promise<boolean> {
  return signUps.hasHadTrial(trialHashes.ofEmail(email), exceptBy);
}

async function finish(stored: SignUp, services: SignUpServices): Promise<SignUpResult> {
  if (await hasHadTrial(stored.email, services, stored.id)) return { status: "duplicate" };
  let found: Advanced = { signUp: stored };
  try {
    if (isBeforeTrial(stored)) found = await advanceToCardForm(stored, services);
  } catch (error) {
    if (!(error instanceof PaymentsError) || error.reason !== "email-refused") throw error;
    // Without a customer, no transition would end this sign-up.
    await services.signUps.delete(stored);
    return { status: "email-refused" };
  }
  const { signUp } = found;
  if (signUp === null) return { status: "ended" };
  if (signUp.status === "ended") return { status: signUp.end_reason === "replaced" ? "duplicate" : "ended" };
  const setupIntent = found.setupIntent ?? (await services.payments.findSetupIntent(signUp.stripe_setup_intent_id));
  if (!setupIntent) throw unexpectedAnswer("setup_intent");
  return { status: "created", clientSecret: setupIntent.clientSecret, signUp };
}
