import { html, raw } from "hono/html";
import type { MailContent, Sender } from "./mail";
import type { Message } from "./outbox";

type Facts = Pick<
  Message,
  "full_name" | "company_name" | "email" | "package_id" | "package_name" | "price_cents" | "trial_end"
>;
type Html = ReturnType<typeof html>;

type Link = { text: string; url: string };

type Draft = {
  subject: string;
  paragraphs: string[];
  details: [name: string, value: string][];
  button: Link;
  links?: Link[];
};

/** @param links signed, for this sign-up alone */
export function trialStartedMail(
  facts: Facts,
  sender: Sender,
  links: { verifyEmail: string; notMe: string },
): MailContent {
  const end = dayOf(facts.trial_end);
  return toMail(
    {
      subject: `Your ${sender.companyName} trial has started`,
      paragraphs: [
        `Hello ${facts.full_name},`,
        `thank you for your subscription. The free trial for ${facts.company_name} has started and ends on ${end}.`,
        facts.package_name === null
          ? "You have not chosen a plan yet: nothing will be charged. Answer this mail to choose one before the trial ends."
          : `Your card was not charged. Unless you cancel before, the first payment of ${priceOf(facts)} is taken on ${end}.`,
        "What’s next: confirm that this is your e-mail address.",
        `Then log in to the customer console with ${facts.email} and the password that you chose.`,
        "If you did not sign up, open “This was not me” below: the trial ends, and the card is removed.",
      ],
      details: [
        ["Company", facts.company_name],
        ["Plan", facts.package_name ?? "not chosen yet"],
        ["Price", facts.package_name === null ? "none" : `${priceOf(facts)} a month after the trial`],
        ["Trial ends", end],
      ],
      button: { text: "Confirm my e-mail address", url: links.verifyEmail },
      links: [
        { text: "Open the customer console", url: sender.consoleUrl },
        { text: "This was not me", url: links.notMe },
      ],
    },
    sender,
  );
}

/** For a card that has been used for a trial. */
export function cardUsedMail(facts: Facts, sender: Sender): MailContent {
  const path = facts.package_id === null ? "/subscription" : `/subscription/${facts.package_id}`;
  return toMail(
    {
      subject: `Your ${sender.companyName} trial has not started`,
      paragraphs: [
        `Hello ${facts.full_name},`,
        "the card that you entered has already been used for a free trial. Each card can be used for one.",
        "Your trial has not started, nothing was charged, and the card was removed.",
        `To start your trial, use another card. To subscribe without a trial, write to our sales team: ${sender.salesEmail}`,
      ],
      details: [
        ["Company", facts.company_name],
        ["Plan", facts.package_name ?? "not chosen yet"],
      ],
      button: { text: "Use another card", url: `${sender.siteUrl}${path}` },
    },
    sender,
  );
}

export function trialEndingMail(facts: Facts, sender: Sender): MailContent {
  const end = dayOf(facts.trial_end);
  return toMail(
    {
      subject: `Your ${sender.companyName} trial ends on ${end}`,
      paragraphs: [
        `Hello ${facts.full_name},`,
        `the free trial for ${facts.company_name} ends on ${end}.`,
        `To go on you need to do nothing: ${priceOf(facts)} will then be taken from your card each month. To stop, cancel in the account settings of the customer console before that day.`,
      ],
      details: [
        ["Company", facts.company_name],
        ["Plan", facts.package_name ?? "not chosen yet"],
        ["Trial ends", end],
      ],
      button: { text: "Open the customer console", url: sender.consoleUrl },
    },
    sender,
  );
}

function toMail({ subject, paragraphs, details, button, links = [] }: Draft, sender: Sender): MailContent {
  const help = "Questions? Answer this mail or write to";
  const text = [
    ...paragraphs,
    details.map(([name, value]) => `${name}: ${value}`).join("\n"),
    ...[button, ...links].map(({ text, url }) => `${text}: ${url}`),
    `${help} ${sender.supportEmail}.`,
    sender.companyName,
  ].join("\n\n");
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${subject}</title>
</head>
<body style="margin:0;padding:24px;background:#f6f8fa;color:#1f2430;font:16px/1.5 Arial,Helvetica,sans-serif">
<div style="max-width:560px;margin:0 auto;padding:32px;background:#ffffff;border-radius:8px">
<p style="margin:0 0 24px;font-size:20px;font-weight:bold">${sender.companyName}</p>
${paragraphs.map((paragraph) => html`<p style="margin:0 0 16px">${paragraph}</p>\n`)}
<table style="width:100%;margin:0 0 24px;border-collapse:collapse">
${details.map(row)}
</table>
<p style="margin:0 0 24px"><a href="${button.url}" style="display:inline-block;padding:12px 20px;background:#1d4ed8;color:#ffffff;border-radius:6px;text-decoration:none">${button.text}</a></p>
${links.map(({ text, url }) => html`<p style="margin:0 0 16px"><a href="${url}" style="color:#1d4ed8">${text}</a></p>\n`)}
<p style="margin:0;color:#57606a">${help} <a href="mailto:${sender.supportEmail}" style="color:#1d4ed8">${sender.supportEmail}</a>.</p>
</div>
</body>
</html>`;
  return { subject, text, html: page.toString() };
}

function row([name, value]: [string, string]): Html {
  const cell = raw('style="padding:8px 0;border-top:1px solid #d8dee4;text-align:left;vertical-align:top');
  return html`<tr><th scope="row" ${cell};width:35%;font-weight:normal;color:#57606a">${name}</th><td ${cell}">${value}</td></tr>\n`;
}

/** In UTC, as on invoices of Stripe. */
function dayOf(time: string | null): string {
  if (time === null) throw new Error("A mail about a trial needs the trial's end");
  return new Date(time).toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" });
}

function priceOf({ price_cents }: Facts): string {
  const cents = price_cents ?? 0;
  const options = { style: "currency", currency: "USD", minimumFractionDigits: cents % 100 === 0 ? 0 : 2 } as const;
  return (cents / 100).toLocaleString("en-US", options);
}
