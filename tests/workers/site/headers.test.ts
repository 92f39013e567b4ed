import { afterAll, describe, expect, test } from "vitest";
import { fields } from "../../support/person";
import { type Answer, siteVisitor } from "../../support/visitors/site-visitor";
import { ORIGIN } from "../../support/workers/workers";
import { OVER_LIMIT, startDeployedSite, THROWING } from "./deployed-site";

/* Threat E: the security headers of every kind of answer that the Worker gives. */

const PLAN = `/subscription/${fields.package_id}`;
const PAGES = ["/", "/pricing", "/privacy", "/terms", "/security"];

const workers = await Promise.all([
  startDeployedSite(),
  startDeployedSite({ wrapper: OVER_LIMIT }),
  startDeployedSite({ wrapper: THROWING }),
  startDeployedSite({ vars: { CUSTOMER_PORTAL_URL: undefined } }),
]);
afterAll(() => Promise.all(workers.map((worker) => worker.dispose())));
const [site, withLimit, withFault, withoutPortal] = workers;
const visitor = siteVisitor(site, ORIGIN);
const limited = siteVisitor(withLimit, ORIGIN);
const throwing = siteVisitor(withFault, ORIGIN);
const misconfigured = siteVisitor(withoutPortal, ORIGIN);

type Row = { what: string; status: number; get: () => Promise<Answer> };

/** Marketing pages: no script but the inline ones, whose hashes the policy has. */
const marketing: Row[] = [
  ...PAGES.map((path) => ({ what: `the page ${path}`, status: 200, get: () => visitor.get(path) })),
  { what: "an unchanged page", status: 304, get: () => visitor.get("/pricing", { "If-None-Match": "*" }) },
];

/** Refusals have the policy of marketing pages, but no cache stores them. */
const refusals: Row[] = [
  { what: "a malformed query", status: 400, get: () => visitor.get("/subscription?_data=root") },
  { what: "a foreign form", status: 403, get: () => visitor.submit({}, { "Sec-Fetch-Site": "cross-site" }) },
  { what: "an unknown page", status: 404, get: () => visitor.get("/nope") },
  { what: "another method", status: 405, get: () => visitor.send("PUT", "/subscription") },
  {
    what: "another site's preflight",
    status: 405,
    get: () => visitor.send("OPTIONS", "/", { Origin: "https://evil.test" }),
  },
  { what: "a long URL", status: 414, get: () => visitor.get(`/subscription?${"x".repeat(9000)}`) },
  { what: "another type", status: 415, get: () => visitor.post("{}", { "Content-Type": "application/json" }) },
];

/** Forms from the cache, whose inline scripts have hashes. */
const cachedForms: Row[] = ["/subscription", PLAN].map((path) => {
  return { what: `the form ${path}`, status: 200, get: () => visitor.get(path) };
});

/** Pages of the sign-up that are rendered for one visitor, with a nonce. */
const signUpPages: Row[] = [
  { what: "a form with a query", status: 200, get: () => visitor.get("/subscription?x") },
  {
    what: "a form that clears a broken cookie",
    status: 200,
    get: () => visitor.get(PLAN, { Cookie: "__Host-signup=x" }),
  },
  { what: "a malformed form", status: 400, get: () => visitor.post("email=a&email=b") },
  { what: "a long form", status: 413, get: () => visitor.post("x".repeat(17_000)) },
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
  {
    what: "an unknown page in Markdown",
    status: 404,
    get: () => visitor.get("/nope", { Accept: "text/markdown" }),
  },
  { what: "a marketing page that throws", status: 500, get: () => throwing.get("/pricing") },
  { what: "bad settings", status: 503, get: () => misconfigured.get("/") },
  { what: "health with bad settings", status: 503, get: () => misconfigured.get("/health") },
];
const all = [...marketing, ...refusals, ...cachedForms, ...signUpPages, ...files, ...others];

const answers = new Map<Row, Promise<Answer>>();
/** A row's answer, which is asked for once. */
function answerTo(row: Row): Promise<Answer> {
  const answer = answers.get(row) ?? row.get();
  answers.set(row, answer);
  return answer;
}

test.each(all)(
  "$what ($status) stays on https, is not sniffed, framed or opened by other sites, and has a request ID",
  async (row) => {
    const answer = await answerTo(row);
    expect(answer).toHaveStatus(row.status);
    expect(answer).toHaveHeaders({
      "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
      "Cross-Origin-Resource-Policy": "same-origin",
      "Referrer-Policy": "strict-origin-when-cross-origin",
      "Strict-Transport-Security": "max-age=63072000; includeSubDomains",
      "X-Content-Type-Options": "nosniff",
      "X-Frame-Options": "DENY",
      "X-Request-ID": /^[\w-]{1,64}$/,
    });
  },
);

test.each(all)("$what ($status) names neither the server nor another origin", async (row) => {
  const answer = await answerTo(row);
  for (const name of ["Access-Control-Allow-Origin", "Server", "X-Powered-By"]) expect(answer).not.toHaveHeader(name);
});

test.each(all)("$what ($status) sets only cookies of this host that no script can read", async (row) => {
  for (const cookie of (await answerTo(row)).headers.getSetCookie()) {
    expect(cookie).toMatch(/^__Host-/);
    expect(cookie.split("; ")).toEqual(expect.arrayContaining(["Secure", "HttpOnly", "SameSite=Lax", "Path=/"]));
  }
});

test.each([...marketing, ...files])("$what ($status) may be stored, and is revalidated each time", async (row) => {
  expect(await answerTo(row)).toHaveHeader("Cache-Control", "public, max-age=0, must-revalidate");
});

test.each([...refusals, ...cachedForms, ...signUpPages, ...others])("$what ($status) is not stored", async (row) => {
  expect(await answerTo(row)).toHaveHeader("Cache-Control", "no-store");
});

describe("the permissions policy", () => {
  const NOTHING = "camera=(), geolocation=(), microphone=(), usb=()";

  test.each([...cachedForms, ...signUpPages])("lets Stripe pay on $what ($status)", async (row) => {
    const payment = 'payment=(self "https://js.stripe.com" "https://*.js.stripe.com")';
    expect(await answerTo(row)).toHaveHeader("Permissions-Policy", `${NOTHING}, ${payment}`);
  });

  test.each([...marketing, ...refusals, ...files, ...others])("allows nothing on $what ($status)", async (row) => {
    expect(await answerTo(row)).toHaveHeader("Permissions-Policy", `${NOTHING}, payment=()`);
  });
});

describe("the content security policy", () => {
  /** The sources of each directive, with HASHES and NONCE in place of their values. */
  async function policyOf(row: Row): Promise<Record<string, string>> {
    const header = (await answerTo(row)).headers.get("Content-Security-Policy") ?? "";
    const named = header.replace(/( 'sha256-[\w+/]{43}=')+/g, " HASHES").replace(/ 'nonce-[\w-]{22}'/g, " NONCE");
    return Object.fromEntries(named.split("; ").map((directive) => directive.split(/ (.*)/)));
  }

  const OWN_PAGES = {
    "default-src": "'none'",
    "base-uri": "'none'",
    "font-src": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
    "img-src": "'self' data:",
    "manifest-src": "'self'",
    "upgrade-insecure-requests": undefined,
  };
  const STRIPE = "https://js.stripe.com https://*.js.stripe.com";
  const withStripe = (inline: "HASHES" | "NONCE") => ({
    ...OWN_PAGES,
    "connect-src": "'self' https://api.stripe.com",
    "script-src": `${inline} 'self' ${STRIPE}`,
    "style-src": `'self' ${inline}`,
    "style-src-attr": "'unsafe-inline'",
    "frame-src": `${STRIPE} https://hooks.stripe.com`,
  });

  test.each([...marketing, ...refusals])("allows $what ($status) its own inline scripts and styles", async (row) => {
    expect(await policyOf(row)).toEqual({
      ...OWN_PAGES,
      "connect-src": "'self'",
      "script-src": "HASHES",
      "style-src": "'self' HASHES",
    });
  });

  test.each(cachedForms)("allows $what Stripe, and inline scripts by hash", async (row) => {
    expect(await policyOf(row)).toEqual(withStripe("HASHES"));
  });

  test.each(signUpPages)("allows $what ($status) Stripe, and inline scripts by nonce", async (row) => {
    expect(await policyOf(row)).toEqual(withStripe("NONCE"));
  });

  test.each([...files, ...others])("allows $what ($status) nothing", async (row) => {
    expect(await policyOf(row)).toEqual({
      "default-src": "'none'",
      "base-uri": "'none'",
      "form-action": "'none'",
      "frame-ancestors": "'none'",
    });
  });
});
