import { PAID_PLANS } from "../../app/contract/plans";
import type { SubscriptionRequest } from "../../app/contract/subscription-request";

const [, , standard] = PAID_PLANS;
const packageId: string = standard.packageId;

/** A sign-up that the API accepts. */
export const validRequest = {
  package_id: packageId,
  email: "ada@example.com",
  password: "Analytical-3ngine",
  full_name: "Ada Lovelace",
  company_name: "Engines & Sons",
  phone: "2125550123",
  country: "United States",
  address: "1 Example Street",
  city: "Springfield",
  state: "IL",
  zipCode: "62701",
} satisfies SubscriptionRequest;
const { password: _, ...form } = validRequest;

/** The same person's details as typed. A form that comes back keeps them. */
export const typed = { ...form, email: "Ada@Example.com", phone: "(212) 555-0123" };

/** A password, which no answer may contain, and a client secret, which no header may contain. */
export const PASSWORD = "S3ntinel pässword! ";
export const SECRET = "seti_1Sentinel_secret_Sentinel";

/** The form as it is posted. */
export const fields = { ...typed, password: PASSWORD, confirmPassword: PASSWORD };

/**
 * Matches personal data and secrets, which no log line may have. A frame of workerd's own stack traces, such as `workerd@4a2b1c0`, is
 * no email address, and the traces are no log of the Workers.
 */
export const PERSONAL =
  /\w(?<!\bworkerd)@\w|%40|Lovelace|Engines|5550123|Example Street|Springfield|Analytical|S3ntinel|_secret_|\$scrypt/;
