import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { sendRaw } from "../../support/visitors/raw-request";
import { enoughOfTheMinute, someone } from "../../support/visitors/senders";
import { fields, formHeaders, SECRET } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";
import { flood, liesAboutItsLength } from "./flood";

/* How much of a body is read, whatever its headers say, and of whom nothing at all. */

/** What the sockets on the way hold, with room to spare; a reader without a cap takes 300 MB. */
const BUFFERED_BYTES = 24 * 1024 * 1024;

const { upstream, site, visitor, dispose } = await startVisitedSite();
const limited = await startVisitedSite({ rateLimit: 2 });
afterAll(() => Promise.all([dispose(), limited.dispose()]));
beforeEach(() => upstream.answersJson(200, { client_secret: SECRET }));

const FORM = "application/x-www-form-urlencoded";
const REPORT = "application/csp-report";
const CHUNKED = "Transfer-Encoding: chunked";
const own = (type: string, { url } = site) => [
  `Origin: ${url}`,
  "Sec-Fetch-Site: same-origin",
  `Content-Type: ${type}`,
];

describe("a request body to the site", () => {
  const lengths: [what: string, headers: string[], chunked: boolean][] = [
    ["a Content-Length of 5 beside endless chunks", ["Content-Length: 5", CHUNKED], true],
    ["endless chunks", [CHUNKED], true],
    ["300 MB", [`Content-Length: ${300 * 1024 * 1024}`], false],
  ];
  const toForm = lengths.map(([what, ...rest]) => [what, "/subscription", FORM, ...rest] as const);
  const toReports = lengths.slice(0, 1).map(([what, ...rest]) => [what, "/csp-reports", REPORT, ...rest] as const);

  test.each([...toForm, ...toReports])(
    "with %s to %s is answered 413 and read no further; the next request works [H2] [B3]",
    async (_, path, type, headers, chunked) => {
      const { status, sent } = await flood(site.url, [`POST ${path} HTTP/1.1`, ...own(type), ...headers], chunked);
      expect(status).toBe(413);
      expect(sent).toBeLessThan(BUFFERED_BYTES);
      expect(upstream.calls).toHaveLength(0);
      expect((await visitor.submit()).status).toBe(303);
    },
  );

  test("longer than its Content-Length is read to that length [H2]", async () => {
    const head = ["POST /subscription HTTP/1.1", ...own(FORM), "Content-Length: 5"];
    const { status, sent } = await flood(site.url, head, false);
    expect(status).toBe(422);
    expect(sent).toBeLessThan(BUFFERED_BYTES);
    expect((await visitor.submit()).status).toBe(303);
  });

  test("in chunks with a wrong Content-Length is the form in its chunks [H2]", async () => {
    const body = new URLSearchParams(fields).toString();
    for (const length of ["0", "5", "16000"]) {
      const headers = own(FORM).map((line): [string, string] => [line.split(": ")[0] ?? "", line.split(": ")[1] ?? ""]);
      headers.push(["Content-Length", length], ["Transfer-Encoding", "chunked"]);
      expect((await sendRaw(site.url, { method: "POST", path: "/subscription", headers, body })).status).toBe(303);
    }
    expect(upstream.calls.map(({ body }) => JSON.parse(body).full_name)).toEqual(Array(3).fill(fields.full_name));
  });
});

describe("a response of 300 MB that announces 5 bytes", () => {
  test("from the API is read to 64 KiB; the next request works [H2] [C7]", async () => {
    const sent = { bytes: 0 };
    upstream.answers(liesAboutItsLength(sent));
    const answer = await visitor.submit();
    expect(answer.status).toBe(502);
    expect(answer.text).toContain(`value="${fields.full_name}"`);
    expect(sent.bytes).toBeLessThan(BUFFERED_BYTES);
    upstream.answersJson(200, { client_secret: SECRET });
    expect((await visitor.submit()).status).toBe(303);
  });

  test("from Stripe is abandoned, and the sign-up waits [H2]", async () => {
    const { cookie: Cookie } = await visitor.submit();
    const sent = { bytes: 0 };
    upstream.answers(liesAboutItsLength(sent));
    expect((await visitor.post("intent=card-set-up", { Cookie })).status).toBe(303);
    expect(sent.bytes).toBeLessThan(2 * BUFFERED_BYTES);
    upstream.answersJson(200, { id: "seti_1", status: "succeeded" });
    expect((await visitor.post("intent=card-set-up", { Cookie })).status).toBe(303);
    expect(upstream.calls).toHaveLength(1);
  });
});

describe("a client over the limit", () => {
  beforeEach(async () => {
    limited.upstream.answersJson(200, { client_secret: SECRET });
    await enoughOfTheMinute();
  }, 30_000);

  /** Announces a form and never sends it: only who does not wait for it answers at once. */
  const announce = (path: string, me: Record<string, string>) =>
    sendRaw(limited.site.url, {
      method: "POST",
      path,
      headers: [...formHeaders(limited.site.url), ["Content-Length", "600"], ...Object.entries(me)],
      unfinished: true,
    });

  test("gets as many forms back as the limit allows, then 429 without its form being read [H2] [F1]", async () => {
    const me = someone();
    for (const status of [303, 303, 429, 429]) expect((await limited.visitor.submit({}, me)).status).toBe(status);
    const { status, headers, body, durationMs } = await announce("/subscription", me);
    expect([status, headers.get("Retry-After")]).toEqual([429, "60"]);
    expect(body).toContain("Too many requests");
    expect(durationMs).toBeLessThan(5000);
    const head = ["POST /subscription HTTP/1.1", `CF-Connecting-IP: ${me["CF-Connecting-IP"]}`, CHUNKED];
    const flooded = await flood(limited.site.url, [...head, ...own(FORM, limited.site)], true);
    expect(flooded.status).toBe(429);
    expect(flooded.sent).toBeLessThan(BUFFERED_BYTES);
  });

  test("gets 429 at once for a form sent by script, whose page still has it [H2] [F1]", async () => {
    const me = someone();
    for (let index = 0; index < 2; index += 1) expect((await limited.visitor.submit({}, me)).status).toBe(303);
    const { status, headers, body, durationMs } = await announce("/subscription.data", me);
    expect([status, headers.get("Content-Type")]).toEqual([429, "text/x-script"]);
    expect(body).toContain("Too many requests. Please wait a moment and try again.");
    expect(durationMs).toBeLessThan(5000);
  });
});
