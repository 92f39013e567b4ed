/** Any object of Stripe, with the fields that tests read. */
export type StripeObject = {
  id: string;
  object: string;
  /** Seconds since 1970. */
  created: number;
  customer: string | null;
  metadata: Record<string, string>;
} & Partial<{
  deleted: true;
  status: string;
  email: string;
  payment_method: string | null;
  invoice_settings: { default_payment_method: string | null };
  card: { fingerprint: string };
  items: { data: { price: StripeObject }[] };
  active: boolean;
  lookup_key: string | null;
  product: string;
  name: string;
  /** Cents. */
  unit_amount: number;
  parent: { subscription_details: { subscription: string } };
  cancel_at_period_end: boolean;
  trial_end: number;
  /** When the trial's end was moved last, in milliseconds since 1970. Not a field of Stripe's. */
  end_set_at: number;
  canceled_at: number;
  /** Cents. */
  amount_paid: number;
}>;
/** A status and a JSON body. `isReplayed`: saved under an idempotency key, and marked as such. */
export type Answer = { status: number; text: string; isReplayed?: true };

/** Cards whose fingerprint starts like this decline charges after the trial. */
export const POOR = "poor";

export const answer = (status: number, body: object): Answer => ({ status, text: JSON.stringify(body) });
export const refusal = (status: number, code: string, type = "invalid_request_error", param?: string) =>
  answer(status, { error: { type, code, param, message: "From the model of Stripe" } });
export const missing = refusal(404, "resource_missing");

/** The prices of the API's first migration, in cents. */
export const PRICES = { price_mini: 10_000, price_lite: 20_000, price_standard: 50_000 };

export function monthlyPrice(cents: number, lookup_key: string | null, product = "prod_1"): Omit<StripeObject, "id"> {
  const recurring = { interval: "month", interval_count: 1 };
  return {
    ...{ object: "price", created: 0, customer: null, metadata: {}, currency: "usd", recurring, product },
    ...{ active: true, unit_amount: cents, lookup_key },
  };
}

export const centsOf = ({ items }: StripeObject): number => items?.data[0]?.price.unit_amount ?? 0;
