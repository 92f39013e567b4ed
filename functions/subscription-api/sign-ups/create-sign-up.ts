import type { SubscriptionRequest } from "../../../app/contract/subscription-request";
import { log } from "../log";
import { type AgreedPrice, isSold, type Packages } from "../packages";
import type { PasswordSlot } from "../passwords/password-limiter";
import { formColumns, formColumnsOf, hasStartedTrial, isBeforeTrial, type SignUp } from "../sign-up";
import { PaymentsError, unexpectedAnswer } from "../stripe/client";
import { CONTINUED_FOR_MS, isOlderThan } from "./timing";
import { type Advanced, advanceToCardForm } from "./transitions/advance";
import type { AdvanceServices } from "./transitions/transition";

export type SignUpServices = AdvanceServices & { passwords: PasswordSlot };

/** A form as the site posts it. */
export type PostedForm = {
  request: SubscriptionRequest;
  idempotencyKey: string;
  /** The plan's monthly price that the page showed, in US cents. */
  shownPriceCents: number | undefined;
  requestId: string;
};

export type SignUpResult =
  | { status: "created"; clientSecret: string; signUp: Pick<SignUp, "id" | "created_at" | "price_cents"> }
  | { status: "duplicate" }
  | { status: "unknown-package" }
  | { status: "retired-package" }
  /** The plan costs more than the form showed: `currentPriceCents` a month. Nothing new was stored. */
  | { status: "price-changed"; currentPriceCents: number }
  | { status: "key-reused" }
  /** The key's sign-up is gone; a retry starts a new one. */
  | { status: "ended" }
  | { status: "email-refused" }
  /** The password could not be hashed or compared in time; nothing was changed. */
  | { status: "busy" };

/** Idempotent: the same request with the same key continues after a failure. Throws PaymentsError and D1's errors. */
export async function createSignUp(form: PostedForm, services: SignUpServices): Promise<SignUpResult> {
  const { request, idempotencyKey, requestId } = form;
  const { packages, passwords, signUps } = services;
  const known = await signUps.findByKey(idempotencyKey);
  if (known) return continueStored(known, form, services);
  const chosen = await chosenPackage(request.package_id, form, packages);
  if ("refused" in chosen) return chosen.refused;
  // Before the email address is looked up, so that a known address costs a hash too.
  const passwordHash = await passwords.hash(request.password);
  if (passwordHash === undefined) return { status: "busy" };
  if (await hasHadTrial(request.email, services)) return { status: "duplicate" };
  const id = crypto.randomUUID();
  const stored = await signUps.add({ id, idempotencyKey, passwordHash, request, requestId, price: chosen.price });
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
  if (stored.status !== "pending" || !isAboveShown(stored, form)) return finish(stored, services);
  return continueAtLowerPrice(stored, form, services);
}

/** The same form was sent again from a page with a lower price. The visitor has seen both prices, so the lower one counts. */
async function continueAtLowerPrice(stored: SignUp, form: PostedForm, services: SignUpServices): Promise<SignUpResult> {
  const { packages, signUps } = services;
  const chosen = await chosenPackage(stored.package_id ?? undefined, form, packages);
  if ("refused" in chosen) return chosen.refused;
  const { price_cents = null, stripe_price_id = null } = chosen.price ?? {};
  const agreed = await signUps.change(stored.id, (read) =>
    read.status === "pending" && isAboveShown(read, form) ? { columns: { price_cents, stripe_price_id } } : undefined,
  );
  return agreed === null ? { status: "ended" } : finish(agreed, services);
}

/** The price that a form agrees to, null without a plan; or why the form is refused. */
async function chosenPackage(
  packageId: string | undefined,
  form: PostedForm,
  packages: Packages,
): Promise<{ price: AgreedPrice | null } | { refused: SignUpResult }> {
  if (packageId === undefined) return { price: null };
  const found = await packages.find(packageId);
  if (found === null) return { refused: { status: "unknown-package" } };
  if (!isSold(found)) return { refused: { status: "retired-package" } };
  if (!isAboveShown(found, form)) return { price: found };
  const { price_cents: currentPriceCents } = found;
  log("warn", "price_changed", { packageId, shownPriceCents: form.shownPriceCents, currentPriceCents });
  return { refused: { status: "price-changed", currentPriceCents } };
}

function isAboveShown(price: Pick<SignUp, "price_cents"> | null, { shownPriceCents }: PostedForm): boolean {
  const cents = price?.price_cents ?? null;
  return cents !== null && shownPriceCents !== undefined && cents > shownPriceCents;
}

/** True for a canceled trial, and for a trial whose form is too old to be continued. */
function isTooLateToContinue(stored: SignUp): boolean {
  if (!hasStartedTrial(stored)) return false;
  return stored.status === "canceled" || isOlderThan(stored, CONTINUED_FOR_MS);
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
