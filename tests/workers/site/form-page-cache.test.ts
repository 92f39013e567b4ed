import { beforeAll, describe, expect, test } from "vitest";
import { formNonces } from "../../../app/signup/form/form-nonce.server";
import { LOCAL_SESSION_SECRET } from "../../support/visitors/cookie-browser";
import { openPage } from "../../support/visitors/page";
import { type Answer, fields, SECRET, type SiteVisitor, siteVisitor } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";
import { throwingRoutes } from "../../support/workers/broken-site";
import type { Upstream } from "../../support/workers/upstream";
import { type RunningWorker, startSite } from "../../support/workers/workers";

/* The empty form is rendered once for each kind of plan, and filled with what belongs to one visitor. */

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

let upstream: Upstream;
let site: RunningWorker;
let visitor: SiteVisitor;

beforeAll(async () => {
  const started = await startVisitedSite();
  ({ upstream, site, visitor } = started);
  upstream.answersJson(200, { client_secret: SECRET });
  return started.dispose;
});

const rendered = () =>
  site.logs.filter(({ event, route }) => event === "page_rendered" && route === "/subscription/:id?");

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

describe.each(PATHS)("%s", (path) => {
  test("is the page that would be rendered for it, with every header [D9]", async () => {
    await visitor.get(path);
    const kept = await visitor.get(path);
    const asked = await visitor.get(`${path}?utm_source=x`);
    expect(kept.status).toBe(200);
    expect(kept.headers.get("Cache-Control")).toBe("no-store");
    expect(withoutValues(kept)).toEqual(withoutValues(asked));
  });

  test("has the values of its own answer, never those of another [D9]", async () => {
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

  test("is the same for a HEAD, without the page, and knows no conditions [D9]", async () => {
    const page = await visitor.get(path);
    const head = await visitor.head(path);
    expect([head.status, head.body]).toEqual([200, ""]);
    expect([...head.headers.keys()].sort()).toEqual(
      [...page.headers.keys()].filter((name) => name !== "content-length").sort(),
    );
    const again = await visitor.get(path, { "If-None-Match": "*", "If-Modified-Since": new Date().toUTCString() });
    expect([again.status, again.headers.get("ETag")]).toEqual([200, null]);
    expect(again.body.length).toBe(page.body.length);
  });
});

test("is rendered once for each kind of plan, whatever is asked for [D9]", async () => {
  const other = await startSite();
  const asking = siteVisitor(other);
  try {
    const paths = Array.from({ length: 40 }, (_, index) => [
      `/subscription/${crypto.randomUUID()}`,
      `/subscription/made-up-${100 + index}`,
      `/subscription/${fields.package_id.replace("c", index % 2 ? "C" : "c")}`,
      "/subscription",
    ]).flat();
    const answers = await Promise.all(paths.map((path) => asking.get(path, { "User-Agent": "someone" })));
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
    for (const [index, { body }] of answers.entries()) {
      const id = paths[index]?.split("/")[2] ?? "";
      expect(body).toContain(`action="${paths[index]}"`);
      expect(body).toContain(`name="package_id" id="signup-package_id" value="${id}"`);
      const others = paths
        .map((path) => path.split("/")[2] ?? "")
        .filter((other) => other !== "" && other.toLowerCase() !== id.toLowerCase());
      expect(others.filter((other) => other !== fields.package_id && body.includes(other))).toEqual([]);
    }
    const renders = () => other.logs.filter(({ event }) => event === "page_rendered").length;
    await expect.poll(renders).toBe(5);
  } finally {
    await other.dispose();
  }
});

test.each(["div", "form", "nonce", "script", "x", "0", "-", "id", "signup-package_id", "c7e2d9a4"])(
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

describe("is rendered as it is asked for", () => {
  test.each([
    [
      "with a session",
      async () => ({ path: PLAN, Cookie: (await visitor.submit()).cookie, words: "Please enter your card info" }),
    ],
    ["with a broken session", async () => ({ path: PLAN, Cookie: "signup=x", words: "could not be opened" })],
    ["with a query", async () => ({ path: `/subscription?id=${fields.package_id}`, Cookie: "", words: "STANDARD" })],
    [
      "with an id that needs escaping",
      async () => ({ path: "/subscription/a&b'c", Cookie: "", words: "Invalid subscription ID" }),
    ],
  ])("%s [D9]", async (_, requestFor) => {
    const { path, Cookie, words } = await requestFor();
    await visitor.get(PLAN);
    const before = rendered().length;
    const page = await openPage(visitor, path, Cookie ? { Cookie } : {});
    expect(page.status).toBe(200);
    expect(page.words()).toContain(words);
    expect(rendered().length).toBe(before);
    // And nothing of it is left.
    expect((await openPage(visitor, PLAN)).words()).not.toContain("Please enter your card info");
  });

  test("cookies of others change nothing [D9]", async () => {
    const { body, headers } = await visitor.get(PLAN, { Cookie: "theme=dark; visitor=42" });
    expect(body).toContain("Subscription Information");
    expect(headers.get("Set-Cookie")).toMatch(/^cookies=1; /);
  });
});

test("a page that fails is not kept [D9]", async () => {
  const broken = await startSite(await throwingRoutes());
  const get = () => siteVisitor(broken).get(PLAN);
  expect([(await get()).status, (await get()).status]).toEqual([500, 500]);
  await expect.poll(() => broken.logs.filter(({ event }) => event === "page_rendered")).toHaveLength(2);
  await broken.dispose();
});
