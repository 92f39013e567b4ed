import type { Message } from "../outbox";
import type { EmailContent, Sender } from "./email";
import { portalLink, toEmail } from "./email-layout";

type Facts = Pick<Message, "email" | "package_id" | "package_name">;

/** Quotes nothing the visitor typed, because its reader may be a stranger. @param notMe a signed link */
export function cardUsedEmail(facts: Facts, sender: Sender, notMe: string): EmailContent {
  const path = facts.package_id === null ? "/subscription" : `/subscription/${facts.package_id}`;
  return toEmail(
    {
      subject: `Your ${sender.companyName} trial has not started`,
      greeting: "Hello,",
      lead: "Your trial hasn’t started: the card you entered has already been used for a free trial, and each card can be used for one.",
      button: { text: "Use another card", url: `${sender.siteUrl}${path}` },
      details: [["Plan", facts.package_name ?? "not chosen yet"]],
      note: "You weren’t charged, and we removed the card.",
      smallPrint: [
        { text: `To subscribe without a trial, contact our sales team: ${sender.salesEmail}` },
        { text: "Wasn’t you? End the sign-up.", link: { text: "This wasn’t me", url: notMe } },
        { link: portalLink(sender, facts.email) },
      ],
    },
    sender,
  );
}
