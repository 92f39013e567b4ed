import { html } from "hono/html";
import type { Sender } from "../outbox/email";
import { type Html, htmlPages } from "./html-page";

const STYLE = `
:root { color-scheme: light; }
body { margin: 0; padding: 24px; background: #f6f8fa; color: #1f2430; font: 18px/1.5 Arial, Helvetica, sans-serif; }
main { max-width: 560px; margin: 0 auto; padding: 32px; background: #ffffff; border-radius: 8px; }
h1 { margin: 0 0 16px; font-size: 28px; line-height: 1.2; }
a { color: #1d4ed8; }
button { padding: 14px 24px; border: 0; border-radius: 6px; background: #b42318; color: #ffffff; font: inherit; font-weight: bold; cursor: pointer; }
button:focus-visible, a:focus-visible { outline: 3px solid #1d4ed8; outline-offset: 3px; }
`;

const { headers, render } = htmlPages(STYLE, "no-referrer");

export const linkPageHeaders = headers;

export function linkPage({ companyName, supportEmail }: Sender, heading: string, body: Html) {
  return render(
    `${heading} - ${companyName}`,
    html`<p><strong>${companyName}</strong></p>
<h1>${heading}</h1>
${body}
<p>Questions? Write to <a href="mailto:${supportEmail}">${supportEmail}</a>.</p>`,
  );
}
