import { afterAll, expect, test } from "vitest";
import { signUpPath } from "../../../app/contract/sign-up-path";
import { PUBLIC_PATHS } from "../../../app/seo/public-paths";
import { fields } from "../../support/person";
import { type Answer, siteVisitor } from "../../support/visitors/site-visitor";
import { DEPLOYED, ORIGIN, SOON, startSite } from "../../support/workers/workers";

/* Threat E: the headers of every kind of answer that the deployed site gives, of static files, and what an error shows. */

const PLAN = signUpPath(fields.package_id);

/** A visitor of the built site with a deployment's settings, in front of an API that is unavailable. */
async function visitorOf({ vars, ...rest }: Parameters<typeof startSite>[0] = {}) {
  const local = { STRIPE_JS_URL: undefined, STRIPE_API_URL: undefined };
  const api = { SUBSCRIPTION_API_URL: "https://api.site.example", SUBSCRIPTION_API_TIMEOUT_MS: "5000" };
  const miniflare = { outboundService: () => Response.json({}, { status: 503 }) };
  const site = await startSite({ vars: { ...DEPLOYED, ...api, ...local, ...vars }, miniflare, ...rest });
  afterAll(site.dispose);
  return { ...siteVisitor(site, ORIGIN), logs: site.logs };
}

/** @param change a script that sets `changed`, bindings in place of the Worker's */
const wrapper = (change: string) => ({
  script: `import site from "./worker.js"; ${change}
    export default { fetch: (request, env, context) => site.fetch(request, { ...env, ...changed }, context) };`,
});
/** Each form is one too many. */
const OVER_LIMIT = wrapper("const changed = { SIGNUP_RATE_LIMIT: { limit: async () => ({ success: false }) } };");
/** Signing a form's idempotency key throws, and so does hashing a public page. */
const THROWING = wrapper(`const changed = {};
  for (const name of ["sign", "digest"]) crypto.subtle[name] = () => { throw new Error("words-of-the-error"); };`);

const visitor = await visitorOf();
const limited = await visitorOf({ wrapper: OVER_LIMIT });
const throwing = await visitorOf({ wrapper: THROWING });
const misconfigured = await visitorOf({ vars: { SESSION_SECRET: undefined } });

type Row = { what: string; status: number; get: () => Promise<Answer> };

/** No script but the inline ones, whose hashes the policy has. */
const marketing: Row[] = [
  ...PUBLIC_PATHS.map((path) => ({ what: `the page ${path}`, status: 200, get: () => visitor.get(path) })),
  { what: "an unchanged page", status: 304, get: () => visitor.get("/pricing", { "If-None-Match": "*" }) },
];

/** Refusals have the policy of marketing pages, but no cache stores them. */
const refusals: Row[] = [
  { what: "a foreign form", status: 403, get: () => visitor.submit({}, { "Sec-Fetch-Site": "cross-site" }) },
  { what: "an unknown page", status: 404, get: () => visitor.get("/nope") },
  { what: "a preflight", status: 405, get: () => visitor.send("OPTIONS", "/", { Origin: "https://evil.test" }) },
];

/** Their inline scripts have hashes. */
const cachedForms: Row[] = [
  { what: "the form", status: 200, get: () => visitor.get("/subscription") },
  { what: "the form of a plan", status: 200, get: () => visitor.get(PLAN) },
];

/** Pages of the sign-up that are rendered for one visitor, with a nonce. */
const signUpPages: Row[] = [
  { what: "a form with a query", status: 200, get: () => visitor.get("/subscription?x") },
  { what: "a form that clears a cookie", status: 200, get: () => visitor.get(PLAN, { Cookie: "__Host-signup=x" }) },
  { what: "a wrong form", status: 422, get: () => visitor.post("email=nobody") },
  { what: "one form too many", status: 429, get: () => limited.submit() },
  { what: "a form whose action throws", status: 500, get: () => throwing.submit() },
  { what: "an API that is unavailable", status: 503, get: () => visitor.submit() },
];

/** Public files that browsers may keep and revalidate. */
const files: Row[] = [
  { what: "a page in Markdown", status: 200, get: () => visitor.get("/pricing.md") },
  { what: "a file", status: 200, get: () => visitor.get("/robots.txt") },
];

/** Responses other than pages with scripts and public files. */
const others: Row[] = [
  { what: "a page's data", status: 200, get: () => visitor.get("/subscription.data") },
  { what: "one script's form too many", status: 429, get: () => limited.submit({}, {}, "/subscription.data") },
  { what: "health", status: 200, get: () => visitor.get("/health") },
  { what: "starting over", status: 303, get: () => visitor.post("intent=start-over") },
  { what: "another spelling", status: 308, get: () => visitor.get("/PRICING/") },
  { what: "no page in Markdown", status: 404, get: () => visitor.get("/nope", { Accept: "text/markdown" }) },
  { what: "a marketing page that throws", status: 500, get: () => throwing.get("/pricing") },
  { what: "bad settings", status: 503, get: () => misconfigured.get("/") },
];

const REVALIDATED = "public, max-age=0, must-revalidate";
const NO_PAYMENT = "payment=()";
const STRIPE_PAYMENT = 'payment=(self "https://js.stripe.com" "https://*.js.stripe.com")';

const NOTHING = { "default-src": "'none'", "base-uri": "'none'", "frame-ancestors": "'none'" };
const NO_CONTENT = { ...NOTHING, "form-action": "'none'" };
const OWN_CONTENT = {
  ...NOTHING,
  "font-src": "'self'",
  "form-action": "'self'",
  "img-src": "'self' data:",
  "manifest-src": "'self'",
  "upgrade-insecure-requests": undefined,
};
const INLINE_SCRIPTS = {
  ...OWN_CONTENT,
  "connect-src": "'self'",
  "script-src": "HASHES",
  "style-src": "'self' HASHES",
};
const STRIPE = "https://js.stripe.com https://*.js.stripe.com";
const withStripe = (inline: "HASHES" | "NONCE") => ({
  ...OWN_CONTENT,
  "connect-src": "'self' https://api.stripe.com",
  "script-src": `${inline} 'self' ${STRIPE}`,
  "style-src": `'self' ${inline}`,
  "style-src-attr": "'unsafe-inline'",
  "frame-src": `${STRIPE} https://hooks.stripe.com`,
});

const KINDS = [
  { rows: marketing, cache: REVALIDATED, payment: NO_PAYMENT, content: INLINE_SCRIPTS },
  { rows: refusals, cache: "no-store", payment: NO_PAYMENT, content: INLINE_SCRIPTS },
  { rows: cachedForms, cache: "no-store", payment: STRIPE_PAYMENT, content: withStripe("HASHES") },
  { rows: signUpPages, cache: "no-store", payment: STRIPE_PAYMENT, content: withStripe("NONCE") },
  { rows: files, cache: REVALIDATED, payment: NO_PAYMENT, content: NO_CONTENT },
  { rows: others, cache: "no-store", payment: NO_PAYMENT, content: NO_CONTENT },
];

/** The sources of each directive, with HASHES and NONCE in place of their values. */
function contentPolicyOf({ headers }: Answer): Record<string, string> {
  const header = headers.get("Content-Security-Policy") ?? "";
  const named = header.replace(/( 'sha256-[\w+/]{43}=')+/g, " HASHES").replace(/ 'nonce-[\w-]{22}'/g, " NONCE");
  return Object.fromEntries(named.split("; ").map((directive) => directive.split(/ (.*)/)));
}

const ALL = KINDS.flatMap(({ rows, ...kind }) => rows.map((row) => ({ ...row, ...kind })));

test.each(ALL)("$what ($status) has the headers of its kind, and only cookies that no script can read", async (row) => {
  const { status, get, cache, payment, content } = row;
  const answer = await get();
  expect(answer).toHaveStatus(status);
  expect(answer).toHaveHeaders({
    "Cache-Control": cache,
    "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": `camera=(), geolocation=(), microphone=(), usb=(), ${payment}`,
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Strict-Transport-Security": "max-age=63072000; includeSubDomains",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Request-ID": /^[\w-]{1,64}$/,
  });
  expect(contentPolicyOf(answer)).toEqual(content);
  for (const name of ["Access-Control-Allow-Origin", "Server", "X-Powered-By"]) expect(answer).not.toHaveHeader(name);
  for (const cookie of answer.headers.getSetCookie()) {
    expect(cookie).toMatch(/^__Host-/);
    expect(cookie.split("; ")).toEqual(expect.arrayContaining(["Secure", "HttpOnly", "SameSite=Lax", "Path=/"]));
  }
});

test("the scripts that the form names are kept for a year, since their names have a hash, and are for this origin only", async () => {
  const { body } = await visitor.get("/subscription");
  const paths = new Set(body.match(/\/build\/[\w./()$-]+\.js/g));
  expect(paths.size, "scripts found").toBeGreaterThan(3);
  for (const path of paths)
    expect(await visitor.get(path), path).toHaveHeaders({
      "Cache-Control": "public, max-age=31536000, immutable",
      "Content-Type": "text/javascript; charset=utf-8",
      "Cross-Origin-Resource-Policy": "same-origin",
      "Strict-Transport-Security": "max-age=63072000; includeSubDomains",
      "X-Content-Type-Options": "nosniff",
    });
});

test.each([
  { path: "/favicon.svg", type: "image/svg+xml; charset=utf-8" },
  { path: "/favicon.ico", type: "image/vnd.microsoft.icon" },
  { path: "/share/home.png", type: "image/png" },
])("other sites can show the image $path, which is revalidated each time and runs nothing", async ({ path, type }) => {
  expect(await visitor.get(path)).toHaveHeaders({
    "Content-Type": type,
    "Content-Security-Policy": /^default-src 'none'.*sandbox/,
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Cache-Control": "public, max-age=0, must-revalidate",
  });
});

const ABSENT = ["/build/gone-ABCDEFGH.js", "/build/", "/_headers", "/.dev.vars", "/wrangler.toml"];

test.each(ABSENT)("the file %s does not exist, and no cache stores that", async (path) => {
  const answer = await visitor.get(path);
  expect(answer).toHaveStatus(404);
  expect(answer).toHaveHeader("Cache-Control", "no-store");
});

const PAGE = "Unexpected Application Error";
const DATA = "/subscription.data";

test.each([
  { what: "form", shows: PAGE, send: (id: string) => throwing.submit({}, { "CF-Ray": id }) },
  { what: "script", shows: "Server Error", send: (id: string) => throwing.submit({}, { "CF-Ray": id }, DATA) },
  { what: "page", shows: PAGE, send: (id: string) => throwing.get("/pricing", { "CF-Ray": id }) },
])("an error of a $what shows neither its message nor a stack, and is logged by its name alone", async (row) => {
  const id = `error-of-a-${row.what}`;
  const { body, text } = await row.send(id);
  expect(body).not.toMatch(/words-of-the-error|\.js:\d|\bat \w+ \(/);
  expect(text).toContain(row.shows);
  if (row.shows === PAGE) expect(text).toContain(id);
  const lines = () => throwing.logs.filter(({ request_id }) => request_id === id);
  await expect.poll(lines, SOON).toContainEqual(expect.objectContaining({ event: "unexpected", error: "Error" }));
  expect(JSON.stringify(lines())).not.toMatch(/words-of-the-error|S3ntinel/);
});
