import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { root } from "../../../tools/wrangler/wrangler";
import { fields, SECRET } from "../../support/person";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* What must not get out: into a log, a browser's file, another visitor's page. */

const { upstream, site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);
beforeEach(() => upstream.answersJson(200, { client_secret: SECRET }));

test("the log is lines of JSON without personal data, whatever a name, a URL or a header contains", async () => {
  const evil = 'Lovelace\r\n{"event":"forged","x":"Lovelace"}';
  upstream.answersJson(503, { error: "Lovelace" });
  await visitor.submit({ full_name: evil });
  const ray = { "CF-Ray": "a-failing-api" };
  await visitor.submit({}, { "User-Agent": "Lovelace", Referer: `${site.url}/Lovelace`, ...ray });
  await visitor.post(`Lovelace=${encodeURIComponent(evil)}`);
  await visitor.get(`/unknown/ada.Lovelace@example.com/Lovelace%2540x?name=${encodeURIComponent(evil)}`);
  await visitor.get("/subscription/Lovelace", { Cookie: "signup=Lovelace", "CF-Ray": "Lovelace\tx" });
  await visitor.get("/%4c%6fvelace%0a", { "CF-Ray": "the-last-one" });
  await expect.poll(() => site.output.join("\n")).toContain("the-last-one");
  expect(site.output.join("\n")).not.toMatch(/Lovelace|forged|ada@|5550123|Example Street|Springfield|62701/i);
  expect(site.output.filter((line) => line !== "" && !line.startsWith("{"))).toEqual([]);
  // A request's events and its own line, the last, share its ID.
  const lines = site.logs.filter(({ request_id: id, event }) => id === "a-failing-api" && event !== "page_rendered");
  expect(lines).toMatchObject([
    { event: "signup_failed", outcome: "rejected", status: 503 },
    { event: "request", method: "POST", route: "/subscription/:id?", status: 503, duration_ms: expect.any(Number) },
  ]);
});

test("the browser's files contain no key, no secret's name and no source map", async () => {
  const folder = join(root, "public/build");
  const files = (await readdir(folder, { recursive: true })).filter((name) => /\.\w+$/.test(name));
  expect(files.length).toBeGreaterThan(5);
  const secret =
    /\b[sr]k_(test|live|local)|whsec_|SESSION_SECRET|STRIPE_[A-Z]|SUBSCRIPTION_API|sourceMappingURL|only-for-local|Idempotency-Key/;
  for (const file of files) expect(`${file}\n${await readFile(join(folder, file), "utf8")}`).not.toMatch(secret);
  expect(files.filter((file) => file.endsWith(".map"))).toEqual([]);
});

test("every link of the card step is the site's own, and no script in a URL or a field runs", async () => {
  const evil = {
    full_name: '"><script>alert(1)</script>',
    company_name: "</script><script>alert(2)</script><!--",
    address: "<img src=x onerror=alert(3)>",
  };
  const headers = { Cookie: (await visitor.submit(evil)).cookie, "X-Forwarded-Host": "evil.test" };
  const query = "?return_url=//evil.test&redirect=https://evil.test&next=//evil.test&continue=https://evil.test";
  const card = await visitor.get(`/subscription/${fields.package_id}${query}`, headers);
  const data = await visitor.get(`/subscription.data${query}`, headers);
  for (const { status, body } of [card, data]) {
    expect([status, body.includes("evil.test")]).toEqual([200, false]);
    expect(body).toContain(`${site.url}/subscription`);
  }
  const refused = await visitor.submit({ ...evil, email: "x" });
  const unknown = await visitor.get("/subscription/%3Cscript%3Ealert(4)?id=%22%3E%3Cscript%3Ealert(5)");
  for (const { body } of [refused, card, unknown]) {
    expect(body).not.toMatch(/<script>alert|<img src=x/);
    // No element closes early: as many scripts end as begin.
    expect(body.match(/<script\b/g)?.length).toBe(body.match(/<\/script>/g)?.length);
  }
  expect(refused.body).toContain("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
});
