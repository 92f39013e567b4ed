import { afterAll, beforeEach, expect, test } from "vitest";
import { fields, SECRET } from "../../support/person";
import { formHeaders } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";
import { CHUNKED, flood, liesAboutItsLength } from "../flood";

/* Tests that need a real socket: endless bodies and wrong lengths. */

/** The limit of a form, typed here alone: a site that reads on never answers. */
const MAX_FORM_BYTES = 256 * 1024;
/** More than the sockets in between can hold. A reader without a limit would take all 300 MB. */
const BUFFERED_BYTES = 24 * 1024 * 1024;

const { upstream, site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);
beforeEach(() => upstream.answersJson(200, { client_secret: SECRET }));

const FORM_HEAD = [
  "POST /subscription HTTP/1.1",
  ...Object.entries(formHeaders(site.url)).map((header) => header.join(": ")),
];

test.each([
  { headers: ["Content-Length: 5", CHUNKED], first: MAX_FORM_BYTES + 2, status: 413 },
  { headers: ["Content-Length: 300000000"], status: 413 },
  { headers: ["Content-Length: 5"], status: 422 },
])("an endless form with $headers is refused and read no further, without a call; the next one works", async (row) => {
  const { status, sent } = await flood(site.url, [...FORM_HEAD, ...row.headers], row.first);
  expect(status).toBe(row.status);
  expect(sent, "bytes that the site took").toBeLessThan(BUFFERED_BYTES);
  expect(upstream.calls).toEqual([]);
  expect(await visitor.submit()).toHaveStatus(303);
});

test("an answer of 300 MB from the API that announces 5 bytes is read to 64 KiB, and the form comes back as it was typed", async () => {
  const sent = { bytes: 0 };
  upstream.answers(liesAboutItsLength(sent));
  const answer = await visitor.submit();
  expect(answer).toHaveStatus(502);
  expect(answer.text).toContain(`value="${fields.full_name}"`);
  expect(sent.bytes, "bytes that the API could send").toBeLessThan(BUFFERED_BYTES);
});
