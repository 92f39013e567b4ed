import { describe, expect, test, vi } from "vitest";
import { subscriptionRequest } from "../../../app/contract/subscription-request";
import { headers as documentHeaders } from "../../../app/routes/subscription";
import { idempotencyKeys } from "../../../app/signup/server/idempotency-key.server";
import type { SignupSession } from "../../../app/signup/session-state";
import { HOUR } from "../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../support/clock";
import { fields, typed } from "../../support/person";
import { PLANS } from "../../support/plans";
import { post, siteContext } from "../../support/site-in-process/site-context";
import {
  countingLimiter,
  OTHER_PLAN,
  PATH,
  PLAN,
  SETTINGS,
  STATUS_URL,
} from "../../support/site-in-process/site-settings";
import { ACCEPTED } from "../../support/typed-values";
import { NONCE } from "../../support/visitors/site-visitor";
import { SESSIONS } from "./sessions";

/*
 * A posted form: its outcome, the page, the cookies and the log lines. `post` fails on a password in an answer or the log, and on
 * personal data in the log.
 */

stopClock();

/** In the contract's order, on which the key depends. */
const request = subscriptionRequest.parse({ ...fields, email: "ada@example.com", phone: "2125550123" });
const { card, waiting, done, expired, canceled } = SESSIONS;
const keyOf = idempotencyKeys([SETTINGS.SESSION_SECRET]);
const overLimit = () => siteContext({ SIGNUP_RATE_LIMIT: countingLimiter(0) });
const returnedForm = { initialValue: expect.objectContaining(typed) };
const FORM_TYPE = { "Content-Type": "application/x-www-form-urlencoded" };

describe("a form that the API takes", () => {
  test("leads to the page of its plan", async () => {
    expect(await post(siteContext(), fields)).toRedirectTo(PATH);
  });

  test("is sent once, with the contract's fields and no others", async () => {
    const site = siteContext();
    await post(site, { ...fields, role: "admin", amount: "0" });
    expect(site.api.calls.map(({ init }) => JSON.parse(String(init.body)))).toEqual([
      { ...request, password: fields.password },
    ]);
  });

  test.each(ACCEPTED)("is sent, and shown later, with the $field $typed as $sent", async ({ field, typed, sent }) => {
    const site = siteContext();
    const { session } = await post(site, { ...fields, [field]: typed });
    expect(JSON.parse(String(site.api.calls[0]?.init.body))).toHaveProperty(field, sent);
    expect(session).toHaveProperty(["details", field], sent);
  });

  test("is sent with the exact bytes of the password", async () => {
    const site = siteContext();
    const password = "  P\uff30ass word e\u0301\u{1F600}1 \ufeff ";
    await post(site, { ...fields, password, confirmPassword: password });
    expect(JSON.parse(String(site.api.calls[0]?.init.body))).toHaveProperty("password", password);
  });

  test("is sent with its key, its request ID and the visitor's rate limit key", async () => {
    const site = siteContext();
    await post(site, fields);
    expect(site.api.calls[0]?.init.headers).toMatchObject({
      "Idempotency-Key": await keyOf({ ...request, password: fields.password }, NONCE),
      "X-Request-Id": "this-request",
      "Subscription-Sender": "192.0.2.7",
    });
  });

  test("becomes the browser's sign-up in place of an earlier one", async () => {
    const { package_id, password: _, ...details } = request;
    const { session } = await post(siteContext(), fields, { session: { ...card, details: { company_name: "Other" } } });
    expect(session).toEqual({
      ...{
        state: "card",
        flash: "saved",
        requestId: "this-request",
        packageId: PLAN,
        agreedPriceCents: PLANS.STANDARD.priceCents,
        details,
      },
      key: await keyOf({ ...request, password: fields.password }, NONCE),
      expiresAt: NOW + 24 * HOUR,
      clientSecret: "seti_1_secret_1",
      statusUrl: STATUS_URL,
    });
  });

  test("keeps the form's nonce", async () => {
    expect((await post(siteContext(), fields)).newNonce).toBe(false);
  });

  test("is one line of the log, without personal data", async () => {
    const site = siteContext();
    await post(site, fields);
    expect(site.logged).toEqual([["request", { signup: "created" }]]);
  });

  test.each([
    { name: "of another page", form: fields, path: `/subscription/${OTHER_PLAN}`, to: PATH },
    { name: "in capital letters", form: { ...fields, package_id: PLAN.toUpperCase() }, path: PATH, to: PATH },
    {
      name: "without a plan",
      form: { ...fields, package_id: "" },
      path: "/subscription",
      to: "/subscription",
    },
  ])("leads to the plan in the form: $name", async ({ form, path, to }) => {
    expect(await post(siteContext(), form, { path })).toRedirectTo(to);
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
});

describe("the same form again", () => {
  const again = async (session: SignupSession) => {
    const site = siteContext();
    const key = await keyOf({ ...request, password: fields.password }, NONCE);
    return { site, ...(await post(site, fields, { session: { ...session, key } })) };
  };

  test.each<SignupSession>([card, waiting, done])(
    "leads to its sign-up, and the API is not called: $state",
    async (session) => {
      const { site, ...answer } = await again(session);
      expect(answer).toRedirectTo(PATH);
      expect(answer.session).toBeUndefined();
      expect(site.api.calls).toEqual([]);
    },
  );

  test.each<SignupSession>([expired, canceled])("is another sign-up after an end: $why", async (session) => {
    const answer = await again(session);
    expect(answer.session).toMatchObject({ state: "card" });
    expect(answer.site.api.calls).toHaveLength(1);
  });

  test.each<{ name: string; headers: Record<string, string> }>([
    { name: "a script without cookies", headers: { Cookie: "", "Sec-Fetch-Site": "" } },
    { name: "a page of an earlier release", headers: { Cookie: "another=1" } },
  ])("without a nonce has the same key whatever the password: $name", async ({ headers }) => {
    const form = { ...fields, password: "An0ther one!", confirmPassword: "An0ther one!" };
    const { session } = await post(siteContext(), form, { headers });
    expect(session).toMatchObject({ key: await keyOf(request, undefined) });
  });
});

describe("a form that the API does not take", () => {
  interface Failure {
    answer: () => Response | Promise<Response>;
    /** The page's. */
    status: number;
    title?: string;
    message: string;
    actions?: string[];
    log: [event: string, fields: object];
  }
  const rejects = (status: number) => () => new Response("secret text", { status });
  const rejected = (status: number, event = "signup_failed"): [string, object] => [
    event,
    { outcome: "rejected", status },
  ];
  const CONNECTION = "Unable to connect to the API server. Please check your connection and try again.";

  const FAILURES: (Failure & { name: string })[] = [
    {
      name: "400",
      answer: rejects(400),
      status: 400,
      message: "Invalid subscription data. Please check your information and try again.",
      log: rejected(400),
    },
    {
      name: "401",
      answer: rejects(401),
      status: 502,
      message: "Authentication required. Please refresh the page and try again.",
      log: rejected(401),
    },
    {
      name: "403",
      answer: rejects(403),
      status: 502,
      message: "Access forbidden. Please contact support.",
      actions: ["support"],
      log: rejected(403),
    },
    {
      name: "404",
      answer: rejects(404),
      status: 502,
      message: "Subscription service not found. Please contact support.",
      actions: ["support"],
      log: rejected(404),
    },
    {
      name: "409",
      answer: rejects(409),
      status: 409,
      message: "A subscription with this information already exists.",
      actions: ["console", "support"],
      log: rejected(409, "signup_refused"),
    },
    {
      name: "422",
      answer: rejects(422),
      status: 422,
      message: "Invalid subscription information. Please check your details.",
      log: rejected(422, "signup_refused"),
    },
    {
      name: "429",
      answer: rejects(429),
      status: 429,
      message: "Too many requests. Please wait a moment and try again.",
      log: rejected(429, "signup_refused"),
    },
    {
      name: "500",
      answer: rejects(500),
      status: 502,
      message: "Server error. Please try again later or contact support.",
      actions: ["support"],
      log: rejected(500),
    },
    {
      name: "503",
      answer: rejects(503),
      status: 503,
      message: "Service temporarily unavailable. Please try again later.",
      log: rejected(503),
    },
    {
      name: "307",
      answer: rejects(307),
      status: 502,
      message: "Server error (307). Please try again later.",
      log: rejected(307),
    },
    {
      name: "418",
      answer: rejects(418),
      status: 502,
      message: "Server error (418). Please try again later.",
      log: rejected(418),
    },
    {
      name: "no client_secret",
      answer: () => Response.json({}),
      status: 502,
      title: "Configuration Error",
      message: "Payment setup failed. Please contact support.",
      actions: ["support"],
      log: ["signup_failed", { outcome: "misconfigured", status: undefined }],
    },
    {
      name: "no JSON",
      answer: () => new Response("<html>secret text"),
      status: 502,
      message: "An unexpected error occurred. Please try again.",
      log: ["signup_failed", { outcome: "unintelligible", status: undefined }],
    },
    {
      name: "no answer",
      answer: () => Promise.reject(new TypeError("fetch failed")),
      status: 502,
      title: "Connection Failed",
      message: CONNECTION,
      log: ["signup_failed", { outcome: "unreachable", status: undefined }],
    },
  ];

  async function submit(answer: Failure["answer"]) {
    const site = siteContext();
    site.api.answer = answer;
    return { site, ...(await post(site, fields, { session: card })) };
  }

  test.each(FAILURES)("is answered with the catalog's notice: $name", async (failure) => {
    const { title = "Submission Failed", message, actions } = failure;
    const answer = await submit(failure.answer);
    expect(answer).toHaveStatus(failure.status);
    expect(answer).toShowNotice(title, message);
    expect(answer.reply?.notice).toMatchObject({ kind: "destructive", message });
    expect(answer.reply?.notice?.actions).toEqual(actions);
  });

  test.each(FAILURES)(
    "comes back with its values and request ID, and never with the API's words: $name",
    async ({ answer }) => {
      const { reply } = await submit(answer);
      expect(reply).toMatchObject({ form: returnedForm, requestId: "this-request" });
      expect(JSON.stringify(reply)).not.toContain("secret text");
    },
  );

  test.each(FAILURES)("leaves an earlier sign-up alone: $name", async ({ answer }) => {
    expect((await submit(answer)).session).toBeUndefined();
  });

  test.each(FAILURES)("is one line of the log: $name", async ({ answer, log }) => {
    expect((await submit(answer)).site.logged).toEqual([log]);
  });

  test("gets another nonce after a 409: nothing can begin under its key", async () => {
    expect((await submit(rejects(409))).newNonce).toBe(true);
  });

  test.each(FAILURES.filter(({ name }) => name !== "409"))(
    "keeps its nonce for the next try: $name",
    async ({ answer }) => {
      expect((await submit(answer)).newNonce).toBe(false);
    },
  );
});

describe("a form with invalid fields", () => {
  const invalid = { ...fields, city: "x", confirmPassword: "another" };

  test("comes back with its values, and a message for each field", async () => {
    const answer = await post(siteContext(), invalid);
    expect(answer).toHaveStatus(422);
    expect(answer.reply?.form?.error).toEqual({
      city: ["City must be at least 2 characters"],
      confirmPassword: ["Passwords do not match"],
    });
    expect(answer.reply?.form?.initialValue).toMatchObject({ ...typed, city: "x" });
  });

  test("keeps its nonce for the next try", async () => {
    expect((await post(siteContext(), invalid)).newNonce).toBe(false);
  });

  test("is not sent, and the log names the fields only", async () => {
    const site = siteContext();
    await post(site, invalid);
    expect(site.api.calls).toEqual([]);
    expect(site.logged).toEqual([["signup_invalid", { fields: ["city", "confirmPassword"] }]]);
  });
});

describe("a browser that blocks all cookies", () => {
  test("gets its form back before a sign-up is made", async () => {
    const site = siteContext();
    const answer = await post(site, fields, { headers: { Cookie: "" } });
    expect(answer).toHaveStatus(422);
    expect(answer).toShowNotice("Cookies are blocked", "Allow cookies for this site, enter your password again");
    expect(answer.reply).toMatchObject({ form: returnedForm });
    expect(site.api.calls).toEqual([]);
  });

  test("gets a nonce, in case that it keeps cookies now", async () => {
    expect((await post(siteContext(), fields, { headers: { Cookie: "" } })).newNonce).toBe(true);
  });
});

describe("a sender over the limit", () => {
  test("gets its form back, and the API is not called", async () => {
    const site = overLimit();
    const answer = await post(site, fields);
    expect(answer).toHaveStatus(429);
    expect(answer).toShowNotice("Submission Failed", "Too many requests. Please wait a moment and try again.");
    expect(answer.reply).toMatchObject({ form: returnedForm });
    expect(site.api.calls).toEqual([]);
    expect(site.logged).toEqual([["request", { outcome: "refused", reason: "Too many requests" }]]);
  });

  test("is told when to try again, in the page's headers too", async () => {
    const { headers: actionHeaders } = await post(overLimit(), fields);
    const others = { loaderHeaders: new Headers(), parentHeaders: new Headers(), errorHeaders: undefined };
    expect(new Headers(documentHeaders({ ...others, actionHeaders })).get("Retry-After")).toBe("60");
  });

  test("on a page with scripts still has its form, which is not read", async () => {
    const site = overLimit();
    Object.assign(site.context, { route: { isData: true } });
    expect((await post(site, fields)).reply).not.toHaveProperty("form");
  });

  test("is answered after ten seconds even if its body never ends", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    const body = new ReadableStream({ pull: () => new Promise(() => {}) });
    const answering = post(overLimit(), body, { headers: FORM_TYPE });
    while (vi.getTimerCount() === 0) await new Promise(setImmediate);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await answering).toHaveStatus(429);
  });
});

describe("a form that is too large", () => {
  const large = { ...fields, company_name: "x".repeat(17_000) };

  test("comes back with its other fields, and no messages at them", async () => {
    const { company_name: _, ...others } = typed;
    const answer = await post(siteContext(), large);
    expect(answer).toHaveStatus(413);
    expect(answer.reply?.form?.initialValue).toEqual(others);
    expect(answer.reply?.form?.error).toBeUndefined();
  });

  test("is refused in the log", async () => {
    const site = siteContext();
    await post(site, large);
    expect(site.logged).toEqual([["request", { outcome: "refused", reason: "Too much data" }]]);
  });
});

test("a form that cannot be read does not come back, but its notice does", async () => {
  const answer = await post(siteContext(), "email=a&email=b", { headers: FORM_TYPE });
  expect(answer).toHaveStatus(400);
  expect(Object.keys(answer.reply ?? {})).toEqual(["notice"]);
});

describe("a busy API", () => {
  const busy = async (settings: Record<string, string>) => {
    const timeout = vi.spyOn(AbortSignal, "timeout");
    const site = siteContext(settings);
    site.api.answer = () => new Response(null, { status: 503, headers: { "Retry-After": "0" } });
    await post(site, fields);
    return { calls: site.api.calls.length, deadlines: timeout.mock.calls.flat() };
  };

  test("that honors the key is called three times within the one deadline", async () => {
    const settings = { SUBSCRIPTION_API_IDEMPOTENT: "true", SUBSCRIPTION_API_TIMEOUT_MS: "2000" };
    expect(await busy(settings)).toEqual({ calls: 3, deadlines: [2_000] });
  });

  test("that does not honor the key is called once", async () => {
    const settings = { SUBSCRIPTION_API_IDEMPOTENT: "false", SUBSCRIPTION_API_TIMEOUT_MS: "3000" };
    expect(await busy(settings)).toEqual({ calls: 1, deadlines: [3_000] });
  });
});

describe("Start over", () => {
  const startOver = (session: SignupSession | undefined, sign_up: string) =>
    post(siteContext(), { intent: "start-over", sign_up }, { session, path: `${PATH}?edit` });

  test.each<{ name: string; session?: SignupSession }>([
    { name: "its sign-up", session: card },
    { name: "its success", session: done },
    { name: "no sign-up" },
  ])("empties the form of a browser with $name: the next one is another sign-up", async ({ session }) => {
    const answer = await startOver(session, "the-first-key");
    expect(answer).toRedirectTo(PATH);
    expect(answer.session).toBe("cleared");
    expect(answer.newNonce).toBe(true);
  });

  test("on an older page leaves the newer sign-up alone", async () => {
    const answer = await startOver({ ...card, key: "another-key" }, "the-first-key");
    expect(answer).toRedirectTo(PATH);
    expect(answer.session).toBeUndefined();
    expect(answer.newNonce).toBe(false);
  });
});

test.each(["an-older-button", "__proto__", ""])(
  "a button of an earlier release changes nothing: %j",
  async (intent) => {
    const site = siteContext();
    const answer = await post(site, { intent }, { session: card });
    expect(answer).toRedirectTo(PATH);
    expect(answer.session).toBeUndefined();
    expect(site.api.calls).toEqual([]);
  },
);
