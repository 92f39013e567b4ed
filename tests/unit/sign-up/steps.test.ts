import { describe, expect, test } from "vitest";
import { SESSION_EXPIRED, SESSION_UNREADABLE, SIGNUP_CANCELED } from "../../../app/signup/notices";
import { STRIPE_JS_URL } from "../../../app/signup/server/current-step.server";
import type { SignupSession } from "../../../app/signup/steps";
import { HOUR } from "../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../support/clock";
import { fields } from "../../support/person";
import { look, siteContext } from "../../support/site-in-process/site-context";
import { OTHER_PLAN, PATH, PLAN, SITE_URL } from "../../support/site-in-process/site-settings";
import { SESSIONS } from "./sessions";

/* The table of app/signup/server/current-step.server.ts: cookie × URL × what Stripe and the API say. */

stopClock();

const { card, waiting, expired, canceled, done } = SESSIONS;
const past = { expiresAt: NOW };
const own = {
  card,
  "card past its time": { ...card, ...past },
  waiting,
  "waiting past its time": { ...waiting, ...past },
};
/** The same states of another company's sign-up, which is newer than the token's. */
const details = { ...card.details, company_name: "Other Ltd", email: "grace@example.com" };
const newer = Object.entries({ ...own, expired, canceled, done }).map(([name, session]) => {
  return [`newer ${name}`, { ...session, key: "another-key", details }] as const;
});
const COOKIES: Record<string, SignupSession | undefined> = {
  ...{ none: undefined, unreadable: undefined, ...own, expired, canceled, done },
  ...Object.fromEntries(newer),
};

const DECLINED = { type: "card_error", message: "Insufficient funds" };
const SUCCEEDED = { stripe: { status: "succeeded" } };
/** Stripe's setup intent and the API's status. */
const SAYS: Record<string, { stripe: object; code?: number; api?: object; apiCode?: number }> = {
  trial: { ...SUCCEEDED, api: { status: "trial" } },
  "not yet": { ...SUCCEEDED, api: { status: "pending" } },
  used: { ...SUCCEEDED, api: { status: "card_used", client_secret: "seti_2_secret_2" } },
  "used, without another secret": { ...SUCCEEDED, api: { status: "card_used", client_secret: card.clientSecret } },
  "unknown to the API": { ...SUCCEEDED, apiCode: 404 },
  "over at the API": { ...SUCCEEDED, api: { status: "ended" } },
  processing: { stripe: { status: "processing" } },
  unreachable: { stripe: {}, code: 500 },
  "needs a card": { stripe: { status: "requires_payment_method", last_setup_error: DECLINED } },
  canceled: { stripe: { status: "canceled" } },
  unknown: { stripe: {}, code: 404 },
};

/** TOKEN and LINK are the first sign-up's. */
const URLS: Record<string, string> = {
  "its plan": PATH,
  "no plan": "/subscription",
  "another plan": `/subscription/${OTHER_PLAN}`,
  edit: `${PATH}?edit`,
  return: `${PATH}?return=TOKEN`,
  "return with Stripe's secret": `${PATH}?return=TOKEN&setup_intent_client_secret=seti_1_secret_1`,
  "secret alone": `${PATH}?setup_intent_client_secret=seti_1_secret_1`,
  "bad return": `${PATH}?return=x`,
  resume: `${PATH}?resume=LINK`,
  "another plan's resume": `/subscription/${OTHER_PLAN}?resume=LINK`,
  "bad resume": `${PATH}?resume=x`,
};

const ANY = /./;
const WAITED = /^(not yet|processing|unreachable|unknown to the API|used, without another secret)$/;
const PLAIN = /^(its plan|no plan|another plan|edit)$/;
const ASKED = /^(waiting.*|card past its time)$/;
/** Cookie, URL and answer, and what comes of them: a page or 303, and the session after it. The first that matches counts. */
const RULES: [cookie: RegExp, url: RegExp, says: RegExp, becomes: string][] = [
  [ANY, /^(secret alone|bad return)$/, ANY, "303"],
  [ANY, /^(bad resume|another plan's resume)$/, ANY, "link expired"],
  [/^(card|waiting)/, /^resume$/, ANY, "303"],
  [/^newer (card|waiting|waiting past its time)$/, /^resume$/, ANY, "busy"],
  [ANY, /^resume$/, ANY, "question"],
  [/^(expired|canceled|done)$/, /^return/, ANY, "303"],
  [/^(card|waiting)/, /^return/, /^trial$/, "303, done"],
  [/^\w+ past its time$/, /^return/, /^unknown to the API$/, "303, too old"],
  [/^(card|waiting)/, /^return/, WAITED, "303, waiting"],
  [/^(card|waiting)/, /^return/, /^used$/, "303, card used"],
  [/^\w+ past its time$/, /^return/, /^needs a card$/, "303, expired"],
  [/^(card|waiting)/, /^return/, /^needs a card$/, "303, declined: Insufficient funds"],
  [/^(card|waiting)/, /^return/, ANY, "303, canceled"],
  [ANY, /^return with/, ANY, "303"],
  [ANY, /^return$/, /^trial$/, "done without details"],
  [ANY, /^return$/, WAITED, "waiting"],
  [/^newer (card|waiting|waiting past its time)$/, /^return$/, /^(needs a card|used)$/, "busy"],
  [ANY, /^return$/, /^(needs a card|used)$/, "question"],
  [ANY, /^return$/, ANY, "canceled"],
  [/^none$/, PLAIN, ANY, "form"],
  [/^unreadable$/, PLAIN, ANY, "unreadable form, cleared"],
  [/^card$/, /^(its|no) plan$/, ANY, "card"],
  [/^card$/, /^edit$/, ANY, "form filled in"],
  [/^card$/, /^another plan$/, ANY, "form filled in that offers to finish"],
  [ASKED, PLAIN, /^trial$/, "done, done"],
  [/past its time/, PLAIN, /^unknown to the API$/, "unreadable form filled in, too old"],
  [ASKED, PLAIN, WAITED, "waiting, waiting"],
  [ASKED, PLAIN, /^used$/, "card used, card"],
  [/past its time/, PLAIN, /^needs a card$/, "expired form filled in, expired"],
  [ASKED, PLAIN, /^needs a card$/, "declined: Insufficient funds, card"],
  [ASKED, PLAIN, ANY, "canceled form filled in, canceled"],
  [/^expired$/, PLAIN, ANY, "expired form filled in"],
  [/^canceled$/, PLAIN, ANY, "canceled form filled in"],
  [/^done$/, /^another plan$/, ANY, "form"],
  [/^done$/, PLAIN, ANY, "done"],
];

type Answer = Awaited<ReturnType<typeof look>>;
const ENDS = { "expired ": SESSION_EXPIRED, "canceled ": SIGNUP_CANCELED, "unreadable ": SESSION_UNREADABLE };
const QUESTIONS = { ready: "question", busy: "busy", ended: "link expired", canceled: "canceled" };

const cardWords = ({ flash = "card", message = "" }) => flash + (message && `: ${message}`);

function wordsOf(step: NonNullable<Answer["step"]>): string {
  if (step.step === "resume") return QUESTIONS[step.state];
  if (step.step === "card") return cardWords(step);
  if (step.step === "done") return step.details ? "done" : "done without details";
  if (step.step === "waiting") return "waiting";
  const [end = ""] = Object.entries(ENDS).find(([, notice]) => notice === step.ended) ?? [];
  return `${end}form${step.draft ? " filled in" : ""}${step.openPlan === PLAN ? " that offers to finish" : ""}`;
}

function wordOf(session: SignupSession | string): string {
  if (typeof session === "string") return session;
  if (session.state === "ended") return session.why;
  return session.state === "card" ? cardWords(session) : session.state;
}

const cells = Object.keys(COOKIES).flatMap((cookie) =>
  Object.keys(URLS)
    .filter((url) => !cookie.startsWith("newer") || /^(return|resume)/.test(url))
    .map((url) => [cookie, url] as const),
);

test.each(cells)("a browser with the cookie %s gets the table's step at the URL %s", async (cookie, url) => {
  for (const [says, { stripe, code = 200, api = {}, apiCode = 200 }] of Object.entries(SAYS)) {
    const site = siteContext();
    Object.assign(site.stripe, { says: stripe, status: code });
    site.api.status = () => Response.json(api, { status: apiCode });
    const [token, link] = [await site.sessions.toReturnToken(card), (await site.resumeLinks.toToken(card)) ?? ""];
    const path = URLS[url]?.replace("TOKEN", token).replace("LINK", link) ?? "";
    const headers: Record<string, string> = cookie === "unreadable" ? { Cookie: "__Host-signup=changed" } : {};
    const { step, session, ...answer } = await look(site, { path, session: COOKIES[cookie], headers });
    const [cell, after] = [[cookie, url, says], session && wordOf(session)];
    const rule = RULES.find((rule) => cell.every((word, at) => RegExp(rule[at] ?? "").test(word)));
    const told = [step ? wordsOf(step) : answer.status, ...(after ? [after] : [])].join(", ");
    // A redirect leads to the path without the query, or takes Stripe's secret out of it.
    const keepsToken = url === "return with Stripe's secret" && /^(none|unreadable|newer)/.test(cookie);
    const sentTo = step ? undefined : path.split(keepsToken ? "&" : "?")[0];
    // The form of a sign-up that has ended gets a new nonce, and only that.
    const newNonce = ["expired", "canceled", "too old"].includes(after ?? "");
    expect({ cell, told, ...answer }).toMatchObject({ cell, told: rule?.[3], sentTo, newNonce });
    const mayAsk = (ASKED.test(cookie) && PLAIN.test(url)) || url.startsWith("return");
    expect([cell, site.stripe.asked.length <= (mayAsk ? 1 : 0)]).toEqual([cell, true]);
    // An older tab neither replaces the newer sign-up nor says whose its own was.
    const others = cookie.startsWith("newer") ? /Engines|Other Ltd/ : /Other Ltd/;
    expect([cell, JSON.stringify(step ?? "")]).toEqual([cell, expect.not.stringMatching(others)]);
    if (cookie.startsWith("newer")) expect(session).toBeUndefined();
  }
});

describe("a step", () => {
  /** The step of a sign-up that Stripe and the API say this about. */
  const at = (session: SignupSession | undefined, { path = PATH, says = {}, site = siteContext() } = {}) => {
    Object.assign(site.stripe.says, says);
    return look(site, { session, path });
  };
  const [startedAt, trialEnd] = [new Date(NOW).toISOString(), "2026-11-27T12:00:00.000Z"];
  const SET_UP = { status: "succeeded", payment_method: { card: { brand: "visa", last4: "4242" } } };

  test("of the card has everything that its page needs, and a flash only once", async () => {
    const { step, session } = await at({ ...card, flash: "saved", message: "x" });
    const { state: _, statusUrl: __, ...kept } = card;
    const stripe = { publishableKey: "pk_test_1", stripeJsUrl: STRIPE_JS_URL, countryCode: "US" };
    const trialEnd = new Date(NOW + 5 * 24 * HOUR).toISOString();
    const resumeLink = { url: expect.stringContaining(`${SITE_URL}${PATH}?resume=`), qrCodePath: "/resume-code" };
    const returnPath = expect.stringMatching(`^${PATH}\\?return=[\\w.-]+$`);
    const page = { ...stripe, trialEnd, resumeLink, returnPath, failed: false };
    expect(step).toEqual({ ...kept, ...page, step: "card", flash: "saved", message: "x" });
    expect([session, (await at(card)).session]).toEqual([card, undefined]);
    const planless = await at({ ...card, packageId: "" }, { path: "/subscription" });
    expect(planless.step).toHaveProperty("returnPath", expect.stringMatching(/^\/subscription\?return=/));
    expect((await at({ ...card, packageId: PLAN.toUpperCase(), expiresAt: NOW + 1 })).step?.step).toBe("card");
  });

  const seconds = [5, 10, 20, 40, 60, 60].map((seconds, checks) => [checks, seconds] as const);
  test.each(seconds)("of a card asked about %i times is loaded again after %i s", async (checks, refreshSeconds) => {
    const { step, session } = await at({ ...waiting, checks }, { says: { status: "processing" } });
    expect(step).toMatchObject({ refreshSeconds, reason: "processing", packageId: PLAN });
    expect(session).toEqual({ ...waiting, checks: checks + 1 });
  });

  test("of a success shows the card and the trial's end as Stripe and the API have them, and is news once", async () => {
    const { step, session } = await at(waiting, { says: SET_UP });
    const { key, requestId, details, packageId, expiresAt } = card;
    const shown = { card: SET_UP.payment_method.card, trialEnd, startedAt, key, requestId, details, packageId };
    expect(step).toEqual({ ...shown, step: "done", flash: "saved", failed: false });
    expect(session).toEqual({ ...shown, expiresAt, state: "done", setupIntentId: "seti_1" });
    expect(await at(session as SignupSession)).toMatchObject({ step: { flash: undefined }, session: undefined });
  });

  test.each<[stripe: object, api: number, shown: object, expiresAt?: number]>([
    [SET_UP, 200, { step: "done", startedAt, trialEnd, packageId: PLAN, flash: "saved" }],
    [{ status: "processing" }, 200, { step: "waiting", packageId: PLAN, reason: "processing", refreshSeconds: 10 }],
    [SET_UP, 404, { step: "resume", state: "ended" }, NOW],
  ])("of a return without the cookie is the outcome without personal data: %j, %i", async (says, status, ...rest) => {
    const [shown, expiresAt = card.expiresAt] = rest;
    const site = siteContext();
    if (status === 404) site.api.status = () => new Response(null, { status });
    const path = `${PATH}?return=${await site.sessions.toReturnToken({ ...card, expiresAt })}`;
    expect((await at(undefined, { path, says, site })).step).toEqual({ ...shown, failed: false });
  });

  test("of a set-up card without a status URL is a success", async () => {
    const site = siteContext();
    const { step } = await at({ ...waiting, statusUrl: undefined }, { says: SET_UP, site });
    expect([step?.step, site.api.calls]).toEqual(["done", []]);
  });

  test("never shows what is in the URL, and says whether it answers a post", async () => {
    const { step } = await at(undefined, { path: `${PATH}?email=a@b.co&password=${fields.password}` });
    expect(step).toEqual({ step: "form", packageId: PLAN, failed: false });
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    expect((await look(siteContext(), { headers })).step?.failed).toBe(true);
  });

  test.each([
    [`/subscription/${OTHER_PLAN}`, OTHER_PLAN],
    ["/subscription", PLAN],
  ])("of a form filled in has the phone number as it is read, and at %s the plan %s", async (path, packageId) => {
    const draft = { ...card.details, phone: "(212) 555-0123" };
    expect((await at(expired, { path })).step).toMatchObject({ step: "form", packageId, draft });
  });
});
