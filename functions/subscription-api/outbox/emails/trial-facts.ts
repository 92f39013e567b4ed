import { wasEnded } from "../../sign-up";
import type { Card, ChargePreview } from "../../stripe/charge-preview";
import { type DropReason, type Message, reminderKey } from "../outbox";
import type { Trial } from "./charge-words";

export type TrialReader = {
  previewCharge(subscriptionId: string): Promise<ChargePreview | undefined>;
  findCard(customerId: string): Promise<Card | null>;
};

/** `end-moved`: the sign-up does not know Stripe's new end yet, which may move back until then. Throws PaymentsError. */
export async function trialOf(message: Message, stripe: TrialReader): Promise<Trial | DropReason | "end-moved"> {
  if (wasEnded(message)) return "sign-up-ended";
  if (message.status !== "trialing") return "trial-over";
  const trial =
    message.stripe_subscription_id === null
      ? await trialWithoutPlan(message, stripe)
      : await trialAtStripe(message, message.stripe_subscription_id, stripe);
  if (typeof trial === "string") return trial;
  if (message.kind !== "trial-ending") return trial;
  const isAbout = (end: Date) => message.key === reminderKey(message.id, end);
  if (!isAbout(trial.end)) return isAbout(parsedTime(message.trial_end) ?? trial.end) ? "end-moved" : "another-end";
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
  const end = parsedTime(trial_end);
  if (!isToCome(end)) return "trial-over";
  const card = customerId === null ? null : await stripe.findCard(customerId);
  return { end, trialEndOutcome: { next: "no-plan" }, card, plan: null };
}

function parsedTime(time: string | null): Date | null {
  return time === null ? null : new Date(time);
}

function isToCome(time: Date | null): time is Date {
  return time !== null && time.getTime() > Date.now();
}
