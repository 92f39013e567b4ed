import { usd } from "../../../../app/contract/charge-wording";
import { log } from "../../log";
import type { Payment } from "../../stripe/refund-payments";
import type { DropReason, Message } from "../outbox";
import type { EmailContent, Sender } from "./email";
import { toEmail } from "./email-layout";

export type Refunds = {
  findCardPayments(subscriptionId: string): Promise<Payment[]>;
  refund(payment: Payment, idempotencyKey: string): Promise<boolean>;
};

type Facts = Pick<Message, "sign_up_id" | "stripe_subscription_id" | "attempts">;

/** In cents of US dollars. */
export type ReportedCharge = { charged: number; refunded: number };

/**
 * Refunds the charges of a sign-up reported as "not me", and logs them for the operator.
 * A repetition refunds nothing more. Throws PaymentsError.
 */
export async function settleReportedCharge(
  { sign_up_id: signUpId, stripe_subscription_id: subscriptionId, attempts }: Facts,
  refunds: Refunds,
  isRefunded: boolean,
): Promise<ReportedCharge | DropReason> {
  const payments = subscriptionId === null ? [] : await refunds.findCardPayments(subscriptionId);
  if (payments.length === 0) return "not-charged";
  let refunded = 0;
  for (const payment of isRefunded ? payments : []) {
    // A new key for each attempt, because Stripe replays a failure for the same key.
    const key = `refund-${payment.paymentIntentId}-${attempts}`;
    if (await refunds.refund(payment, key)) refunded += payment.cents;
  }
  const charged = payments.reduce((sum, { cents }) => sum + cents, 0);
  log("error", "charge_reported", { signUpId, charged_cents: charged, refunded_cents: refunded });
  return { charged, refunded };
}

/** Quotes no typed text, because its reader may be a stranger. */
export function chargeReportedEmail({ charged, refunded }: ReportedCharge, sender: Sender): EmailContent {
  const isWhole = refunded === charged;
  return toEmail(
    {
      subject: isWhole
        ? `Your ${sender.companyName} payment is refunded`
        : `Your report about a ${sender.companyName} payment`,
      greeting: "Hello,",
      lead: isWhole
        ? `You told us that you didn’t sign up. We’ve ended the subscription and refunded ${usd(refunded)} to the card.`
        : `You told us that you didn’t sign up. We’ve ended the subscription. Our support team will look at the payment of ${usd(charged)} and write to you.`,
      button: { text: "Write to support", url: `mailto:${sender.supportEmail}` },
      details: [
        ["Charged", usd(charged)],
        ["Refunded", usd(refunded)],
      ],
      ...(refunded > 0 && { note: "Banks show a refund within 5 to 10 business days." }),
      smallPrint: [{ text: "There are no further charges." }],
    },
    sender,
  );
}
