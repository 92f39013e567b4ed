import { uint8ArrayToBase64 } from "uint8array-extras";
import { prerenderRules } from "../../ui/prerender";
import { legacyScrollState, scrollStateScript } from "../../ui/scroll-state";

/** What the policy of a page is made from. */
export interface PagePolicy {
  /** Of the site, as this request has it. */
  origin: string;
  /** Sign-up pages hydrate and talk to Stripe; all others run one inline script under its hash. */
  hydrates: boolean;
  /** The nonce of this answer's inline scripts; used by pages that hydrate. */
  nonce: string;
  /** Origin of the script that stands in for Stripe.js, when one is configured. */
  stripeOrigin?: string | undefined;
  /** The text of the page's style element, where it has one instead of a link. */
  inlineStyle?: string | undefined;
  /** Path of the site where browsers report what the policy stopped. */
  reportsTo: string;
}

const REPORTING_GROUP = "csp";

/** Of redirects, data and lines of text: there is nothing that they could load. */
const POLICY_WITHOUT_PAGE = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * The headers that every answer of the Worker carries, whatever its status.
 * @param page of an HTML answer
 * Source: OWASP Secure Headers, MDN HTTP Observatory; Stripe's hosts: https://docs.stripe.com/security/guide#content-security-policy
 */
export async function securityHeaders({
  secure,
  page,
}: {
  secure: boolean;
  page?: PagePolicy | undefined;
}): Promise<Record<string, string>> {
  const payment = page?.hydrates ? '(self "https://js.stripe.com" "https://*.js.stripe.com")' : "()";
  return {
    "Content-Security-Policy": page ? await pagePolicy(page, secure) : POLICY_WITHOUT_PAGE,
    "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": `camera=(), geolocation=(), microphone=(), usb=(), payment=${payment}`,
    // Never `no-referrer`: browsers then send `Origin: null` with a form.
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    ...(page && { "Reporting-Endpoints": `${REPORTING_GROUP}="${page.reportsTo}"` }),
    ...(secure && { "Strict-Transport-Security": "max-age=63072000; includeSubDomains; preload" }),
  };
}

async function pagePolicy(page: PagePolicy, secure: boolean): Promise<string> {
  const { origin, hydrates, nonce, stripeOrigin, inlineStyle, reportsTo } = page;
  const standIn = stripeOrigin ? [stripeOrigin] : [];
  const scripts = await Promise.all([scrollStateScript, prerenderRules].map(hashOf));
  const directives: Record<string, string[]> = {
    "default-src": ["'none'"],
    "base-uri": ["'none'"],
    "font-src": ["'self'"],
    "form-action": ["'self'"],
    "frame-ancestors": ["'none'"],
    "img-src": ["'self'", "data:"],
    "manifest-src": ["'self'"],
    "script-src": [...scripts, origin + legacyScrollState.src],
    "style-src": [inlineStyle === undefined ? "'self'" : await hashOf(inlineStyle)],
  };
  if (hydrates) {
    directives["script-src"] = [
      ...scripts,
      "'self'",
      `'nonce-${nonce}'`,
      "https://js.stripe.com",
      "https://*.js.stripe.com",
      ...standIn,
    ];
    directives["connect-src"] = ["'self'", "https://api.stripe.com", ...standIn];
    directives["frame-src"] = [
      "https://js.stripe.com",
      "https://*.js.stripe.com",
      "https://hooks.stripe.com",
      ...standIn,
    ];
    // Stripe.js sets style attributes on the element that holds its frame.
    directives["style-src-attr"] = ["'unsafe-inline'"];
  }
  if (secure) directives["upgrade-insecure-requests"] = [];
  // Browsers that know the second one ignore the first.
  directives["report-uri"] = [reportsTo];
  directives["report-to"] = [REPORTING_GROUP];
  return Object.entries(directives)
    .map(([name, sources]) => [name, ...sources].join(" "))
    .join("; ");
}

/** Of the inline scripts and stylesheets, which are the same for a whole release. */
const hashes = new Map<string, string>();

async function hashOf(text: string): Promise<string> {
  const known = hashes.get(text);
  if (known !== undefined) return known;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const hash = `'sha256-${uint8ArrayToBase64(new Uint8Array(digest))}'`;
  hashes.set(text, hash);
  return hash;
}
