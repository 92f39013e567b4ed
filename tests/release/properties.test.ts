import naughtyStrings from "big-list-of-naughty-strings/blns.json" with { type: "json" };
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { sendRaw } from "../support/visitors/raw-request";
import { fields, logged, PASSWORD, SECRET, type SiteVisitor } from "../support/visitors/site-visitor";
import { startVisitedSite } from "../support/visitors/visited-site";
import type { Upstream } from "../support/workers/upstream";
import type { RunningWorker } from "../support/workers/workers";

/*
 * What no input at all may do: make the site answer 5xx, run in a page, or get to the API past the contract. fast-check
 * prints the smallest input that does, with the seed that finds it again.
 */

const RUNS = { numRuns: 150, seed: 20_250_814, endOnFailure: true };
/** How many requests are on their way at a time. */
const AT_ONCE = 8;

let upstream: Upstream;
let site: RunningWorker;
let visitor: SiteVisitor;

beforeAll(async () => {
  const started = await startVisitedSite();
  ({ upstream, site, visitor } = started);
  upstream.answersJson(200, { client_secret: SECRET });
  return started.dispose;
});

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.constantFrom(...naughtyStrings),
);
/** What a header can hold on the wire. */
const anyHeader = fc
  .string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength: 300 })
  .map((value) => value.replace(/\x7f/g, ""));
const knownName = fc.constantFrom(...Object.keys(fields), "form_nonce", "intent");

/** Without halves of surrogate pairs, which nothing that sends UTF-8 can have. */
const wellFormed = (text: string) => text.replace(/\p{Cs}/gu, "\ufffd");
const encode = (pairs: [string, string][]) =>
  pairs.map((pair) => pair.map((part) => encodeURIComponent(wellFormed(part))).join("=")).join("&");

describe.concurrent("whatever is sent, the answer is no 5xx", () => {
  test("arbitrary fields: names, values, known ones among them", async () => {
    const pair = fc.tuple(fc.oneof(anyText, knownName), anyText);
    await fc.assert(
      fc.asyncProperty(fc.array(pair, { maxLength: 40 }), fc.boolean(), async (pairs, data) => {
        const path = data ? "/subscription.data" : "/subscription";
        const { status } = await visitor.post(encode(pairs), {}, path);
        expect([202, 303, 400, 413, 422]).toContain(status);
      }),
      RUNS,
    );
  });

  test("arbitrary values in a form that is otherwise right", async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(knownName, anyText, { minKeys: 1, noNullPrototype: true }), async (change) => {
        const { status } = await visitor.post(encode(Object.entries({ ...fields, ...change })));
        expect([303, 413, 422]).toContain(status);
      }),
      RUNS,
    );
  });

  test("arbitrary bytes as the body", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (body) => {
        const headers: [string, string][] = [
          ["Origin", site.url],
          ["Content-Type", "application/x-www-form-urlencoded"],
        ];
        const { status } = await sendRaw(site.url, { method: "POST", path: "/subscription", headers, body });
        expect([400, 422]).toContain(status);
      }),
      RUNS,
    );
  });

  test("arbitrary cookies", async () => {
    const cookie = fc.oneof(
      anyHeader,
      anyHeader.map((value) => `signup=${value}`),
      fc.uint8Array({ maxLength: 600 }).map((bytes) => `signup=${Buffer.from(bytes).toString("base64url")}`),
    );
    await fc.assert(
      fc.asyncProperty(cookie, async (Cookie) => {
        expect((await visitor.get("/subscription", { Cookie })).status).toBe(200);
      }),
      RUNS,
    );
  });

  test("arbitrary paths and queries", async () => {
    const letter = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
    const piece = fc.oneof(
      fc.string({ unit: letter, maxLength: 40 }),
      anyText.map((value) => encodeURIComponent(wellFormed(value))),
      fc.constantFrom("subscription", "pricing", "..", "%2e%2e", "%00", "//", ".data", "_root.data", "__manifest"),
    );
    const url = fc
      .tuple(fc.array(piece, { maxLength: 6 }), fc.option(piece))
      .map(([parts, query]) => `/${parts.join("/")}${query === null ? "" : `?${query}`}`);
    await fc.assert(
      fc.asyncProperty(url, fc.constantFrom("GET", "HEAD"), async (path, method) => {
        const { status, headers } = await sendRaw(site.url, { path, method });
        expect([200, 204, 303, 307, 308, 400, 404, 405, 414]).toContain(status);
        expect(headers.get("Location") ?? "/").toMatch(/^\/(?!\/)/);
      }),
      RUNS,
    );
  });

  test("arbitrary headers", async () => {
    const name = fc.constantFrom(
      "Accept",
      "Accept-Encoding",
      "Accept-Language",
      "CF-Connecting-IP",
      "CF-Ray",
      "Content-Type",
      "Forwarded",
      "If-Modified-Since",
      "If-None-Match",
      "Origin",
      "Range",
      "Referer",
      "Sec-Fetch-Mode",
      "Sec-Fetch-Site",
      "X-Forwarded-Host",
      "X-Forwarded-Proto",
      "X-Remix-Revalidate",
    );
    const headers = fc.array(fc.tuple(name, anyHeader), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(headers, fc.boolean(), async (sent, posts) => {
        const body = new URLSearchParams(fields).toString();
        const { status } = await sendRaw(site.url, {
          path: "/subscription",
          headers: sent,
          ...(posts && { method: "POST", body }),
        });
        expect(posts ? [303, 403, 415] : [200]).toContain(status);
      }),
      RUNS,
    );
  });
});

/** Does something with each naughty string, some at a time. */
async function withEachNaughtyString(work: (naughty: string, index: number) => Promise<void>): Promise<void> {
  const entries = naughtyStrings.entries();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const [index, naughty] of entries) await work(naughty, index);
    }),
  );
}

describe("the big list of naughty strings", () => {
  test("through every field: never a 5xx; a value comes back escaped and whole, or goes to the API as it is", async () => {
    // Each string goes through each field in turn, all fields at once.
    const names = ["full_name", "company_name", "email", "phone", "address", "city", "state", "zipCode", "country"];
    upstream.calls.length = 0;
    const scripts = scriptsIn((await visitor.submit({ email: "nobody" })).body);
    await withEachNaughtyString(async (naughty, index) => {
      const values = Object.fromEntries(names.map((name, at) => [name, naughtyStrings.at(index - at) ?? ""]));
      const { status, body } = await visitor.submit({ ...values, package_id: naughty });
      expect([naughty, status]).toEqual([naughty, 422]);
      const shown = inputsOf(body);
      for (const [name, value] of Object.entries(values)) {
        // An input holds one line: browsers drop line breaks when they read the attribute.
        expect([name, oneLine(shown[name] ?? "")]).toEqual([name, oneLine(value)]);
      }
      expect([naughty, scriptsIn(body)]).toEqual([naughty, scripts]);
    });
    expect(upstream.calls).toHaveLength(0);
  });

  test("as a password: refused with its message, or to the API byte for byte", async () => {
    upstream.calls.length = 0;
    await withEachNaughtyString(async (naughty, index) => {
      const password = `aA1!aA1!${naughty}`;
      const email = `naughty-${index}@example.com`;
      const { status, text } = await visitor.submit({ email, password, confirmPassword: password });
      if (status === 303) {
        const call = upstream.calls.find(({ body }) => body.includes(`"${email}"`));
        expect(JSON.parse(call?.body ?? "{}").password).toBe(password);
      } else {
        const message = expect.stringMatching(/Password (must (be at most|contain)|contains)/);
        expect([naughty, text]).toEqual([naughty, message]);
      }
    });
    expect(upstream.calls.length).toBeGreaterThan(300);
  });

  test("as a path, a query, a cookie: never a 5xx", async () => {
    await withEachNaughtyString(async (naughty) => {
      const encoded = encodeURIComponent(naughty);
      for (const path of [`/subscription/${encoded}`, `/${encoded}`, `/subscription?id=${encoded}`]) {
        const { status } = await visitor.get(path, { Cookie: `signup=${encoded}` });
        // Of an empty string and of a dot a slash is left, which leads to the path without it.
        const isOtherSpelling = new URL(path, site.url).pathname === "/subscription/";
        expect([path, status]).toEqual([path, isOtherSpelling ? 308 : expect.toBeOneOf([200, 404])]);
      }
    });
  });
});

test("in all of this no 5xx was answered, and no log line has anything that was sent but an unknown path", async () => {
  const count = () => site.logs.filter(({ event }) => event === "request").length;
  await expect.poll(count, { timeout: 10_000 }).toBeGreaterThan(2000);
  expect(site.logs.filter(({ status }) => Number(status) >= 500)).toEqual([]);
  const withoutPaths = site.logs.map((line) => (line.status === 404 ? { ...line, path: "" } : line));
  expect(logged({ ...site, logs: withoutPaths })).not.toMatch(/S3ntinel|Lovelace|seti_|alert\(|onerror|DROP TABLE/i);
  expect(visitor.received.filter((answer) => answer.includes(PASSWORD.trim()))).toEqual([]);
});

/** How many scripts begin in a page. */
function scriptsIn(html: string): number {
  return html.match(/<script/gi)?.length ?? 0;
}

/** The values of a page's inputs, by name, with their character references resolved. */
function inputsOf(html: string): Record<string, string> {
  const inputs: Record<string, string> = {};
  for (const [, attributes = ""] of html.matchAll(/<input ([^>]*)\/>/g)) {
    const name = /\bname="([^"]*)"/.exec(attributes)?.[1] ?? "";
    inputs[name] = (/\bvalue="([^"]*)"/.exec(attributes)?.[1] ?? "")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&#x27;", "'")
      .replaceAll("&amp;", "&");
  }
  return inputs;
}

function oneLine(value: string): string {
  return value.replace(/[\r\n\0\ufffd]/g, "");
}
