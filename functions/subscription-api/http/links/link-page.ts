import { html } from "hono/html";
import type { Sender } from "../../outbox/emails/email";
import { DARK, LIGHT } from "../../outbox/emails/email-layout";
import { type Html, htmlPages } from "../html-page";

const variables = (colors: Record<string, string>) =>
  Object.entries(colors)
    .map(([name, color]) => `--${name}: ${color};`)
    .join(" ");

const STYLE = `
:root { color-scheme: light dark; --danger: #b3172f; ${variables(LIGHT)} }
@media (prefers-color-scheme: dark) { :root { --danger: #ff9dab; ${variables(DARK)} } }
body { margin: 0; padding: 24px 16px; background: var(--page); color: var(--ink); font: 18px/1.6 -apple-system, "Segoe UI", Arial, sans-serif; overflow-wrap: anywhere; }
main { max-width: 560px; margin: 0 auto; }
.logo { display: flex; align-items: center; gap: 10px; margin: 0 0 20px; font-size: 20px; font-weight: bold; color: inherit; text-decoration: none; }
.mark { width: 32px; border-radius: 8px; background: var(--brand); color: var(--onBrand); font-size: 16px; line-height: 32px; text-align: center; }
.mark span { color: var(--accent); }
.card { padding: clamp(20px, 6vw, 40px); background: var(--card); border: 1px solid var(--line); border-radius: 20px; }
h1 { margin: 0 0 16px; font-size: clamp(24px, 7vw, 32px); line-height: 1.15; letter-spacing: -0.02em; text-wrap: balance; }
p { margin: 0 0 16px; }
a { color: var(--brand); }
button, .button { display: inline-block; margin: 8px 0 16px; padding: 12px 20px; border: 1px solid transparent; border-radius: 10px; background: var(--brand); color: var(--onBrand); font: inherit; font-weight: bold; text-align: center; text-decoration: none; cursor: pointer; }
button { background: var(--danger); }
.help { margin: 24px 0 0; padding-top: 16px; border-top: 1px solid var(--line); color: var(--muted); font-size: 15px; }
:focus-visible { outline: 3px solid var(--brand); outline-offset: 3px; }
@media (prefers-color-scheme: dark) { .mark span { color: var(--onBrand); } }
`;

const { headers, render } = htmlPages(STYLE, "no-referrer");

export const linkPageHeaders = headers;

export function linkPage({ companyName, supportEmail, siteUrl }: Sender, heading: string, body: Html) {
  return render(
    `${heading} - ${companyName}`,
    html`<a class="logo" href="${siteUrl}"><span class="mark" aria-hidden="true">[<span>–</span>]</span>${companyName}</a>
<div class="card">
<h1>${heading}</h1>
${body}
<p class="help">Questions? Write to <a href="mailto:${supportEmail}">${supportEmail}</a>.</p>
</div>`,
  );
}
