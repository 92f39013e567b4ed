import { prerenderRules } from "../ui/prerender";
import { scrollStateScript } from "../ui/scroll-state";

export interface PolicyOptions {
  /** Sign-up pages hydrate and talk to Stripe; all others run one inline script under its hash. */
  hydrates: boolean;
  /** The nonce of this answer's inline scripts; used by pages that hydrate. */
  nonce: string;
  /** Origin of the script that stands in for Stripe.js, when one is configured. */
  stripeOrigin?: string | undefined;
  secure: boolean;
}

/**
 * The headers that every rendered answer carries, whatever its status.
 * Source: OWASP Secure Headers, MDN HTTP Observatory; Stripe's hosts: https://docs.stripe.com/security/guide#content-security-policy
 */
export async function securityHeaders(options: PolicyOptions): Promise<Record<string, string>> {
  const payment = options.hydrates ? '(self "https://js.stripe.com" "https://*.js.stripe.com")' : "()";
  return {
    "Content-Security-Policy": await contentSecurityPolicy(options),
    "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": `camera=(), geolocation=(), microphone=(), usb=(), payment=${payment}`,
    // Never `no-referrer`: browsers then send `Origin: null` with a form.
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    ...(options.secure && { "Strict-Transport-Security": "max-age=63072000; includeSubDomains; preload" }),
  };
}

async function contentSecurityPolicy({ hydrates, nonce, stripeOrigin = "", secure }: PolicyOptions): Promise<string> {
  const scripts = await Promise.all([scrollStateScript, prerenderRules].map(hashOf));
  const directives: Record<string, string[]> = {
    "default-src": ["'none'"],
    "base-uri": ["'none'"],
    "connect-src": [],
    "font-src": ["'self'"],
    "form-action": ["'self'"],
    "frame-ancestors": ["'none'"],
    "img-src": ["'self'", "data:"],
    "manifest-src": ["'self'"],
    "script-src": scripts,
    "style-src": ["'self'"],
  };
  if (hydrates) {
    directives["script-src"] = [
      ...scripts,
      "'self'",
      `'nonce-${nonce}'`,
      "https://js.stripe.com",
      "https://*.js.stripe.com",
      stripeOrigin,
    ];
    directives["connect-src"] = ["'self'", "https://api.stripe.com", stripeOrigin];
    directives["frame-src"] = [
      "https://js.stripe.com",
      "https://*.js.stripe.com",
      "https://hooks.stripe.com",
      stripeOrigin,
    ];
    // Stripe.js sets style attributes on the element that holds its frame.
    directives["style-src-attr"] = ["'unsafe-inline'"];
  }
  if (secure) directives["upgrade-insecure-requests"] = [];
  return Object.entries(directives)
    .filter(([name, sources]) => sources.length > 0 || name === "upgrade-insecure-requests")
    .map(([name, sources]) => [name, ...sources].join(" ").trimEnd())
    .join("; ");
}

const hashes = new Map<string, Promise<string>>();

function hashOf(script: string): Promise<string> {
  const known = hashes.get(script);
  if (known) return known;
  const hash = crypto.subtle
    .digest("SHA-256", new TextEncoder().encode(script))
    .then((digest) => `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`);
  hashes.set(script, hash);
  return hash;
}
