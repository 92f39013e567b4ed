import { expect, test } from "vitest";
import { MAX_FORM_BYTES } from "../../../app/pipeline/guard/request-guard.server";
import { NAMED_SENDERS } from "../../support/named-senders";
import { bodyOf } from "../../support/site-in-process/body-of";
import { countingLimiter, PATH, SITE_URL } from "../../support/site-in-process/site-settings";
import { FORM, formWith, OWN_BROWSER, type Sender, smallSite } from "./small-site";

/* Threats A and B: requests that the guard refuses by their headers alone, and a flood of forms, which is refused unread. */

/** A query that makes the URL of a path 8,192 characters long, the most that is taken. */
const longestQuery = (path: string) => `?${"a".repeat(8192 - `${SITE_URL}${path}?`.length)}`;

test.each([
  { what: "8,192 characters", url: `/subscription${longestQuery("/subscription")}`, status: 200 },
  { what: "8,193 characters", url: `/subscription${longestQuery("/subscription")}a`, status: 414 },
  { what: "64 parameters", url: `/subscription?${"a&".repeat(63)}`, status: 200 },
  { what: "65 parameters", url: `/subscription?${"a&".repeat(64)}`, status: 400 },
  { what: "a question to a single loader", url: "/subscription?_data=routes%2Fsubscription", status: 400 },
  { what: "a single loader's name in other letters", url: "/subscription?a=1&%5F%64ata=x", status: 400 },
  { what: "a single loader's name without a value", url: "/subscription?_data&a", status: 400 },
])("the form's URL with $what is answered with $status", async ({ url, status }) => {
  expect(await smallSite().ask(url)).toHaveStatus(status);
});

test("a public page comes from the cache, whatever its query", async () => {
  const { ask } = smallSite();
  for (const query of ["_data=root", "a&".repeat(64), "a".repeat(8192)])
    expect(await ask(`/pricing?${query}`), query.slice(0, 20)).toHaveStatus(200);
});

test.each([
  { method: "POST", path: "/pricing", allow: "GET, HEAD" },
  { method: "PROPFIND", path: "/health", allow: "GET, HEAD" },
  { method: "OPTIONS", path: "/subscription", allow: "GET, HEAD, POST" },
])("$method of $path is refused, with the methods that it takes", async ({ method, path, allow }) => {
  const answer = await smallSite().ask(path, { method });
  expect(answer).toHaveStatus(405);
  expect(answer).toHaveHeader("Allow", allow);
});

/** The host of the site's own URL over the other scheme, as behind an https tunnel to `npm start`. */
const OTHER_SCHEME = SITE_URL.replace("https:", "http:");
const EVIL = "https://evil.test";

const SENT = { "Content-Type": FORM };

test.each<{ who: string; headers: Sender }>([
  { who: "the site's own page", headers: OWN_BROWSER },
  { who: "an Origin that a proxy changed", headers: { "Sec-Fetch-Site": "same-origin", Origin: EVIL } },
  { who: "the address bar with an Origin of null", headers: { "Sec-Fetch-Site": "none", Origin: "null" } },
  { who: "an old browser", headers: { Origin: SITE_URL, "Sec-Fetch-Site": "" } },
  { who: "an old browser behind an https tunnel", headers: { Origin: OTHER_SCHEME } },
  { who: "an old browser, whose Origin decides", headers: { Origin: SITE_URL, Referer: `${EVIL}/` } },
  { who: "curl", headers: {} },
  { who: "a text browser with an empty Origin", headers: { Origin: "", Referer: `${SITE_URL}/subscription` } },
])("a form of $who reaches the action, and the page's data is answered", async ({ headers }) => {
  const { ask, posts } = smallSite();
  expect(await ask("/subscription", { method: "POST", headers: { ...SENT, ...headers } })).toHaveStatus(200);
  expect(posts, "forms that reached the action").toHaveLength(1);
  expect(await ask("/subscription.data", { headers }), "the page's data").toHaveStatus(200);
});

test.each<{ who: string; headers: Sender }>([
  { who: "another site that claims our Origin", headers: { "Sec-Fetch-Site": "cross-site", Origin: SITE_URL } },
  { who: "another site in an old browser", headers: { Origin: EVIL, "X-Forwarded-Host": "evil.test" } },
  { who: "another site in a text browser", headers: { Origin: "", Referer: `${EVIL}/form` } },
  { who: "a text browser with an unreadable Referer", headers: { Referer: "%%%" } },
  { who: "a site whose name begins with ours", headers: { Origin: `${SITE_URL}.evil.test` } },
  { who: "another port of our host", headers: { Origin: `${SITE_URL}:8443` } },
  { who: "another site beside ours", headers: { Origin: `${SITE_URL}, ${EVIL}` } },
  { who: "a sibling domain", headers: { Origin: SITE_URL, "Sec-Fetch-Site": "same-site" } },
  { who: "an unknown Sec-Fetch-Site", headers: { Origin: SITE_URL, "Sec-Fetch-Site": "same-origin, cross-site" } },
  { who: "a sandboxed frame", headers: { Origin: "null" } },
])("$who gets the page, but not its data, and its form is refused", async ({ headers }) => {
  const { ask, posts } = smallSite();
  expect(await ask("/subscription?edit", { headers }), "the page").toHaveStatus(200);
  expect(await ask("/subscription.data", { headers }), "the page's data").toHaveStatus(403);
  expect(await ask("/subscription", { method: "POST", headers: { ...SENT, ...headers } }), "a form").toHaveStatus(403);
  expect(posts, "forms that reached the action").toHaveLength(0);
});

test.each<{ declares: string; headers: Record<string, string>; status: number }>([
  { declares: "a character set", headers: { "Content-Type": `${FORM}; charset=utf-8` }, status: 200 },
  { declares: "several parts", headers: { "Content-Type": "Multipart/Form-Data; boundary=x" }, status: 200 },
  { declares: "a type that begins like a form's", headers: { "Content-Type": `${FORM}x` }, status: 415 },
  { declares: "no type", headers: { "Content-Type": "" }, status: 415 },
  { declares: "256 KB", headers: { "Content-Length": String(MAX_FORM_BYTES) }, status: 200 },
  { declares: "more than 256 KB", headers: { "Content-Length": String(MAX_FORM_BYTES + 1) }, status: 413 },
])("a form that declares $declares is answered with $status", async ({ headers, status }) => {
  expect(await smallSite().ask("/subscription", formWith(headers))).toHaveStatus(status);
});

/** From the guard's last check to its first. Each form has one fault more. */
const FAULTS = [
  { status: 413, headers: { "Content-Length": String(MAX_FORM_BYTES + 1) } },
  { status: 415, headers: { "Content-Type": "text/plain" } },
  { status: 403, headers: { "Sec-Fetch-Site": "cross-site" } },
  { status: 405, method: "PUT" },
  { status: 400, query: "?_data=x" },
  { status: 404, path: "/nothing" },
  { status: 414, query: longestQuery("") },
];

test.each(["/subscription", `${PATH}.data`])("of the faults of a form for %s the first is reported", async (path) => {
  const { ask, posts } = smallSite();
  let form = { path, query: "", method: "POST", headers: { ...OWN_BROWSER, ...SENT } };
  for (const { status, headers, ...part } of FAULTS) {
    form = { ...form, ...part, headers: { ...form.headers, ...headers } };
    expect(await ask(form.path + form.query, form)).toHaveStatus(status);
  }
  expect(posts, "forms that reached the action").toHaveLength(0);
});

test("a form is passed on whole, without what Remix would trust or fail on", async () => {
  const { ask, posts } = smallSite();
  const headers = { "Content-Type": FORM, Origin: SITE_URL, "X-Forwarded-Host": "evil.test", Cookie: "a=1" };
  const body = "email=a&email=b&x";
  await ask("/subscription", { method: "POST", headers, body });
  expect(posts).toEqual([{ path: "/subscription", body, headers: { "content-type": FORM, cookie: "a=1" } }]);
});

/** A form that records if its body was read. */
function watchedForm(headers: Sender) {
  const { response, taken } = bodyOf(["email=a"]);
  // Node sends a stream as a body only with `duplex`, which the types of Workers lack.
  const form = { ...formWith(headers), body: response.body, ...{ duplex: "half" } };
  return { form, wasRead: () => taken() > 0 };
}

test("a refused form is logged as refused, with the reason, and its body is not read", async () => {
  const { ask, requests } = smallSite();
  const { form, wasRead } = watchedForm({ "Sec-Fetch-Site": "cross-site" });
  await ask("/subscription", form);
  expect(requests()).toMatchObject([{ status: 403, outcome: "refused", reason: "Request refused" }]);
  expect(wasRead(), "the body was read").toBe(false);
});

test("a page's script reads a refusal as Remix's error response, with its message and headers", async () => {
  const answer = await smallSite().ask("/subscription.data", { method: "PUT" });
  expect(answer).toHaveStatus(405);
  expect(answer).toHaveHeader("Allow", "GET, HEAD, POST");
  expect(await answer.text()).toMatch(/"ErrorResponse".*"This page does not accept that kind of request\.".*,405,/);
});

const NETWORK = { "CF-Connecting-IP": "2001:db8::1" };

test("a flood of forms from one /64 network is refused from the first form over the limit, unread, and told when to try again", async () => {
  const FLOOD_RATE_LIMIT = countingLimiter(1);
  const { ask, posts, requests } = smallSite({ FLOOD_RATE_LIMIT });
  expect(await ask("/subscription", formWith({ ...NAMED_SENDERS, ...NETWORK }))).toHaveStatus(200);
  expect(FLOOD_RATE_LIMIT.keys).toEqual(["2001:db8:0:0::/64"]);
  const { form, wasRead } = watchedForm(NETWORK);
  const answer = await ask("/subscription", form);
  expect(answer).toHaveStatus(429);
  expect(answer).toHaveHeader("Retry-After", "60");
  expect(wasRead(), "the body was read").toBe(false);
  expect(posts, "forms that reached the action").toHaveLength(1);
  expect(requests().at(-1)).toMatchObject({ outcome: "refused", reason: "Too many requests" });
});

test("forms without Cloudflare's header are counted as one sender's, whatever sender other headers name", async () => {
  const FLOOD_RATE_LIMIT = countingLimiter(1);
  await smallSite({ FLOOD_RATE_LIMIT }).ask("/subscription", formWith(NAMED_SENDERS));
  expect(FLOOD_RATE_LIMIT.keys).toEqual(["unknown"]);
});

test.each([
  { what: "a page view", path: "/subscription", init: { headers: NETWORK } },
  { what: "a refused form", path: "/subscription", init: formWith({ ...NETWORK, "Sec-Fetch-Site": "cross-site" }) },
  { what: "a script's form, which the action limits", path: "/subscription.data", init: formWith(NETWORK) },
])("the limit of forms does not count $what", async ({ path, init }) => {
  const FLOOD_RATE_LIMIT = countingLimiter(1);
  await smallSite({ FLOOD_RATE_LIMIT }).ask(path, init);
  expect(FLOOD_RATE_LIMIT.keys).toEqual([]);
});
