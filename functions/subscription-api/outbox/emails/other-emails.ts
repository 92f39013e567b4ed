import { company } from "../../../../app/company";
import { signUpPath } from "../../../../app/contract/sign-up-path";
import type { Message } from "../outbox";
import type { EmailContent, Sender } from "./email";
import { toEmail } from "./email-layout";

/** Quotes nothing that was typed, because the reader may be a stranger. @param notMe a signed link */
export function cardUsedEmail(
  facts: Pick<Message, "package_id" | "package_name">,
  sender: Sender,
  notMe: string,
): EmailContent {
  return toEmail(
    {
      subject: `Your ${sender.companyName} trial has not started`,
      greeting: "Hello,",
      lead: "Your trial hasn’t started: the card you entered has already been used for a free trial, and each card can be used for one.",
      button: { text: "Use another card", url: sender.siteUrl + signUpPath(facts.package_id) },
      details: [["Plan", facts.package_name ?? "not chosen yet"]],
      notes: ["You weren’t charged, and we removed the card."],
      smallPrint: [
        { text: `To subscribe without a trial, contact our sales team: ${company.salesEmail}` },
        { text: "Wasn’t you? End the sign-up.", link: { text: "This wasn’t me", url: notMe } },
      ],
    },
    sender,
  );
}

type Detail = [name: string, value: string];

/** The email to support, which decides about a refund and the email address. Has no personal data; links to Stripe's dashboard. */
export function notMeReportedEmail(
  facts: Pick<Message, "id" | "stripe_customer_id" | "stripe_subscription_id" | "package_name" | "email_verified_at">,
  sender: Sender,
): EmailContent {
  const details: Detail[] = [
    ["Plan", facts.package_name ?? "not chosen yet"],
    ["Email address", facts.email_verified_at === null ? "not confirmed" : "confirmed"],
  ];
  const lead =
    "A customer reported that someone else signed up. We’ve ended every subscription and removed every card. Because it was paid or its email address was confirmed, please decide about a refund and write to the customer.";
  return toSupport("“This wasn’t me”", lead, facts, details, sender);
}
export function secondSubscriptionEmail(
  facts: Pick<Message, "id" | "key" | "stripe_customer_id" | "stripe_subscription_id">,
  sender: Sender,
): EmailContent {
  const details: Detail[] = [["Second subscription", facts.key.split("/").at(-1) ?? ""]];
  const lead =
    "A customer had two subscriptions for one sign-up. We’ve ended the second one. Please check if it was paid, and decide about a refund.";
  return toSupport("Second subscription ended", lead, facts, details, sender);
}

function toSupport(
  what: string,
  lead: string,
  facts: Pick<Message, "id" | "stripe_customer_id" | "stripe_subscription_id">,
  details: Detail[],
  sender: Sender,
): EmailContent {
  return toEmail(
    {
      subject: `${what}: sign-up ${facts.id}`,
      greeting: "Hello support,",
      lead,
      button: {
        text: "Open the customer at Stripe",
        url: `https://dashboard.stripe.com/customers/${facts.stripe_customer_id ?? ""}`,
      },
      details: [["Sign-up", facts.id], ["Subscription", facts.stripe_subscription_id ?? "none"], ...details],
      smallPrint: [],
      isForSupport: true,
    },
    sender,
  );
}
