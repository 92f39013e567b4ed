export type Answer = { status: number; body: object };
export type Method = { id: string; fingerprint: string; customer: string | null };
export type Customer = {
  id: string;
  email: string;
  metadata: Record<string, string>;
  deleted: boolean;
  card: string | null;
};
export type SetupIntent = {
  id: string;
  secret: string;
  customer: string;
  metadata: Record<string, string>;
  status: "requires_payment_method" | "succeeded" | "canceled";
  method: string | null;
};
export type Subscription = {
  id: string;
  customer: string;
  price: string;
  metadata: Record<string, string>;
  status: "trialing" | "active" | "canceled";
  trialStart: number;
  trialEnd: number;
};
export type Event = { id: string; type: string; body: string };

/** @param card the payment method, where it is expanded */
export function intentObject({ secret, method, ...intent }: SetupIntent, card?: Method) {
  const shown = card ? { id: card.id, card: { fingerprint: card.fingerprint } } : method;
  return { ...intent, object: "setup_intent", client_secret: secret, payment_method: shown };
}

export function customerObject({ id, metadata, card, deleted }: Customer) {
  const method = card === null ? null : { id: card, card: { brand: "visa", last4: "4242" } };
  const settings = { invoice_settings: { default_payment_method: method } };
  return { id, object: "customer", metadata, ...(deleted ? { deleted } : settings) };
}

/** @param owner the customer, where it is expanded */
export function subscriptionObject({ price, trialStart, trialEnd, ...subscription }: Subscription, owner?: Customer) {
  return {
    ...subscription,
    object: "subscription",
    customer: owner ? customerObject(owner) : subscription.customer,
    trial_start: trialStart,
    trial_end: trialEnd,
    cancel_at: null,
    cancel_at_period_end: false,
    items: { data: [{ price: { id: price, currency: "usd", unit_amount: 10_000 }, quantity: 1 }] },
    latest_invoice: { amount_due: subscription.status === "active" ? 10_000 : 0 },
  };
}

export function ok(body: object): Answer {
  return { status: 200, body };
}

export function list(data: object[]): Answer {
  return ok({ object: "list", data, has_more: false });
}

export function error(status: number, type: string, code: string): Answer {
  return { status, body: { error: { type, code, message: "From the model of Stripe" } } };
}

export function missing(): Answer {
  return error(404, "invalid_request_error", "resource_missing");
}
