/** Keys are Stripe's brand names: https://docs.stripe.com/api/payment_methods/object#payment_method_object-card-brand */
const BRANDS: Record<string, string> = {
  amex: "American Express",
  diners: "Diners Club",
  discover: "Discover",
  jcb: "JCB",
  mastercard: "Mastercard",
  unionpay: "UnionPay",
  visa: "Visa",
};

/** For example `American Express ending in 0005`; `card ending in 0005` for an unknown brand. */
export function cardName({ brand, last4 }: { brand: string; last4: string }): string {
  return `${BRANDS[brand] ?? "card"} ending in ${last4}`;
}
