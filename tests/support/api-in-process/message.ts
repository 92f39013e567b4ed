import type { Message } from "../../../functions/subscription-api/outbox/outbox";

/** An outbox message with its sign-up's columns. */
export const MESSAGE: Message = {
  key: "trial-started/1",
  sign_up_id: "1",
  kind: "trial-started",
  attempts: 0,
  lease_end: "2026-11-22T09:06:00.000Z",
  email: "ada@example.com",
  company_name: "Engines",
  full_name: "Ada",
  phone: "2125550123",
  address: "12 St James's Square",
  city: "New York",
  state: "NY",
  zip_code: "10001",
  country: "US",
  password_hash: "a hash",
  status: "trialing",
  trial_end: "2026-11-27T14:30:00.000Z",
  email_verified_at: null,
  end_reason: null,
  stripe_customer_id: "cus_1",
  stripe_subscription_id: "sub_1",
  signed_up_at: "2026-11-22T09:05:00.000Z",
  package_id: "an-id",
  package_name: "STANDARD",
};
