import { describe, expect, test } from "vitest";
import { countingLimiter, PACKAGE_IDS, SITE_URL } from "../../support/site-in-process/site-settings";
import { smallSite } from "./small-site";

/* Threats A and B: what the guard makes of each request by its headers alone. */

const FORM = "application/x-www-form-urlencoded";
const KNOWN_PLAN = `/subscription/${PACKAGE_IDS.PACKAGE_ID_LITE}`;

const senders: Record<string, Record<string, string>> = {
  "own page": { Origin: SITE_URL, "Sec-Fetch-Site": "same-origin" },
  "own page in an old browser": { Origin: SITE_URL },
  "own page without Origin": { "Sec-Fetch-Site": "same-origin" },
  "address bar": { "Sec-Fetch-Site": "none" },
  "curl or a text browser": {},
  "text browser with a Referer": { Referer: `${SITE_URL}/subscription` },
  "text browser with a broken Referer": { Referer: "%%%" },
  "foreign page": { Origin: "https://evil.test", "Sec-Fetch-Site": "cross-site" },
  "foreign page in an old browser": { Origin: "https://evil.test" },
  "foreign page without Origin": { "Sec-Fetch-Site": "cross-site" },
  "foreign page with our host forwarded": { Origin: "https://evil.test", "X-Forwarded-Host": "evil.test" },
  "foreign host with our name in it": { Origin: `${SITE_URL}.evil.test` },
  "foreign page, known by its Referer": { Referer: "https://evil.test/form" },
  "sibling subdomain": { Origin: SITE_URL, "Sec-Fetch-Site": "same-site" },
  "opaque origin": { Origin: "null" },
  "unreadable origin": { Origin: "%%%" },
  "empty origin": { Origin: "" },
  "empty Sec-Fetch-Site": { Origin: SITE_URL, "Sec-Fetch-Site": "" },
};
const isOwn = (sender: string) => !/^(foreign|sibling|opaque|unreadable|empty)/.test(sender);

const types: Record<string, boolean> = {
  [FORM]: true,
  [`${FORM}; charset=utf-8`]: true,
  "Multipart/Form-Data; boundary=x": true,
  "application/x-www-form-urlencodedx": false,
  "text/plain": false,
  "application/json": false,
  "": false,
};

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"];
const lengths = [undefined, 256 * 1024, 256 * 1024 + 1];

const forms = ["/subscription", "/subscription/any", KNOWN_PLAN, "/subscription.data", "/subscription/any.data"];
const pages = ["/", "/pricing", "/robots.txt", "/health"];
const unknown = [
  "/nothing",
  "/405",
  "/pricing.data",
  "/subscription/x.css",
  "/subscription/x%2ecss",
  "/subscription/%00",
  "/subscription/%5cevil.test",
  "/subscription/a%2fb",
  "/subscription/%",
  `/subscription/${"a".repeat(101)}`,
  "//evil.test",
  "/%5cevil.test",
  "/%",
  "/__manifest?p=%2F",
  `/${"a".repeat(4000)}`,
];
const malformed = ["?_data=routes%2Fsubscription", "?a=1&%5F%64ata=x", `?${"a&".repeat(64)}`];
const overlong = `?${"a".repeat(8192)}`;
const paths = [
  ...forms,
  ...pages,
  ...unknown,
  ...malformed.flatMap((query) => [`/subscription${query}`, `/pricing${query}`]),
  `/subscription${overlong}`,
  `/pricing${overlong}`,
];

interface Cell {
  method: string;
  path: string;
  sender: string;
  type: string;
  length: number | undefined;
}

const isView = ({ method }: Cell) => method === "GET" || method === "HEAD";
const isIn = (list: string[], { path }: Cell) => list.includes(path.split("?")[0] ?? "");

/** The first that applies decides. `Allow` is of the answer 405. */
const rules: [rule: string, applies: (cell: Cell) => boolean, status: number, allow?: string][] = [
  [
    "a public page comes from the cache, whatever is asked with it",
    (c) => isView(c) && isIn(pages.slice(0, 3), c),
    200,
  ],
  ["an overlong URL is refused", (c) => c.path.endsWith(overlong), 414],
  ["an unknown or implausible path is not found", (c) => isIn(unknown, c) || c.path.startsWith("/__"), 404],
  ["a request past the page's checks is malformed", (c) => malformed.some((query) => c.path.endsWith(query)), 400],
  ["a page without a form takes no other method", (c) => !isView(c) && isIn(pages, c), 405, "GET, HEAD"],
  ["a form's page takes no other method", (c) => !isView(c) && c.method !== "POST", 405, "GET, HEAD, POST"],
  ["a page's data is for its own page", (c) => isView(c) && c.path.endsWith(".data") && !isOwn(c.sender), 403],
  ["a page is for everybody", isView, 200],
  ["a form comes from its own page, or from no browser", (c) => !isOwn(c.sender), 403],
  ["a form has the type of a form", (c) => !types[c.type], 415],
  ["a form that declares more than 256 KB is refused", (c) => c.length === lengths[2], 413],
  ["a form is passed on", () => true, 200],
];

const cell = (method: string, path: string, sender: string, type = FORM, length?: number): Cell => ({
  method,
  path,
  sender,
  type,
  length,
});
const cells = [
  ...methods.flatMap((method) => paths.map((path) => cell(method, path, "own page"))),
  ...["GET", "POST"].flatMap((method) =>
    paths.flatMap((path) => Object.keys(senders).map((sender) => cell(method, path, sender))),
  ),
  ...forms.flatMap((path) =>
    Object.keys(types).flatMap((type) => lengths.map((length) => cell("POST", path, "own page", type, length))),
  ),
];

/** A form's body, and whether somebody began to read it. */
function formBody() {
  let taken = false;
  const pull = (controller: ReadableStreamDefaultController) => {
    taken = true;
    controller.enqueue(new TextEncoder().encode("email=a"));
    controller.close();
  };
  return { body: new ReadableStream({ pull }, { highWaterMark: 0 }), isRead: () => taken };
}

const ruleOf = (cell: Cell) => rules.find(([, applies]) => applies(cell));

describe("the guard", () => {
  test("gives every request what the first rule says, and reads no body", async () => {
    const { ask, posts, logged, requests } = smallSite();
    for (const cell of cells) {
      const { method, path, sender, type, length } = cell;
      const [rule, , status, allow = null] = ruleOf(cell) ?? [];
      const { body, isRead } = formBody();
      const headers = new Headers({ ...senders[sender], ...(type && { "Content-Type": type }) });
      if (length !== undefined) headers.set("Content-Length", String(length));
      posts.length = 0;
      logged.length = 0;
      const answer = await ask(path, { method, headers, ...(method === "POST" && { body, duplex: "half" }) });
      const isPassed = method === "POST" && status === 200;
      const got = { ...cell, rule, status: answer.status, allow: answer.headers.get("Allow"), posted: posts.length };
      expect(got).toEqual({ ...cell, rule, status, allow, posted: isPassed ? 1 : 0 });
      expect(isRead(), rule).toBe(isPassed);
      expect(requests()[0]?.outcome).toBe([200, 404].includes(answer.status) ? "answered" : "refused");
    }
  });

  test("has no rule that nothing meets", () => {
    const met = new Set(cells.map((cell) => ruleOf(cell)?.[0]));
    expect([...met].toSorted()).toEqual(rules.map(([rule]) => rule).toSorted());
  });

  test("passes a form on whole, without what Remix would trust or fail on", async () => {
    const { ask, posts } = smallSite();
    const headers = { "Content-Type": FORM, Origin: SITE_URL, "X-Forwarded-Host": "evil.test", Cookie: "a=1" };
    await ask("/subscription", { method: "POST", headers, body: "email=a&email=b&x" });
    expect(posts).toEqual([
      { path: "/subscription", body: "email=a&email=b&x", headers: { "content-type": FORM, cookie: "a=1" } },
    ]);
  });
});

describe("a sender over the limit", () => {
  const post = {
    method: "POST",
    headers: { "Content-Type": FORM, "CF-Connecting-IP": "2001:db8::1" },
    body: "email=a",
  };

  test("is answered before the body is read, and told when to try again", async () => {
    const FLOOD_RATE_LIMIT = countingLimiter(1);
    const { ask, posts, requests } = smallSite({ FLOOD_RATE_LIMIT });
    expect((await ask("/subscription", post)).status).toBe(200);
    const { body, isRead } = formBody();
    const answer = await ask("/subscription", { ...post, body, ...{ duplex: "half" } });
    expect([answer.status, answer.headers.get("Retry-After"), isRead(), posts.length]).toEqual([429, "60", false, 1]);
    expect(requests().at(-1)).toMatchObject({ outcome: "refused", reason: "Too many requests" });
    expect(FLOOD_RATE_LIMIT.keys).toEqual(["2001:db8:0:0::/64", "2001:db8:0:0::/64"]);
  });

  test("is not counted for page views, for refused forms, or for a script's form, which the action limits", async () => {
    const FLOOD_RATE_LIMIT = countingLimiter(1);
    const { ask, posts } = smallSite({ FLOOD_RATE_LIMIT });
    await ask("/subscription");
    await ask("/subscription", { ...post, headers: { ...post.headers, Origin: "null" } });
    await ask("/subscription.data", post);
    expect([FLOOD_RATE_LIMIT.keys, posts.length]).toEqual([[], 1]);
  });

  test("is let through while the limiter fails, and the failure is logged without personal data", async () => {
    const broken = { limit: () => Promise.reject(new TypeError("of ada@example.com")) };
    const { ask, logged } = smallSite({ FLOOD_RATE_LIMIT: broken });
    expect((await ask("/subscription", post)).status).toBe(200);
    expect(logged).toContainEqual(expect.objectContaining({ event: "rate_limiter_failed", error: "TypeError" }));
    expect(JSON.stringify(logged)).not.toContain("ada@");
  });
});
