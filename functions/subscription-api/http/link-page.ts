import { createHash } from "node:crypto";
import { html, raw } from "hono/html";
import { secureHeaders } from "hono/secure-headers";
import type { Sender } from "../outbox/mail";

type Html = ReturnType<typeof html>;

const STYLE = `
:root { color-scheme: light; }
body { margin: 0; padding: 24px; background: #f6f8fa; color: #1f2430; font: 18px/1.5 Arial, Helvetica, sans-serif; }
main { max-width: 560px; margin: 0 auto; padding: 32px; background: #ffffff; border-radius: 8px; }
h1 { margin: 0 0 16px; font-size: 28px; line-height: 1.2; }
a { color: #1d4ed8; }
button { padding: 14px 24px; border: 0; border-radius: 6px; background: #b42318; color: #ffffff; font: inherit; font-weight: bold; cursor: pointer; }
button:focus-visible, a:focus-visible { outline: 3px solid #1d4ed8; outline-offset: 3px; }
`;

const STYLE_HASH = `'sha256-${createHash("sha256").update(STYLE).digest("base64")}'` as const;

/** No script, no other host, no frame, no trace in a search engine or a Referer. */
export const linkPageHeaders = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: [STYLE_HASH],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
  referrerPolicy: "no-referrer",
  strictTransportSecurity: false,
  xFrameOptions: "DENY",
});

/** A whole page, with the company's name and a way to support. */
export function linkPage({ companyName, supportEmail }: Sender, heading: string, body: Html) {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>${heading} - ${companyName}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<main>
<p><strong>${companyName}</strong></p>
<h1>${heading}</h1>
${body}
<p>Questions? Write to <a href="mailto:${supportEmail}">${supportEmail}</a>.</p>
</main>
</body>
</html>`;
}
