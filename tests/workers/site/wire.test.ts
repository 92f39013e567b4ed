import { afterAll, beforeEach, expect, test } from "vitest";
import { MAX_FORM_BYTES } from "../../../app/pipeline/guard/request-guard.server";
import { fields, SECRET } from "../../support/person";
import { formHeaders } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";
import { flood, liesAboutItsLength } from "../flood";

/* What only a real socket can send: bodies without end, and false lengths. */

/** What the sockets on the way hold, with room to spare; a reader without a cap takes 300 MB. */
const BUFFERED_BYTES = 24 * 1024 * 1024;

const { upstream, site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);
beforeEach(() => upstream.answersJson(200, { client_secret: SECRET }));

const CHUNKED = "Transfer-Encoding: chunked";
const head = [
  "POST /subscription HTTP/1.1",
  ...Object.entries(formHeaders(site.url)).map((header) => header.join(": ")),
];

test.each<[what: string, headers: string[], chunked: boolean, status: number]>([
  ["a Content-Length of 5 beside endless chunks", ["Content-Length: 5", CHUNKED], true, 413],
  ["endless chunks", [CHUNKED], true, 413],
  ["300 MB", [`Content-Length: ${300 * 1024 * 1024}`], false, 413],
  ["more than its Content-Length of 5", ["Content-Length: 5"], false, 422],
])("a body with %s is read no further, and the next request works", async (_, headers, chunked, status) => {
  const answer = await flood(site.url, [...head, ...headers], chunked, chunked ? MAX_FORM_BYTES + 2 : undefined);
  expect([answer.status, upstream.calls]).toEqual([status, []]);
  expect(answer.sent).toBeLessThan(BUFFERED_BYTES);
  expect((await visitor.submit()).status).toBe(303);
});

test("an answer of 300 MB that announces 5 bytes, from the API, is read to 64 KiB", async () => {
  const sent = { bytes: 0 };
  upstream.answers(liesAboutItsLength(sent));
  const answer = await visitor.submit();
  expect([answer.status, answer.text]).toEqual([502, expect.stringContaining(`value="${fields.full_name}"`)]);
  expect(sent.bytes).toBeLessThan(BUFFERED_BYTES);
});
