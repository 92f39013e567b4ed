import { uint8ArrayToBase64 } from "uint8array-extras";
import { prerenderRules } from "../../ui/document/prerender";
import { scrollStateScript } from "../../ui/document/scroll-state";

export interface PagePolicy {
  hydrates: boolean;
  nonce: string;
  /** Origin of a replacement for Stripe.js, if configured. */
  stripeOrigin?: string | undefined;
  /** Whether Turnstile may be shown: https://developers.cloudflare.com/turnstile/reference/content-security-policy/ */
  turnstile?: boolean;
  inlineStyle?: string | undefined;
  /** Of a page without a nonce. */
  inlineScripts?: string[];
}

export const CSP_REPORTS_PATH = "/csp-reports";
const REPORTING_GROUP = "csp";

const POLICY_WITHOUT_SOURCES = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Sets the headers of every response; `page` only for pages rendered by Remix.
 * Sources: OWASP Secure Headers, MDN HTTP Observatory, https://docs.stripe.com/security/guide#content-security-policy
 */
export async function withSecurityHeaders(response: Response, url: URL, page?: PagePolicy): Promise<Response> {
  const { headers } = response;
  const secure = url.protocol === "https:";
  const payment = page?.hydrates ? '(self "https://js.stripe.com" "https://*.js.stripe.com")' : "()";
  headers.set("Content-Security-Policy", page ? await pagePolicy(page, secure) : POLICY_WITHOUT_SOURCES);
  headers.set("Cross-Origin-Opener-Policy", "same-origin-allow-popups");
  headers.set("Cross-Origin-Resource-Policy", "same-origin");
  headers.set("Permissions-Policy", `camera=(), geolocation=(), microphone=(), usb=(), payment=${payment}`);
  // Never `no-referrer`: browsers then send `Origin: null` with a form.
  headers.set("Referrer-Policy", "strict-origin-when-cross-origin");
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("X-Frame-Options", "DENY");
  if (page) headers.set("Reporting-Endpoints", `${REPORTING_GROUP}="${CSP_REPORTS_PATH}"`);
  if (secure) headers.set("Strict-Transport-Security", "max-age=63072000; includeSubDomains");
  return response;
}

async function pagePolicy(page: PagePolicy, secure: boolean): Promise<string> {
  const { hydrates, nonce, stripeOrigin, turnstile, inlineStyle, inlineScripts = [] } = page;
  const stripeOrigins = stripeOrigin ? [stripeOrigin] : [];
  const turnstileOrigins = turnstile ? ["https://challenges.cloudflare.com"] : [];
  const scripts = await Promise.all([...new Set([scrollStateScript, prerenderRules, ...inlineScripts])].map(hashOf));
  const styles = inlineStyle === undefined ? [] : [await hashOf(inlineStyle)];
  // If React renders the page again in the browser, it loads the stylesheet.
  if (hydrates || inlineStyle === undefined) styles.push("'self'");
  const directives: Record<string, string[]> = {
    "default-src": ["'none'"],
    "base-uri": ["'none'"],
    // No page needs it, but Lighthouse fetches robots.txt from the page.
    "connect-src": ["'self'"],
    "font-src": ["'self'"],
    "form-action": ["'self'"],
    "frame-ancestors": ["'none'"],
    "img-src": ["'self'", "data:"],
    "manifest-src": ["'self'"],
    "script-src": scripts,
    "style-src": styles,
  };
  if (hydrates) {
    directives["script-src"] = [
      ...scripts,
      "'self'",
      ...(nonce === "" ? [] : [`'nonce-${nonce}'`]),
      "https://js.stripe.com",
      "https://*.js.stripe.com",
      ...stripeOrigins,
      ...turnstileOrigins,
    ];
    directives["connect-src"] = ["'self'", "https://api.stripe.com", ...stripeOrigins];
    directives["frame-src"] = [
      "https://js.stripe.com",
      "https://*.js.stripe.com",
      "https://hooks.stripe.com",
      ...stripeOrigins,
      ...turnstileOrigins,
    ];
    // Stripe.js sets style attributes on the element around its frame.
    directives["style-src-attr"] = ["'unsafe-inline'"];
  }
  if (secure) directives["upgrade-insecure-requests"] = [];
  // Browsers that support report-to ignore report-uri.
  directives["report-uri"] = [CSP_REPORTS_PATH];
  directives["report-to"] = [REPORTING_GROUP];
  return Object.entries(directives)
    .map(([name, sources]) => [name, ...sources].join(" "))
    .join("; ");
}

const hashes = new Map<string, string>();

async function hashOf(text: string): Promise<string> {
  const known = hashes.get(text);
  if (known !== undefined) return known;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const hash = `'sha256-${uint8ArrayToBase64(new Uint8Array(digest))}'`;
  hashes.set(text, hash);
  return hash;
}
