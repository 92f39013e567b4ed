import { html, raw } from "hono/html";
import type { EmailContent, Sender } from "./email";
import type { Message } from "./outbox";

type Facts = Pick<Message, "email" | "package_id" | "package_name">;
type Html = ReturnType<typeof html>;

export type Link = { text: string; url: string };

export type Draft = {
  subject: string;
  paragraphs: string[];
  details: [name: string, value: string][];
  button: Link;
  links?: Link[];
};

/**
 * For a card that has been used for a trial. Its reader may be a stranger, so nothing in it was typed.
 * @param notMe a signed link
 */
export function cardUsedEmail(facts: Facts, sender: Sender, notMe: string): EmailContent {
  const path = facts.package_id === null ? "/subscription" : `/subscription/${facts.package_id}`;
  return toEmail(
    {
      subject: `Your ${sender.companyName} trial has not started`,
      paragraphs: [
        "Hello,",
        "The card you entered has already been used for a free trial. Each card can be used for one.",
        "Your trial hasn’t started. You weren’t charged, and we removed the card.",
        `To start your trial, use another card. To subscribe without a trial, contact our sales team: ${sender.salesEmail}`,
        "Wasn’t you? Open “This wasn’t me” below to end the sign-up.",
      ],
      details: [["Plan", facts.package_name ?? "not chosen yet"]],
      button: { text: "Use another card", url: `${sender.siteUrl}${path}` },
      links: [{ text: "This wasn’t me", url: notMe }],
    },
    sender,
    facts.email,
  );
}

export function toEmail(
  { subject, paragraphs, details, button, links = [] }: Draft,
  sender: Sender,
  to: string,
): EmailContent {
  const help = "Questions? Reply to this email or write to";
  const allLinks = [...links, { text: "Manage or cancel your subscription", url: portalUrl(sender, to) }];
  const text = [
    ...paragraphs,
    details.map(([name, value]) => `${name}: ${value}`).join("\n"),
    ...[button, ...allLinks].map(({ text, url }) => `${text}: ${url}`),
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
${allLinks.map(({ text, url }) => html`<p style="margin:0 0 16px"><a href="${url}" style="color:#1d4ed8">${text}</a></p>\n`)}
<p style="margin:0;color:#57606a">${help} <a href="mailto:${sender.supportEmail}" style="color:#1d4ed8">${sender.supportEmail}</a>.</p>
</div>
</body>
</html>`;
  return { subject, text, html: page.toString() };
}

/** With the address filled in: https://docs.stripe.com/customer-management/activate-no-code-customer-portal */
function portalUrl({ customerPortalUrl }: Sender, email: string): string {
  const url = new URL(customerPortalUrl);
  url.searchParams.set("prefilled_email", email);
  return url.href;
}

function row([name, value]: [string, string]): Html {
  const cell = raw('style="padding:8px 0;border-top:1px solid #d8dee4;text-align:left;vertical-align:top');
  return html`<tr><th scope="row" ${cell};width:35%;font-weight:normal;color:#57606a">${name}</th><td ${cell}">${value}</td></tr>\n`;
}
