import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { fields, SECRET } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* What must not get out: into a log, a browser's file, another visitor's page. */

const { upstream, site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);
beforeEach(() => upstream.answersJson(200, { client_secret: SECRET }));

/** What was logged for a request, but that its page was rendered for the cache. */
const linesOf = (id: string) =>
  site.logs.filter(({ request_id, event }) => request_id === id && event !== "page_rendered");

test("the log is lines of JSON without personal data, whatever a name, a URL or a header contains", async () => {
  const evil = 'Lovelace\r\n{"event":"forged","x":"Lovelace"}';
  upstream.answersJson(500, { error: "Lovelace" });
  await visitor.submit({ full_name: evil });
  await visitor.submit({ full_name: 'Lovelace {"event":"forged"}' });
  await visitor.submit({}, { "User-Agent": "Lovelace", Referer: `${site.url}/Lovelace` });
  await visitor.post(`Lovelace=${encodeURIComponent(evil)}`);
  await visitor.get(`/unknown/ada.Lovelace@example.com/Lovelace%2540x?name=${encodeURIComponent(evil)}`);
  await visitor.get("/subscription/Lovelace", { Cookie: "signup=Lovelace", "CF-Ray": "Lovelace\tx" });
  await visitor.get("/%4c%6fvelace%0a", { "CF-Ray": "the-last-one" });
  await expect.poll(() => linesOf("the-last-one").length).toBe(1);
  expect(site.output.join("\n")).not.toMatch(/Lovelace|forged|ada@|5550123|Example Street|Springfield|62701/i);
  expect(site.output.filter((line) => line !== "" && !line.startsWith("{"))).toEqual([]);
});

test("the events of a request and its own line, the last, share the request ID", async () => {
  upstream.answersJson(503, {});
  await visitor.submit({}, { "CF-Ray": "a-failing-api" });
  await expect.poll(() => linesOf("a-failing-api").length).toBe(2);
  expect(linesOf("a-failing-api")).toMatchObject([
    { event: "signup_failed", outcome: "rejected", status: 503 },
    { event: "request", method: "POST", route: "/subscription/:id?", status: 503, outcome: "failed" },
  ]);
  expect(linesOf("a-failing-api")[1]?.duration_ms).toBeGreaterThanOrEqual(0);
});

test("the browser's files contain no key, no secret's name and no source map", async () => {
  const folder = join(import.meta.dirname, "../../../public/build");
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  expect(files.length).toBeGreaterThan(5);
  const found =
    /\b(sk|rk)_(test|live|local)|whsec_|SESSION_SECRET|STRIPE_[A-Z]\w+|SUBSCRIPTION_API\w*|sourceMappingURL|only-for-local-development|Idempotency-Key/g;
  for (const file of files) {
    expect(file).not.toMatch(/\.map$/);
    expect((await readFile(file, "utf8")).match(found), file).toBeNull();
  }
});

describe("what a visitor sends", () => {
  test("as a URL in the query is ignored: every link of the card step is the site's own", async () => {
    const { cookie: Cookie } = await visitor.submit();
    const query = "?return_url=//evil.test&redirect=https://evil.test&next=//evil.test&continue=https://evil.test";
    for (const path of [`/subscription${query}`, `/subscription.data${query}`]) {
      const { status, body } = await visitor.get(path, { Cookie, "X-Forwarded-Host": "evil.test" });
      expect([status, body.includes(`${site.url}/subscription`), body.includes("evil.test")]).toEqual([
        200,
        true,
        false,
      ]);
    }
  });

  test("is escaped: scripts in a name and </script> in page data never run", async () => {
    const evil = {
      full_name: '"><script>alert(1)</script>',
      company_name: "</script><script>alert(2)</script><!--",
      address: "<img src=x onerror=alert(3)>",
      city: "{{7*7}}#{7*7}'\"&lt;",
    };
    const refused = await visitor.submit({ ...evil, email: "x" });
    const { cookie: Cookie } = await visitor.submit(evil);
    const card = await visitor.get(`/subscription/${fields.package_id}`, { Cookie });
    const unknown = await visitor.get("/subscription/%3Cscript%3Ealert(4)?id=%22%3E%3Cscript%3Ealert(5)");
    for (const { body } of [refused, card, unknown]) {
      expect(body).not.toMatch(/<script>alert|<img src=x/);
      // No element closes early: as many scripts end as begin.
      expect(body.match(/<script\b/g)?.length).toBe(body.match(/<\/script>/g)?.length);
    }
    expect(refused.body).toContain("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
  });
});
