import { counted } from "../../../../app/contract/counted";
import { utcDay, utcMinute } from "../../../../app/contract/dates";
import { TRIAL_SCOPE } from "../../../../app/contract/trial";
import type { Message } from "../outbox";
import { paymentDetails, type Trial, whatHappens } from "./charge-words";
import type { EmailContent, Sender } from "./email";
import { portalLink, toEmail } from "./email-layout";

type Facts = Pick<Message, "full_name" | "company_name" | "email" | "created_at" | "trial_days">;

const PORTAL =
  "To cancel, to change your card or to see your invoices, open the customer portal. It’s run by Stripe, our payment provider. Enter your email address there, and Stripe sends you a link to log in.";

/** Includes the facts that the card networks require: https://docs.stripe.com/billing/subscriptions/trials/manage-trial-compliance */
export function trialStartedEmail(
  facts: Facts,
  trial: Trial,
  sender: Sender,
  links: { verifyEmail: string; notMe: string },
): EmailContent {
  const end = utcDay(trial.end);
  return toEmail(
    {
      subject: `Your ${sender.companyName} trial has started`,
      greeting: `Hello ${typedName(facts.full_name)},`,
      lead: `The free trial for ${typedName(facts.company_name)} has started and ends on ${end}. Next, confirm your email address.`,
      button: { text: "Confirm my email address", url: links.verifyEmail },
      details: [
        ["Company", typedName(facts.company_name)],
        ["Plan", trial.plan ?? "not chosen yet"],
        ["Free trial", `${counted(facts.trial_days, "day")}, until ${utcMinute(trial.end)}`],
        ...paymentDetails(trial),
        [
          "You agreed to this",
          {
            text: `on ${utcMinute(new Date(facts.created_at))}, with our`,
            link: { text: "terms", url: `${sender.siteUrl}/terms` },
          },
        ],
      ],
      notes: [
        TRIAL_SCOPE,
        trial.trialEndOutcome.next === "charge"
          ? `We haven’t charged your card. ${whatHappens(trial)}`
          : whatHappens(trial),
      ],
      smallPrint: [
        {
          text: `To start, log in with ${facts.email} and the password you chose.`,
          link: { text: "Open the customer console", url: sender.consoleUrl },
        },
        {
          text: "If you didn’t sign up, end the trial and remove the card.",
          link: { text: "This wasn’t me", url: links.notMe },
        },
        { text: PORTAL, link: portalLink(sender) },
      ],
    },
    sender,
  );
}

export function trialEndingEmail(facts: Facts, trial: Trial, sender: Sender): EmailContent {
  const end = utcDay(trial.end);
  return toEmail(
    {
      subject: `Your ${sender.companyName} trial ends on ${end}`,
      greeting: `Hello ${typedName(facts.full_name)},`,
      lead: `The free trial for ${typedName(facts.company_name)} ends on ${end}. ${whatHappens(trial)}`,
      details: [
        ["Company", typedName(facts.company_name)],
        ["Plan", trial.plan ?? "not chosen yet"],
        ["Trial ends", utcMinute(trial.end)],
        ...paymentDetails(trial),
      ],
      button: { text: "Open the customer console", url: sender.consoleUrl },
      smallPrint: [{ text: PORTAL, link: portalLink(sender) }],
    },
    sender,
  );
}

const MAX_NAME_LENGTH = 60;
/** A colon, a dot, and the characters that browsers treat as a dot in a host name (UTS #46). */
const LINKING = /([.:\u2024\u3002\uFE52\uFF0E\uFF61])(?! |$)/gu;
/** Seven digits, as in a local phone number. Phones link them, whatever punctuation is between them. */
const PHONE_NUMBER = /(\p{Nd}{1,3})(?:[^\p{L}\p{Nd}]*\p{Nd}){6,}/gu;

/** Makes a typed name safe to send to a stranger: short, without phone numbers, spaced so that no program links it. */
function typedName(name: string): string {
  const characters = Array.from(name.replace(PHONE_NUMBER, "$1…").replace(LINKING, "$1 "));
  if (characters.length <= MAX_NAME_LENGTH) return characters.join("");
  return `${characters.slice(0, MAX_NAME_LENGTH - 1).join("")}…`;
}
