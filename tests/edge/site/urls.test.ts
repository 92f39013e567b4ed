import { beforeAll, describe, expect, test } from "vitest";
import { type RawRequest, sendRaw } from "../../support/visitors/raw-request";
import { fastest, fields, type SiteVisitor, siteVisitor } from "../../support/visitors/site-visitor";
import { type RunningWorker, startSite } from "../../support/workers/workers";

/* Other spellings of the site's URLs, and what of a request is not even read. */

let site: RunningWorker;
let visitor: SiteVisitor;

beforeAll(async () => {
  site = await startSite();
  visitor = siteVisitor(site);
  return site.dispose;
});

const raw = (request: RawRequest) => sendRaw(site.url, request);

const id = fields.package_id;
test.each([
  ["/PRICING", "/pricing"],
  ["/Pricing/", "/pricing"],
  ["/pricing/?utm_source=x", "/pricing"],
  ["//pricing", "/pricing"],
  ["///Pricing//?x", "/pricing"],
  ["/\\pricing", "/pricing"],
  ["/%70ricing", "/pricing"],
  ["/%50%52%49%43%49%4E%47%2e%6D%64", "/pricing.md"],
  ["/PRICING.md", "/pricing.md"],
  ["/pricing.md/", "/pricing.md"],
  ["/INDEX.MD", "/index.md"],
  ["/TERMS", "/terms"],
  ["/Privacy/", "/privacy"],
  ["/HEALTH/", "/health"],
  ["/Robots.TXT", "/robots.txt"],
  ["/sitemap.xml/", "/sitemap.xml"],
  ["/LLMs.txt", "/llms.txt"],
  ["/Site.webmanifest", "/site.webmanifest"],
  [`/Subscription/${id.toUpperCase()}?id=x&y`, `/subscription/${id.toUpperCase()}?id=x&y`],
  [`/subscription/${id}/`, `/subscription/${id}`],
  [`//subscription//${id}//`, `/subscription/${id}`],
  ["/SUBSCRIPTION/?package_id=x", "/subscription?package_id=x"],
  ["/Subscription/not-a-uuid", "/subscription/not-a-uuid"],
])("%s is redirected to the one path, %s [H11]", async (path, location) => {
  for (const method of ["GET", "HEAD"]) {
    const { status, headers, body } = await raw({ method, path, headers: [["X-Forwarded-Host", "evil.test"]] });
    expect([status, headers.get("Location"), body]).toEqual([308, location, ""]);
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
  }
  const target = await raw({ path: location });
  expect([target.status, target.headers.get("Location")]).toEqual([200, null]);
});

test.each([
  "//evil.test/pricing",
  "//pricing.evil.test",
  "/pricing/evil.test",
  "/pricing%2f",
  "/%2fpricing",
  "/pricing%00",
  "/pricing%20",
  "/pricing;x",
  "/pricing.md.md",
  "/subscription.MD",
  "/subscription.DATA",
  "/Subscription/x.css",
  `/Subscription/${"x".repeat(101)}`,
  `/subscription/${id}/${id}/`,
  "/CSP-Reports/x",
  "/Refused/",
  "//",
  "/*",
])("%s is another path than any page's: not found, and no redirect [H11] [A10]", async (path) => {
  const { status, headers } = await raw({ path });
  expect([status, headers.get("Location")]).toEqual([404, null]);
});

test("a URL of another spelling is refused as the page's own would be [H11]", async () => {
  expect((await raw({ path: `/PRICING?${"x".repeat(9000)}` })).status).toBe(414);
  expect((await raw({ path: "/Subscription?_data=root" })).status).toBe(400);
  expect((await visitor.send("PUT", "/PRICING")).status).toBe(405);
});

describe("what is not read", () => {
  test("a query of more than 64 parameters is answered 400; of 64 the ones that a page knows are read [F11]", async () => {
    for (const path of ["/pricing", "/subscription"]) {
      expect((await raw({ path: `${path}?${"a&".repeat(64)}` })).status).toBe(400);
      expect((await raw({ path: `${path}?${"&".repeat(8000)}` })).status).toBe(400);
    }
    const last = await raw({ path: `/subscription?${"a&".repeat(63)}id=${fields.package_id}` });
    expect([last.status, last.body.includes(`value="${fields.package_id}"`)]).toEqual([200, true]);
  });

  test.each(["_data", "%5Fdata", "%5f%64%61%74%61", "a=1&_dat%61=root", "_data=", "&&_data&"])(
    "?%s is refused however it is written [A2] [F11]",
    async (query) => {
      for (const path of ["/pricing", "/subscription", "/nope"]) {
        expect((await raw({ path: `${path}?${query}` })).status).toBe(400);
      }
    },
  );

  test.each(["x_data", "_datax=1", "a=_data", "_%64ata2", "__data"])(
    "?%s is a query like any other [A2]",
    async (query) => {
      expect((await raw({ path: `/pricing?${query}` })).status).toBe(200);
    },
  );

  test("the routes that the page's script asks for are answered, and not for a path of 3,000 segments [F11]", async () => {
    const page = await visitor.get("/subscription");
    const version = /"version": ?"(\w+)"/.exec(page.body)?.[1];
    const ask = (query: string) => raw({ path: `/__manifest?${query}&version=${version}` });
    const answer = await ask(`p=%2F&p=%2Fterms&p=%2Fsubscription%2F${fields.package_id}`);
    expect([answer.status, Object.keys(JSON.parse(answer.body))]).toEqual([
      200,
      expect.arrayContaining(["routes/subscription", "routes/terms"]),
    ]);
    for (const query of [`p=${"%2Fa".repeat(1500)}`, `p=${"/a".repeat(3000)}`, "p=a&".repeat(60)]) {
      expect(await fastest(async () => expect((await ask(query)).status).toBe(400))).toBeLessThan(50);
    }
  });

  test("headers of 16 KB are no error, and a list of formats as long is HTML [F11]", async () => {
    const long = (part: string) => part.repeat(Math.floor(16_000 / part.length));
    for (const [name, value] of [
      ["Accept", `text/markdown,${long("text/markdown;q=0.1,")}`],
      ["Accept-Language", long("de-DE;q=0.9,")],
      ["Cookie", long("a=1; ")],
      ["If-None-Match", long('W/"a",')],
      ["Referer", long("https://example.test/")],
      ["CF-Ray", long("a")],
    ] as const) {
      for (const path of ["/pricing", "/subscription"]) {
        const { status, headers } = await raw({ path, headers: [[name, value]] });
        expect([name, status, headers.get("Content-Type")]).toEqual([name, 200, "text/html; charset=utf-8"]);
      }
    }
  });
});
