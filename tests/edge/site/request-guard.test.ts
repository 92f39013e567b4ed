import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RawRequest, sendRaw } from "../../support/visitors/raw-request";
import { fastest, fields, formHeaders, PASSWORD, SECRET, type SiteVisitor } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";
import type { Upstream } from "../../support/workers/upstream";
import type { RunningWorker } from "../../support/workers/workers";

/* What every request passes before its page is made: origin, method and path. */

let upstream: Upstream;
let site: RunningWorker;
let visitor: SiteVisitor;
let own: [string, string][];

beforeAll(async () => {
  const started = await startVisitedSite();
  ({ upstream, site, visitor } = started);
  own = formHeaders(site.url);
  return started.dispose;
});

beforeEach(() => upstream.answersJson(200, { client_secret: SECRET }));

const form = () => new URLSearchParams(fields).toString();
const raw = (request: RawRequest) => sendRaw(site.url, request);

describe("where a form came from", () => {
  const evil = { Origin: "https://evil.test" };
  const foreign: [sent: string, row: string, headers: Record<string, string>][] = [
    ["Sec-Fetch-Site: cross-site", "A1", { "Sec-Fetch-Site": "cross-site" }],
    ["Sec-Fetch-Site: same-site, a sibling subdomain,", "A4", { "Sec-Fetch-Site": "same-site" }],
    ["Origin: null", "A6", { Origin: "null" }],
    ["Origin: %%%", "A6", { Origin: "%%%" }],
    ["X-Forwarded-Host and Origin of evil.test", "A7", { "X-Forwarded-Host": "evil.test", ...evil }],
    ["Forwarded and Origin of evil.test", "A7", { Forwarded: "host=evil.test", ...evil }],
    ["an Origin on another port", "A1", { Origin: "http://localhost:1" }],
    ["an Origin without the port", "A1", { Origin: "http://localhost" }],
    ["an Origin with a path", "A1", { Origin: "http://localhost/" }],
    ["an unknown Sec-Fetch-Site", "A1", { "Sec-Fetch-Site": "Same-Origin, cross-site" }],
  ];

  test.each(foreign)(
    "a form with %s is answered 403 with a readable page, and goes nowhere [%s]",
    async (...[, , headers]) => {
      const answer = await visitor.submit({}, headers);
      expect(answer.status).toBe(403);
      expect(answer.text).toContain("This form was not sent from our site.");
      expect(answer.text).toContain("Return to Home");
      expect(upstream.calls).toHaveLength(0);
    },
  );

  test("a form with two Origins, one of them foreign, is answered 403 [A1]", async () => {
    const answer = await raw({
      method: "POST",
      path: "/subscription",
      headers: [...own, ["Origin", "https://evil.test"]],
      body: form(),
    });
    expect(answer.status).toBe(403);
    expect(upstream.calls).toHaveLength(0);
  });

  test.each(["routes%2Fsubscription", "routes%2Fsubscription.(%24id)", "root", "", "x&_data=root"])(
    "?_data=%s with a foreign Origin is answered 4xx, and goes nowhere [A2]",
    async (id) => {
      for (const path of [`/subscription?_data=${id}`, `/subscription.data?_data=${id}`]) {
        const answer = await visitor.submit({}, { Origin: "https://evil.test" }, path);
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(answer.status).toBeLessThan(500);
        // Nothing of the site uses this URL, so it is closed for the site's own origin too.
        expect((await visitor.submit({}, {}, path)).status).toBe(400);
        expect((await visitor.get(path)).status).toBe(400);
      }
      expect(upstream.calls).toHaveLength(0);
    },
  );

  test("the .data URL takes a form from the site's own pages only [A3]", async () => {
    for (const [, , headers] of foreign) {
      expect((await visitor.submit({}, headers, "/subscription.data")).status).toBe(403);
    }
    expect(upstream.calls).toHaveLength(0);
    const answer = await visitor.submit({}, {}, "/subscription.data");
    expect(answer.status).toBe(202);
    expect(answer.cookie).not.toBe("");
    expect(upstream.calls).toHaveLength(1);
  });

  test("a form refused at the .data URL gets a notice that its script reads [A3]", async () => {
    const answer = await visitor.submit({}, { "Sec-Fetch-Site": "cross-site" }, "/subscription.data");
    expect(answer.headers.get("Content-Type")).toBe("text/x-script");
    expect(answer.body).toContain("Submission Failed");
    expect(answer.body).toContain("Access forbidden. Please contact support.");
  });

  test("another site's page cannot ask for a page's data, and only pages with a script have any [A3]", async () => {
    for (const from of ["cross-site", "same-site"]) {
      expect((await visitor.get("/subscription.data", { "Sec-Fetch-Site": from })).status).toBe(403);
    }
    for (const path of ["/_root.data", "/pricing.data", "/health.data", "/nope.data", "/.data", "/subscription.DATA"]) {
      expect((await visitor.get(path)).status).toBe(404);
    }
    for (const query of ["_routes=root", "_routes=nope", "_routes=", "index", "index&_routes=%00"]) {
      expect((await visitor.get(`/subscription.data?${query}`)).status).toBe(200);
    }
  });

  test("takes a form without Sec-Fetch-Site and Origin only with a fresh nonce of its own and no foreign Referer [A5]", async () => {
    const nonce = await visitor.nonce();
    const send = (form_nonce: string, headers: [string, string][] = []) =>
      raw({
        method: "POST",
        path: "/subscription",
        headers: [["Content-Type", "application/x-www-form-urlencoded"], ...headers],
        body: new URLSearchParams({ ...fields, form_nonce }).toString(),
      });
    const withoutSignature = nonce.slice(0, nonce.lastIndexOf(".") + 1);
    const ofLongAgo = nonce.replace(/^[^.]*/, "0");
    for (const forged of ["", "x", "..", `${nonce}x`, `x${nonce}`, withoutSignature, ofLongAgo]) {
      expect((await send(forged)).status).toBe(403);
    }
    const secure = site.url.replace("http:", "https:");
    for (const referer of ["https://evil.test/", `${site.url}.evil.test/`, `${secure}/`, "%%%", "null"]) {
      expect((await send(nonce, [["Referer", referer]])).status).toBe(403);
    }
    expect(upstream.calls).toHaveLength(0);
    expect((await send(nonce)).status).toBe(303);
    expect((await send(nonce, [["Referer", `${site.url}/subscription`]])).status).toBe(303);
  });

  test("takes a form of which the browser says that no page sent it, as after a restart [A1]", async () => {
    expect((await visitor.submit({}, { "Sec-Fetch-Site": "none" })).status).toBe(303);
  });

  test("takes a form with the site's Origin and no Sec-Fetch-Site, as old browsers send it [A5]", async () => {
    const headers = own.filter(([name]) => name !== "Sec-Fetch-Site");
    expect((await raw({ method: "POST", path: "/subscription", headers, body: form() })).status).toBe(303);
  });
});

describe("methods", () => {
  const pages = ["/", "/pricing", "/privacy", "/terms", "/subscription", "/subscription.data", "/health", "/nope"];
  test.each(["PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "TRACE", "QUERY", "MKCOL", "LOCK"])(
    "%s on any page is answered 405 with Allow, and goes nowhere [A8]",
    async (method) => {
      for (const path of pages) {
        const answer = await raw({ method, path, headers: own, body: form() });
        expect(answer.status).toBe(405);
        const takesForms = path.startsWith("/subscription");
        expect(answer.headers.get("Allow")).toBe(takesForms ? "GET, HEAD, POST" : "GET, HEAD");
        expect(answer.body).toContain("Method not allowed");
      }
      expect(upstream.calls).toHaveLength(0);
    },
  );

  test("a form for a page that takes none is answered 405; a header cannot change the method [A8]", async () => {
    for (const path of ["/", "/?index", "/pricing", "/health", "/refused", "/__manifest", "/subscription/x/y"]) {
      const answer = await visitor.submit({}, {}, path);
      expect([path, answer.status, answer.headers.get("Allow")]).toEqual([path, 405, "GET, HEAD"]);
    }
    expect((await visitor.get("/subscription", { "X-HTTP-Method-Override": "POST" })).status).toBe(200);
    expect(upstream.calls).toHaveLength(0);
    expect((await visitor.submit({}, { "X-HTTP-Method-Override": "DELETE" })).status).toBe(303);
  });

  test("HEAD has the status of GET and no body [A8]", async () => {
    for (const path of pages) {
      const [head, get] = [await raw({ method: "HEAD", path }), await visitor.get(path)];
      expect([path, head.status, head.body]).toEqual([path, get.status, ""]);
    }
  });

  test("GET with values in the query is the empty form; they are not echoed and go nowhere [A9]", async () => {
    const answer = await visitor.get(
      `/subscription?email=a@b.co&password=${encodeURIComponent(PASSWORD)}&full_name=Mallory`,
    );
    expect(answer.status).toBe(200);
    expect(answer.body).not.toMatch(/a@b\.co|a%40b|S3ntinel|Mallory/);
    expect(upstream.calls).toHaveLength(0);
  });
});

describe("paths", () => {
  test.each(
    [
      "//evil.test",
      "///evil.test/..",
      "/%5cevil.test",
      "/\\evil.test",
      "/%2f%2fevil.test",
      "/%00",
      "/%",
      "/%ff",
      "/%c0%ae%c0%ae/",
      "/%e2%80%a8",
      "/..%2f..%2fetc%2fpasswd",
      "/subscription/a%0d%0aSet-Cookie:x=y",
      `/${"a".repeat(16 * 1024)}`,
      `/${"a/".repeat(8 * 1024)}`,
      `/subscription/${"%41".repeat(5000)}`,
    ].map((path) => [path.slice(0, 40), path] as const),
  )("%s is no page, never a redirect and never 500 [A10]", async (_, path) => {
    for (const method of ["GET", "HEAD", "POST"]) {
      const answer = await raw({ method, path, headers: method === "POST" ? own : [] });
      expect([400, 404]).toContain(answer.status);
      expect(answer.headers.get("Location")).toBeNull();
    }
  });

  test("a path of 16 KB takes under 50 ms, whatever it is made of [A10]", async () => {
    for (const part of ["a", "/a", "%61", "@/", "%40"]) {
      const path = `/${part.repeat(16_000 / part.length)}`;
      expect(await fastest(async () => expect((await raw({ path })).status).toBe(404))).toBeLessThan(50);
    }
  });

  test("a URL of over 8 KB is answered 414 [A10]", async () => {
    for (const query of [`id=${"x".repeat(9000)}`, "a=1&".repeat(4000), `resume=${"*".repeat(50_000)}`]) {
      expect((await raw({ path: `/subscription?${query}` })).status).toBe(414);
    }
  });

  test("other spellings of a page's path get the same care as the page [A10]", async () => {
    for (const [path, status] of [
      ["/Subscription", 308],
      ["/%73ubscription", 308],
      ["/subscription/", 308],
      ["/subscription//", 308],
      ["/SUBSCRIPTION.data", 200],
    ] as const) {
      const answer = await raw({ path });
      expect([path, answer.status, answer.headers.get("Cache-Control")]).toEqual([path, status, "no-store"]);
      expect(answer.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
      expect((await visitor.submit({}, { "Sec-Fetch-Site": "cross-site" }, path)).status).toBe(403);
    }
    expect(upstream.calls).toHaveLength(0);
    // A form that was opened under such a path in a release before is still taken.
    expect((await visitor.submit({}, {}, "/Subscription/")).status).toBe(303);
  });
});

test("a page that says why a request is refused names that request, and no other's [D8]", async () => {
  const bodies = new Set<string>();
  for (const ray of ["refused-1", "refused-2", "refused-3"]) {
    const answer = await visitor.submit({}, { "Sec-Fetch-Site": "cross-site", "CF-Ray": ray, Cookie: `signup=${ray}` });
    expect([answer.status, answer.headers.get("X-Request-Id")]).toEqual([403, ray]);
    expect(answer.body.match(/refused-\d/g)).toEqual([ray]);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    bodies.add(answer.body.replace(ray, ""));
  }
  expect(bodies.size).toBe(1);
});

test("a page that says why a request is refused is kept in HTML and in Markdown [D8]", async () => {
  const inMarkdown = await visitor.get("/nope", { Accept: "text/markdown" });
  expect(inMarkdown.body).toContain("# Oops! Page not found");
  expect((await visitor.get("/nope")).body).toContain("<!DOCTYPE html>");
});

test("the log has why a request was refused, and of an unknown page its path [F6]", async () => {
  const linesOf = async (ray: string) => {
    const lines = () => site.logs.filter(({ request_id }) => request_id === ray);
    await expect.poll(lines).toContainEqual(expect.objectContaining({ event: "request" }));
    return lines();
  };
  await visitor.submit({}, { "Sec-Fetch-Site": "cross-site", "CF-Ray": "logged-1" });
  expect(await linesOf("logged-1")).toEqual([
    expect.objectContaining({ event: "request", status: 403, outcome: "refused", reason: "Request refused" }),
  ]);
  await visitor.get("/no-such-page?secret=x", { "CF-Ray": "logged-2" });
  expect(await linesOf("logged-2")).toEqual([
    expect.objectContaining({ event: "request", status: 404, outcome: "answered", path: "/no-such-page" }),
  ]);
});

test("none of all these requests was answered with a 5xx", async () => {
  await expect.poll(() => site.logs.filter(({ event }) => event === "request").length).toBeGreaterThan(200);
  expect(site.logs.filter(({ status }) => Number(status) >= 500)).toEqual([]);
});
