import { html, raw } from "hono/html";
import type { EmailContent, Sender } from "./email";

type Html = ReturnType<typeof html>;

export type Link = { text: string; url: string };

/** A paragraph of the small print or a detail, with the link at its end. */
export type Paragraph = { text?: string; link?: Link };

export type Draft = {
  subject: string;
  greeting: string;
  lead: string;
  button: Link;
  details: [name: string, value: string | Paragraph][];
  note?: string;
  smallPrint: Paragraph[];
};

/** The site's colors (app/ui/styles.css). */
export const LIGHT = {
  page: "#f3f4f9",
  card: "#ffffff",
  ink: "#10132b",
  muted: "#50556f",
  line: "#dcdfea",
  brand: "#2b3bdb",
  onBrand: "#ffffff",
  accent: "#ffd83a",
};
export const DARK: Omit<typeof LIGHT, "accent"> = {
  page: "#0c0e1d",
  card: "#171b36",
  ink: "#f2f3fc",
  muted: "#b0b5d2",
  line: "#2b3056",
  brand: "#a3aeff",
  onBrand: "#0c0e1d",
};

/** For mail programs that follow the color scheme; each `!important` overrides a style attribute. */
const DARK_STYLE = `:root{color-scheme:light dark}
@media (prefers-color-scheme:dark){
.page{background:${DARK.page}!important}
.card{background:${DARK.card}!important;border-color:${DARK.line}!important}
.ink{color:${DARK.ink}!important}
.muted{color:${DARK.muted}!important}
.cell{border-color:${DARK.line}!important}
.link{color:${DARK.brand}!important}
.button{background:${DARK.brand}!important;color:${DARK.onBrand}!important}
}`;

const FONT = "font-family:Arial,Helvetica,sans-serif";
const TABLE = raw('role="presentation" cellpadding="0" cellspacing="0" border="0"');

/** An email as text and HTML. The HTML has no images, and uses tables for clients without CSS layout, such as Outlook. */
export function toEmail(draft: Draft, sender: Sender): EmailContent {
  return { subject: draft.subject, text: textOf(draft, sender), html: htmlOf(draft, sender) };
}

/** With the address filled in: https://docs.stripe.com/customer-management/activate-no-code-customer-portal */
export function portalLink({ customerPortalUrl }: Sender, email: string): Link {
  const url = new URL(customerPortalUrl);
  url.searchParams.set("prefilled_email", email);
  return { text: "Manage or cancel your subscription", url: url.href };
}

const HELP = "Questions? Reply to this email or write to";

function textOf(draft: Draft, { supportEmail, companyName }: Sender): string {
  const { greeting, lead, button, details, note, smallPrint } = draft;
  const lineOf = ({ text, url }: Link) => `${text}: ${url}`;
  const partsOf = ({ text, link }: Paragraph) => [text, link && lineOf(link)].filter(Boolean);
  return [
    greeting,
    lead,
    lineOf(button),
    details
      .map(([name, value]) => `${name}: ${typeof value === "string" ? value : partsOf(value).join(" ")}`)
      .join("\n"),
    ...(note ? [note] : []),
    ...smallPrint.map((paragraph) => partsOf(paragraph).join("\n")),
    `${HELP} ${supportEmail}.`,
    companyName,
  ].join("\n\n");
}

function htmlOf(draft: Draft, { supportEmail, companyName }: Sender): string {
  const { subject, greeting, lead, button, details, note, smallPrint } = draft;
  const help = html`${HELP} ${linkTo({ text: supportEmail, url: `mailto:${supportEmail}` })}.`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>${raw(DARK_STYLE)}</style>
</head>
<body class="page" style="margin:0;padding:0;background:${LIGHT.page}">
<table ${TABLE} width="100%" class="page" style="background:${LIGHT.page}"><tr><td align="center" style="padding:24px 12px">
${raw('<!--[if mso]><table role="presentation" width="560"><tr><td><![endif]-->')}
<table ${TABLE} width="100%" style="max-width:560px">
<tr><td style="padding:0 4px 16px">${wordmark(companyName)}</td></tr>
<tr><td class="card" style="padding:28px 20px;background:${LIGHT.card};border:1px solid ${LIGHT.line};border-radius:16px">
${line(greeting, "16px", "ink")}
${line(lead, "18px", "ink")}
<table ${TABLE} style="margin:8px 0 24px"><tr><td class="button" bgcolor="${LIGHT.brand}" style="border-radius:10px;mso-padding-alt:14px 20px"><a href="${button.url}" class="button" style="display:inline-block;padding:14px 20px;background:${LIGHT.brand};color:${LIGHT.onBrand};border-radius:10px;${FONT};font-size:16px;font-weight:bold;line-height:20px;text-decoration:none">${button.text}</a></td></tr></table>
<table width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 24px">
${details.map(row)}
</table>
${note && line(note, "16px", "ink")}
${smallPrint.map((paragraph) => line(withLink(paragraph), "14px", "muted"))}
${line(help, "14px", "muted")}
</td></tr>
</table>
${raw("<!--[if mso]></td></tr></table><![endif]-->")}
</td></tr></table>
</body>
</html>`.toString();
}

/** The logo's brackets and bar as text. */
function wordmark(companyName: string): Html {
  const mark = `width:32px;height:32px;background:${LIGHT.brand};border-radius:8px;color:${LIGHT.onBrand};${FONT};font-size:16px;font-weight:bold;line-height:32px`;
  const name = `padding-left:10px;color:${LIGHT.ink};${FONT};font-size:20px;font-weight:bold`;
  return html`<table ${TABLE}><tr><td aria-hidden="true" align="center" bgcolor="${LIGHT.brand}" style="${mark}">[<span style="color:${LIGHT.accent}">–</span>]</td><td class="ink" style="${name}">${companyName}</td></tr></table>`;
}

function line(content: string | Html, size: "14px" | "16px" | "18px", color: "ink" | "muted"): Html {
  return html`<p class="${color}" style="margin:0 0 16px;color:${LIGHT[color]};${FONT};font-size:${size};line-height:1.5">${content}</p>\n`;
}

function linkTo({ text, url }: Link): Html {
  return html`<a href="${url}" class="link" style="color:${LIGHT.brand};text-decoration:underline">${text}</a>`;
}

function withLink({ text, link }: Paragraph): Html {
  return html`${text} ${link && linkTo(link)}`;
}

function row([name, value]: Draft["details"][number]): Html {
  const cell = (color: "ink" | "muted") =>
    raw(
      `class="cell ${color}" style="padding:10px 0;border-top:1px solid ${LIGHT.line};color:${LIGHT[color]};${FONT};font-size:15px;line-height:1.4;text-align:left;vertical-align:top;overflow-wrap:anywhere;`,
    );
  return html`<tr><th scope="row" ${cell("muted")}width:35%;padding-right:12px;font-weight:normal">${name}</th><td ${cell("ink")}">${typeof value === "string" ? value : withLink(value)}</td></tr>\n`;
}
