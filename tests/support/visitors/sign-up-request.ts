import type { SubscriptionRequest } from "../../../app/contract/subscription-request";

/** A valid form, as the schema gives it on. */
export const signUpRequest: SubscriptionRequest = {
  full_name: "Ada Lovelace",
  company_name: "Analytical Engines",
  email: "ada@example.com",
  phone: "2125550123",
  password: "Passw0rd !",
  address: "1 Example Street",
  city: "Springfield",
  state: "IL",
  zipCode: "62701",
  country: "United States",
};
