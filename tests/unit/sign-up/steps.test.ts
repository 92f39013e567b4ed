import { expect, test } from "vitest";
import { trialEndOf } from "../../../app/contract/trial";
import { REFRESH_SECONDS } from "../../../app/signup/durations";
import * as server from "../../../app/signup/server/notices.server";
import type { SignupSession } from "../../../app/signup/session-state";
import { STRIPE_JS_URL } from "../../../app/signup/stripe-js";
import { NOW, stopClock } from "../../support/clock";
import { look, siteContext } from "../../support/site-in-process/site-context";
import { OTHER_PLAN, PATH, PLAN, SITE_URL, TERMS } from "../../support/site-in-process/site-settings";
import { OTHER, SESSIONS } from "./sessions";
import { type Answers, PROCESSING, SUCCEEDED, siteThatAnswers, TRIAL, UNREACHABLE } from "./site-that-answers";

/*
 * app/signup/server/current-step.server.ts: the page, the new cookie and the calls that follow from the cookie's sign-up, the URL
 * and the answers of Stripe and the API. For the next state of a sign-up, see next-state.test.ts.
 */

stopClock();

const { card, waiting, expired, canceled, done } = SESSIONS;
const { SESSION_UNREADABLE: UNREADABLE, SIGNUP_CANCELED: CANCELED, SESSION_EXPIRED: EXPIRED } = server;
const OTHER_PATH = `/subscription/${OTHER_PLAN}`;
const NO_PLAN = "/subscription";
const EDIT = `${PATH}?edit`;
const CUSTOM = "11111111-2222-4333-8444-555555555555";
const atCustom = { path: `/subscription/${CUSTOM}`, apiCalls: 1 };
/** The return from the bank of the sign-up `card`, and its link. */
const [RETURN, LINK] = [`${PATH}?return=TOKEN`, `${PATH}?resume=TOKEN`];
/** On a device that continued the sign-up by its link. */
const { details: _, ...continued } = card;
const { details: __, ...canceledContinued } = canceled;
const inCapitals = { ...card, packageId: PLAN.toUpperCase() };
const IN_CAPITALS = `/subscription/${inCapitals.packageId}`;
const tooOld: SignupSession = { ...canceled, why: "too old" };
const pastCard = { ...card, expiresAt: NOW };
const withNewSecret = { ...card, clientSecret: "seti_2_secret_2" };
const newer: SignupSession = { ...OTHER, packageId: OTHER_PLAN };
const declinedFlash = { flash: "declined", message: "Insufficient funds" } as const;

const CARD_USED: Answers = { stripe: SUCCEEDED, api: { status: "card_used", client_secret: "seti_2_secret_2" } };
const ENDED_AT_API: Answers = { stripe: SUCCEEDED, api: { status: "ended" } };
const DECLINED: Answers = { stripe: { last_setup_error: { message: declinedFlash.message } } };
const STRIPE_CANCELED: Answers = { stripe: { status: "canceled" } };
const available = { status: "available", price_cents: 77_700, currency: "usd" };

const form = (more: object = {}) => ({ step: "form", packageId: PLAN, ...more });
const draft = expect.objectContaining({ company_name: "Engines & Sons", phone: "(212) 555-0123" });
const ofOther = { packageId: OTHER_PLAN, draft };
const ofCustom = (more: object) => form({ packageId: CUSTOM, ...more });
const cardOf = (more: object) => ({ step: "card", packageId: PLAN, ...more });
const declined = cardOf(declinedFlash);
const wait = { step: "waiting", packageId: PLAN, terms: TERMS, reason: "processing", refreshSeconds: REFRESH_SECONDS };
const ready = { step: "resume", state: "ready" };
const busy = { step: "resume", state: "busy", currentPath: OTHER_PATH };
const { key, requestId, details, packageId, terms } = card;
const startedAt = new Date(NOW).toISOString();
const trial = { packageId, terms, startedAt, trialEnd: TRIAL.api.trial_end };
const success = { step: "done", ...trial, flash: "saved" };
const end = form({ ended: CANCELED });
const UNANSWERED = [["card_check_failed", { cause: "status", status: 500 }]];
const RETURNED_SECRET = "setup_intent=seti_1&setup_intent_client_secret=seti_1_secret_1";
const BOTH = ["seti_9", "seti_1"];

interface Case extends Answers {
  name: string;
  cookie?: SignupSession | "unreadable";
  path?: string;
  page?: object;
  to?: string;
  /** The cookie after the request. */
  keeps?: object | "cleared";
  /** What Stripe is asked; the cookie's own setup by default. */
  asked?: string[];
  /** The calls of the API; none by default. */
  apiCalls?: number;
  logs?: unknown[];
}

test.each<Case>([
  { name: "the form of no plan", path: NO_PLAN, page: form({ packageId: "" }) },
  { name: "a custom plan", ...atCustom, api: available, page: ofCustom({ currentPriceCents: 77_700 }) },
  ...(["retired", "unknown"] as const).map((status) => ({
    name: `a plan that is ${status}`,
    ...atCustom,
    api: { status },
    page: ofCustom({ planProblem: server.PLAN_NOT_AVAILABLE[status] }),
  })),
  { name: "an unreadable cookie", cookie: "unreadable", page: form({ ended: UNREADABLE }), keeps: "cleared" },
  { name: "a card step, its plan in capitals", cookie: inCapitals, page: { step: "card" } },
  { name: "a card step, its URL in capitals", cookie: card, path: IN_CAPITALS, page: { step: "card" } },
  {
    name: "a card step without a plan and details, which offers no other device",
    ...{ cookie: { ...continued, packageId: "" }, path: NO_PLAN, api: { status: "pending" }, apiCalls: 1 },
    page: {
      ...{ step: "card", resumeLink: undefined, countryCode: undefined },
      returnPath: expect.stringMatching(/^\/subscription\?return=/),
    },
  },
  { name: "details to edit", cookie: card, path: EDIT, page: form({ draft, openPlan: PLAN }) },
  { name: "another plan", cookie: card, path: OTHER_PATH, page: form({ ...ofOther, openPlan: PLAN }) },
  { name: "no answer of Stripe", cookie: continued, ...UNREACHABLE, page: { step: "card" }, logs: UNANSWERED },
  { name: "a sign-up that has expired", cookie: expired, path: NO_PLAN, page: form({ draft, ended: EXPIRED }) },
  { name: "a canceled one", cookie: canceled, path: OTHER_PATH, page: form({ ...ofOther, ended: CANCELED }) },
  { name: "one that nobody knows anymore", cookie: tooOld, page: form({ draft, ended: UNREADABLE }) },
  { name: "a success without a plan in the URL", cookie: done, path: NO_PLAN, page: { step: "done" } },
  { name: "another plan after a success", cookie: done, path: OTHER_PATH, page: form({ packageId: OTHER_PLAN }) },
  { name: "a declined card, once", cookie: { ...card, ...declinedFlash }, page: declined, keeps: card },
  { name: "a success, once", cookie: { ...done, flash: "saved" }, page: { step: "done", flash: "saved" }, keeps: done },
  {
    name: "a started trial, at any URL",
    ...{ cookie: waiting, path: OTHER_PATH, ...TRIAL, apiCalls: 1 },
    page: { ...success, key, requestId, details, card: { brand: "visa", last4: "4242" } },
    keeps: { state: "done", packageId: PLAN },
  },
  { name: "a card in process, at any URL", cookie: waiting, path: EDIT, ...PROCESSING, page: wait, keeps: waiting },
  { name: "a declined card, at any URL", cookie: waiting, path: OTHER_PATH, ...DECLINED, page: declined, keeps: card },
  {
    name: "a used card that another device entered, at any URL",
    ...{ cookie: card, path: OTHER_PATH, ...CARD_USED, apiCalls: 1 },
    page: cardOf({ flash: "card used", clientSecret: withNewSecret.clientSecret }),
    keeps: withNewSecret,
  },
  {
    name: "a secret that Stripe does not know",
    ...{ cookie: waiting, stripeStatus: 404, logs: [["setup_intent_unknown", undefined]] },
    page: cardOf({ flash: "unknown" }),
    keeps: card,
  },
  {
    name: "an end at the API, on the other device",
    ...{ cookie: continued, api: { status: "ended" }, apiCalls: 1 },
    page: end,
    keeps: canceledContinued,
  },
  {
    name: "the end of a sign-up's time",
    ...{ cookie: pastCard, path: OTHER_PATH, ...DECLINED },
    page: form({ ...ofOther, ended: EXPIRED }),
    keeps: { state: "ended", why: "expired", packageId: PLAN },
  },
  {
    name: "its return after a declined card, which is told once the URL is the plan's",
    ...{ cookie: card, path: RETURN, ...DECLINED },
    ...{ to: PATH, keeps: { ...card, ...declinedFlash } },
  },
  { name: "its return after the end", cookie: card, path: RETURN, ...STRIPE_CANCELED, to: PATH, keeps: canceled },
  { name: "its return after an end that was known", cookie: canceled, path: RETURN, ...TRIAL, to: PATH },
  { name: "a return with Stripe's secret", cookie: card, path: `${RETURN}&${RETURNED_SECRET}`, to: RETURN, asked: [] },
  {
    name: "a return with any token and Stripe's secret",
    ...{ cookie: card, path: `${PATH}?return=%0d%0a%20%26&${RETURNED_SECRET}`, asked: [] },
    to: `${PATH}?return=%0D%0A%20%26`,
  },
  { name: "Stripe's secret alone", cookie: card, path: `${PATH}?${RETURNED_SECRET}`, to: PATH, asked: [] },
  { name: "a return with a wrong token", cookie: card, path: `${PATH}?return=a.b.c`, to: PATH, asked: [] },
  { name: "a return with an empty token", cookie: card, path: `${PATH}?return=`, to: PATH, asked: [] },
  { name: "its link, even past its time", cookie: pastCard, path: LINK, to: PATH, asked: [] },
  { name: "its link after its success", cookie: done, path: LINK, to: PATH },
  {
    name: "its link at another plan",
    ...{ cookie: card, path: LINK.replace(PLAN, OTHER_PLAN), asked: [] },
    page: { step: "resume", state: "expired" },
  },
])("cookie, URL and answers decide the page, the next cookie and the calls: $name", async (row) => {
  const { cookie, page, to, keeps, apiCalls = 0, logs = [] } = row;
  const { site, token, step, session, newNonce, ...answer } = await open(row);
  if (to) expect(answer).toRedirectTo(to.replace("TOKEN", token));
  else expect(step).toMatchObject(page ?? {});
  if (typeof keeps === "object") expect(session, "what the cookie keeps").toMatchObject(keeps);
  else expect(session, "the cookie").toBe(keeps);
  if (page) for (const shown of ["flash", "message"]) expect(session ?? {}, "shown already").not.toHaveProperty(shown);
  expect(newNonce, "an end frees the key, so that the same form is another sign-up").toBe(isEnded(keeps));
  const own = typeof cookie === "object" && "clientSecret" in cookie ? ["seti_1"] : [];
  expect(site.stripe.asked, "questions to Stripe").toEqual(row.asked ?? own);
  expect(site.api.calls, "calls of the API").toHaveLength(apiCalls);
  expect(site.logged).toEqual(logs);
});

const isEnded = (kept: Case["keeps"]) => typeof kept === "object" && "state" in kept && kept.state === "ended";

/** Opens a page in a browser with this sign-up, or with a cookie that cannot be read. */
async function open({ cookie, path = PATH, ...answers }: Omit<Case, "name">) {
  const site = siteThatAnswers(answers);
  const toToken = path.includes("resume=") ? site.resumeLinks.toToken : site.sessions.toReturnToken;
  const token = (await toToken(card)) ?? "";
  const visit = cookie === "unreadable" ? { headers: { Cookie: "__Host-signup=changed" } } : { session: cookie };
  return { site, token, ...(await look(site, { ...visit, path: path.replace("TOKEN", token) })) };
}

test.each<Case>([
  { name: "a success with its notices after a return", path: RETURN, ...TRIAL, page: success },
  {
    name: "a success whose notices were shown",
    path: `${RETURN}&seen`,
    ...TRIAL,
    page: { ...success, flash: undefined },
  },
  { name: "a card in process", path: RETURN, ...PROCESSING, page: wait },
  { name: "a question after a declined card", path: RETURN, ...DECLINED, page: ready },
  { name: "an empty form with the reason of the end", path: RETURN, ...ENDED_AT_API, page: end },
  { name: "a newer sign-up first", path: RETURN, cookie: newer, ...DECLINED, page: busy, asked: BOTH },
  {
    name: "the end beside a newer sign-up",
    ...{ path: RETURN, cookie: newer, ...STRIPE_CANCELED, asked: BOTH },
    page: { ...end, openPlan: OTHER_PLAN },
  },
  { name: "a question after a link", path: LINK, page: ready },
  { name: "a question after another's success", path: LINK, cookie: { ...done, key: "another-key" }, page: ready },
  { name: "a question after its end", path: LINK, cookie: canceled, page: ready },
  {
    name: "a question past another sign-up's time",
    ...{ path: LINK, cookie: { ...newer, expiresAt: NOW }, asked: BOTH },
    ...{ page: ready, keeps: { state: "ended" } },
  },
  { name: "another sign-up first, after a link", path: LINK, cookie: newer, page: busy, asked: BOTH },
  { name: "a question if Stripe does not answer", path: LINK, ...UNREACHABLE, page: ready },
  { name: "a success after a link", path: LINK, ...TRIAL, page: success },
])("of a sign-up that is not in the cookie, a page shows only the outcome: $name", async (row) => {
  const { site, step, session } = await open(row);
  expect(step).toEqual({ ...row.page, failed: false });
  expect(session).toEqual(row.keeps && expect.objectContaining(row.keeps));
  expect(site.stripe.asked).toEqual(row.asked ?? ["seti_1"]);
});

test("the page of the card has all of its data", async () => {
  const { state: _, statusUrl: __, ...shown } = card;
  expect((await open({ cookie: card })).step).toEqual({
    ...shown,
    step: "card",
    publishableKey: "pk_test_1",
    stripeJsUrl: STRIPE_JS_URL,
    countryCode: "US",
    returnPath: expect.stringMatching(`^${PATH}\\?return=[\\w.-]+$`),
    trialEnd: trialEndOf(startedAt, TERMS.trial_days),
    resumeLink: { url: expect.stringContaining(`${SITE_URL}${PATH}?resume=`), qrCodePath: "/resume-code" },
    failed: false,
  });
});

test("a page that answers a post knows that it failed", async () => {
  const { step } = await look(siteContext(), { headers: { "Content-Type": "application/x-www-form-urlencoded" } });
  expect(step).toMatchObject({ step: "form", failed: true });
});
