import type { MiddlewareHandler } from "hono";
import { uint8ArrayToBase64 } from "uint8array-extras";
import type { RenderPage, SiteContext, SiteEnv } from "../context.server";
import { isHtml } from "./is-html.server";

/** Sources: OWASP Secure Headers, MDN HTTP Observatory. Static files have theirs in public/_headers. */
const SECURITY_HEADERS = {
  "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=(), usb=(), payment=()",
  // Never `no-referrer`: browsers then send `Origin: null` with a form.
  "Referrer-Policy": "strict-origin-when-cross-origin",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

/** For redirects and plain pages; rendered and cached pages already have them. */
export const securityHeaders: MiddlewareHandler<SiteEnv> = async (c, next) => {
  await next();
  if (!c.res.headers.has("X-Frame-Options")) complete(c.res.headers, c.get("url"));
};

/** Responses are `no-store` unless their route says otherwise and they set no cookie. */
function complete(headers: Headers, { protocol }: URL): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) if (!headers.has(name)) headers.set(name, value);
  if (protocol === "https:") headers.set("Strict-Transport-Security", "max-age=63072000; includeSubDomains");
  if (!headers.has("Cache-Control") || headers.has("Set-Cookie")) headers.set("Cache-Control", "no-store");
}

interface Inline {
  scripts: string[];
  styles: string[];
}

/** The policy allows inline scripts and styles with this rendering's nonce. */
export function withPageHeaders(render: RenderPage): RenderPage {
  return async (request, context) => {
    const page = await render(request, context);
    const nonce = `'nonce-${context.nonce}'`;
    if (isHtml(page)) setPolicy(page.headers, context, { scripts: [nonce], styles: [nonce] });
    complete(page.headers, context.url);
    return page;
  };
}

/** Makes a rendered page cacheable: replaces the nonce with the hashes of the page's inline scripts and styles. */
export async function allowByHash(page: Response, context: SiteContext): Promise<Response> {
  const html = await page.text();
  const [start = "", ...afterNonces] = html.split(` nonce="${context.nonce}"`);
  const inline: Inline = { scripts: [], styles: [] };
  let before = start;
  for (const after of afterNonces) {
    const isStyle = before.endsWith("<style");
    const text = after.slice(after.indexOf(">") + 1, after.indexOf(isStyle ? "</style>" : "</script>"));
    (isStyle ? inline.styles : inline.scripts).push(await hashOf(text));
    before = after;
  }
  const cached = new Response([start, ...afterNonces].join(""), page);
  setPolicy(cached.headers, context, inline);
  return cached;
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `'sha256-${uint8ArrayToBase64(new Uint8Array(digest))}'`;
}

const STRIPE_JS = ["https://js.stripe.com", "https://*.js.stripe.com"];

/** Stripe's sources: https://docs.stripe.com/security/guide#content-security-policy */
function setPolicy(headers: Headers, { configuration, route, url }: SiteContext, inline: Inline): void {
  const { STRIPE_JS_URL, TURNSTILE_SITE_KEY } = configuration;
  const stripe = STRIPE_JS_URL === undefined ? [] : [new URL(STRIPE_JS_URL).origin];
  // https://developers.cloudflare.com/turnstile/reference/content-security-policy/
  const turnstile = TURNSTILE_SITE_KEY === undefined ? [] : ["https://challenges.cloudflare.com"];
  const hydrates = route?.hydrates === true;
  const directives: Record<string, string[]> = {
    "default-src": ["'none'"],
    "base-uri": ["'none'"],
    // No public page needs 'self', but Lighthouse fetches robots.txt from within the page.
    "connect-src": ["'self'", ...(hydrates ? ["https://api.stripe.com", ...stripe] : [])],
    "font-src": ["'self'"],
    "form-action": ["'self'"],
    "frame-ancestors": ["'none'"],
    "img-src": ["'self'", "data:"],
    "manifest-src": ["'self'"],
    "script-src": [...inline.scripts, ...(hydrates ? ["'self'", ...STRIPE_JS, ...stripe, ...turnstile] : [])],
    // 'self' allows the stylesheet's file, for when its text could not be inlined.
    "style-src": ["'self'", ...inline.styles],
    ...(hydrates && {
      "frame-src": [...STRIPE_JS, "https://hooks.stripe.com", ...stripe, ...turnstile],
      // Stripe.js sets style attributes on the element around its iframe.
      "style-src-attr": ["'unsafe-inline'"],
    }),
    ...(url.protocol === "https:" && { "upgrade-insecure-requests": [] }),
  };
  const policy = Object.entries(directives).map(([name, sources]) => [name, ...sources].join(" "));
  headers.set("Content-Security-Policy", policy.join("; "));
  if (!hydrates) return;
  const payment = ["self", ...STRIPE_JS.map((origin) => `"${origin}"`)].join(" ");
  headers.set("Permissions-Policy", `camera=(), geolocation=(), microphone=(), usb=(), payment=(${payment})`);
}
