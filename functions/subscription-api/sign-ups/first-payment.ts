import type { StripeEvent } from "../stripe/events";
import type { Payments } from "../stripe/payments";
import type { SignUp } from "./sign-up";
import type { ProcessedEvents } from "./store/processed-events";
import type { SignUpLifecycle } from "./store/sign-up-lifecycle";
import type { SignUps } from "./store/sign-up-store";

type PaymentServices = {
  lifecycle: SignUpLifecycle;
  payments: Payments;
  processedEvents: ProcessedEvents;
  signUps: SignUps;
};

/** Asks Stripe: the event only points to the invoice. */
export async function handleInvoicePaid(
  invoiceId: string,
  services: PaymentServices,
  event: StripeEvent,
): Promise<SignUp["status"] | "unknown"> {
  const { lifecycle, payments, processedEvents, signUps } = services;
  const invoice = await payments.findInvoice(invoiceId);
  const { subscriptionId, customerId, isPaid } = invoice ?? {};
  const signUp = isPaid && subscriptionId && customerId && (await signUps.findByStripe(subscriptionId, customerId));
  if (!signUp) {
    await processedEvents.add(event);
    return "unknown";
  }
  await lifecycle.recordPayment(signUp, event);
  return signUp.status;
}
