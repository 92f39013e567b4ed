import { wasEnded } from "../../sign-up";
import type { Card, ChargePreview } from "../../stripe/charge-preview";
import { type DropReason, type Message, reminderKey } from "../outbox";
import type { Trial } from "./trial-emails";

export type TrialReader = {
  previewCharge(subscriptionId: string): Promise<ChargePreview | undefined>;
  findCard(customerId: string): Promise<Card | null>;
};

/** The trial's current facts, or the reason to drop the email. Throws PaymentsError. */
export async function trialOf(message: Message, stripe: TrialReader): Promise<Trial | DropReason> {
  if (wasEnded(message)) return "sign-up-ended";
  if (message.status !== "trialing") return "trial-over";
  const trial =
    message.stripe_subscription_id === null
      ? await trialWithoutPlan(message, stripe)
      : await trialAtStripe(message, message.stripe_subscription_id, stripe);
  if (typeof trial === "string") return trial;
  if (message.kind !== "trial-ending") return trial;
  if (message.key !== reminderKey(message.id, trial.end)) return "another-end";
  return trial.trialEndOutcome.next === "unknown" ? "unknown-charge" : trial;
}

async function trialAtStripe(
  { package_name }: Message,
  subscriptionId: string,
  stripe: TrialReader,
): Promise<Trial | DropReason> {
  const preview = await stripe.previewCharge(subscriptionId);
  if (!preview) return "no-subscription";
  const { isTrialing, isInvoiced, trialEnd: end, trialEndOutcome, card, plan } = preview;
  if (isInvoiced) return "invoiced";
  return isTrialing && isToCome(end) ? { end, trialEndOutcome, card, plan: plan ?? package_name } : "trial-over";
}

async function trialWithoutPlan(
  { trial_end, stripe_customer_id: customerId }: Message,
  stripe: TrialReader,
): Promise<Trial | DropReason> {
  const end = trial_end === null ? null : new Date(trial_end);
  if (!isToCome(end)) return "trial-over";
  const card = customerId === null ? null : await stripe.findCard(customerId);
  return { end, trialEndOutcome: { next: "no-plan" }, card, plan: null };
}

function isToCome(time: Date | null): time is Date {
  return time !== null && time.getTime() > Date.now();
}
