import { company } from "../../../../app/company";
import type { Message } from "../../../../functions/subscription-api/outbox/outbox";
import { validRequest } from "../../../support/person";

const { zipCode, password: _, ...form } = validRequest;

/** An outbox message with its sign-up's columns. */
export const MESSAGE: Message = {
  ...form,
  ...{ key: "trial-started/1", id: "1", kind: "trial-started", attempts: 0, lease_end: "2026-11-22T09:06:00.000Z" },
  ...{ zip_code: zipCode, country: "US", full_name: "Ada", company_name: "Engines", password_hash: "a hash" },
  ...{ package_id: "an-id", package_name: "STANDARD", status: "trialing", trial_end: "2026-11-27T14:30:00.000Z" },
  ...{ price_cents: 50_000, stripe_price_id: "price_standard" },
  ...{ email_verified_at: null, end_reason: null, check_at: null, request_id: "the-request", version: 1 },
  ...{ created_at: "2026-11-22T09:05:00.000Z", updated_at: "2026-11-22T09:05:00.000Z" },
  ...{ stripe_customer_id: "cus_1", stripe_subscription_id: "sub_1", stripe_setup_intent_id: "seti_1" },
  ...{ stripe_attempt: 0, declined_cards: 0, used_cards: 0, declined_events: "" },
};

/** The emails' sender, for tests without settings. */
export const SENDER = {
  ...{ companyName: company.name, siteUrl: "https://www.example" },
  ...{ consoleUrl: "https://console.example", customerPortalUrl: "https://billing.example" },
};
