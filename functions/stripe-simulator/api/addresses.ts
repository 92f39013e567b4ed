import type Stripe from "stripe";
import { COUNTRIES } from "../cards/countries";
import { invalidRequest } from "./errors";

/** The API's documentation asks for ISO 3166-1 codes; https://github.com/stripe/stripe-ios/issues/1985 has the message. */
export function addressOf(given: Stripe.AddressParam) {
  const text = (name: keyof Stripe.AddressParam) => given[name] || null;
  const country = text("country");
  if (country !== null && !COUNTRIES.includes(country)) {
    throw invalidRequest(
      `Country '${country}' is unknown. Try using a 2-character alphanumeric country code instead, such as 'US', 'EG', or 'GB'.`,
      { param: "address[country]" },
    );
  }
  return {
    city: text("city"),
    country,
    line1: text("line1"),
    line2: text("line2"),
    postal_code: text("postal_code"),
    state: text("state"),
  };
}
