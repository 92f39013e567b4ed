import { describe, expect, test, vi } from "vitest";
import { subscriptionRequest } from "../../../app/contract/subscription-request";
import { headers as documentHeaders } from "../../../app/routes/subscription";
import { idempotencyKeys } from "../../../app/signup/server/idempotency-key.server";
import { HOUR } from "../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../support/clock";
import { fields, typed } from "../../support/person";
import { post, siteContext } from "../../support/site-in-process/site-context";
import {
  countingLimiter,
  OTHER_PLAN,
  PATH,
  PLAN,
  SETTINGS,
  STATUS_URL,
} from "../../support/site-in-process/site-settings";
import { NONCE } from "../../support/visitors/site-visitor";
import { SESSIONS } from "./sessions";

/*
 * A posted form: what comes of it, what the visitor reads, what the browser keeps and what the log says. `post` fails on a
 * password in an answer or the log, and on personal data in the log.
 */

stopClock();

/** In the contract's order, on which the key depends. */
const request = subscriptionRequest.parse({ ...fields, email: "ada@example.com", phone: "2125550123" });
const { card, waiting, done, expired, canceled } = SESSIONS;
const keyOf = idempotencyKeys([SETTINGS.SESSION_SECRET]);
const over = { SIGNUP_RATE_LIMIT: countingLimiter(0) };
const form = { initialValue: expect.objectContaining(typed) };
const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

describe("a form that the API takes", () => {
  test("is forwarded with the contract's fields, the password byte for byte, and becomes the browser's sign-up instead of an earlier one", async () => {
    const site = siteContext();
    const earlier = { ...card, details: { company_name: "Other Ltd" } };
    const password = "  P\uff30ass word e\u0301\u{1F600}1 \ufeff ";
    const typed = { ...fields, password, confirmPassword: password };
    const answer = await post(site, { ...typed, role: "admin", amount: "0" }, { session: earlier });
    expect([answer.status, answer.sentTo, answer.newNonce]).toEqual([303, PATH, false]);
    const key = await keyOf({ ...request, password }, NONCE);
    const { package_id, password: _, ...details } = request;
    const own = {
      state: "card",
      flash: "saved",
      key,
      requestId: "this-request",
      packageId: PLAN,
      priceCents: 50_000,
      details,
    };
    const pending = { expiresAt: NOW + 24 * HOUR, clientSecret: "seti_1_secret_1", statusUrl: STATUS_URL };
    expect(answer.session).toEqual({ ...own, ...pending });
    const [call, ...more] = site.api.calls;
    expect([JSON.parse(String(call?.init.body)), more]).toEqual([{ ...request, password }, []]);
    const ids = { "Idempotency-Key": key, "X-Request-Id": "this-request", "Subscription-Sender": "192.0.2.7" };
    expect(call?.init.headers).toMatchObject(ids);
    expect(site.logged).toEqual([["request", { signup: "created" }]]);
  });

  test.each([
    ["of a plan", fields, `/subscription/${OTHER_PLAN}`, PATH],
    ["in capital letters", { ...fields, package_id: PLAN.toUpperCase() }, PATH, PATH],
    ["without a plan", { ...fields, package_id: "" }, "/subscription", "/subscription"],
  ])("leads to the page of its plan: %s", async (_, form, path, to) => {
    expect((await post(siteContext(), form, { path })).sentTo).toBe(to);
  });

  test.each([card, waiting, done, expired, canceled])("is found again, unless it has ended: %j", async (session) => {
    const site = siteContext();
    const answer = await post(site, fields, { session: { ...session, key: await keyOf(request, NONCE) } });
    const isNew = session.state === "ended";
    expect([answer.sentTo, answer.session !== undefined, site.api.calls.length]).toEqual([PATH, isNew, isNew ? 1 : 0]);
  });

  test.each([
    {
      name: "when the API says so, if that is sooner",
      expires_at: "2026-11-23T11:59:59.999Z",
      end: NOW + 24 * HOUR - 1,
    },
    { name: "after 24 hours, if the API says later", expires_at: "2026-11-23T12:00:00.001Z", end: NOW + 24 * HOUR },
    { name: "after 24 hours, if the API does not say", expires_at: undefined, end: NOW + 24 * HOUR },
  ])("ends $name", async ({ expires_at, end }) => {
    const site = siteContext();
    site.api.answer = () => Response.json({ client_secret: "seti_1_secret_1", expires_at });
    expect((await post(site, fields)).session).toMatchObject({ state: "card", expiresAt: end });
  });

  test.each<Record<string, string>>([{ Cookie: "", "Sec-Fetch-Site": "" }, { Cookie: "another=1" }])(
    "without a nonce, by a script or an earlier page, has a key that omits the password: %j",
    async (headers) => {
      const form = { ...fields, password: "An0ther one!", confirmPassword: "An0ther one!" };
      const { status, session } = await post(siteContext(), form, { headers });
      expect([status, session]).toEqual([303, expect.objectContaining({ key: await keyOf(request, undefined) })]);
    },
  );
});

describe("a form that comes back keeps its values but the passwords", () => {
  const FAILED = "Submission Failed";
  const CONNECTION = "Unable to connect to the API server. Please check your connection and try again.";
  /** Failures without a status. */
  const FAILURES: Record<string, [answer: () => Response | Promise<Response>, outcome: string, title: string]> = {
    "no client_secret": [() => Response.json({}), "misconfigured", "Configuration Error"],
    "no JSON": [() => new Response("<html>"), "unintelligible", FAILED],
    nothing: [() => Promise.reject(new TypeError("fetch failed")), "unreachable", "Connection Failed"],
  };

  test.each<[says: number | string, shown: number, message: string, ...actions: string[]]>([
    [400, 400, "Invalid subscription data. Please check your information and try again."],
    [401, 502, "Authentication required. Please refresh the page and try again."],
    [403, 502, "Access forbidden. Please contact support.", "support"],
    [404, 502, "Subscription service not found. Please contact support.", "support"],
    [409, 409, "A subscription with this information already exists.", "console", "support"],
    [422, 422, "Invalid subscription information. Please check your details."],
    [429, 429, "Too many requests. Please wait a moment and try again."],
    [500, 502, "Server error. Please try again later or contact support.", "support"],
    [503, 503, "Service temporarily unavailable. Please try again later."],
    [307, 502, "Server error (307). Please try again later."],
    [418, 502, "Server error (418). Please try again later."],
    ["no client_secret", 502, "Payment setup failed. Please contact support.", "support"],
    ["no JSON", 502, "An unexpected error occurred. Please try again."],
    ["nothing", 502, CONNECTION],
  ])("when the API answers %s: %i, the catalog's notice and its remedy", async (says, shown, message, ...actions) => {
    const site = siteContext();
    const status = typeof says === "number" ? says : undefined;
    const rejects = () => new Response("secret text", { status: status ?? 200 });
    const [answers, outcome, title] = FAILURES[says] ?? [rejects, "rejected", FAILED];
    site.api.answer = answers;
    const { reply, ...answer } = await post(site, fields, { session: card });
    // After a 409 nothing can begin under the form's key.
    expect([answer.status, answer.session, answer.newNonce]).toEqual([shown, undefined, status === 409]);
    expect(reply).toMatchObject({ form, requestId: "this-request", notice: { kind: "destructive", title, message } });
    expect(reply?.notice?.actions).toEqual(actions.length > 0 ? actions : undefined);
    const event = status && [409, 422, 429].includes(status) ? "signup_refused" : "signup_failed";
    expect(site.logged).toEqual([[event, { outcome, status }]]);
    expect(JSON.stringify(reply)).not.toContain("secret text");
  });

  test("when fields are invalid, with a message for each, and only their names are logged", async () => {
    const site = siteContext();
    const { status, reply } = await post(site, { ...fields, city: "x", confirmPassword: "another" });
    const city = ["City must be at least 2 characters"];
    const error = { city, confirmPassword: ["Passwords do not match"] };
    expect([status, reply?.form?.error]).toEqual([422, error]);
    expect(reply?.form?.initialValue).toMatchObject({ ...typed, city: "x" });
    expect(site.logged).toEqual([["signup_invalid", { fields: ["city", "confirmPassword"] }]]);
    expect(site.api.calls).toEqual([]);
  });

  test("when the browser blocks all cookies, with a new nonce and before a sign-up is made", async () => {
    const site = siteContext();
    const answer = await post(site, fields, { headers: { Cookie: "" } });
    expect([answer.status, answer.newNonce, site.api.calls]).toEqual([422, true, []]);
    const message = "Allow cookies for this site, enter your password again and submit. Your details are still here.";
    expect(answer.reply).toMatchObject({ form, notice: { title: "Cookies are blocked", message } });
  });

  test("when its sender is over the limit, with Retry-After, and the API is not called", async () => {
    const site = siteContext(over);
    const { status, headers, reply } = await post(site, fields);
    const none = { loaderHeaders: new Headers(), parentHeaders: new Headers(), errorHeaders: undefined };
    const kept = new Headers(documentHeaders({ ...none, actionHeaders: headers }));
    expect([status, [...kept], site.api.calls]).toEqual([429, [["retry-after", "60"]], []]);
    const message = "Too many requests. Please wait a moment and try again.";
    expect(reply).toMatchObject({ form, notice: { title: FAILED, message } });
    expect(site.logged).toEqual([["request", { outcome: "refused", reason: "Too many requests" }]]);
    // A page's script still has the form, so its body is not read.
    Object.assign(site.context, { route: { isData: true } });
    expect((await post(site, fields)).reply).not.toHaveProperty("form");
  });

  test("when it is too large, with its other fields and no messages at them", async () => {
    const site = siteContext();
    const { status, reply } = await post(site, { ...fields, company_name: "x".repeat(17_000) });
    const { company_name: _, ...others } = typed;
    expect([status, reply?.form?.error]).toEqual([413, undefined]);
    expect(reply?.form?.initialValue).toEqual(others);
    expect(site.logged).toEqual([["request", { outcome: "refused", reason: "Too much data" }]]);
  });

  test("unless its body cannot be read", async () => {
    const answer = await post(siteContext(), "email=a&email=b", { headers: FORM });
    expect([answer.status, Object.keys(answer.reply ?? {})]).toEqual([400, ["notice"]]);
  });
});

test("a sender over the limit is answered 429 after ten seconds even if its body never ends", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  const body = new ReadableStream({ pull: () => new Promise(() => {}) });
  const answering = post(siteContext(over), body, { headers: FORM });
  await vi.advanceTimersByTimeAsync(10_000);
  expect((await answering).status).toBe(429);
});

test.each([
  ["true", "2000", 3],
  ["false", "3000", 1],
])("the API is called again only if it honors the key (%s), all within %s ms", async (honors, deadline, calls) => {
  const timeout = vi.spyOn(AbortSignal, "timeout");
  const site = siteContext({ SUBSCRIPTION_API_IDEMPOTENT: honors, SUBSCRIPTION_API_TIMEOUT_MS: deadline });
  site.api.answer = () => new Response(null, { status: 503, headers: { "Retry-After": "0" } });
  await post(site, fields);
  expect([site.api.calls.length, timeout.mock.calls]).toEqual([calls, [[Number(deadline)]]]);
});

describe("a button", () => {
  test.each<[string, typeof card | typeof done | undefined, key: string, isOwn: boolean]>([
    ["its sign-up", card, card.key, true],
    ["its success", done, done.key, true],
    ["no session", undefined, card.key, true],
    ["a newer sign-up than the page", { ...card, key: "another-key" }, card.key, false],
  ])("that starts over empties the form of a browser with its own sign-up: %s", async (_, session, sign_up, isOwn) => {
    const answer = await post(siteContext(), { intent: "start-over", sign_up }, { session, path: `${PATH}?edit` });
    const kept = isOwn ? "cleared" : undefined;
    // The next form is another sign-up.
    expect([answer.status, answer.sentTo, answer.session, answer.newNonce]).toEqual([303, PATH, kept, isOwn]);
  });

  test.each(["an-older-button", "__proto__", ""])("of an earlier release: %s", async (intent) => {
    const site = siteContext();
    const answer = await post(site, { intent }, { session: card });
    expect([answer.status, answer.sentTo, answer.session, site.api.calls]).toEqual([303, PATH, undefined, []]);
  });
});
