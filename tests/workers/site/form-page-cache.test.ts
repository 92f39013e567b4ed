import { afterAll, describe, expect, test } from "vitest";
import { formNonces } from "../../../app/signup/server/submit/form-nonce.server";
import { LOCAL_SESSION_SECRET } from "../../support/visitors/cookie-browser";
import { openPage } from "../../support/visitors/page";
import { type Answer, fields } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* The empty form from the cache beside the page that Remix renders; what is kept is in tests/unit/signup/form-page-cache.test.ts. */

const nonces = formNonces([LOCAL_SESSION_SECRET]);
const PLAN = `/subscription/${fields.package_id}`;

/** A path for each page that the form can be. */
const PATHS = [
  "/subscription",
  PLAN,
  PLAN.toUpperCase().replace("/SUBSCRIPTION", "/subscription"),
  "/subscription/5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10",
  "/subscription/11111111-2222-4333-8444-555555555555",
  "/subscription/not-a-uuid",
];

const { visitor, dispose } = await startVisitedSite();
afterAll(dispose);

/** What belongs to one answer alone. */
function valuesOf({ body, headers }: Answer) {
  return {
    cspNonce: /'nonce-([^']+)'/.exec(headers.get("Content-Security-Policy") ?? "")?.[1] ?? "",
    formNonce: /name="form_nonce" value="([^"]+)"/.exec(body)?.[1] ?? "",
    requestId: headers.get("X-Request-Id") ?? "",
  };
}

/** The page and its headers, with a word in place of each value of one answer. */
function withoutValues(answer: Answer): unknown {
  const names = Object.entries(valuesOf(answer));
  const neutral = (text: string) =>
    names.reduce((result, [name, value]) => result.replaceAll(value, `{${name}}`), text);
  const headers = [...answer.headers].filter(([name]) => name !== "date");
  return {
    status: answer.status,
    headers: headers.map(([name, value]) => [name, neutral(value)]),
    body: neutral(answer.body),
  };
}

describe.each(PATHS)("the cached form at %s", (path) => {
  test("equals the rendered page with every header; a HEAD has the same headers without a body [D9]", async () => {
    await visitor.get(path);
    const kept = await visitor.get(path, { "If-None-Match": "*", "If-Modified-Since": new Date().toUTCString() });
    const rendered = await visitor.get(`${path}?utm_source=x`);
    expect([kept.status, kept.headers.get("Cache-Control")]).toEqual([200, "no-store"]);
    expect(withoutValues(kept)).toEqual(withoutValues(rendered));
    const head = await visitor.head(path);
    expect([head.status, head.body]).toEqual([200, ""]);
    const names = [...kept.headers.keys()].filter((name) => name !== "content-length");
    expect([...head.headers.keys()].sort()).toEqual(names.sort());
  });

  test("has its own response's values, never another's [D9]", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => visitor.get(path)));
    const values = answers.map(valuesOf);
    for (const name of ["cspNonce", "formNonce", "requestId"] as const) {
      expect(new Set(values.map((value) => value[name])).size, name).toBe(answers.length);
    }
    for (const answer of answers) {
      const { cspNonce, formNonce, requestId } = valuesOf(answer);
      const inPage = [...answer.body.matchAll(/ nonce="([^"]*)"/g)].map(([, nonce]) => nonce);
      expect(inPage.length).toBeGreaterThan(2);
      expect(new Set(inPage)).toEqual(new Set([cspNonce]));
      expect(await nonces.read(formNonce)).toBeDefined();
      // In the form, and in the data with which React hydrates it.
      expect(answer.body.split(formNonce)).toHaveLength(3);
      expect(answer.body).toContain(`\\"requestId\\",\\"${requestId}\\"`);
    }
  });
});

test.each(["div", "nonce", "0", "-", "id", "signup-package_id", "c7e2d9a4"])(
  "a package id that is a word of the page, %s, changes nothing else [D9]",
  async (id) => {
    const usual = await openPage(visitor, "/subscription/not-a-uuid");
    const { body, words } = await openPage(visitor, `/subscription/${id}`);
    expect(words()).toBe(usual.words());
    expect(body).toContain(`action="/subscription/${id}"`);
    expect(body).toContain(`id="signup-package_id" value="${id}"`);
    expect(body.length - 3 * id.length).toBe(usual.body.length - 3 * "not-a-uuid".length);
  },
);

test("unrelated cookies change nothing, and the response probes whether the browser keeps cookies [D9]", async () => {
  const { body, headers } = await visitor.get(PLAN, { Cookie: "theme=dark; visitor=42" });
  expect(body).toContain("Subscription Information");
  expect(headers.get("Set-Cookie")).toMatch(/^cookies=1; /);
});
