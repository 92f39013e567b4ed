import { createHash } from "node:crypto";
import type { Context } from "hono";
import { html, raw } from "hono/html";
import { secureHeaders } from "hono/secure-headers";

export type Html = ReturnType<typeof html>;
/** `same-origin` where the origin of a form is checked. */
type ReferrerPolicy = "no-referrer" | "same-origin";

/** @param style of every page; constant, since it is not escaped */
export function htmlPages(style: string, referrerPolicy: ReferrerPolicy) {
  const hash = `'sha256-${createHash("sha256").update(style).digest("base64")}'` as const;
  return {
    headers: secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'none'"],
        styleSrc: [hash],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
      referrerPolicy,
      strictTransportSecurity: false,
      xFrameOptions: "DENY",
    }),
    render: (title: string, body: Html) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${raw(style)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>`,
  };
}

export async function neitherKeptNorFound(c: Context, next: () => Promise<void>): Promise<void> {
  await next();
  c.header("cache-control", "no-store");
  c.header("x-robots-tag", "noindex");
}
