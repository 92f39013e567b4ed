import { afterAll, beforeEach, expect, test } from "vitest";
import { type RawRequest, sendRaw } from "../../support/visitors/raw-request";
import { fields, formHeaders, SECRET } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";
import { flood, liesAboutItsLength } from "../flood";

/* What only a real socket can send: bodies without end, false lengths, odd paths and a header twice. */

/** What the sockets on the way hold, with room to spare; a reader without a cap takes 300 MB. */
const BUFFERED_BYTES = 24 * 1024 * 1024;

const { upstream, site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);
beforeEach(() => upstream.answersJson(200, { client_secret: SECRET }));

const CHUNKED = "Transfer-Encoding: chunked";
const own: [string, string][] = [...formHeaders(site.url), ["Cookie", "a=1"]];
const head = ["POST /subscription HTTP/1.1", ...own.map((header) => header.join(": "))];
const body = new URLSearchParams(fields).toString();
const raw = (request: RawRequest) => sendRaw(site.url, request);

test.each<[what: string, headers: string[], chunked: boolean, status: number]>([
  ["a Content-Length of 5 beside endless chunks", ["Content-Length: 5", CHUNKED], true, 413],
  ["endless chunks", [CHUNKED], true, 413],
  ["300 MB", [`Content-Length: ${300 * 1024 * 1024}`], false, 413],
  ["more than its Content-Length of 5", ["Content-Length: 5"], false, 422],
])("a body with %s is read no further, and the next request works", async (_, headers, chunked, status) => {
  const answer = await flood(site.url, [...head, ...headers], chunked);
  expect([answer.status, upstream.calls]).toEqual([status, []]);
  expect(answer.sent).toBeLessThan(BUFFERED_BYTES);
  expect((await visitor.submit()).status).toBe(303);
});

test("a body in chunks beside a Content-Length of 5 is the form in its chunks", async () => {
  const headers: [string, string][] = [...own, ["Content-Length", "5"], ["Transfer-Encoding", "chunked"]];
  expect((await raw({ method: "POST", path: "/subscription", headers, body })).status).toBe(303);
  expect(upstream.calls.map((call) => JSON.parse(call.body).full_name)).toEqual([fields.full_name]);
});

test("an answer of 300 MB that announces 5 bytes, from the API, is read to 64 KiB", async () => {
  const sent = { bytes: 0 };
  upstream.answers(liesAboutItsLength(sent));
  const answer = await visitor.submit();
  expect([answer.status, answer.text]).toEqual([502, expect.stringContaining(`value="${fields.full_name}"`)]);
  expect(sent.bytes).toBeLessThan(BUFFERED_BYTES);
});

test("a form with two Origin headers, one of them foreign, is refused", async () => {
  const headers: [string, string][] = [...own, ["Origin", "https://evil.test"]];
  expect((await raw({ method: "POST", path: "/subscription", headers, body })).status).toBe(403);
  expect(upstream.calls).toEqual([]);
});

test.each([
  ...["//evil.test", "/\\evil.test", "/%2f%2fevil.test", "/%00", "/%", "/%c0%ae%c0%ae/", "/pricing.md.md"],
  ...["/subscription/a%0d%0aSet-Cookie:x=y", `/${"%61".repeat(5000)}`],
])("the path %s gives no page, no redirect and no 500", async (path) => {
  for (const method of ["GET", "HEAD", "POST"]) {
    const { status, headers } = await raw({ method, path, headers: method === "POST" ? own : [] });
    expect([400, 404, 414]).toContain(status);
    expect(headers.get("Location")).toBeNull();
  }
});
