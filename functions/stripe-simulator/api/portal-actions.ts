import { cardOutcome } from "../cards";
import { StripeFailure } from "../errors";
import type { Form } from "../form";
import { unixTime } from "../ids";
import type { Customer, Subscription } from "../objects";
import type { StripeContext } from "./context";
import { parameters } from "./parameters";
import { createPaymentMethod, paymentMethodParameters } from "./payment-methods";
import { DECLINED } from "./setup-intents";

type Effects = Pick<StripeContext["Variables"], "store" | "emit">;

/**
 * The portal sets `cancel_at` and leaves `cancel_at_period_end` alone:
 * https://docs.stripe.com/billing/subscriptions/billing-mode/compare
 */
export function cancelAtPeriodEnd(subscription: Subscription, { store, emit }: Effects): void {
  const cancel_at = Math.max(...subscription.items.data.map((item) => item.current_period_end));
  const changed = { ...subscription, cancel_at, canceled_at: unixTime() };
  store.save(changed);
  emit("customer.subscription.updated", changed);
}

export function renew(subscription: Subscription, { store, emit }: Effects): void {
  const changed = { ...subscription, cancel_at: null, cancel_at_period_end: false, canceled_at: null };
  store.save(changed);
  emit("customer.subscription.updated", changed);
}

/** Attaches a card and makes it the customer's default; throws StripeFailure for a card that Stripe does not take. */
export function changeDefaultCard(customer: Customer, card: Form, { store, emit }: Effects): void {
  const { email, name, phone } = customer;
  const billing_details = { ...(email && { email }), ...(name && { name }), ...(phone && { phone }) };
  const given = parameters(paymentMethodParameters, { type: "card", card, billing_details });
  const created = createPaymentMethod(given, store);
  if (cardOutcome(given.card.number) === "declined") throw new StripeFailure(402, DECLINED);
  const attached = { ...created, customer: customer.id };
  store.save(attached);
  emit("payment_method.attached", attached);
  const changed = { ...customer, invoice_settings: { default_payment_method: attached.id } };
  store.save(changed);
  emit("customer.updated", changed);
}
