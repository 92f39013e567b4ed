import { describe, expect, test, vi } from "vitest";
import { headers as documentHeaders } from "../../../app/routes/subscription";
import { idempotencyKeys } from "../../../app/signup/server/idempotency-key.server";
import {
  countingLimiter,
  HOUR,
  NONCE,
  NOW,
  OTHER_PLAN,
  PATH,
  PLAN,
  post,
  SESSIONS,
  SETTINGS,
  STATUS_URL,
  siteContext,
  stopClock,
} from "../../support/site-in-process/site-context";
import { fields, PASSWORD, typed } from "../../support/visitors/site-visitor";

/* A posted form: what comes of it, what the visitor reads, what the browser keeps and what the log says. */

stopClock();

const { confirmPassword: _, ...contract } = fields;
const request = { ...contract, email: "ada@example.com", phone: "2125550123" };
const { card, waiting, done, expired, canceled } = SESSIONS;
const keyOf = idempotencyKeys([SETTINGS.SESSION_SECRET]);
const over = countingLimiter(0);
const SUBMISSION_FAILED = "Submission Failed";

describe("a form that the API takes", () => {
  test("is forwarded with the contract's fields, and becomes the browser's sign-up", async () => {
    const site = siteContext();
    const answer = await post(site, { ...fields, role: "admin", amount: "0" });
    expect([answer.status, answer.sentTo, answer.newNonce]).toEqual([303, PATH, false]);
    const key = await keyOf(request, NONCE);
    const { package_id, password, ...details } = request;
    expect(answer.session).toEqual({
      state: "card",
      flash: "saved",
      key,
      requestId: "this-request",
      packageId: PLAN,
      details,
      expiresAt: NOW + 24 * HOUR,
      clientSecret: "seti_1_secret_1",
      statusUrl: STATUS_URL,
    });
    const [call, ...more] = site.api.calls;
    expect(more).toEqual([]);
    expect(JSON.parse(String(call?.init.body))).toEqual(request);
    expect(new Headers(call?.init.headers).get("Idempotency-Key")).toBe(key);
    expect(site.logged).toEqual([["request", { signup: "created" }]]);
  });

  test.each([
    ["of a plan", fields, `/subscription/${OTHER_PLAN}`, PATH],
    ["in capital letters", { ...fields, package_id: PLAN.toUpperCase() }, PATH, PATH],
    ["without a plan", { ...fields, package_id: "" }, "/subscription", "/subscription"],
  ])("leads to the page of its plan: %s", async (_, form, path, to) => {
    expect((await post(siteContext(), form, { path })).sentTo).toBe(to);
  });

  test("replaces the browser's sign-up and tells the API nothing about it", async () => {
    const site = siteContext();
    const answer = await post(site, { ...fields, company_name: "Other Ltd" }, { session: card });
    expect(answer.session).toMatchObject({ details: { company_name: "Other Ltd" } });
    expect([...new Headers(site.api.calls[0]?.init.headers).keys()].sort()).toEqual(
      ["accept", "content-type", "idempotency-key", "subscription-sender", "x-request-id"].sort(),
    );
  });

  test("is found again by the same form, whatever has become of it, unless it has ended", async () => {
    const key = await keyOf(request, NONCE);
    for (const session of [card, waiting, done]) {
      const site = siteContext();
      const answer = await post(site, fields, { session: { ...session, key } });
      expect([answer.sentTo, answer.session, site.api.calls]).toEqual([PATH, undefined, []]);
    }
    for (const session of [expired, canceled]) {
      const site = siteContext();
      await post(site, fields, { session: { ...session, key } });
      expect(site.api.calls).toHaveLength(1);
    }
  });

  test("is sent without a nonce by a script and by a page of an earlier release, with a key that omits the password", async () => {
    const key = await keyOf(request, undefined);
    const senders: Record<string, string>[] = [
      { Cookie: "", "Sec-Fetch-Site": "" },
      { Cookie: "another=1" },
      { Cookie: "__Host-form=x" },
    ];
    for (const headers of senders) {
      const site = siteContext();
      const answer = await post(
        site,
        { ...fields, password: "An0ther one!", confirmPassword: "An0ther one!" },
        { headers },
      );
      expect([answer.status, answer.session]).toEqual([303, expect.objectContaining({ key })]);
    }
  });
});

describe("a form that comes back keeps its values but the passwords", () => {
  const form = { initialValue: expect.objectContaining(typed) };

  test.each([
    [400, 400, "Invalid subscription data. Please check your information and try again.", []],
    [401, 502, "Authentication required. Please refresh the page and try again.", []],
    [403, 502, "Access forbidden. Please contact support.", ["support"]],
    [404, 502, "Subscription service not found. Please contact support.", ["support"]],
    [409, 409, "A subscription with this information already exists.", ["console", "support"]],
    [422, 422, "Invalid subscription information. Please check your details.", []],
    [429, 429, "Too many requests. Please wait a moment and try again.", []],
    [500, 502, "Server error. Please try again later or contact support.", ["support"]],
    [503, 503, "Service temporarily unavailable. Please try again later.", []],
    [307, 502, "Server error (307). Please try again later.", []],
    [418, 502, "Server error (418). Please try again later.", []],
  ])("when the API answers %i: %i with the catalog's notice and its remedy", async (...given) => {
    const [status, shown, message, actions] = given;
    const site = siteContext();
    site.api.answer = () => new Response("secret text", { status });
    const answer = await post(site, fields, { session: card });
    expect([answer.status, answer.session]).toEqual([shown, undefined]);
    expect(answer.reply).toMatchObject({
      form,
      requestId: "this-request",
      notice: { title: SUBMISSION_FAILED, message },
    });
    expect(answer.reply?.notice?.actions ?? []).toEqual(actions);
    // After a 409 nothing can begin under the form's key.
    expect(answer.newNonce).toBe(status === 409);
    const event = [409, 422, 429].includes(status) ? "signup_refused" : "signup_failed";
    expect(site.logged).toEqual([[event, { outcome: "rejected", status }]]);
    expect(JSON.stringify(answer.reply)).not.toContain("secret text");
  });

  test.each<[string, () => Response | Promise<Response>, number, string, string]>([
    ["no client_secret", () => Response.json({}), 502, "misconfigured", "Configuration Error"],
    ["an empty one", () => Response.json({ client_secret: "" }), 502, "misconfigured", "Configuration Error"],
    [
      "one of 301 characters",
      () => Response.json({ client_secret: "x".repeat(301) }),
      502,
      "misconfigured",
      "Configuration Error",
    ],
    ["no JSON", () => new Response("<html>"), 502, "unintelligible", SUBMISSION_FAILED],
    ["nothing", () => Promise.reject(new TypeError("fetch failed")), 502, "unreachable", "Connection Failed"],
  ])("when the API answers %s", async (_, answers, status, outcome, title) => {
    const site = siteContext();
    site.api.answer = answers;
    const answer = await post(site, fields);
    expect([answer.status, answer.session, answer.newNonce]).toEqual([status, undefined, false]);
    expect(answer.reply).toMatchObject({ form, notice: { title } });
    expect(site.logged).toEqual([["signup_failed", { outcome, status: undefined }]]);
  });

  test("when fields are invalid, with a message for each, and only their names are logged", async () => {
    const site = siteContext();
    const answer = await post(site, { ...fields, city: "x", confirmPassword: "another" });
    expect(answer.status).toBe(422);
    expect(answer.reply?.form?.error).toEqual({
      city: ["City must be at least 2 characters"],
      confirmPassword: ["Passwords do not match"],
    });
    expect(answer.reply?.form?.initialValue).toMatchObject({ ...typed, city: "x" });
    expect(site.logged).toEqual([["signup_invalid", { fields: ["city", "confirmPassword"] }]]);
    expect(site.api.calls).toEqual([]);
  });

  test("when the browser blocks all cookies, with a new nonce and before a sign-up is made", async () => {
    const site = siteContext();
    const answer = await post(site, fields, { headers: { Cookie: "" } });
    expect([answer.status, answer.newNonce, site.api.calls]).toEqual([422, true, []]);
    expect(answer.reply).toMatchObject({ form, notice: { title: "Cookies are blocked" } });
  });

  test("when its sender is over the limit, with Retry-After, and the API is not called", async () => {
    const site = siteContext({ SIGNUP_RATE_LIMIT: over });
    const answer = await post(site, fields);
    expect([answer.status, answer.headers.get("Retry-After"), site.api.calls]).toEqual([429, "60", []]);
    expect(answer.reply).toMatchObject({
      form,
      notice: { message: "Too many requests. Please wait a moment and try again." },
    });
    expect(site.logged).toEqual([["request", { outcome: "refused", reason: "Too many requests" }]]);
  });

  test("when it is too large, with a message at its longest field and none at fields that were not read", async () => {
    const site = siteContext();
    const answer = await post(site, { full_name: "Ada Lovelace", company_name: "x".repeat(17_000), city: "lost" });
    expect(answer.status).toBe(413);
    expect(answer.reply?.form?.error).toBeUndefined();
    expect(answer.reply?.form?.initialValue).toMatchObject({
      full_name: "Ada Lovelace",
      company_name: "x".repeat(3_000),
    });
    expect(answer.reply?.notice?.fields).toEqual({ company_name: ["Company name must be at most 100 characters"] });
    const spaces = await post(site, { ...fields, phone: `2125550123${" ".repeat(17_000)}` });
    expect(spaces.reply?.notice?.fields).toEqual({ phone: ["Please shorten this entry"] });
  });
});

test.each([
  ["two equal names", "email=a&email=b", 400],
  ["more than 32 fields", "x=1&".repeat(33), 400],
])("a body with %s is refused without a form", async (_, body, status) => {
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const answer = await post(siteContext(), body, { headers });
  expect([answer.status, Object.keys(answer.reply ?? {})]).toEqual([status, ["notice"]]);
});

test("a sender over the limit is answered 429 even if its body never ends", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const body = new ReadableStream({ pull: () => new Promise(() => {}) });
  const answering = post(siteContext({ SIGNUP_RATE_LIMIT: over }), body, { headers });
  await vi.advanceTimersByTimeAsync(2_000);
  expect((await answering).status).toBe(429);
});

test("the document after an action keeps Retry-After, and no other header of it", async () => {
  const none = new Headers();
  const of = (actionHeaders: Headers) => {
    const given = { actionHeaders, loaderHeaders: none, parentHeaders: none, errorHeaders: undefined };
    return [...new Headers(documentHeaders(given))];
  };
  const { headers } = await post(siteContext({ SIGNUP_RATE_LIMIT: over }), fields);
  expect([of(headers), of(none)]).toEqual([[["retry-after", "60"]], []]);
});

test("a broken limiter lets the form pass and is logged", async () => {
  const broken = { limit: () => Promise.reject(new Error("down")) };
  const site = siteContext({ SIGNUP_RATE_LIMIT: broken, SIGNUP_NETWORK_RATE_LIMIT: broken });
  expect((await post(site, fields)).status).toBe(303);
  expect(site.logged.map(([event]) => event)).toEqual(["rate_limiter_failed", "rate_limiter_failed", "request"]);
});

test("no answer, log line or cookie has the password", async () => {
  const answers = [
    () => Response.json({}, { status: 409 }),
    () => Response.json({}),
    () => new Response("x", { status: 500 }),
  ];
  for (const answer of answers) {
    const site = siteContext();
    site.api.answer = answer;
    for (const form of [fields, { ...fields, city: "" }, { ...fields, city: "x".repeat(17_000) }]) {
      const { reply, headers } = await post(site, form);
      expect(JSON.stringify([reply, [...headers], site.logged])).not.toContain(PASSWORD);
      expect(JSON.stringify([site.logged])).not.toMatch(/Engines|example\.com|Lovelace/);
    }
  }
});
