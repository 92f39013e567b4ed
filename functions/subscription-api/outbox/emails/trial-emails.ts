import { cardName } from "../../../../app/contract/card-name";
import { chargeDay, chargeSentence, plusTax } from "../../../../app/contract/charge-wording";
import { counted } from "../../../../app/contract/counted";
import { utcDay, utcMinute } from "../../../../app/contract/dates";
import { chargedAmount } from "../../../../app/contract/money";
import { TRIAL_DAYS, TRIAL_SCOPE } from "../../../../app/contract/trial";
import type { Amount, ChargePreview } from "../../stripe/charge-preview";
import type { Message } from "../outbox";
import type { EmailContent, Sender } from "./email";
import { portalLink, toEmail } from "./email-layout";

type Facts = Pick<Message, "full_name" | "company_name" | "email" | "created_at">;

/** The trial's state at Stripe when the email is sent. */
export type Trial = Pick<ChargePreview, "card" | "plan"> & {
  end: Date;
  trialEndOutcome: ChargePreview["trialEndOutcome"] | { next: "no-plan" };
};

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
        ["Free trial", `${counted(TRIAL_DAYS, "day")}, until ${utcMinute(trial.end)}`],
        ...chargeDetails(trial),
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
        { text: PORTAL, link: portalLink(sender, facts.email) },
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
        ...chargeDetails(trial),
      ],
      button: { text: "Open the customer console", url: sender.consoleUrl },
      smallPrint: [{ text: PORTAL, link: portalLink(sender, facts.email) }],
    },
    sender,
  );
}

const MAX_NAME_LENGTH = 60;
/** A colon, a dot, and the characters that browsers treat as a dot in a host name (UTS #46). */
const LINKING = /([.:\u2024\u3002\uFE52\uFF0E\uFF61])(?! |$)/gu;
/** Seven digits, as in a local phone number. Phones link them, whatever punctuation is between them. */
const PHONE_NUMBER = /(\p{Nd}{1,3})(?:[^\p{L}\p{Nd}]*\p{Nd}){6,}/gu;

/**
 * Makes a typed name safe to show to a stranger: shortens it, cuts phone numbers, and adds spaces so that email programs do not
 * turn it into a link.
 */
function typedName(name: string): string {
  const characters = Array.from(name.replace(PHONE_NUMBER, "$1…").replace(LINKING, "$1 "));
  if (characters.length <= MAX_NAME_LENGTH) return characters.join("");
  return `${characters.slice(0, MAX_NAME_LENGTH - 1).join("")}…`;
}

function whatHappens({ trialEndOutcome, card, end }: Trial): string {
  switch (trialEndOutcome.next) {
    case "charge": {
      const { first, later } = trialEndOutcome;
      const isSame = amountOrPrice(first) === amountOrPrice(later);
      const amounts = { amount: amountOrPrice(first), later: isSame ? undefined : amountOrPrice(later) };
      return chargeSentence(end, { ...amounts, card: card ? cardName(card) : "payment method" });
    }
    case "end":
      return trialEndOutcome.why === "canceled"
        ? `You’ve canceled your subscription. It ends on ${utcDay(trialEndOutcome.at)}, and you won’t be charged. If you change your mind, renew it in the customer portal before then.`
        : `Your subscription has no card. It ends on ${utcDay(trialEndOutcome.at)}, and you won’t be charged. To keep it, add a card in the customer portal before then.`;
    case "no-plan":
      return "You haven’t chosen a plan yet, so you won’t be charged. Reply to this email to choose one before the trial ends.";
    case "unknown":
      return "The customer portal shows your next charge and its date.";
  }
}

function chargeDetails({ trialEndOutcome, card, end }: Trial): [string, string][] {
  const paidWith: [string, string][] = card ? [["Card", cardName(card)]] : [];
  if (trialEndOutcome.next === "charge") {
    const { first, later } = trialEndOutcome;
    const isSame = amountOrPrice(first) === amountOrPrice(later);
    return [
      ["First payment", `${amountOrPrice(first)}, ${chargeDay(end)}`],
      ["Then", isSame ? "the same amount every month" : `${amountOrPrice(later)} every month`],
      ...paidWith,
    ];
  }
  return trialEndOutcome.next === "unknown" ? paidWith : [["First payment", "none"], ...paidWith];
}

function amountOrPrice(amount: Amount | null): string {
  if (amount === null) return "the price of your plan";
  const { cents, tax } = amount;
  if (tax === "added") return plusTax(chargedAmount(cents), true);
  return tax === 0 ? chargedAmount(cents) : `${chargedAmount(cents)} including ${chargedAmount(tax)} tax`;
}
