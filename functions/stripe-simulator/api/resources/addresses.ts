import type Stripe from "stripe";
import { COUNTRIES } from "../../cards/countries";
import { invalidRequest } from "../errors";

/** The API's documentation asks for ISO 3166-1 codes; https://github.com/stripe/stripe-ios/issues/1985 has the message. */
export function checkCountry({ country }: Stripe.AddressParam): void {
  if (!country || COUNTRIES.includes(country)) return;
  throw invalidRequest(
    `Country '${country}' is unknown. Try using a 2-character alphanumeric country code instead, such as 'US', 'EG', or 'GB'.`,
    { param: "address[country]" },
  );
}
