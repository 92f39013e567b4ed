import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { MAX_FORM_BYTES } from "../../../app/pipeline/guard/request-guard.server";
import { fields, SECRET } from "../../support/person";
import { formHeaders } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";
import { flood, liesAboutItsLength } from "../flood";

/* Tests that need a real socket: endless bodies and wrong lengths. */

/** More than the sockets in between can hold. A reader without a limit would take all 300 MB. */
const BUFFERED_BYTES = 24 * 1024 * 1024;

const { upstream, site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);
beforeEach(() => upstream.answersJson(200, { client_secret: SECRET }));

const CHUNKED = "Transfer-Encoding: chunked";
const FORM_HEAD = [
  "POST /subscription HTTP/1.1",
  ...Object.entries(formHeaders(site.url)).map((header) => header.join(": ")),
];

describe.each([
  {
    what: "endless chunks beside a Content-Length of 5",
    headers: ["Content-Length: 5", CHUNKED],
    chunked: true,
    status: 413,
  },
  { what: "endless chunks", headers: [CHUNKED], chunked: true, status: 413 },
  { what: "300 MB", headers: [`Content-Length: ${300 * 1024 * 1024}`], chunked: false, status: 413 },
  { what: "more than its Content-Length of 5", headers: ["Content-Length: 5"], chunked: false, status: 422 },
])("a form with $what", ({ headers, chunked, status }) => {
  const send = () => flood(site.url, [...FORM_HEAD, ...headers], chunked, chunked ? MAX_FORM_BYTES + 2 : undefined);

  test(`is refused with ${status}, and is read no further`, async () => {
    const answer = await send();
    expect(answer.status).toBe(status);
    expect(answer.sent, "bytes that the site took").toBeLessThan(BUFFERED_BYTES);
  });

  test("does not reach the API, and the next form works", async () => {
    await send();
    expect(upstream.calls).toEqual([]);
    expect(await visitor.submit()).toHaveStatus(303);
  });
});

describe("an answer of 300 MB from the API that announces 5 bytes", () => {
  test("is read to 64 KiB", async () => {
    const sent = { bytes: 0 };
    upstream.answers(liesAboutItsLength(sent));
    await visitor.submit();
    expect(sent.bytes, "bytes that the API could send").toBeLessThan(BUFFERED_BYTES);
  });

  test("brings the form back with what was typed", async () => {
    upstream.answers(liesAboutItsLength({ bytes: 0 }));
    const answer = await visitor.submit();
    expect(answer).toHaveStatus(502);
    expect(answer.text).toContain(`value="${fields.full_name}"`);
  });
});
