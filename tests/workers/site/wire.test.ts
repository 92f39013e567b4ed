import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { type RawRequest, sendRaw } from "../../support/visitors/raw-request";
import { fields, formHeaders, SECRET } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";
import { flood, liesAboutItsLength } from "./flood";

/* What only a real socket can send: bodies without end, false lengths, odd methods, paths and headers. */

/** What the sockets on the way hold, with room to spare; a reader without a cap takes 300 MB. */
const BUFFERED_BYTES = 24 * 1024 * 1024;

const { upstream, site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);
beforeEach(() => upstream.answersJson(200, { client_secret: SECRET }));

const FORM = "application/x-www-form-urlencoded";
const CHUNKED = "Transfer-Encoding: chunked";
const head = ["POST /subscription HTTP/1.1", `Origin: ${site.url}`, `Content-Type: ${FORM}`, "Cookie: a=1"];
const own: [string, string][] = [...formHeaders(site.url), ["Cookie", "a=1"]];
const form = new URLSearchParams(fields).toString();
const raw = (request: RawRequest) => sendRaw(site.url, request);

describe("a body", () => {
  test.each<[what: string, headers: string[], chunked: boolean]>([
    ["a Content-Length of 5 beside endless chunks", ["Content-Length: 5", CHUNKED], true],
    ["endless chunks", [CHUNKED], true],
    ["300 MB", [`Content-Length: ${300 * 1024 * 1024}`], false],
  ])("with %s is answered 413 and read no further; the next request works", async (_, headers, chunked) => {
    const { status, sent } = await flood(site.url, [...head, ...headers], chunked);
    expect(status).toBe(413);
    expect(sent).toBeLessThan(BUFFERED_BYTES);
    expect(upstream.calls).toHaveLength(0);
    expect((await visitor.submit()).status).toBe(303);
  });

  test("longer than its Content-Length is read to that length", async () => {
    const { status, sent } = await flood(site.url, [...head, "Content-Length: 5"], false);
    expect(status).toBe(422);
    expect(sent).toBeLessThan(BUFFERED_BYTES);
  });

  test.each(["0", "5", "16000"])(
    "in chunks beside a Content-Length of %s is the form in its chunks",
    async (length) => {
      const headers: [string, string][] = [...own, ["Content-Length", length], ["Transfer-Encoding", "chunked"]];
      expect((await raw({ method: "POST", path: "/subscription", headers, body: form })).status).toBe(303);
      expect(upstream.calls.map(({ body }) => JSON.parse(body).full_name)).toEqual([fields.full_name]);
    },
  );

  test.each([
    ["a form of 17 KB in one field", { full_name: "x".repeat(17_000) }, 413],
    ["a form of 15 KB", { company_name: "x".repeat(14_000) }, 422],
  ])("%s does not reach the API, and its other fields come back", async (_, change, status) => {
    const answer = await visitor.submit(change);
    expect([answer.status, upstream.calls.length]).toEqual([status, 0]);
    for (const value of [fields.email, fields.address, fields.zipCode])
      expect(answer.text).toContain(`value="${value}"`);
  });

  test("of 300 MB that announces 5 bytes, from the API, is read to 64 KiB; the next request works", async () => {
    const sent = { bytes: 0 };
    upstream.answers(liesAboutItsLength(sent));
    const answer = await visitor.submit();
    expect([answer.status, answer.text]).toEqual([502, expect.stringContaining(`value="${fields.full_name}"`)]);
    expect(sent.bytes).toBeLessThan(BUFFERED_BYTES);
    upstream.answersJson(200, { client_secret: SECRET });
    expect((await visitor.submit()).status).toBe(303);
  });
});

describe("a form", () => {
  test("with two Origin headers, one of them foreign, is refused", async () => {
    const headers: [string, string][] = [...own, ["Origin", "https://evil.test"]];
    expect((await raw({ method: "POST", path: "/subscription", headers, body: form })).status).toBe(403);
    expect(upstream.calls).toEqual([]);
  });

  test("is answered at its .data URL as a script reads it", async () => {
    const answer = await visitor.submit({}, {}, "/subscription.data");
    expect([answer.status, answer.headers.get("Content-Type"), upstream.calls.length]).toEqual([
      202,
      "text/x-script",
      1,
    ]);
    expect((await visitor.submit({}, { "Sec-Fetch-Site": "cross-site" }, "/subscription.data")).status).toBe(403);
  });
});

test.each(["PUT", "OPTIONS", "PROPFIND", "TRACE"])("%s is answered 405 with what the page takes", async (method) => {
  for (const [path, allow] of [
    ["/", "GET, HEAD"],
    ["/subscription", "GET, HEAD, POST"],
  ] as const) {
    const answer = await raw({ method, path, headers: own, body: form });
    expect([answer.status, answer.headers.get("Allow"), upstream.calls.length]).toEqual([405, allow, 0]);
    expect(answer.body).toContain("Method not allowed");
  }
});

test.each([
  "//evil.test",
  "/\\evil.test",
  "/%2f%2fevil.test",
  "/%00",
  "/%",
  "/%c0%ae%c0%ae/",
  "/subscription/a%0d%0aSet-Cookie:x=y",
  "/pricing.md.md",
  `/${"%61".repeat(5000)}`,
])("the path %s gives no page, no redirect and no 500", async (path) => {
  for (const method of ["GET", "HEAD", "POST"]) {
    const { status, headers } = await raw({ method, path, headers: method === "POST" ? own : [] });
    expect([400, 404, 414]).toContain(status);
    expect(headers.get("Location")).toBeNull();
  }
});

test("headers of 16 KB are no error, and an Accept of that length means HTML", async () => {
  const long = (part: string) => part.repeat(Math.floor(16_000 / part.length));
  for (const [name, value] of [
    ["Accept", `text/markdown,${long("text/markdown;q=0.1,")}`],
    ["Cookie", long("a=1; ")],
    ["If-None-Match", long('W/"a",')],
    ["CF-Ray", long("a")],
  ] as const) {
    for (const path of ["/pricing", "/subscription"]) {
      const { status, headers } = await raw({ path, headers: [[name, value]] });
      expect([name, status, headers.get("Content-Type")]).toEqual([name, 200, "text/html; charset=utf-8"]);
    }
  }
});
