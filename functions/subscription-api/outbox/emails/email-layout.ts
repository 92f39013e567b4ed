import { html } from "hono/html";
import { company } from "../../../../app/company";
import type { EmailContent, Sender } from "./email";

type Html = ReturnType<typeof html>;

export type Link = { text: string; url: string };

/** Text, with an optional link at the end. */
type Paragraph = { text?: string; link?: Link };

export type Draft = {
  subject: string;
  greeting: string;
  lead: string;
  button: Link;
  details: [name: string, value: string | Paragraph][];
  notes?: string[];
  smallPrint: Paragraph[];
};

/** Renders an email as plain text and as HTML: no images, light and dark color scheme. */
export function toEmail(draft: Draft, sender: Sender): EmailContent {
  return { subject: draft.subject, text: textOf(draft, sender), html: htmlOf(draft, sender) };
}

/**
 * The portal's login page with the address filled in: https://docs.stripe.com/customer-management/activate-no-code-customer-portal
 */
export function portalLink({ customerPortalUrl }: Sender, email: string): Link {
  const url = new URL(customerPortalUrl);
  url.searchParams.set("prefilled_email", email);
  return { text: "Manage or cancel your subscription", url: url.href };
}

const HELP = "Questions? Reply to this email or write to";

function textOf(draft: Draft, { companyName }: Sender): string {
  const { greeting, lead, button, details, notes = [], smallPrint } = draft;
  const lineOf = ({ text, url }: Link) => `${text}: ${url}`;
  const partsOf = ({ text, link }: Paragraph) => [text, link && lineOf(link)].filter(Boolean);
  return [
    greeting,
    lead,
    lineOf(button),
    details
      .map(([name, value]) => `${name}: ${typeof value === "string" ? value : partsOf(value).join(" ")}`)
      .join("\n"),
    ...notes,
    ...smallPrint.map((paragraph) => partsOf(paragraph).join("\n")),
    `${HELP} ${company.supportEmail}.`,
    companyName,
  ].join("\n\n");
}

const BODY = "margin:0 auto;max-width:560px;padding:24px 16px;font:16px/1.5 Arial,Helvetica,sans-serif";
const BUTTON =
  "display:inline-block;padding:12px 20px;border-radius:8px;background:#2b3bdb;color:#ffffff;font-weight:bold;text-decoration:none";
const NAME =
  "width:35%;padding:8px 12px 8px 0;border-top:1px solid #8a8fa8;font-weight:normal;text-align:left;vertical-align:top";
const VALUE = "padding:8px 0;border-top:1px solid #8a8fa8;vertical-align:top;overflow-wrap:anywhere";

function htmlOf(draft: Draft, { companyName }: Sender): string {
  const { subject, greeting, lead, button, details, notes = [], smallPrint } = draft;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${subject}</title>
</head>
<body style="${BODY}">
<p><b>${companyName}</b></p>
<p>${greeting}</p>
<p>${lead}</p>
<p><a href="${button.url}" style="${BUTTON}">${button.text}</a></p>
<table style="width:100%;border-collapse:collapse">
${details.map(
  ([name, value]) =>
    html`<tr><th scope="row" style="${NAME}">${name}</th><td style="${VALUE}">${typeof value === "string" ? value : withLink(value)}</td></tr>\n`,
)}</table>
${notes.map((note) => html`<p>${note}</p>\n`)}${smallPrint.map((paragraph) => html`<p>${withLink(paragraph)}</p>\n`)}<p>${HELP} <a href="mailto:${company.supportEmail}">${company.supportEmail}</a>.</p>
</body>
</html>`.toString();
}

function withLink({ text, link }: Paragraph): Html {
  return html`${text} ${link && html`<a href="${link.url}">${link.text}</a>`}`;
}
