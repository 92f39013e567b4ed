import { html } from "hono/html";
import { company } from "../../../../app/company";
import type { EmailContent, Sender } from "./email";

type Html = ReturnType<typeof html>;

export type Link = { text: string; url: string };
type Paragraph = { text?: string; link?: Link };

export type Draft = {
  subject: string;
  greeting: string;
  lead: string;
  button: Link;
  details: [name: string, value: string | Paragraph][];
  notes?: string[];
  smallPrint: Paragraph[];
  /** Support is not told to write to support. */
  isForSupport?: true;
};

export function toEmail(draft: Draft, sender: Sender): EmailContent {
  return { subject: draft.subject, text: textOf(draft, sender), html: htmlOf(draft, sender) };
}

/** The portal's login page. An address in its URL would count as a sign of spam. */
export function portalLink({ customerPortalUrl }: Sender): Link {
  return { text: "Manage or cancel your subscription", url: customerPortalUrl };
}

const HELP = "Questions? Reply to this email or write to";

function textOf(draft: Draft, { companyName }: Sender): string {
  const { greeting, lead, button, details, notes = [], smallPrint, isForSupport } = draft;
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
    ...(isForSupport ? [] : [`${HELP} ${company.supportEmail}.`]),
    companyName,
  ].join("\n\n");
}

/** For the box around everything, because Yahoo, AOL, Proton, Fastmail and Outlook for Mac drop the body's own style. */
const BOX =
  "margin:0 auto;max-width:560px;padding:24px 16px;font:16px/1.5 Arial,Helvetica,sans-serif;overflow-wrap:anywhere;word-break:break-word";
const BUTTON =
  "display:inline-block;padding:12px 20px;border-radius:8px;background:#2b3bdb;color:#ffffff;font-weight:bold;text-decoration:none";
const NAME =
  "width:35%;padding:8px 12px 8px 0;border-top:1px solid #8a8fa8;font-weight:normal;text-align:left;vertical-align:top";
const VALUE = "padding:8px 0;border-top:1px solid #8a8fa8;vertical-align:top";

function htmlOf(draft: Draft, { companyName }: Sender): string {
  const { subject, greeting, lead, button, details, notes = [], smallPrint, isForSupport } = draft;
  const support = html`<a href="mailto:${company.supportEmail}">${company.supportEmail}</a>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${subject}</title>
</head>
<body style="margin:0">
<div style="${BOX}">
<p><b>${companyName}</b></p>
<p>${greeting}</p>
<p>${lead}</p>
<p><a href="${button.url}" style="${BUTTON}">${button.text}</a></p>
<table style="width:100%;border-collapse:collapse">
${details.map(
  ([name, value]) =>
    html`<tr><th scope="row" style="${NAME}">${name}</th><td style="${VALUE}">${typeof value === "string" ? value : withLink(value)}</td></tr>\n`,
)}</table>
${notes.map((note) => html`<p>${note}</p>\n`)}${smallPrint.map((paragraph) => html`<p>${withLink(paragraph)}</p>\n`)}${isForSupport ? "" : html`<p>${HELP} ${support}.</p>`}
</div>
</body>
</html>`.toString();
}

function withLink({ text, link }: Paragraph): Html {
  return html`${text} ${link && html`<a href="${link.url}">${link.text}</a>`}`;
}
