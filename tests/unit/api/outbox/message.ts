import { company } from "../../../../app/company";
import type { Trial } from "../../../../functions/subscription-api/outbox/emails/charge-words";
import type { Sender } from "../../../../functions/subscription-api/outbox/emails/email";

/** What the emails quote of a message and its sign-up. */
export const MESSAGE = {
  id: "1",
  key: "second-subscription/1/sub_2",
  email: "ada+1@example.com",
  full_name: "Ada",
  company_name: "Engines",
  package_id: "an-id",
  package_name: "STANDARD",
  trial_days: 9,
  email_verified_at: null,
  created_at: "2026-11-22T09:05:00.000Z",
  stripe_customer_id: "cus_1",
  stripe_subscription_id: "sub_1",
};

export const SENDER: Sender = {
  companyName: company.name,
  siteUrl: "https://www.example",
  consoleUrl: "https://console.example",
  customerPortalUrl: "https://billing.example/p/login",
};
export const LINKS = { verifyEmail: "https://api.example/verify", notMe: "https://api.example/not-me" };
export const HELP = `Questions? Reply to this email or write to ${company.supportEmail}.`;

const PRICE = { cents: 50_000, tax: 0 };

export const CHARGE = {
  next: "charge",
  first: PRICE,
  later: PRICE,
  isReduced: false,
  every: "month",
  endsAt: null,
} as const;

export const TRIAL: Trial = {
  end: new Date("2026-11-27T14:30:00.000Z"),
  plan: "LITE",
  card: { brand: "visa", last4: "4242" },
  trialEndOutcome: CHARGE,
};
