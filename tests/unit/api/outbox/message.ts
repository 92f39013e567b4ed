import { company } from "../../../../app/company";
import type { Sender } from "../../../../functions/subscription-api/outbox/emails/email";
import type { Trial } from "../../../../functions/subscription-api/outbox/emails/trial-emails";
import type { Message } from "../../../../functions/subscription-api/outbox/outbox";
import { validRequest } from "../../../support/person";

const { zipCode, password: _, ...form } = validRequest;

/** An outbox message with its sign-up's columns. */
export const MESSAGE: Message = {
  ...form,
  key: "trial-started/1",
  id: "1",
  kind: "trial-started",
  attempts: 0,
  lease_end: "2026-11-22T09:06:00.000Z",
  zip_code: zipCode,
  country: "US",
  full_name: "Ada",
  company_name: "Engines",
  password_hash: "a hash",
  package_id: "an-id",
  package_name: "STANDARD",
  price_cents: 50_000,
  stripe_price_id: "price_standard",
  status: "trialing",
  trial_end: "2026-11-27T14:30:00.000Z",
  email_verified_at: null,
  end_reason: null,
  check_at: null,
  request_id: "the-request",
  version: 1,
  created_at: "2026-11-22T09:05:00.000Z",
  updated_at: "2026-11-22T09:05:00.000Z",
  stripe_customer_id: "cus_1",
  stripe_subscription_id: "sub_1",
  stripe_setup_intent_id: "seti_1",
  stripe_attempt: 0,
  declined_cards: 0,
  used_cards: 0,
  declined_events: "",
};

/** The emails' sender, for tests without settings. */
export const SENDER: Sender = {
  companyName: company.name,
  siteUrl: "https://www.example",
  consoleUrl: "https://console.example",
  customerPortalUrl: "https://billing.example/p/login",
};

/** A message whose address has to be escaped in a URL. */
export const EMAIL_MESSAGE: Message = { ...MESSAGE, email: "ada+1@example.com" };
/** The last lines of an email to that address. */
export const PORTAL_LINK =
  "Manage or cancel your subscription: https://billing.example/p/login?prefilled_email=ada%2B1%40example.com";
export const HELP = `Questions? Reply to this email or write to ${company.supportEmail}.`;

export const LINKS = { verifyEmail: "https://api.example/verify", notMe: "https://api.example/not-me" };

/** A trial of LITE that ends with a charge. */
export const TRIAL: Trial = {
  end: new Date("2026-11-27T14:30:00.000Z"),
  plan: "LITE",
  card: { brand: "visa", last4: "4242" },
  trialEndOutcome: { next: "charge", first: { cents: 50_000, tax: 0 }, later: { cents: 50_000, tax: 0 } },
};
