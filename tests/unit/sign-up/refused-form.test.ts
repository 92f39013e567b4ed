import { expect, test } from "vitest";
import { PLAN_RETIRED, TERMS_CHANGED } from "../../../app/contract/problem-types";
import { headers as documentHeaders } from "../../../app/routes/subscription";
import { COOKIE_SET_FIELD } from "../../../app/signup/form-schema";
import { stopClock } from "../../support/clock";
import { fields, typed } from "../../support/person";
import { post, type Site, siteContext } from "../../support/site-in-process/site-context";
import { countingLimiter, TERMS } from "../../support/site-in-process/site-settings";
import { OTHER_TERMS } from "./sessions";

/* A form that the site does not send or the API refuses: the page, what it keeps, and the log line. */

stopClock();

const SECRET = "secret text";

interface Refusal {
  refusal: string;
  answer: () => Response | Promise<Response>;
  status: number;
  title?: string;
  message: string;
  actions?: string[];
  /** The messages that the notice has for fields. */
  ofFields?: object;
  currentTerms?: object;
  planProblem?: string;
  log: [event: string, fields: object];
}

const SUPPORT = { actions: ["support"] };
const json = (body: object, status: number) => () => Response.json(body, { status });
/** @param api the API's status; the page's is another one if the cause is not the visitor's */
const rejected = (api: number, status: number, message: string, more: Partial<Refusal> = {}): Refusal => ({
  refusal: `status ${api}`,
  answer: () => new Response(SECRET, { status: api }),
  ...{ status, message },
  log: [
    [409, 422].includes(api) ? "signup_refused" : "signup_failed",
    { outcome: "rejected", cause: "status", status: api },
  ],
  ...more,
});
const DUPLICATE = "A subscription with this information already exists.";
const duplicate = { actions: ["console", "support"] };
const INVALID = "Invalid subscription information. Please check your details.";
const ofPlan = { errors: { package_id: [SECRET] } };
const changedTerms = (said: object, currentTerms: object): Refusal => ({
  refusal: `other terms: ${JSON.stringify(said)}`,
  answer: json({ type: TERMS_CHANGED, title: SECRET, ...said }, 409),
  status: 409,
  title: "The price or the trial has changed",
  message: "Check the new terms. If you agree to them, submit again.",
  currentTerms,
  log: ["signup_refused", { outcome: "terms changed" }],
});

test.each<Refusal>([
  rejected(400, 400, "Invalid subscription data. Please check your information and try again."),
  rejected(401, 502, "Authentication required. Please refresh the page and try again."),
  rejected(403, 502, "Access forbidden. Please contact support.", SUPPORT),
  rejected(404, 502, "Subscription service not found. Please contact support.", SUPPORT),
  rejected(409, 409, DUPLICATE, duplicate),
  rejected(409, 409, DUPLICATE, {
    ...duplicate,
    answer: json({ errors: { email: [SECRET] } }, 409),
    ofFields: { email: ["This email address already has a subscription"] },
  }),
  rejected(422, 422, INVALID),
  rejected(422, 422, INVALID, { answer: json(ofPlan, 422), planProblem: "This plan is not available" }),
  rejected(422, 422, INVALID, {
    answer: json({ type: PLAN_RETIRED, ...ofPlan }, 422),
    planProblem: "This plan is no longer available",
  }),
  rejected(429, 429, "Too many requests. Please wait a moment and try again."),
  rejected(500, 502, "Server error. Please try again later or contact support.", SUPPORT),
  rejected(503, 503, "Service temporarily unavailable. Please try again later."),
  rejected(418, 502, "Server error (418). Please try again later."),
  changedTerms({ ...OTHER_TERMS, currency: "usd" }, OTHER_TERMS),
  changedTerms({}, TERMS),
  {
    refusal: "a bot check in front of the API",
    answer: () => new Response(SECRET, { status: 403, headers: { "cf-mitigated": "challenge" } }),
    status: 502,
    message: "A bot check answered in place of our service. You weren’t charged. Please contact support.",
    ...SUPPORT,
    log: ["signup_failed", { outcome: "bot check", cause: "bot check" }],
  },
  {
    refusal: "no client_secret",
    answer: () => Response.json({}),
    status: 502,
    title: "Configuration Error",
    message: "Payment setup failed. Please contact support.",
    ...SUPPORT,
    log: ["signup_failed", { outcome: "misconfigured", cause: "answer" }],
  },
  {
    refusal: "incomplete JSON",
    answer: () => new Response(`{"${SECRET}`),
    status: 502,
    message: "An unexpected error occurred. Please try again.",
    log: ["signup_failed", { outcome: "unintelligible", cause: "answer" }],
  },
  {
    refusal: "no answer in time",
    answer: () => Promise.reject(Object.assign(new Error("late"), { name: "TimeoutError" })),
    status: 504,
    title: "Connection Failed",
    message: "Unable to connect to the API server. Please check your connection and try again.",
    log: ["signup_failed", { outcome: "unreachable", cause: "deadline" }],
  },
])("after $refusal the form comes back with the catalog's notice, its values and its request ID", async (row) => {
  const { title = "Submission Failed", message, actions, ofFields } = row;
  const site = siteContext({ SUBSCRIPTION_API_IDEMPOTENT: "false" });
  site.api.answer = row.answer;
  const { reply, ...page } = await post(site, fields);
  expect(page).toHaveStatus(row.status);
  expect(reply).toMatchObject({ form: { initialValue: typed }, requestId: "this-request", isOver: false });
  const hint = "We kept your details but not your password. Enter it again.";
  expect(reply?.notice).toEqual({ kind: "destructive", title, message, actions, fields: ofFields, hint });
  expect(reply?.currentTerms).toEqual(row.currentTerms);
  expect(reply?.planProblem).toBe(row.planProblem);
  expect(JSON.stringify(reply), "the API's words").not.toContain(SECRET);
  expect(page.session, "the cookie").toBeUndefined();
  expect(site.logged).toEqual([row.log]);
  expect(site.api.calls, "calls of an API that does not honor the key").toHaveLength(1);
  expect(page.newNonce, "only the key of a duplicate stays refused").toBe(message === DUPLICATE);
});

const overLimit = () => siteContext({ SIGNUP_RATE_LIMIT: countingLimiter(0) });
const returnedForm = { initialValue: expect.objectContaining(typed) };

/** Whose answers are data, for a page with scripts. */
function withScripts(site: Site): Site {
  Object.assign(site.context, { route: { isData: true } });
  return site;
}

test("a form with invalid fields is not sent, and comes back with its values and a message for each", async () => {
  const site = siteContext();
  const terms = { price_cents: "20000", tax_added: "true", trial_days: "not a number" };
  const answer = await post(site, { ...fields, ...terms, city: "x", confirmPassword: "another" });
  expect(answer).toHaveStatus(422);
  expect(answer.reply?.form?.error).toEqual({
    city: ["City must be at least 2 characters"],
    confirmPassword: ["Passwords do not match"],
  });
  expect(answer.reply?.form?.initialValue).toMatchObject({ ...typed, city: "x" });
  expect(answer.reply?.shownTerms, "the terms that its page showed").toEqual({ price_cents: 20_000, tax_added: true });
  expect(answer.newNonce, "a new key for the next try").toBe(false);
  expect(site.api.calls).toEqual([]);
  expect(site.logged, "the fields only").toEqual([["signup_invalid", { fields: ["city", "confirmPassword"] }]]);
});

test("a first press without any cookie brings the form back with one, and a second one says that cookies are blocked", async () => {
  const site = siteContext();
  const headers = { Cookie: "" };
  const first = await post(site, fields, { headers });
  expect(first).toHaveStatus(422);
  expect(first).toShowNotice("Please try again", "This page’s cookie was missing.");
  const notice = { hint: "We kept your details but not your password. Enter it again." };
  expect(first.reply).toMatchObject({ form: returnedForm, isCookieSet: true, notice });
  expect(first.newNonce).toBe(true);
  const again = { ...fields, [COOKIE_SET_FIELD]: "" };
  const second = await post(withScripts(site), again, { headers });
  expect(second).toShowNotice("Cookies are blocked", "Allow cookies for this site, then try again.");
  expect(second.reply?.notice?.hint, "a page with scripts keeps the password").toBeUndefined();
  expect(site.api.calls).toEqual([]);
  expect((await post(site, again)).session, "with the cookie").toMatchObject({ state: "card" });
});

test("a sender over the limit gets the form back, and the API is not called", async () => {
  const site = overLimit();
  const answer = await post(site, fields);
  expect(answer).toHaveStatus(429);
  expect(answer).toShowNotice("Submission Failed", "Too many requests. Please wait a moment and try again.");
  expect(answer.reply).toMatchObject({ form: returnedForm });
  expect(site.api.calls).toEqual([]);
  expect(site.logged).toEqual([["request", { outcome: "refused", reason: "Too many requests" }]]);
  const others = { loaderHeaders: new Headers(), parentHeaders: new Headers(), errorHeaders: undefined };
  const pageHeaders = new Headers(documentHeaders({ ...others, actionHeaders: answer.headers }));
  expect(pageHeaders.get("Retry-After")).toBe("60");
});

test.each<{ what: string; site: () => Site; sent: Record<string, string> | string; status: number }>([
  { what: "a page with scripts, which has it", site: () => withScripts(overLimit()), sent: fields, status: 429 },
  { what: "a button", site: overLimit, sent: { intent: "start-over", sign_up: "the-first-key" }, status: 429 },
  { what: "a form that cannot be read", site: siteContext, sent: "email=a&email=b", status: 400 },
])("a refusal is a notice without a form after $what", async ({ site, sent, status }) => {
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const answer = await post(site(), sent, typeof sent === "string" ? { headers } : {});
  expect(answer).toHaveStatus(status);
  expect(Object.keys(answer.reply ?? {})).toEqual(["notice"]);
});

test("a form that is too large comes back with its other fields, and no messages at them", async () => {
  const site = siteContext();
  const { company_name: _, ...others } = typed;
  const answer = await post(site, { ...fields, company_name: "x".repeat(17_000) });
  expect(answer).toHaveStatus(413);
  expect(answer.reply?.form?.initialValue).toEqual(others);
  expect(answer.reply?.form?.error).toBeUndefined();
  expect(site.logged).toEqual([["request", { outcome: "refused", reason: "Too much data" }]]);
});
