import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningWorker, startSite } from "../workers";
import { startUpstream } from "./upstream";

const SECRET = "seti_1Sentinel_secret_Sentinel";
const PASSWORD = "S3ntinel pässword! ";
const fields = {
  package_id: "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430",
  full_name: "Ada Lovelace",
  company_name: "Engines & Sons",
  email: "Ada@Example.com",
  phone: "(212) 555-0123",
  password: PASSWORD,
  confirmPassword: PASSWORD,
  address: "1 Example Street",
  city: "Springfield",
  state: "IL",
  zipCode: "62701",
  country: "United States",
};

let upstream: Awaited<ReturnType<typeof startUpstream>>;
let site: RunningWorker;

beforeAll(async () => {
  upstream = await startUpstream();
  site = await startSite({ vars: { SUBSCRIPTION_API_URL: upstream.url, SUBSCRIPTION_API_TIMEOUT_MS: "700" } });
});

afterAll(async () => {
  await site.dispose();
  upstream.dispose();
});

function get(path: string, headers: Record<string, string> = {}) {
  return fetch(site.url + path, { headers, redirect: "manual" });
}

function submit(change: Record<string, string> = {}, headers: Record<string, string> = {}, path = "/subscription") {
  return fetch(site.url + path, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: new URL(site.url).origin, "Sec-Fetch-Site": "same-origin", ...headers },
    body: new URLSearchParams({ ...fields, ...change }),
  });
}

/** What the site has logged so far, a line for each event. */
function logged(): string {
  return site.logs.map((line) => JSON.stringify(line)).join("\n");
}

/** The page's words as a visitor reads them. */
async function read(response: Response): Promise<string> {
  const html = await response.text();
  return html.replaceAll("&#x27;", "'").replaceAll("&amp;", "&").replaceAll("<!-- -->", "");
}

function cookieOf(response: Response): string {
  return (response.headers.get("Set-Cookie") ?? "").split(";")[0] ?? "";
}

describe("pages", () => {
  test.each([
    ["/", "AI search"],
    ["/pricing", "STANDARD"],
    ["/privacy", "August 14, 2025"],
    ["/terms", "August 14, 2025"],
    ["/subscription", "Complete Your Subscription"],
  ])("%s is rendered with header, footer and security headers", async (path, words) => {
    const response = await get(path);
    const html = await read(response);
    expect(response.status).toBe(200);
    expect(html).toContain(words);
    expect(html).toContain("Customer Console");
    expect(html).toContain(`© ${new Date().getUTCFullYear()}`);
    expect(response.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
  });

  test("pricing links each paid plan to its sign-up", async () => {
    const html = await read(await get("/pricing"));
    for (const id of [
      "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10",
      "0b1f6c8e-2f57-4d3b-8c61-94e3a7d5f220",
      fields.package_id,
    ]) {
      expect(html).toContain(`href="/subscription/${id}"`);
    }
    expect(html).toContain('href="mailto:sales@citewell.example');
  });

  test("marketing pages carry no framework script", async () => {
    for (const path of ["/", "/pricing", "/privacy", "/terms", "/nope"]) {
      const html = await read(await get(path));
      expect(html).not.toContain("__remixContext");
      expect(html.match(/<script/g)).toHaveLength(1);
    }
  });

  test("an unknown address is a 404 with the not-found page and one line in the log", async () => {
    const response = await get("/nothing/here?email=a@b.co");
    expect(response.status).toBe(404);
    expect(await read(response)).toContain("Oops! Page not found");
    await expect.poll(() => logged()).toContain("not_found");
    expect(logged()).not.toContain("a@b.co");
  });

  test.each(["/subscription/x%2f.css", "/%", "/%00", "/%5cevil.test", "//evil.test", "/subscription/x/y.css"])(
    "%s is no page and leads nowhere",
    async (path) => {
      const response = await get(path);
      expect([400, 404]).toContain(response.status);
      expect(response.headers.get("Location")).toBeNull();
    },
  );

  test("health gives the release", async () => {
    const response = await get("/health");
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ status: "ok", release: expect.stringMatching(/.+/) });
  });

  test("health names what is missing, and pages say that the service is unavailable", async () => {
    const broken = await startSite({ vars: { SESSION_SECRET: undefined, SALES_EMAIL: "nobody" } });
    const health = await fetch(`${broken.url}/health`);
    expect(health.status).toBe(503);
    const { problems } = (await health.json()) as { problems: { name: string }[] };
    expect(problems.map(({ name }) => name).sort()).toEqual(["SALES_EMAIL", "SESSION_SECRET"]);
    expect((await fetch(broken.url)).status).toBe(503);
    await broken.dispose();
  });
});

describe("the gate", () => {
  test.each([
    ["another site", { "Sec-Fetch-Site": "cross-site" }],
    ["a sibling subdomain", { "Sec-Fetch-Site": "same-site" }],
    ["a foreign origin", { Origin: "https://evil.test" }],
    ["an opaque origin", { Origin: "null" }],
    ["a spoofed host", { Origin: "https://evil.test", "X-Forwarded-Host": "evil.test" }],
  ])("a form from %s is refused with a page, upstream 0", async (_, headers) => {
    upstream.answersJson(200, { client_secret: SECRET });
    for (const path of ["/subscription", "/subscription.data", "/subscription?_data=routes%2Fsubscription"]) {
      const response = await submit({}, headers, path);
      expect(response.status).toBe(403);
    }
    expect(upstream.calls).toHaveLength(0);
    expect(await read(await submit({}, headers))).toContain("Request refused");
  });

  test("a client that names no origin passes with the form's own nonce, and only with it", async () => {
    upstream.answersJson(200, { client_secret: SECRET });
    const nonce = /name="form_nonce" value="([^"]+)"/.exec(await read(await get("/subscription")))?.[1] ?? "";
    const send = (form_nonce: string) =>
      fetch(`${site.url}/subscription`, {
        method: "POST",
        redirect: "manual",
        headers: { "Content-Type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ ...fields, form_nonce }).toString(),
      });
    // Node's fetch sends Sec-Fetch-Mode but neither Origin nor Sec-Fetch-Site.
    expect((await send("")).status).toBe(403);
    expect((await send(nonce)).status).toBe(303);
  });

  test.each(["PUT", "PATCH", "DELETE", "OPTIONS"])("%s is answered 405 with Allow", async (method) => {
    const response = await fetch(`${site.url}/subscription`, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get("Allow")).toBe("GET, HEAD, POST");
  });

  test("other types are 415, long bodies 413, too many or repeated fields 400", async () => {
    const origin = { Origin: new URL(site.url).origin };
    const send = (body: string, type = "application/x-www-form-urlencoded") =>
      fetch(`${site.url}/subscription`, { method: "POST", headers: { ...origin, "Content-Type": type }, body });
    expect((await send("{}", "application/json")).status).toBe(415);
    expect((await send("x".repeat(17_000))).status).toBe(413);
    expect((await send(Array.from({ length: 40 }, (_, index) => `f${index}=1`).join("&"))).status).toBe(400);
    expect((await send("email=a@b.co&email=c@d.co")).status).toBe(400);
    expect((await send("a[4294967294]=1&__intent__=x&__state__={")).status).toBe(422);
  });
});

describe("the form without JavaScript", () => {
  test("wrong fields come back with status 422, a summary, and everything but the passwords", async () => {
    upstream.answersJson(200, { client_secret: SECRET });
    const response = await submit({ email: "nobody", zipCode: "1" });
    const html = await read(response);
    expect(response.status).toBe(422);
    expect(html).toMatch(/<title>Error: /);
    expect(html).toContain('href="#signup-email"');
    expect(html).toContain('href="#signup-zipCode"');
    expect(html).toContain("Please enter a valid email address");
    expect(html).toContain("ZIP code must be at least 5 characters");
    expect(html).toContain('value="Ada Lovelace"');
    expect(html).not.toContain("S3ntinel");
    expect(upstream.calls).toHaveLength(0);
  });

  test("a package id that is no uuid is said where the visitor sees it", async () => {
    expect(await read(await get("/subscription/mini"))).toContain("Invalid subscription ID");
    const response = await submit({ package_id: "mini" });
    expect(response.status).toBe(422);
    expect(await read(response)).toContain("Invalid subscription ID");
  });

  test("values in the address of the page are not taken over", async () => {
    const html = await read(await get("/subscription?email=a@b.co&password=Secret123"));
    expect(html).not.toContain("a@b.co");
    expect(html).not.toContain("Secret123");
  });
});

describe("the call to the subscription API", () => {
  test("sends exactly the contract, with a key and no authorization", async () => {
    upstream.answersJson(200, { client_secret: SECRET, amount: 0 });
    const response = await submit({ role: "admin", amount: "0" });
    expect(response.status).toBe(303);
    expect(response.headers.get("Location")).toBe("/subscription");
    const [call] = upstream.calls;
    expect(call?.url).toBe("/subscription");
    expect(call?.headers["content-type"]).toBe("application/json");
    expect(call?.headers.authorization).toBeUndefined();
    expect(call?.headers["idempotency-key"]).toMatch(/^[\w-]{43}$/);
    const { confirmPassword: _, ...contract } = fields;
    expect(JSON.parse(call?.body ?? "")).toEqual({ ...contract, email: "ada@example.com", phone: "2125550123" });
  });

  test("sends no package_id when there is none", async () => {
    upstream.answersJson(200, { client_secret: SECRET });
    await submit({ package_id: "" });
    expect(JSON.parse(upstream.calls[0]?.body ?? "")).not.toHaveProperty("package_id");
  });

  test("an unchanged retry has the same key, an edited one another", async () => {
    upstream.answersJson(500, {});
    const form = /name="form_nonce" value="([^"]+)"/;
    const form_nonce = form.exec(await read(await get("/subscription")))?.[1] ?? "";
    const again = form.exec(await read(await submit({ form_nonce })))?.[1] ?? "";
    await submit({ form_nonce: again });
    await submit({ form_nonce: again, city: "Shelbyville" });
    const keys = upstream.calls.map(({ headers }) => headers["idempotency-key"]);
    expect(keys[0]).toBe(keys[1]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  test.each([
    [400, 400, "Invalid subscription data. Please check your information and try again."],
    [401, 502, "Authentication required. Please refresh the page and try again."],
    [403, 502, "Access forbidden. Please contact support."],
    [404, 502, "Subscription service not found. Please contact support."],
    [409, 409, "A subscription with this information already exists."],
    [422, 422, "Invalid subscription information. Please check your details."],
    [429, 429, "Too many requests. Please wait a moment and try again."],
    [500, 502, "Server error. Please try again later or contact support."],
    [503, 503, "Service temporarily unavailable. Please try again later."],
    [418, 502, "Server error (418). Please try again later."],
  ])("its status %i is shown as the catalogue says", async (status, shown, message) => {
    upstream.answersJson(status, { error: "upstream-words" });
    const response = await submit();
    const html = await read(response);
    expect(response.status).toBe(shown);
    expect(html).toContain("Submission Failed");
    expect(html).toContain(message);
    expect(html).toContain('value="Ada Lovelace"');
    expect(html).not.toContain("upstream-words");
    expect(html).not.toContain("S3ntinel");
  });

  test.each([301, 302, 303, 307, 308])("a redirect (%i) is not followed", async (status) => {
    const elsewhere = await startUpstream();
    upstream.answers((response) => response.writeHead(status, { Location: `${elsewhere.url}/x` }).end());
    expect(await read(await submit())).toContain(`Server error (${status}). Please try again later.`);
    expect(elsewhere.calls).toHaveLength(0);
    elsewhere.dispose();
  });

  test.each([
    ["no client_secret", "{}"],
    ["an empty one", '{"client_secret":""}'],
    ["one that is a number", '{"client_secret":1}'],
    ["null", "null"],
    ["a list", "[]"],
  ])("an answer with %s is a configuration error", async (_, body) => {
    upstream.answers((response) => response.end(body));
    const html = await read(await submit());
    expect(html).toContain("Configuration Error");
    expect(html).toContain("Payment setup failed. Please contact support.");
    expect(html).toContain('value="Ada Lovelace"');
  });

  test.each([
    ["HTML", "<html>upstream-words</html>"],
    ["nothing", ""],
    ["half a JSON", "{"],
    ["more than 64 KiB", `"${"x".repeat(70_000)}"`],
  ])("an answer of %s is an unexpected error", async (_, body) => {
    upstream.answers((response) => response.end(body));
    const html = await read(await submit());
    expect(html).toContain("An unexpected error occurred. Please try again.");
    expect(html).not.toContain("upstream-words");
  });

  test("a byte order mark is no error", async () => {
    upstream.answers((response) => response.end(`\uFEFF{"client_secret":"${SECRET}","more":true}`));
    expect((await submit()).status).toBe(303);
  });

  test("silence is given up at the deadline, before the headers and after them", async () => {
    const silences: Parameters<typeof upstream.answers>[0][] = [
      () => {},
      (response) => {
        response.writeHead(200, { "Content-Length": "100" });
        response.write("{");
      },
    ];
    for (const silence of silences) {
      upstream.answers(silence);
      const response = await submit();
      expect(response.status).toBe(504);
      const html = await read(response);
      expect(html).toContain("Connection Failed");
      expect(html).toContain("Unable to connect to the API server. Please check your connection and try again.");
      expect(html).toContain('value="Ada Lovelace"');
    }
  });

  test("a broken connection is a failed one", async () => {
    upstream.answers((response) => response.destroy());
    const response = await submit();
    expect(response.status).toBe(502);
    expect(await read(response)).toContain("Connection Failed");
  });
});

describe("the session", () => {
  test("an accepted sign-up finds its card step again, calls upstream no more, and can start over", async () => {
    upstream.answersJson(200, { client_secret: SECRET });
    const accepted = await submit();
    const cookie = cookieOf(accepted);
    expect(accepted.headers.get("Set-Cookie")).toMatch(/HttpOnly.*SameSite=Lax/i);
    expect(accepted.headers.get("Cache-Control")).toBe("no-store");
    expect(Buffer.from(cookie, "base64").toString("latin1") + cookie).not.toMatch(/seti_|example\.com/);

    for (const path of ["/subscription", `/subscription/${fields.package_id}`]) {
      const html = await read(await get(path, { Cookie: cookie }));
      expect(html).toContain("Please enter your card info for starting your 5 days free trial");
      expect(html).toContain("* You will not be charged immediately!");
      expect(html).toContain("Entering a card needs JavaScript");
      expect(html).toContain("QR code");
    }
    expect((await submit({}, { Cookie: cookie })).status).toBe(303);
    expect(upstream.calls).toHaveLength(1);

    const over = await submit({ intent: "start-over" }, { Cookie: cookie });
    expect(over.headers.get("Set-Cookie")).toMatch(/Max-Age=0/);
  });

  test("after the card the success step stays and the client_secret is gone", async () => {
    upstream.answersJson(200, { client_secret: SECRET });
    const card = cookieOf(await submit());
    const done = cookieOf(await submit({ intent: "card-set-up" }, { Cookie: card }));
    const html = await read(await get("/subscription", { Cookie: done }));
    expect(html).toContain("Subscription Successful!");
    expect(html).toContain("Thank you for your subscription. Your 5 days trial period has been started.");
    expect(html).toContain("(212) 555-0123");
    expect(html).toContain("Engines & Sons");
    expect(html).toContain("A confirmation email with details and next steps will be sent to");
    expect(html).not.toContain(SECRET);
  });

  test("the link for another device carries the card step over, and no secret in its address", async () => {
    upstream.answersJson(200, { client_secret: SECRET });
    const html = await read(await get("/subscription", { Cookie: cookieOf(await submit()) }));
    const link = /href="([^"]+continue=[^"]+)"/.exec(html)?.[1] ?? "";
    expect(link).not.toContain("seti_");
    const taken = await fetch(link, { redirect: "manual" });
    expect(taken.status).toBe(303);
    expect(await read(await get("/subscription", { Cookie: cookieOf(taken) }))).toContain(SECRET);
    const forged = await fetch(`${site.url}/subscription?continue=forged`, { redirect: "manual" });
    expect(await read(forged)).toContain("Subscription Information");
  });

  test.each(["x", "%E0%A4%A", "%", "=;;", "Fe26.2*1*a*b*c*d*e*f", "y".repeat(10_000)])(
    "a broken cookie (%.20s) is treated as none",
    async (value) => {
      const response = await get("/subscription", { Cookie: `signup=${value}` });
      expect(response.status).toBe(200);
      expect(await read(response)).toContain("Subscription Information");
    },
  );

  test("without a publishable key the card step says so", async () => {
    const keyless = await startSite({
      vars: { SUBSCRIPTION_API_URL: upstream.url, STRIPE_PUBLISHABLE_KEY: undefined },
    });
    upstream.answersJson(200, { client_secret: SECRET });
    const accepted = await fetch(`${keyless.url}/subscription`, {
      method: "POST",
      redirect: "manual",
      headers: { Origin: new URL(keyless.url).origin },
      body: new URLSearchParams(fields),
    });
    const page = await fetch(`${keyless.url}/subscription`, { headers: { Cookie: cookieOf(accepted) } });
    expect(await read(page)).toContain("Configuration Error");
    await keyless.dispose();
  });
});

test("no log line has a password, a client_secret or personal data", async () => {
  await expect.poll(() => site.logs.length).toBeGreaterThan(10);
  expect(logged()).not.toMatch(/S3ntinel|Sentinel|Lovelace|ada@|2125550123|Springfield/i);
});
