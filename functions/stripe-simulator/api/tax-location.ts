import type Stripe from "stripe";
import { nulls } from "../store/objects";

/** What a customer's field `tax` has, which is only shown expanded: https://docs.stripe.com/tax/customer-locations */
export function taxOf({ address }: Pick<Stripe.Customer, "address">): Pick<Stripe.Customer.Tax, "automatic_tax"> {
  const { country, postal_code } = address ?? {};
  const isKnown = country && (country !== "US" || postal_code);
  return { ...nulls("ip_address", "location"), automatic_tax: isKnown ? "supported" : "unrecognized_location" };
}
