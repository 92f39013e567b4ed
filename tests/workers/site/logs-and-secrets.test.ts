import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { SECRET } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* What must not get out: into a log, a browser's file, another visitor's page. */

const root = join(import.meta.dirname, "../../..");

const { upstream, site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);
beforeEach(() => upstream.answersJson(200, { client_secret: SECRET }));

describe("the logs", () => {
  test("are lines of valid JSON without personal data, whatever a name, a URL or a header contains [F6]", async () => {
    const evil = 'Lovelace\r\n{"event":"forged","x":"Lovelace"}';
    upstream.answersJson(500, { error: "Lovelace" });
    await visitor.submit({ full_name: evil });
    await visitor.submit({ full_name: 'Lovelace {"event":"forged"}' });
    await visitor.submit({}, { "User-Agent": "Lovelace", Referer: `${site.url}/Lovelace` });
    await visitor.post(`Lovelace=${encodeURIComponent(evil)}`);
    await visitor.get(`/unknown/ada.Lovelace@example.com/Lovelace%40x?name=${encodeURIComponent(evil)}`);
    await visitor.get("/subscription/Lovelace", { Cookie: "signup=Lovelace", "CF-Ray": "Lovelace\tx" });
    await visitor.get("/%4c%6fvelace%0a", { "CF-Ray": "last-of-f6" });
    await expect.poll(() => site.output.join("\n")).toContain("last-of-f6");
    expect(site.output.join("\n")).not.toMatch(/Lovelace|forged|ada@|5550123|Example Street|Springfield|62701/i);
  });

  test("have a line for each request with id, method, route, status, outcome and duration, and its events share the id", async () => {
    const form = { event: "request", method: "POST", route: "/subscription/:id?" };
    const requests: [id: string, send: (id: object) => Promise<unknown>, lines: object[]][] = [
      [
        "log-a",
        (id) => visitor.get("/nope/ada", { ...id }),
        [{ event: "request", method: "GET", route: "/*", status: 404, outcome: "answered", path: "/nope/ada" }],
      ],
      [
        "log-b",
        (id) => visitor.submit({}, { ...id, Origin: "null" }),
        [{ ...form, status: 403, outcome: "refused", reason: "Request refused" }],
      ],
      [
        "log-c",
        (id) => visitor.submit({ email: "x", city: "" }, { ...id }),
        [
          { event: "signup_invalid", fields: ["email", "city"] },
          { event: "funnel", step: "form_refused" },
          { event: "funnel", step: "field_refused", field: "email" },
          { event: "funnel", step: "field_refused", field: "city" },
          { ...form, status: 422, outcome: "answered" },
        ],
      ],
      [
        "log-d",
        (id) => visitor.submit({}, { ...id }),
        [{ ...form, status: 303, outcome: "answered", signup: "created" }],
      ],
      [
        "log-e",
        (id) => {
          upstream.answersJson(503, {});
          return visitor.submit({}, { ...id });
        },
        [
          { event: "signup_failed", outcome: "rejected", status: 503 },
          { ...form, status: 503, outcome: "failed" },
        ],
      ],
    ];
    for (const [id, send, lines] of requests) {
      await send({ "CF-Ray": id });
      const written = () =>
        site.output.filter((line) => line.includes(`"${id}"`)).map((line): Record<string, unknown> => JSON.parse(line));
      await expect.poll(() => written().length).toBe(lines.length);
      expect(written()).toMatchObject(lines.map((line) => ({ ...line, request_id: id })));
      expect(written().at(-1)?.duration_ms).toBeGreaterThanOrEqual(0);
    }
  });
});

describe("untrusted input", () => {
  test("the browser's files contain no key, no secret's name and no source map [F8]", async () => {
    const folder = join(root, "public/build");
    const names = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    expect(files.length).toBeGreaterThan(10);
    for (const file of files) {
      expect(file).not.toMatch(/\.map$/);
      const text = await readFile(file, "utf8");
      expect(
        text.match(/\b(sk|rk)_(test|live|local)|whsec_|SESSION_SECRET|STRIPE_\w+|SUBSCRIPTION_API\w*/g),
      ).toBeNull();
      expect(text).not.toMatch(/sourceMappingURL|only-for-local-development|Idempotency-Key|signup-session/);
    }
  });

  test("is ignored as a URL in the query: Stripe's return_url is the site's own [F9]", async () => {
    const { cookie: Cookie } = await visitor.submit({});
    const query = "?return_url=//evil.test&redirect=https://evil.test&next=//evil.test&continue=https://evil.test";
    for (const path of [`/subscription${query}`, `/subscription.data${query}`]) {
      const { status, body } = await visitor.get(path, { Cookie, "X-Forwarded-Host": "evil.test" });
      expect(status).toBe(200);
      expect(body).toContain(`${site.url}/subscription`);
      expect(body).not.toContain("evil.test");
    }
    const over = await visitor.post("intent=start-over", { Cookie }, `/subscription${query}`);
    expect(over.headers.get("Location")).toBe("/subscription");
  });

  test("is escaped: scripts in a name and </script> in page data never run [F10]", async () => {
    const evil = {
      full_name: '"><script>alert(1)</script>',
      company_name: "</script><script>alert(2)</script><!--",
      address: "<img src=x onerror=alert(3)>",
      city: "{{7*7}}#{7*7}'\"&lt;",
    };
    const form = await visitor.submit({ ...evil, email: "x" });
    const { cookie: Cookie } = await visitor.submit(evil);
    const card = await visitor.get("/subscription", { Cookie });
    const unknown = await visitor.get("/subscription/%3Cscript%3Ealert(4)%3C%2Fx%3E?id=%22%3E%3Cscript%3Ealert(5)");
    for (const { status, body } of [form, card, unknown]) {
      expect([200, 404, 422]).toContain(status);
      expect(body).not.toMatch(/<script>alert|<img src=x/);
      // No element closes early: as many scripts end as begin.
      expect(body.match(/<script\b/g)?.length).toBe(body.match(/<\/script>/g)?.length);
    }
    expect(form.body).toContain("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(card.body).toContain("&lt;/script&gt;&lt;script&gt;alert(2)");
  });
});

test("leaves only lines of JSON in the log [F6]", () => {
  expect(site.output.length).toBeGreaterThan(20);
  // Those that begin so were parsed as they came.
  expect(site.output.filter((line) => line !== "" && !line.startsWith("{"))).toEqual([]);
});
