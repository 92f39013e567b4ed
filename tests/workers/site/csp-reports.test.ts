import { afterAll, beforeEach, expect, test } from "vitest";
import { enoughOfTheMinute, someone } from "../../support/visitors/senders";
import { SECRET } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* What browsers report about the Content Security Policy. */

const { upstream, site, visitor, dispose } = await startVisitedSite({ rateLimit: "as in production" });
afterAll(dispose);
beforeEach(async () => {
  upstream.answersJson(200, { client_secret: SECRET });
  await enoughOfTheMinute();
}, 30_000);

const old = (report: object) => JSON.stringify({ "csp-report": report });
const violations = (id: string) =>
  site.logs.filter(({ event, request_id }) => event === "csp_violation" && request_id === id);
let ray: string;
const send = (body: string, type = "application/csp-report", headers = {}) => {
  ray = crypto.randomUUID();
  return visitor.post(
    body,
    { "Content-Type": type, "Sec-Fetch-Site": "cross-site", "CF-Ray": ray, ...someone(), ...headers },
    "/csp-reports",
  );
};

test("a report of either format is logged in one line: directive, blocked origin and route only", async () => {
  const answer = await send(
    old({
      "document-uri": `${site.url}/subscription/5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10?email=ada@example.com`,
      referrer: "https://ada.example/",
      "violated-directive": "script-src 'self'",
      "blocked-uri": "https://evil.test/path?ada@example.com",
      "script-sample": "ada@example.com",
    }),
  );
  expect([answer.status, answer.body]).toEqual([204, ""]);
  const expected = { directive: "script-src", blocked: "https://evil.test", route: "/subscription/:id?" };
  await expect
    .poll(() => violations(ray))
    .toEqual([{ level: "warn", event: "csp_violation", request_id: ray, ...expected }]);

  const body = { documentURL: `${site.url}/pricing#x`, effectiveDirective: "style-src-attr", blockedURL: "inline" };
  const report = { type: "csp-violation", age: 1, url: "x", user_agent: "y", body: { ...body, sample: "secret" } };
  expect((await send(JSON.stringify([report]), "application/reports+json")).status).toBe(204);
  const line = { directive: "style-src-attr", blocked: "inline", route: "/pricing" };
  await expect.poll(() => violations(ray)).toMatchObject([line]);
});

test("nothing else from a report reaches the log", async () => {
  const body = {
    documentURL: "https://ada.example/Lovelace",
    effectiveDirective: 'Lovelace\n{"event":"request"}',
    blockedURL: "javascript:Lovelace",
  };
  const reports = Array.from({ length: 20 }, () => ({ type: "csp-violation", body }));
  expect((await send(JSON.stringify(reports), "application/reports+json")).status).toBe(204);
  const line = { directive: "other", blocked: "javascript:", route: "foreign" };
  await expect.poll(() => violations(ray)).toMatchObject([line, line, line, line, line]);
  expect((await send(old({ "document-uri": `${site.url}/%`, "blocked-uri": "Lovelace" }))).status).toBe(204);
  await expect.poll(() => violations(ray)).toMatchObject([{ directive: "other", blocked: "other", route: "unknown" }]);
  expect(site.output.join("\n")).not.toContain("Lovelace");
});

test.each([
  ["no JSON", "{", 400],
  ["nothing", "", 400],
  ["another shape", '{"csp-report":[]}', 400],
  ["prototypes", '{"__proto__":{"csp-report":{}}}', 400],
  ["8,000 brackets", "[".repeat(8000), 400],
  ["no UTF-8", "\xff\xfe", 400],
  ["over 8 KiB", old({ "document-uri": "x".repeat(9000) }), 413],
  ["an empty list", "[]", 204],
])("a report of %s gets a response without a page, never a 500", async (_, body, status) => {
  const answer = await send(body);
  expect([answer.status, answer.body]).toEqual([status, ""]);
});

test("other types give 415, other methods 405, and a client's 21st report in a minute 429", async () => {
  expect((await send("[]", "text/plain")).status).toBe(415);
  const read = await visitor.get("/csp-reports");
  expect([read.status, read.headers.get("Allow")]).toEqual([405, "POST"]);
  const me = someone();
  for (let index = 0; index < 20; index += 1) expect((await send("[]", "application/json", me)).status).toBe(204);
  const last = await send("[]", "application/json", me);
  expect([last.status, last.headers.get("Retry-After")]).toEqual([429, "60"]);
  expect((await visitor.submit({}, me)).status).toBe(303);
});
