import { createHash } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import { type Answer, fields, logged, siteVisitor } from "../../support/visitors/site-visitor";
import { ORIGIN, startDeployedSite } from "../../support/workers/deployed-site";
import { throwingRoutes, WORDS_OF_THE_ERROR } from "./broken-site";

/* The headers of every status, of the Worker's answers and of files. */

const INSECURE_ORIGIN = ORIGIN.replace("https:", "http:");
const pages = [
  "/",
  "/pricing",
  "/privacy",
  "/terms",
  "/security",
  "/subscription",
  `/subscription/${fields.package_id}`,
];

let upstream: () => Response | Promise<Response>;
const answering = () => upstream();
const workers = await Promise.all([
  startDeployedSite(answering, { vars: { SUBSCRIPTION_API_TIMEOUT_MS: "1500" } }),
  startDeployedSite(answering, { rateLimit: 1 }),
  startDeployedSite(answering, await throwingRoutes()),
  startDeployedSite(answering, { vars: { SALES_EMAIL: undefined } }),
]);
afterAll(() => Promise.all(workers.map((worker) => worker.dispose())));
const [site, withLimit, withFault, withoutEmail] = workers;
const visitor = siteVisitor(site, ORIGIN);
const insecure = siteVisitor(site, INSECURE_ORIGIN);
const limited = siteVisitor(withLimit, ORIGIN);
const throwing = siteVisitor(withFault, ORIGIN);
const misconfigured = siteVisitor(withoutEmail, ORIGIN);

function submitTo(answer: typeof upstream): Promise<Answer> {
  upstream = answer;
  return visitor.submit();
}

const json = (status: number, body: unknown) => () => Response.json(body, { status });

/** Long after the site's deadline. */
const tooLate = () => new Promise<Response>((resolve) => setTimeout(() => resolve(Response.json({})), 3000));

async function withSignUp(send: (headers: { Cookie: string }) => Promise<Answer>): Promise<Answer> {
  const { cookie: Cookie } = await submitTo(json(200, { client_secret: "seti_1_secret_2" }));
  return send({ Cookie });
}

/** Once the one form that may come has come; a new minute can begin in between. */
async function oneTooMany(): Promise<Answer> {
  upstream = json(500, {});
  await limited.submit();
  const second = await limited.submit();
  return second.status === 429 ? second : limited.submit();
}

const PREFLIGHT = { Origin: "https://evil.test", "Access-Control-Request-Method": "GET" };

type Kind = keyof typeof policies;

/** Every kind of answer that the site gives: status, kind of page, and how to get it. */
const answers: [name: string, status: number, kind: Kind, get: () => Promise<Answer>][] = [
  ...pages.map((path): (typeof answers)[number] => {
    const kind = path.startsWith("/sub") ? "sign-up" : "marketing";
    return [`the page ${path}`, 200, kind, () => visitor.get(path)];
  }),
  ["the card step", 200, "sign-up", () => withSignUp((own) => visitor.get("/subscription", own))],
  ["its QR code", 200, "no page", () => withSignUp((own) => visitor.get("/resume-code", own))],
  ["starting over", 303, "no page", () => withSignUp((own) => visitor.post("intent=start-over", own))],
  [
    "a form that clears a broken cookie",
    200,
    "sign-up",
    () => visitor.get("/subscription", { Cookie: "__Host-signup=x" }),
  ],
  ["a page's data", 200, "no page", () => visitor.get("/subscription.data")],
  ["health", 200, "no page", () => visitor.get("/health")],
  [
    "a report",
    204,
    "no page",
    () => visitor.post("[]", { "Content-Type": "application/reports+json" }, "/csp-reports"),
  ],
  ["an accepted form", 303, "no page", () => submitTo(json(200, { client_secret: "seti_1_secret_2" }))],
  ["a malformed form", 400, "marketing", () => visitor.post("email=a&email=b")],
  ["a foreign form", 403, "marketing", () => visitor.submit({}, { "Sec-Fetch-Site": "cross-site" })],
  ["a foreign form's data", 403, "no page", () => visitor.submit({}, { Origin: "null" }, "/subscription.data")],
  ["an unknown page", 404, "marketing", () => visitor.get("/nope")],
  ["a path that cannot be read", 404, "marketing", () => visitor.get("/%00")],
  ["a sign-up that looks like a file", 404, "marketing", () => visitor.get("/subscription/x.css")],
  ["another method", 405, "marketing", () => visitor.send("PUT", "/subscription")],
  ["another site's preflight", 405, "marketing", () => visitor.send("OPTIONS", "/", PREFLIGHT)],
  ["a long form", 413, "sign-up", () => visitor.post("x".repeat(17_000))],
  ["a long URL", 414, "marketing", () => visitor.get(`/?${"x".repeat(9000)}`)],
  ["another type", 415, "marketing", () => visitor.post("{}", { "Content-Type": "application/json" })],
  ["a wrong form", 422, "sign-up", () => visitor.post("email=nobody")],
  ["one form too many", 429, "sign-up", oneTooMany],
  ["a marketing page that throws", 500, "marketing", () => throwing.get("/pricing")],
  ["a sign-up that throws", 500, "sign-up", () => throwing.get("/subscription")],
  ["a form whose action throws", 500, "marketing", () => throwing.submit()],
  ["the data of a sign-up that throws", 500, "no page", () => throwing.get("/subscription.data")],
  ["an unreadable answer of the API", 502, "sign-up", () => submitTo(json(200, []))],
  ["bad settings", 503, "no page", () => misconfigured.get("/")],
  ["health with bad settings", 503, "no page", () => misconfigured.get("/health")],
  ["an API that is unavailable", 503, "sign-up", () => submitTo(json(503, {}))],
  ["an API that does not answer", 504, "sign-up", () => submitTo(tooLate)],
];

const REPORTING = "; upgrade-insecure-requests; report-uri /csp-reports; report-to csp";
const policies = {
  "no page": /^default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  marketing: new RegExp(
    `^default-src 'none'; base-uri 'none'; connect-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; img-src 'self' data:; manifest-src 'self'; script-src( 'sha256-[\\w+/]{43}=')+; style-src [^;]+${REPORTING}$`,
  ),
  "sign-up": new RegExp(
    `^default-src 'none'; base-uri 'none'; connect-src 'self' https://api.stripe.com; font-src 'self'; form-action 'self'; frame-ancestors 'none'; img-src 'self' data:; manifest-src 'self'; script-src( 'sha256-[\\w+/]{43}=')+ 'self' 'nonce-[\\w-]{22}' https://js.stripe.com https://\\*.js.stripe.com; style-src [^;]+; frame-src https://js.stripe.com https://\\*.js.stripe.com https://hooks.stripe.com; style-src-attr 'unsafe-inline'${REPORTING}$`,
  ),
};

describe("the Worker's responses", () => {
  test.each(answers)(
    "%s (%i, %s) has every security header, and only a public page is stored [D6] [E1] [E2] [E3] [E4] [E5]",
    async (_, status, kind, get) => {
      const page = await get();
      const { headers } = page;
      expect(page.status).toBe(status);
      const isPublic = status === 200 && kind === "marketing";
      if (status !== 204)
        expect(headers.get("Cache-Control")).toBe(isPublic ? "public, max-age=0, must-revalidate" : "no-store");
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
      expect(headers.get("Strict-Transport-Security")).toBe("max-age=63072000; includeSubDomains");
      expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(headers.get("X-Frame-Options")).toBe("DENY");
      expect(headers.get("X-Request-Id")).toMatch(/^[\w-]{1,64}$/);
      for (const name of ["Access-Control-Allow-Origin", "Server", "X-Powered-By"])
        expect(headers.has(name)).toBe(false);
      for (const cookie of headers.getSetCookie()) {
        expect(cookie).toMatch(/^__Host-/);
        expect(cookie.split("; ")).toEqual(expect.arrayContaining(["Secure", "HttpOnly", "SameSite=Lax", "Path=/"]));
      }
    },
  );

  test("HSTS is not sent over http, which redirects to the same URL over https [E3]", async () => {
    for (const path of ["/", "/pricing?x=1", "/subscription.data", "//evil.test", "/csp-reports"]) {
      const answer = await insecure.get(path);
      expect(answer.status).toBe(301);
      expect(answer.headers.get("Location")).toBe(ORIGIN + path);
      expect(answer.headers.has("Strict-Transport-Security")).toBe(false);
    }
    const sent = await insecure.submit();
    expect([sent.status, sent.headers.get("Location")]).toEqual([303, `${ORIGIN}/subscription`]);
  });

  test("every inline script has the response's nonce, or its hash in the policy [E6]", async () => {
    for (const path of [...pages, "/nope"]) {
      const { headers, body } = await visitor.get(path);
      const policy = headers.get("Content-Security-Policy") ?? "";
      const scripts = [...body.matchAll(/<script([^>]*)>(.*?)<\/script>/gs)];
      expect(scripts.length).toBeGreaterThan(0);
      for (const [, attributes = "", content = ""] of scripts) {
        expect(attributes).not.toContain(" src=");
        if (attributes.includes("application/ld+json")) continue;
        const nonce = /nonce="([^"]+)"/.exec(attributes)?.[1];
        const hash = createHash("sha256").update(content).digest("base64");
        expect(policy).toContain(nonce === undefined ? `'sha256-${hash}'` : `'nonce-${nonce}'`);
      }
    }
  });

  test("every link to the sign-up loads a full document, without the client router [E8]", async () => {
    for (const path of pages) {
      const html = (await visitor.get(path)).body;
      expect(html).not.toMatch(/<a [^>]*data-discover/);
    }
  });
});

test("a route that throws gives 'Unexpected Application Error' with a request ID, and no stack in page, data or log [F7] [R8]", async () => {
  const ray = { "CF-Ray": "id-of-this-request" };
  const pages = [throwing.get("/pricing", ray), throwing.get("/subscription", ray), throwing.submit({}, ray)];
  for (const { status, body, headers } of await Promise.all(pages)) {
    expect([status, headers.get("Cache-Control")]).toEqual([500, "no-store"]);
    expect(body).toMatch(/<h1[^>]*>Unexpected Application Error<\/h1>/);
    expect(body).toContain("Return to Home");
    expect(body).toContain("id-of-this-request");
  }
  const data = [throwing.get("/subscription.data", ray), throwing.submit({}, ray, "/subscription.data")];
  for (const { status, headers } of await Promise.all(data)) {
    expect([status, headers.get("X-Request-Id")]).toEqual([500, "id-of-this-request"]);
  }
  expect((await throwing.get("/")).status).toBe(200);
  await expect.poll(() => logged(withFault)).toContain('"error":"Error"');
  const received = throwing.received.join("\n");
  for (const text of [received, logged(withFault)]) {
    expect(text).not.toContain(WORDS_OF_THE_ERROR);
    expect(text).not.toContain("S3ntinel");
  }
  expect(received).not.toMatch(/throwing-routes|\bat \w+ \(/);
});

test("/health names the release or the invalid settings, and with those pages say that the service is unavailable [C10]", async () => {
  expect(JSON.parse((await visitor.get("/health")).body)).toMatchObject({
    status: "ok",
    release: expect.stringMatching(/.+/),
    commit: "unknown",
  });
  const { problems } = JSON.parse((await misconfigured.get("/health")).body);
  expect(problems).toEqual([{ name: "SALES_EMAIL", problem: "is missing" }]);
  const answers = [misconfigured.get("/"), misconfigured.submit(), misconfigured.post("[]", {}, "/csp-reports")];
  for (const { status, text, headers } of await Promise.all(answers)) {
    expect(status).toBe(503);
    expect(text).toContain("Service temporarily unavailable. Please try again later.");
    expect(text).toContain(`Request ID: ${headers.get("X-Request-Id")}`);
  }
});

describe("static files", () => {
  async function files(): Promise<string[]> {
    const html = (await visitor.get("/subscription")).body;
    return [...new Set(html.match(/\/build\/[\w./()$-]+\.(?:js|css)/g) ?? [])];
  }

  test("hashed files are immutable, not sniffed, and for this origin only [E3] [E7]", async () => {
    const paths = await files();
    expect(paths.length).toBeGreaterThan(5);
    for (const path of paths) {
      const { status, headers } = await visitor.get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
      expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(headers.get("Cross-Origin-Resource-Policy")).toBe("same-origin");
      expect(headers.get("Content-Type")).toMatch(/^text\/(javascript|css); charset=utf-8$/);
      expect(headers.get("Strict-Transport-Security")).toBe("max-age=63072000; includeSubDomains");
    }
  });

  test("other files are revalidated, and an SVG opened directly runs nothing [E7]", async () => {
    const { headers } = await visitor.get("/favicon.svg");
    expect(headers.get("Cache-Control")).toBe("public, max-age=0, must-revalidate");
    expect(headers.get("Content-Security-Policy")).toMatch(/^default-src 'none'.*sandbox/);
    expect(headers.get("Content-Type")).toBe("image/svg+xml; charset=utf-8");
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(headers.get("Cross-Origin-Resource-Policy")).toBe("same-origin");
  });

  test("a missing file gives an uncached 404, and the header rules are not served [E7]", async () => {
    const paths = ["/build/gone-ABCDEFGH.js", "/_headers", "/build/", "/favicon.svg/"];
    for (const path of [...paths, "/.git/HEAD", "/.env", "/.dev.vars", "/wrangler.toml", "/package.json"]) {
      const { status, headers } = await visitor.get(path);
      expect([path, status]).toEqual([path, 404]);
      expect(headers.get("Cache-Control")).toBe("no-store");
    }
  });
});
