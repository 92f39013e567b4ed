import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { SECRET } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* A sign-up that is come back to: kept in a cookie, and by no cache. */

const { upstream, visitor, dispose } = await startVisitedSite();
afterAll(dispose);
beforeEach(() => upstream.answersJson(200, { client_secret: SECRET }));

const FORM = "Subscription Information";

describe("the session cookie", () => {
  test("is ignored and cleared when it is invalid, never a 500 [D4]", async () => {
    const { cookie } = await visitor.submit();
    const value = cookie.slice("signup=".length);
    const broken = [value.slice(0, -1), `${value}x`, "%E0%A4%A", "%", "=;;", "y".repeat(10_000)];
    for (const wrong of broken) {
      const answer = await visitor.get("/subscription", { Cookie: `signup=${wrong}` });
      expect([wrong, answer.status]).toEqual([wrong, 200]);
      expect(answer.text).toContain(FORM);
      expect(answer.text).toContain("Your sign-up could not be opened");
      expect(answer.headers.get("Set-Cookie")).toMatch(/^signup=; Max-Age=0/);
      // A form sent with it is taken like any other.
      expect((await visitor.submit({}, { Cookie: `signup=${wrong}` })).status).toBe(303);
    }
  });

  test("is not cleared when only unrelated cookies are sent [D4]", async () => {
    for (const Cookie of ["=;;", "signupx=1", "__proto__=1", "%"]) {
      const answer = await visitor.get("/subscription", { Cookie });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("Set-Cookie") ?? "").not.toContain("signup=");
    }
  });
});

describe("caches", () => {
  test.each(["/subscription/x.css", "/subscription%2fx.css", "/pricing%2f.css", "/subscription/x%2ecss"])(
    "get a 404 for %s, never a page's body under a cacheable name [D7]",
    async (path) => {
      const { cookie: Cookie } = await visitor.submit();
      const { status, headers, text } = await visitor.get(path, { Cookie });
      expect([status, headers.get("Cache-Control")]).toEqual([404, "no-store"]);
      expect(text).not.toMatch(/seti_|form_nonce|Lovelace/);
    },
  );
});
