import { afterAll, expect, test } from "vitest";
import { fields } from "../../support/person";
import { type Answer, siteVisitor } from "../../support/visitors/site-visitor";
import { DEPLOYED, ORIGIN, startSite } from "../../support/workers/workers";

/* Threat E: the headers of every kind of answer, of the Worker and of files; and pages from its memory. */

const PLAN = `/subscription/${fields.package_id}`;
const pages = ["/", "/pricing", "/privacy", "/terms", "/security"];
const forms = ["/subscription", PLAN];

const wrapper = (change: string) => ({
  script: `import site from "./worker.js"; ${change}
    export default { fetch: (request, env, context) => site.fetch(request, { ...env, ...changed }, context) };`,
});
const LIMITED = "const changed = { SIGNUP_RATE_LIMIT: { limit: async () => ({ success: false }) } };";
/** The form's idempotency key is signed, and a public page's hash taken. */
const FAILING = `const changed = {};
  for (const name of ["sign", "digest"]) crypto.subtle[name] = () => { throw new Error("words-of-the-error"); };`;

/** The API behind it is unavailable. */
function startDeployedSite({ vars, ...rest }: Parameters<typeof startSite>[0] = {}) {
  const local = { DEADLINE_FACTOR: undefined, STRIPE_JS_URL: undefined, STRIPE_API_URL: undefined };
  const api = { SUBSCRIPTION_API_URL: "https://api.site.example", SUBSCRIPTION_API_TIMEOUT_MS: "5000" };
  const miniflare = { outboundService: () => Response.json({}, { status: 503 }) };
  return startSite({ vars: { ...DEPLOYED, ...api, ...local, ...vars }, miniflare, ...rest });
}
const workers = await Promise.all([
  startDeployedSite(),
  startDeployedSite({ wrapper: wrapper(LIMITED) }),
  startDeployedSite({ wrapper: wrapper(FAILING) }),
  startDeployedSite({ vars: { CUSTOMER_PORTAL_URL: undefined } }),
]);
afterAll(() => Promise.all(workers.map((worker) => worker.dispose())));
const [site, withLimit, withFault, withoutPortal] = workers;
const visitor = siteVisitor(site, ORIGIN);
const limited = siteVisitor(withLimit, ORIGIN);
const throwing = siteVisitor(withFault, ORIGIN);
const misconfigured = siteVisitor(withoutPortal, ORIGIN);

type Kind = keyof typeof policies;
type Given = [name: string, status: number, kind: Kind, get: () => Promise<Answer>];

/** Every kind of answer that the site gives. */
const answers: Given[] = [
  ...pages.map((path): Given => [`the page ${path}`, 200, "marketing", () => visitor.get(path)]),
  ...forms.map((path): Given => [`the page ${path}`, 200, "cached form", () => visitor.get(path)]),
  ["a form with a query", 200, "sign-up", () => visitor.get("/subscription?x")],
  ["a form that clears a broken cookie", 200, "sign-up", () => visitor.get(PLAN, { Cookie: "__Host-signup=x" })],
  ["a page's data", 200, "no page", () => visitor.get("/subscription.data")],
  ["a page in Markdown", 200, "no page", () => visitor.get("/pricing.md")],
  ["a file", 200, "no page", () => visitor.get("/robots.txt")],
  ["an unchanged page", 304, "marketing", () => visitor.get("/pricing", { "If-None-Match": "*" })],
  ["health", 200, "no page", () => visitor.get("/health")],
  ["http", 301, "no page", () => siteVisitor(site, ORIGIN.replace("https:", "http:")).get("/pricing?x=1")],
  ["starting over", 303, "no page", () => visitor.post("intent=start-over")],
  ["another spelling", 308, "no page", () => visitor.get("/PRICING/")],
  ["a malformed form", 400, "sign-up", () => visitor.post("email=a&email=b")],
  ["a malformed query", 400, "marketing", () => visitor.get("/subscription?_data=root")],
  ["a foreign form", 403, "marketing", () => visitor.submit({}, { "Sec-Fetch-Site": "cross-site" })],
  ["an unknown page", 404, "marketing", () => visitor.get("/nope")],
  ["an unknown page in Markdown", 404, "no page", () => visitor.get("/nope", { Accept: "text/markdown" })],
  ["another method", 405, "marketing", () => visitor.send("PUT", "/subscription")],
  ["another site's preflight", 405, "marketing", () => visitor.send("OPTIONS", "/", { Origin: "https://evil.test" })],
  ["a long form", 413, "sign-up", () => visitor.post("x".repeat(17_000))],
  ["a long URL", 414, "marketing", () => visitor.get(`/subscription?${"x".repeat(9000)}`)],
  ["another type", 415, "marketing", () => visitor.post("{}", { "Content-Type": "application/json" })],
  ["a wrong form", 422, "sign-up", () => visitor.post("email=nobody")],
  ["one form too many", 429, "sign-up", () => limited.submit()],
  ["a marketing page that throws", 500, "no page", () => throwing.get("/pricing")],
  ["a form whose action throws", 500, "sign-up", () => throwing.submit()],
  ["bad settings", 503, "no page", () => misconfigured.get("/")],
  ["health with bad settings", 503, "no page", () => misconfigured.get("/health")],
  ["an API that is unavailable", 503, "sign-up", () => visitor.submit()],
];

const HASHES = "( 'sha256-[\\w+/]{43}=')+";
const NONCE = " 'nonce-[\\w-]{22}'";
const SELF = "base-uri 'none'; connect-src 'self'";
const REST = "font-src 'self'; form-action 'self'; frame-ancestors 'none'; img-src 'self' data:; manifest-src 'self'";
const STRIPE = "https://js\\.stripe\\.com https://\\*\\.js\\.stripe\\.com";
const marketing = new RegExp(
  `^default-src 'none'; ${SELF}; ${REST}; script-src${HASHES}; style-src 'self'${HASHES}; upgrade-insecure-requests$`,
);
const signup = (inline: string) =>
  new RegExp(
    `^default-src 'none'; ${SELF} https://api\\.stripe\\.com; ${REST}; script-src${inline} 'self' ${STRIPE}; style-src 'self'${inline}; frame-src ${STRIPE} https://hooks\\.stripe\\.com; style-src-attr 'unsafe-inline'; upgrade-insecure-requests$`,
  );
const policies = {
  "no page": /^default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  marketing,
  "cached form": signup(HASHES),
  "sign-up": signup(NONCE),
};

test.each(answers)(
  "%s (%i) has every security header, and only what is public is stored",
  async (name, status, kind, get) => {
    const { headers, ...answer } = await get();
    expect(answer.status).toBe(status);
    const isPublic = (status === 200 && kind === "marketing") || status === 304 || /Markdown|file/.test(name);
    const cacheControl = isPublic && status < 400 ? "public, max-age=0, must-revalidate" : "no-store";
    const payment = /form|sign-up/.test(kind) ? '(self "https://js.stripe.com" "https://*.js.stripe.com")' : "()";
    expect(headers.get("Content-Security-Policy")).toMatch(policies[kind]);
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": cacheControl,
      "cross-origin-opener-policy": "same-origin-allow-popups",
      "cross-origin-resource-policy": "same-origin",
      "permissions-policy": `camera=(), geolocation=(), microphone=(), usb=(), payment=${payment}`,
      "referrer-policy": "strict-origin-when-cross-origin",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "x-request-id": expect.stringMatching(/^[\w-]{1,64}$/),
    });
    const hsts = name === "http" ? null : "max-age=63072000; includeSubDomains";
    expect(headers.get("Strict-Transport-Security")).toBe(hsts);
    for (const absent of ["Access-Control-Allow-Origin", "Server", "X-Powered-By"])
      expect(headers.has(absent)).toBe(false);
    for (const cookie of headers.getSetCookie()) {
      expect(cookie).toMatch(/^__Host-/);
      expect(cookie.split("; ")).toEqual(expect.arrayContaining(["Secure", "HttpOnly", "SameSite=Lax", "Path=/"]));
    }
  },
);

test("an error gives a page with the request ID, and no stack; nobody sees its message", async () => {
  const ray = { "CF-Ray": "id-of-this-request" };
  const [page, data] = [await throwing.submit({}, ray), await throwing.submit({}, ray, "/subscription.data")];
  for (const words of ["Unexpected Application Error", "id-of-this-request"]) expect(page.text).toContain(words);
  const logged = () => JSON.stringify(withFault.logs);
  await expect.poll(logged).toContain('"error":"Error"');
  expect(page.body + data.body + logged()).not.toMatch(/words-of-the-error|S3ntinel/);
  expect(page.body + data.body).not.toMatch(/\.js:\d|\bat \w+ \(/);
});

test("a file is not sniffed, for this origin only, and immutable if its name has a hash", async () => {
  const paths = new Set((await visitor.get("/subscription")).body.match(/\/build\/[\w./()$-]+\.js/g));
  expect(paths.size).toBeGreaterThan(3);
  for (const path of paths)
    expect(Object.fromEntries((await visitor.get(path)).headers), path).toMatchObject({
      "cache-control": "public, max-age=31536000, immutable",
      "content-type": "text/javascript; charset=utf-8",
      "cross-origin-resource-policy": "same-origin",
      "strict-transport-security": "max-age=63072000; includeSubDomains",
      "x-content-type-options": "nosniff",
    });
  // An SVG that is opened directly runs nothing.
  expect(Object.fromEntries((await visitor.get("/favicon.svg")).headers)).toMatchObject({
    "cache-control": "public, max-age=0, must-revalidate",
    "content-security-policy": expect.stringMatching(/^default-src 'none'.*sandbox/),
    "content-type": "image/svg+xml; charset=utf-8",
    "cross-origin-resource-policy": "same-origin",
  });
});

test.each([
  ...["/build/gone-ABCDEFGH.js", "/_headers", "/build/", "/favicon.svg/"],
  ...["/.git/HEAD", "/.env", "/.dev.vars", "/wrangler.toml", "/package.json"],
])("the file %s does not exist, which no cache stores", async (path) => {
  const { status, headers } = await visitor.get(path);
  expect([status, headers.get("Cache-Control")]).toEqual([404, "no-store"]);
});

const MARKDOWN = { Accept: "text/markdown" };
const shown = ({ status, headers, body }: Answer) => {
  const own = /^(x-request-id|date|set-cookie)$/;
  return [status, [...headers].filter(([name]) => !own.test(name)), body];
};

test.each([
  ...["/", "/pricing", "/privacy", "/terms", "/security", "/subscription", `/subscription/${fields.package_id}`],
  ...["/nothing", "/pricing.md", "/robots.txt", "/sitemap.xml", "/llms.txt", "/.well-known/security.txt"],
])("the second answer to %s equals the first, also in Markdown, and is not rendered again", async (path) => {
  for (const headers of [{}, MARKDOWN]) {
    const first = await visitor.get(path, headers);
    const second = await visitor.get(path, { ...headers, Cookie: "other=1", "User-Agent": "another" });
    expect(shown(second)).toEqual(shown(first));
    const id = second.headers.get("X-Request-Id");
    const linesOfSecond = () => site.logs.filter(({ request_id }) => request_id === id).map(({ event }) => event);
    await expect.poll(linesOfSecond).toContain("request");
    expect(linesOfSecond()).toEqual(["request"]);
  }
});

test("a page is revalidated by its ETag, in each format by its own", async () => {
  const etag = (await visitor.get("/pricing")).headers.get("ETag") ?? "";
  const formats = [{}, MARKDOWN].map((headers) => visitor.get("/pricing", { ...headers, "If-None-Match": etag }));
  expect((await Promise.all(formats)).map(({ status }) => status)).toEqual([304, 200]);
});
