import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startBrokenSite } from "../support/broken-site/start";
import { observatoryScore } from "../support/observatory";
import { asDeployment, ask, ORIGIN, type SecureAnswer, startSecureSite } from "../support/secure-site";
import { fields } from "../support/site-visitor";
import { type RunningWorker, startSite } from "../support/workers";

/* threats.md, section E: the headers on every status, from the Worker and for files. */

// The scanner downloads the browsers' preload list when it is installed, which is not done here. All of `.dev` is on it.
vi.mock("@mdn/mdn-http-observatory/src/analyzer/hsts.js", () => ({
  isHstsPreloaded: (host: string) => (host.endsWith(".dev") ? { mode: "force-https", includeSubDomains: true } : null),
}));

const form = new URLSearchParams(fields).toString();
const pages = ["/", "/pricing", "/privacy", "/terms", "/subscription", `/subscription/${fields.package_id}`];

let site: RunningWorker;
let limited: RunningWorker;
let throwing: RunningWorker;
let misconfigured: RunningWorker;
let upstream: () => Response | Promise<Response>;

beforeAll(async () => {
  const answers = () => upstream();
  const deployment = asDeployment(answers);
  [site, limited, throwing, misconfigured] = await Promise.all([
    startSecureSite(answers),
    startSite({
      ...deployment,
      miniflare: { ...deployment.miniflare, ratelimits: limits(1) },
      rateLimits: "as configured",
    }),
    startBrokenSite("throwing-routes", deployment),
    startSite({ ...deployment, vars: { ...deployment.vars, SALES_EMAIL: undefined } }),
  ]);
});

afterAll(() => Promise.all([site, limited, throwing, misconfigured].map((worker) => worker.dispose())));

function limits(limit: number) {
  const simple = { limit, period: 60 };
  return { SIGNUP_RATE_LIMIT: { simple }, CSP_REPORT_RATE_LIMIT: { simple } };
}

function post(worker: RunningWorker, body = form, headers = {}, path = "/subscription") {
  return ask(worker, path, { method: "POST", body, headers });
}

function postTo(answer: typeof upstream) {
  upstream = answer;
  return post(site);
}

const json = (status: number, body: unknown) => () => Response.json(body, { status });

/** Long after the site's deadline. */
const tooLate = () => new Promise<Response>((resolve) => setTimeout(() => resolve(Response.json({})), 1500));

async function cardStep(): Promise<SecureAnswer> {
  const accepted = await postTo(json(200, { client_secret: "seti_1_secret_2" }));
  const cookie = (accepted.headers.get("Set-Cookie") ?? "").split(";")[0] ?? "";
  return ask(site, "/subscription", { headers: { Cookie: cookie } });
}

/** Once the one form that may come has come; a new minute can begin in between. */
async function oneTooMany(): Promise<SecureAnswer> {
  upstream = json(500, {});
  await post(limited);
  const second = await post(limited);
  return second.status === 429 ? second : post(limited);
}

/**
 * What the scanner gives at most (https://developer.mozilla.org/observatory/docs/tests_and_scoring) to an answer that
 * has no script and sets no cookie. A script file with an integrity hash and a safe cookie bring 5 more each.
 */
const BEST_WITHOUT_SCRIPT = 135;

/** Every kind of answer that the site gives: status, kind of page, and how to get it. */
const answers: [name: string, status: number, kind: keyof typeof policies, get: () => Promise<SecureAnswer>][] = [
  ...pages
    .map(
      (path) =>
        [`the page ${path}`, 200, path.startsWith("/sub") ? "sign-up" : "marketing", () => ask(site, path)] as const,
    )
    .map(([...answer]): (typeof answers)[number] => answer),
  ["the card step", 200, "sign-up", cardStep],
  ["a page's data", 200, "no page", () => ask(site, "/subscription.data")],
  ["health", 200, "no page", () => ask(site, "/health")],
  ["a report", 204, "no page", () => post(site, "[]", { "Content-Type": "application/reports+json" }, "/csp-reports")],
  ["an accepted form", 303, "no page", () => postTo(json(200, { client_secret: "seti_1_secret_2" }))],
  ["a malformed form", 400, "marketing", () => post(site, "email=a&email=b")],
  ["a foreign form", 403, "marketing", () => post(site, form, { "Sec-Fetch-Site": "cross-site" })],
  ["a foreign form's data", 403, "no page", () => post(site, form, { Origin: "null" }, "/subscription.data")],
  ["an unknown page", 404, "marketing", () => ask(site, "/nope")],
  ["no sane address", 404, "marketing", () => ask(site, "/%00")],
  ["a sign-up that looks like a file", 404, "sign-up", () => ask(site, "/subscription/x.css")],
  ["another method", 405, "marketing", () => ask(site, "/subscription", { method: "PUT" })],
  ["a long form", 413, "marketing", () => post(site, "x".repeat(17_000))],
  ["a long address", 414, "marketing", () => ask(site, `/?${"x".repeat(9000)}`)],
  ["another type", 415, "marketing", () => post(site, "{}", { "Content-Type": "application/json" })],
  ["a wrong form", 422, "sign-up", () => post(site, "email=nobody")],
  ["one form too many", 429, "sign-up", oneTooMany],
  ["a marketing page that throws", 500, "marketing", () => ask(throwing, "/pricing")],
  ["a sign-up that throws", 500, "sign-up", () => ask(throwing, "/subscription")],
  ["a form whose action throws", 500, "marketing", () => post(throwing)],
  ["the data of a sign-up that throws", 500, "no page", () => ask(throwing, "/subscription.data")],
  ["an unreadable answer of the API", 502, "sign-up", () => postTo(json(200, []))],
  ["bad settings", 503, "marketing", () => ask(misconfigured, "/")],
  ["health with bad settings", 503, "no page", () => ask(misconfigured, "/health")],
  ["an API that is unavailable", 503, "sign-up", () => postTo(json(503, {}))],
  ["an API that does not answer", 504, "sign-up", () => postTo(tooLate)],
];

const REPORTING = "; upgrade-insecure-requests; report-uri /csp-reports; report-to csp";
const policies = {
  "no page": /^default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  marketing: new RegExp(
    `^default-src 'none'; base-uri 'none'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; img-src 'self' data:; manifest-src 'self'; script-src( 'sha256-[\\w+/]{43}=')+ ${ORIGIN}/legacy.js; style-src [^;]+${REPORTING}$`,
  ),
  "sign-up": new RegExp(
    `^default-src 'none'; base-uri 'none'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; img-src 'self' data:; manifest-src 'self'; script-src( 'sha256-[\\w+/]{43}=')+ 'self' 'nonce-[\\w-]{36}' https://js.stripe.com https://\\*.js.stripe.com; style-src [^;]+; connect-src 'self' https://api.stripe.com; frame-src https://js.stripe.com https://\\*.js.stripe.com https://hooks.stripe.com; style-src-attr 'unsafe-inline'${REPORTING}$`,
  ),
};

describe("E. the Worker's answers", () => {
  test.each(answers)("E: %s (%i, %s) has every security header", async (_, status, kind, get) => {
    const { status: given, headers } = await get();
    expect(given).toBe(status);
    const policy = headers.get("Content-Security-Policy") ?? "";
    expect(policy).toMatch(policies[kind]);
    expect(policy).not.toMatch(/script-src[^;]*'unsafe|default-src[^;]*unsafe|style-src [^;]*'unsafe/);
    expect(headers.get("Cross-Origin-Opener-Policy")).toBe("same-origin-allow-popups");
    expect(headers.get("Cross-Origin-Resource-Policy")).toBe("same-origin");
    expect(headers.get("Permissions-Policy")).toBe(
      `camera=(), geolocation=(), microphone=(), usb=(), payment=${
        kind === "sign-up" ? '(self "https://js.stripe.com" "https://*.js.stripe.com")' : "()"
      }`,
    );
    expect(headers.get("Referrer-Policy")).toBe("strict-origin-when-cross-origin");
    expect(headers.get("Reporting-Endpoints")).toBe(kind === "no page" ? null : 'csp="/csp-reports"');
    expect(headers.get("Strict-Transport-Security")).toBe("max-age=63072000; includeSubDomains; preload");
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(headers.get("X-Frame-Options")).toBe("DENY");
    expect(headers.get("X-Request-Id")).toMatch(/^[\w-]{1,64}$/);
    for (const name of ["Access-Control-Allow-Origin", "Server", "X-Powered-By"]) expect(headers.has(name)).toBe(false);
  });

  test.each(answers)("E: MDN's Observatory gives %s (%i, %s) the most it can", async (name, status, _, get) => {
    const page = await get();
    expect(page.status).toBe(status);
    const insecure = await ask(site, "http://www.citewell.dev/");
    const preflight = await ask(site, "/", {
      method: "OPTIONS",
      headers: { Origin: "https://evil.test", "Access-Control-Request-Method": "GET" },
    });
    const { score, results } = await observatoryScore(new URL(ORIGIN), { page, insecure, preflight });
    console.log(`${String(score).padStart(4)}  ${name} (${status})`);
    expect(results).toMatchObject({
      "csp-implemented-with-no-unsafe-default-src-none": 10,
      "corp-implemented-with-same-origin": 10,
      "referrer-policy-private": 5,
      "x-frame-options-implemented-via-csp": 5,
    });
    expect(Object.values(results).filter((modifier) => modifier < 0)).toEqual([]);
    const hasScript = page.body.includes("integrity=");
    const setsCookie = page.headers.has("Set-Cookie");
    expect(score).toBe(BEST_WITHOUT_SCRIPT + (hasScript ? 5 : 0) + (setsCookie ? 5 : 0));
    // Every page that Remix renders; the rest are data, redirects, and the lines for when nothing can be rendered.
    if (page.body.includes("</main>")) expect(score).toBeGreaterThanOrEqual(140);
  });

  test("E: no HSTS without TLS, and the same address with it is where the visitor is sent", async () => {
    for (const path of ["/", "/pricing?x=1", "/subscription.data", "//evil.test", "/csp-reports"]) {
      const answer = await ask(site, `http://www.citewell.dev${path}`);
      expect(answer.status).toBe(301);
      expect(answer.headers.get("Location")).toBe(`https://www.citewell.dev${path}`);
      expect(answer.headers.has("Strict-Transport-Security")).toBe(false);
    }
    const sent = await ask(site, "http://www.citewell.dev/subscription", {
      method: "POST",
      headers: { Origin: "http://www.citewell.dev" },
      body: form,
    });
    expect([sent.status, sent.headers.get("Location")]).toEqual([303, "https://www.citewell.dev/subscription"]);
  });

  test("E: each answer of the sign-up has a nonce of its own, and its inline scripts carry it", async () => {
    const [first, second] = await Promise.all([ask(site, "/subscription"), ask(site, "/subscription")]);
    const nonces = [first, second].map(
      ({ headers }) => /'nonce-([^']+)'/.exec(headers.get("Content-Security-Policy") ?? "")?.[1],
    );
    expect(nonces[0]).not.toBe(nonces[1]);
  });

  test("E: every inline script carries the answer's nonce, or stands in the policy by its hash", async () => {
    for (const path of [...pages, "/nope"]) {
      const { headers, body } = await ask(site, path);
      const policy = headers.get("Content-Security-Policy") ?? "";
      const scripts = [...body.matchAll(/<script([^>]*)>(.*?)<\/script>/gs)];
      expect(scripts.length).toBeGreaterThan(0);
      for (const [, attributes = "", content = ""] of scripts) {
        if (attributes.includes(" src=")) continue;
        if (attributes.includes("application/ld+json")) continue;
        const nonce = /nonce="([^"]+)"/.exec(attributes)?.[1];
        const hash = createHash("sha256").update(content).digest("base64");
        expect(policy).toContain(nonce === undefined ? `'sha256-${hash}'` : `'nonce-${nonce}'`);
      }
    }
  });

  test("E: the sign-up is entered with a full document load: no page links to it through the client's router", async () => {
    for (const path of pages) {
      const html = (await ask(site, path)).body;
      expect(html).not.toMatch(/<a [^>]*data-discover/);
    }
  });
});

describe("E. files", () => {
  async function files(): Promise<string[]> {
    const html = (await ask(site, "/subscription")).body;
    return [...new Set(html.match(/\/build\/[\w./()$-]+\.(?:js|css)/g) ?? [])];
  }

  test("E: hashed files are immutable, sniffed by nobody and for this origin only", async () => {
    const paths = await files();
    expect(paths.length).toBeGreaterThan(5);
    for (const path of paths) {
      const { status, headers } = await ask(site, path);
      expect([path, status]).toEqual([path, 200]);
      expect(headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
      expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(headers.get("Cross-Origin-Resource-Policy")).toBe("same-origin");
    }
  });

  test("E: other files are asked for again, and a drawing opened by itself runs nothing", async () => {
    const { headers } = await ask(site, "/favicon.svg");
    expect(headers.get("Cache-Control")).toBe("public, max-age=0, must-revalidate");
    expect(headers.get("Content-Security-Policy")).toMatch(/^default-src 'none'.*sandbox/);
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(headers.get("Cross-Origin-Resource-Policy")).toBe("same-origin");
  });

  test("E: a file that is not there is a 404 that nobody keeps; the rules themselves are no file", async () => {
    for (const path of ["/build/gone-ABCDEFGH.js", "/_headers", "/build/", "/favicon.svg/"]) {
      const { status, headers } = await ask(site, path);
      expect([path, status]).toEqual([path, 404]);
      expect(headers.get("Cache-Control")).toBe("no-store");
    }
  });
});
