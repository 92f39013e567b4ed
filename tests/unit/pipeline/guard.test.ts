import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_FORM_BYTES } from "../../../app/pipeline/guard/request-guard.server";
import { PATH, SITE_URL } from "../../support/site-in-process/site-settings";
import { FOREIGN_BROWSER, formWith, OWN_BROWSER, type Sender } from "./posted-form";
import { FORM, smallSite } from "./small-site";

/* Threats A and B: requests that the guard refuses by their headers alone. */

/** A query that makes the URL of a path 8,192 characters long, the most that is taken. */
const longestQuery = (path: string) => `?${"a".repeat(8192 - `${SITE_URL}${path}?`.length)}`;

describe("a URL", () => {
  test.each(["/subscription", "/subscription.data"])("of 8,192 characters is answered: %s", async (path) => {
    expect(await smallSite().ask(path + longestQuery(path))).toHaveStatus(200);
  });

  test("of 8,193 characters is too long", async () => {
    expect(await smallSite().ask(`/subscription${longestQuery("/subscription")}a`)).toHaveStatus(414);
  });

  test.each(["/nothing", "/405", "/pricing.data", "//evil.test", "/%5cevil.test", "/%", "/__manifest"])(
    "without a page is not found, also for a form: %s",
    async (path) => {
      const { ask } = smallSite();
      expect(await ask(path)).toHaveStatus(404);
      expect(await ask(path, formWith())).toHaveStatus(404);
    },
  );

  test.each(["x.css", "x%2ecss", "%00", "%5cevil.test", "a%2fb", "%", "a".repeat(101)])(
    "with an implausible plan is not found, also for a form: /subscription/%s",
    async (id) => {
      const { ask } = smallSite();
      expect(await ask(`/subscription/${id}`)).toHaveStatus(404);
      expect(await ask(`/subscription/${id}`, formWith())).toHaveStatus(404);
    },
  );

  test.each(["?_data=routes%2Fsubscription", "?a=1&%5F%64ata=x", "?_data", "?_data&a"])(
    "that asks Remix for a single loader is malformed: %s",
    async (query) => {
      expect(await smallSite().ask(`/subscription${query}`)).toHaveStatus(400);
    },
  );

  test("with 64 parameters is answered", async () => {
    expect(await smallSite().ask(`/subscription?${"a&".repeat(63)}`)).toHaveStatus(200);
  });

  test("with 65 parameters is malformed", async () => {
    expect(await smallSite().ask(`/subscription?${"a&".repeat(64)}`)).toHaveStatus(400);
  });
});

test.each(["/", "/pricing", "/robots.txt"])(
  "a public page comes from the cache, whatever its query: %s",
  async (path) => {
    const { ask } = smallSite();
    for (const query of ["?_data=root", `?${"a&".repeat(64)}`, `?${"a".repeat(8192)}`])
      expect(await ask(path + query), query.slice(0, 20)).toHaveStatus(200);
  },
);

describe("a method", () => {
  test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"])(
    "that a page without a form does not take is refused, with the methods it takes: %s",
    async (method) => {
      const { ask } = smallSite();
      for (const path of ["/", "/pricing", "/robots.txt", "/health"]) {
        const answer = await ask(path, { method });
        expect(answer).toHaveStatus(405);
        expect(answer).toHaveHeader("Allow", "GET, HEAD");
      }
    },
  );

  test.each(["PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"])(
    "that the form's page does not take is refused, with the methods it takes: %s",
    async (method) => {
      const answer = await smallSite().ask("/subscription", { method });
      expect(answer).toHaveStatus(405);
      expect(answer).toHaveHeader("Allow", "GET, HEAD, POST");
    },
  );
});

/** The host of the site's own URL over the other scheme, as behind an https tunnel to `npm start`. */
const OTHER_SCHEME = SITE_URL.replace("https:", "http:");
const sameOrigin = (headers: Sender): Sender => ({ "Sec-Fetch-Site": "same-origin", ...headers });

/** The site's own pages, and clients that are not browsers. */
const OWN: { who: string; headers: Sender }[] = [
  { who: "the site's own page", headers: OWN_BROWSER },
  { who: "the site's own page in a browser without Sec-Fetch-Site", headers: { Origin: SITE_URL } },
  { who: "the site's own page in a browser without Origin", headers: sameOrigin({}) },
  { who: "the site's own page in a browser that withholds referrers", headers: sameOrigin({ Origin: "null" }) },
  { who: "the site's own page behind an https tunnel", headers: sameOrigin({ Origin: OTHER_SCHEME }) },
  {
    who: "the site's own page with an Origin that a proxy changed",
    headers: sameOrigin({ Origin: "https://evil.test" }),
  },
  { who: "the site's own page with an unreadable Origin", headers: sameOrigin({ Origin: "%%%" }) },
  { who: "the site's own page with a foreign Referer", headers: sameOrigin({ Referer: "https://evil.test/" }) },
  { who: "the address bar", headers: { "Sec-Fetch-Site": "none" } },
  { who: "the address bar with an Origin of null", headers: { "Sec-Fetch-Site": "none", Origin: "null" } },
  { who: "an old browser behind an https tunnel", headers: { Origin: OTHER_SCHEME } },
  {
    who: "an old browser whose Origin decides, not its Referer",
    headers: { Origin: SITE_URL, Referer: "https://evil.test/" },
  },
  { who: "curl", headers: {} },
  { who: "a client with an empty Origin", headers: { Origin: "" } },
  { who: "an old browser with an empty Sec-Fetch-Site", headers: { Origin: SITE_URL, "Sec-Fetch-Site": "" } },
  { who: "a text browser on the site's own page", headers: { Referer: `${SITE_URL}/subscription` } },
];

const FOREIGN: { who: string; headers: Sender }[] = [
  { who: "another site", headers: FOREIGN_BROWSER },
  { who: "another site in a browser without Sec-Fetch-Site", headers: { Origin: "https://evil.test" } },
  { who: "another site in a browser without Origin", headers: { "Sec-Fetch-Site": "cross-site" } },
  { who: "another site that claims our Origin", headers: { "Sec-Fetch-Site": "cross-site", Origin: SITE_URL } },
  { who: "another site in a text browser", headers: { Referer: "https://evil.test/form" } },
  { who: "a text browser with an unreadable Referer", headers: { Referer: "%%%" } },
  { who: "another site that names a proxy", headers: { ...FOREIGN_BROWSER, "X-Forwarded-Host": "evil.test" } },
  {
    who: "another site that names a proxy, in an old browser",
    headers: { Origin: "https://evil.test", "X-Forwarded-Host": "evil.test" },
  },
  { who: "a site whose name begins with ours", headers: { Origin: `${SITE_URL}.evil.test` } },
  { who: "another port of our host", headers: { Origin: `${SITE_URL}:8443` } },
  { who: "another site beside ours", headers: { Origin: `${SITE_URL}, https://evil.test` } },
  { who: "a sibling domain", headers: { Origin: SITE_URL, "Sec-Fetch-Site": "same-site" } },
  { who: "an unknown Sec-Fetch-Site", headers: { Origin: SITE_URL, "Sec-Fetch-Site": "same-origin, cross-site" } },
  { who: "a Sec-Fetch-Site in capital letters", headers: { Origin: SITE_URL, "Sec-Fetch-Site": "SAME-ORIGIN" } },
  { who: "a sandboxed frame", headers: { Origin: "null" } },
  { who: "a sandboxed frame of another site", headers: { Origin: "null", "Sec-Fetch-Site": "cross-site" } },
  { who: "an unreadable Origin", headers: { Origin: "%%%" } },
  { who: "an Origin without a host", headers: { Origin: "data:text/html,x" } },
];
const SENT = { "Content-Type": FORM };

test.each(OWN)("a form of $who reaches the action", async ({ headers }) => {
  const { ask, posts } = smallSite();
  expect(await ask("/subscription", { method: "POST", headers: { ...SENT, ...headers } })).toHaveStatus(200);
  expect(posts, "forms that reached the action").toHaveLength(1);
});

test.each(FOREIGN)("a form of $who is refused", async ({ headers }) => {
  const { ask } = smallSite();
  expect(await ask("/subscription", { method: "POST", headers: { ...SENT, ...headers } })).toHaveStatus(403);
});

test.each(OWN)("a page's data is answered to $who", async ({ headers }) => {
  expect(await smallSite().ask("/subscription.data", { headers })).toHaveStatus(200);
});

test.each(FOREIGN)("a page's data is refused to $who, but its page is not", async ({ headers }) => {
  const { ask } = smallSite();
  expect(await ask("/subscription.data", { headers })).toHaveStatus(403);
  expect(await ask("/subscription?edit", { headers })).toHaveStatus(200);
});

test.each([FORM, `${FORM}; charset=utf-8`, "Multipart/Form-Data; boundary=x"])(
  "the type of a form is taken: %s",
  async (type) => {
    expect(await smallSite().ask("/subscription", formWith({ "Content-Type": type }))).toHaveStatus(200);
  },
);

test.each([`${FORM}x`, "text/plain", ""])("another type than a form's is refused: '%s'", async (type) => {
  expect(await smallSite().ask("/subscription", formWith({ "Content-Type": type }))).toHaveStatus(415);
});

test("a form that declares 256 KB is taken", async () => {
  const form = formWith({ "Content-Length": String(MAX_FORM_BYTES) });
  expect(await smallSite().ask("/subscription", form)).toHaveStatus(200);
});

test("a form that declares more than 256 KB is refused", async () => {
  const form = formWith({ "Content-Length": String(MAX_FORM_BYTES + 1) });
  expect(await smallSite().ask("/subscription", form)).toHaveStatus(413);
});

/** Values of a form's parts, and the refusal of each that is wrong. */
type Part = { value: string; refused?: number };
const oneOf = (...parts: Part[]) => fc.constantFrom(...parts);
const FORMS = ["/subscription", "/subscription/any", PATH, "/subscription.data", "/subscription/any.data"];
const anyForm = fc.record({
  query: oneOf({ value: "" }, { value: "?a=1" }, { value: "?_data=x", refused: 400 }, { value: longestQuery("") }),
  path: oneOf(...FORMS.map((value) => ({ value })), { value: "/nothing", refused: 404 }),
  method: oneOf({ value: "POST" }, { value: "PUT", refused: 405 }),
  sender: fc.constantFrom(
    ...OWN.map(({ headers }) => ({ headers, refused: undefined })),
    ...FOREIGN.map(({ headers }) => ({ headers, refused: 403 })),
  ),
  type: oneOf({ value: FORM }, { value: "text/plain", refused: 415 }),
  length: oneOf({ value: "" }, { value: String(MAX_FORM_BYTES + 1), refused: 413 }),
});

test("a form reaches the action only if nothing is wrong with it; otherwise the first fault is reported: URL, path, query, method, sender, type, length", async () => {
  const { ask, posts } = smallSite();
  await fc.assert(
    fc.asyncProperty(anyForm, async ({ path, query, method, sender, type, length }) => {
      posts.length = 0;
      const url = path.value + query.value;
      const tooLong = (SITE_URL + url).length > 8192 ? { refused: 414 } : {};
      const refused = [tooLong, path, query, method, sender, type, length].find((part) => part.refused)?.refused;
      const answer = await ask(url, {
        method: method.value,
        headers: {
          ...sender.headers,
          "Content-Type": type.value,
          ...(length.value && { "Content-Length": length.value }),
        },
      });
      expect(answer).toHaveStatus(refused ?? 200);
      expect(posts, "forms that reached the action").toHaveLength(refused ? 0 : 1);
    }),
    { numRuns: 60, seed: 1 },
  );
});

test("a form is passed on whole, without what Remix would trust or fail on", async () => {
  const { ask, posts } = smallSite();
  const headers = { "Content-Type": FORM, Origin: SITE_URL, "X-Forwarded-Host": "evil.test", Cookie: "a=1" };
  const body = "email=a&email=b&x";
  await ask("/subscription", { method: "POST", headers, body });
  expect(posts).toEqual([{ path: "/subscription", body, headers: { "content-type": FORM, cookie: "a=1" } }]);
});
