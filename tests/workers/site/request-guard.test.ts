import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { type RawRequest, sendRaw } from "../../support/visitors/raw-request";
import { fastest, fields, formHeaders, PASSWORD, SECRET } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* What workerd makes of origins, methods and paths on the wire; the rules are in tests/unit/pipeline/. */

const { upstream, site, visitor, dispose } = await startVisitedSite();
const own = formHeaders(site.url);
afterAll(dispose);
beforeEach(() => upstream.answersJson(200, { client_secret: SECRET }));

const form = () => new URLSearchParams(fields).toString();
const raw = (request: RawRequest) => sendRaw(site.url, request);

describe("a form", () => {
  test.each<[what: string, row: string, headers: Record<string, string>]>([
    ["another site's page", "A1", { "Sec-Fetch-Site": "cross-site" }],
    ["a page without an origin", "A6", { Origin: "null" }],
    [
      "a page that forged headers claim to be the site's",
      "A7",
      { "X-Forwarded-Host": "evil.test", Forwarded: "host=evil.test", Origin: "https://evil.test" },
    ],
  ])("of %s gets 403 with a readable page, and does not reach the API [%s]", async (_what, _row, headers) => {
    const answer = await visitor.submit({}, headers);
    expect(answer.status).toBe(403);
    expect(answer.text).toContain("This form was not sent from our site.");
    expect(answer.text).toContain("Return to Home");
    expect(upstream.calls).toHaveLength(0);
  });

  test("with two Origin headers, one of them foreign, gets 403 [A1]", async () => {
    const headers: [string, string][] = [...own, ["Origin", "https://evil.test"]];
    expect((await raw({ method: "POST", path: "/subscription", headers, body: form() })).status).toBe(403);
    expect(upstream.calls).toHaveLength(0);
  });

  test("without Origin and Sec-Fetch-Site, as from text browsers and old ones, is accepted [A5]", async () => {
    const headers: [string, string][] = [["Content-Type", "application/x-www-form-urlencoded"]];
    expect((await raw({ method: "POST", path: "/subscription", headers, body: form() })).status).toBe(303);
  });

  test("is accepted at the .data URL from the site's own pages only, and a script gets the reason of a refusal [A3]", async () => {
    const foreign = await visitor.submit({}, { "Sec-Fetch-Site": "cross-site" }, "/subscription.data");
    expect([foreign.status, foreign.headers.get("Content-Type")]).toEqual([403, "text/x-script"]);
    expect(foreign.body).toContain("Access forbidden. Please contact support.");
    expect(upstream.calls).toHaveLength(0);
    const answer = await visitor.submit({}, {}, "/subscription.data");
    expect([answer.status, answer.cookie === "", upstream.calls.length]).toEqual([202, false, 1]);
  });

  test("for a single loader gets 400, and does not reach the API [A2]", async () => {
    for (const path of ["/subscription?_data=routes%2Fsubscription", "/subscription.data?%5fdata=root"]) {
      expect((await visitor.submit({}, {}, path)).status).toBe(400);
    }
    expect(upstream.calls).toHaveLength(0);
  });
});

describe("methods", () => {
  test.each(["PUT", "OPTIONS", "PROPFIND", "TRACE"])(
    "%s is answered 405 with what the page takes, and goes nowhere [A8]",
    async (method) => {
      for (const [path, allow] of [
        ["/", "GET, HEAD"],
        ["/subscription", "GET, HEAD, POST"],
      ] as const) {
        const answer = await raw({ method, path, headers: own, body: form() });
        expect([answer.status, answer.headers.get("Allow")]).toEqual([405, allow]);
        expect(answer.body).toContain("Method not allowed");
      }
      expect(upstream.calls).toHaveLength(0);
    },
  );

  test("HEAD has the status of GET and no body [A8]", async () => {
    for (const path of ["/", "/subscription", "/subscription.data", "/health", "/nope"]) {
      const [head, get] = [await raw({ method: "HEAD", path }), await visitor.get(path)];
      expect([path, head.status, head.body]).toEqual([path, get.status, ""]);
    }
  });

  test("GET with values in the query gives the empty form, without echoing or forwarding them [A9]", async () => {
    const password = encodeURIComponent(PASSWORD);
    const { status, body } = await visitor.get(`/subscription?email=a@b.co&password=${password}&full_name=Mallory`);
    expect(status).toBe(200);
    expect(body).not.toMatch(/a@b\.co|a%40b|S3ntinel|Mallory/);
    expect(upstream.calls).toHaveLength(0);
  });
});

describe("paths", () => {
  test.each([
    "//evil.test",
    "/\\evil.test",
    "/%2f%2fevil.test",
    "/%00",
    "/%",
    "/%c0%ae%c0%ae/",
    "/subscription/a%0d%0aSet-Cookie:x=y",
  ])("%s gives no page, no redirect and no 500 [A10]", async (path) => {
    for (const method of ["GET", "HEAD", "POST"]) {
      const answer = await raw({ method, path, headers: method === "POST" ? own : [] });
      expect(method === "POST" ? [400, 404, 405] : [400, 404]).toContain(answer.status);
      expect(answer.headers.get("Location")).toBeNull();
    }
  });

  test("of 16 KB take under 50 ms, whatever their characters [A10]", async () => {
    for (const part of ["a", "/a", "%61", "@/", "%40"]) {
      const path = `/${part.repeat(16_000 / part.length)}`;
      expect(await fastest(async () => expect((await raw({ path })).status).toBe(404))).toBeLessThan(50);
    }
  });

  test.each([
    ["///Pricing//?utm_source=x", "/pricing"],
    ["/\\pricing", "/pricing"],
    [`//Subscription//${fields.package_id}//?id=x&y`, `/subscription/${fields.package_id}?id=x&y`],
  ])("%s redirects to its canonical path %s [H11]", async (path, location) => {
    for (const method of ["GET", "HEAD"]) {
      const { status, headers, body } = await raw({ method, path, headers: [["X-Forwarded-Host", "evil.test"]] });
      expect([status, headers.get("Location"), body]).toEqual([308, location, ""]);
      expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    }
    const target = await raw({ path: location });
    expect([target.status, target.headers.get("Location")]).toEqual([200, null]);
  });

  test("in another spelling refuse the same forms as the canonical path, and accept a form opened there [H11]", async () => {
    expect((await visitor.submit({}, { "Sec-Fetch-Site": "cross-site" }, "/Subscription/")).status).toBe(403);
    expect((await raw({ path: `/PRICING?${"x".repeat(9000)}` })).status).toBe(414);
    expect((await visitor.send("PUT", "/PRICING")).status).toBe(405);
    expect((await visitor.submit({}, {}, "/Subscription/")).status).toBe(303);
  });
});

test("headers of 16 KB are not an error, and an Accept header of that length gets HTML [F11]", async () => {
  const long = (part: string) => part.repeat(Math.floor(16_000 / part.length));
  for (const [name, value] of [
    ["Accept", `text/markdown,${long("text/markdown;q=0.1,")}`],
    ["Cookie", long("a=1; ")],
    ["If-None-Match", long('W/"a",')],
    ["CF-Ray", long("a")],
  ] as const) {
    for (const path of ["/pricing", "/subscription"]) {
      const { status, headers } = await raw({ path, headers: [[name, value]] });
      expect([name, status, headers.get("Content-Type")]).toEqual([name, 200, "text/html; charset=utf-8"]);
    }
  }
});

test("no request that the guard refused, redirected or passed on got a 5xx", async () => {
  await expect.poll(() => site.logs.filter(({ event }) => event === "request").length).toBeGreaterThan(60);
  expect(site.logs.filter(({ status }) => Number(status) >= 500)).toEqual([]);
});
