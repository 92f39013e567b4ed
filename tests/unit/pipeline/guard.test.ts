import { expect, test } from "vitest";
import { refusalOf } from "../../../app/pipeline/guard/refusals.server";
import { bodyOf } from "../../support/site-in-process/body-of";
import { countingLimiter, PATH, SITE_URL } from "../../support/site-in-process/site-settings";
import { FORM, headersOf, smallSite } from "./small-site";

/* Threats A and B: what the guard makes of each request by its headers alone. */

type Sender = Record<string, string>;
const ownBrowser = { Origin: SITE_URL, "Sec-Fetch-Site": "same-origin" };
const sibling = { Origin: SITE_URL, "Sec-Fetch-Site": "same-site" };
const foreignBrowser = { Origin: "https://evil.test", "Sec-Fetch-Site": "cross-site" };
/** The site's own page in browsers new and old, the address bar, curl, and text browsers. */
const own: Sender[] = [
  ...[ownBrowser, { Origin: SITE_URL }, { "Sec-Fetch-Site": "same-origin" }, { "Sec-Fetch-Site": "none" }],
  ...[{}, { Referer: `${SITE_URL}/subscription` }, { Referer: "%%%" }],
];
/** Other sites, also with parts of our name, and origins that nobody can judge. */
const foreign: Sender[] = [
  ...[foreignBrowser, { Origin: "https://evil.test" }, { "Sec-Fetch-Site": "cross-site" }, sibling],
  ...[{ ...foreignBrowser, "X-Forwarded-Host": "evil.test" }, { Origin: `${SITE_URL}.evil.test` }],
  ...[{ Referer: "https://evil.test/form" }, { Origin: "null" }, { Origin: "%%%" }, { Origin: "" }],
  { Origin: SITE_URL, "Sec-Fetch-Site": "" },
  { ...ownBrowser, Origin: `${SITE_URL}, https://evil.test` },
];

const formTypes = [FORM, `${FORM}; charset=utf-8`, "Multipart/Form-Data; boundary=x"];
const types = [...formTypes, `${FORM}x`, "text/plain", ""];
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"];
const lengths = [undefined, 256 * 1024, 256 * 1024 + 1];

const forms = ["/subscription", "/subscription/any", PATH, "/subscription.data", "/subscription/any.data"];
const pages = ["/", "/pricing", "/robots.txt", "/health"];
const unknown = [
  ...["/nothing", "/405", "/pricing.data", "//evil.test", "/%5cevil.test", "/%", "/__manifest", `/${"a".repeat(4000)}`],
  ...["x.css", "x%2ecss", "%00", "%5cevil.test", "a%2fb", "%", "a".repeat(101)].map((id) => `/subscription/${id}`),
];
const malformed = ["?_data=routes%2Fsubscription", "?a=1&%5F%64ata=x", "?_data", "?_data&a", `?${"a&".repeat(64)}`];
const longest = `/subscription?${"a".repeat(8192 - `${SITE_URL}/subscription?`.length)}`;
const overlong = [`${longest}a`, `/pricing?${"a".repeat(8192)}`];
const queries = ["/subscription", "/pricing"].flatMap((path) => malformed.map((query) => path + query));
const paths = [...forms, `/subscription?${"a&".repeat(63)}`, longest, ...pages, ...unknown, ...queries, ...overlong];

type Cell = { method: string; path: string; sender: Sender; type?: string; length?: number | undefined };
const isView = ({ method }: Cell) => method === "GET" || method === "HEAD";
const isIn = (list: string[], { path }: Cell) => list.includes(path.split("?")[0] ?? "");

/** The first that applies decides. `allow` is of the answer 405. */
const rules: [rule: string, applies: (cell: Cell) => boolean, status: number, allow?: string][] = [
  ["a public page comes from the cache, whatever its query", (c) => isView(c) && isIn(pages.slice(0, 3), c), 200],
  ["an overlong URL is refused", (c) => overlong.includes(c.path), 414],
  ["an unknown or implausible path is not found", (c) => isIn(unknown, c), 404],
  ["a request past the page's checks is malformed", (c) => queries.includes(c.path), 400],
  ["a page without a form takes no other method", (c) => !isView(c) && isIn(pages, c), 405, "GET, HEAD"],
  ["a form's page takes no other method", (c) => !isView(c) && c.method !== "POST", 405, "GET, HEAD, POST"],
  ["a page is for everybody", (c) => isView(c) && !c.path.endsWith(".data"), 200],
  ["a page's data and a form are for its own page, or for no browser", (c) => foreign.includes(c.sender), 403],
  ["a page's data is for everybody else", isView, 200],
  ["a form has the type of a form", (c) => !formTypes.includes(c.type ?? FORM), 415],
  ["a form that declares more than 256 KB is refused", (c) => c.length === lengths[2], 413],
  ["a form is passed on", () => true, 200],
];

const sentBy = [...own, ...foreign].flatMap((sender) => paths.map((path) => ({ path, sender })));
const sentAs = types.flatMap((type) => lengths.map((length) => ({ sender: ownBrowser, type, length })));
const cells: Cell[] = [
  ...methods.flatMap((method) => paths.map((path) => ({ method, path, sender: ownBrowser }))),
  ...["GET", "POST"].flatMap((method) => sentBy.map((sent) => ({ method, ...sent }))),
  ...forms.flatMap((path) => sentAs.map((sent) => ({ method: "POST", path, ...sent }))),
];

test("the guard gives every request what the first rule says, and reads no body", async () => {
  const { ask, posts, logged, requests } = smallSite();
  const met = new Set<string>();
  for (const { method, path, sender, type = FORM, length } of cells) {
    const cell = { method, path, sender, type, length };
    const [rule = "", , status, allow = null] = rules.find(([, applies]) => applies(cell)) ?? [];
    met.add(rule);
    const { response, taken } = bodyOf(["email=a"]);
    const headers = new Headers({ ...sender, ...(type && { "Content-Type": type }) });
    if (length !== undefined) headers.set("Content-Length", String(length));
    for (const kept of [posts, logged]) kept.length = 0;
    const body = method === "POST" && { body: response.body, duplex: "half" };
    const answer = await ask(path, { method, headers, ...body });
    const isPosted = method === "POST" && status === 200;
    const outcome = status === 200 || status === 404 ? "answered" : "refused";
    const got = [answer.status, answer.headers.get("Allow"), posts.length > 0, taken() > 0, requests()[0]?.outcome];
    expect([cell, rule, ...got]).toEqual([cell, rule, status, allow, isPosted, isPosted, outcome]);
    const isToldToScript = path.endsWith(".data") && status !== 200 && status !== 404 && method !== "HEAD";
    if (isToldToScript) expect(await answer.text()).toMatch(RegExp(`"ErrorResponse".*,${status},`));
  }
  expect(met.size, "each rule is met").toBe(rules.length);
});

const AGAIN = "Please open the sign-up page again and send";

test.each([
  [400, "Malformed request", `The request could not be read. ${AGAIN} the form from there.`],
  [403, "Request refused", `This form was not sent from our site. ${AGAIN} it from there.`],
  [404, "Not found", "There is no such page."],
  [405, "Method not allowed", "This page does not accept that kind of request."],
  [408, "Request timed out", "The form did not arrive in time. Please check your connection and try again."],
  [413, "Too much data", "The form holds more than we can take. Please shorten your entries and try again."],
  [414, "URL too long", "The URL is longer than this site accepts."],
  [415, "Unsupported form", `The form could not be read. ${AGAIN} it from there.`],
  [429, "Too many requests", "Please wait a moment and try again."],
])("the refusal %i is told as: %s. %s", (status, title, message) => {
  expect(refusalOf(status)).toMatchObject({ title, message });
});

test("a form is passed on whole, without what Remix would trust or fail on", async () => {
  const { ask, posts } = smallSite();
  const headers = { "Content-Type": FORM, Origin: SITE_URL, "X-Forwarded-Host": "evil.test", Cookie: "a=1" };
  const body = "email=a&email=b&x";
  await ask("/subscription", { method: "POST", headers, body });
  expect(posts).toEqual([{ path: "/subscription", body, headers: { "content-type": FORM, cookie: "a=1" } }]);
});

test("a sender's forms over the limit are answered before their bodies are read, and told when to try again", async () => {
  const FLOOD_RATE_LIMIT = countingLimiter(1);
  const { ask, posts, requests } = smallSite({ FLOOD_RATE_LIMIT });
  const headers = { "Content-Type": FORM, "CF-Connecting-IP": "2001:db8::1" };
  const post = { method: "POST", headers, body: "email=a" };
  // Page views, refused forms and a script's form, which the action limits, are not counted.
  await ask("/subscription");
  await ask("/subscription", { ...post, headers: { ...headers, Origin: "null" } });
  await ask("/subscription.data", post);
  expect([FLOOD_RATE_LIMIT.keys, posts.length]).toEqual([[], 1]);
  expect((await ask("/subscription", post)).status).toBe(200);
  const { response, taken } = bodyOf(["email=a"]);
  const answer = await ask("/subscription", { ...post, body: response.body, ...{ duplex: "half" } });
  expect([answer.status, ...headersOf(answer, "Retry-After"), taken(), posts.length]).toEqual([429, "60", 0, 2]);
  expect(requests().at(-1)).toMatchObject({ outcome: "refused", reason: "Too many requests" });
  expect(FLOOD_RATE_LIMIT.keys).toEqual(["2001:db8:0:0::/64", "2001:db8:0:0::/64"]);
});
