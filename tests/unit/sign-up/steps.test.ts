import { describe, expect, test } from "vitest";
import { SESSION_EXPIRED, SESSION_UNREADABLE, SIGNUP_CANCELED } from "../../../app/signup/notices";
import { STRIPE_JS_URL } from "../../../app/signup/server/current-step.server";
import type { SignupSession } from "../../../app/signup/steps";
import {
  HOUR,
  look,
  NOW,
  OTHER_PLAN,
  PATH,
  PLAN,
  SESSIONS,
  SITE_URL,
  siteContext,
  stopClock,
} from "../../support/site-in-process/site-context";
import { fields } from "../../support/visitors/site-visitor";

/* The table of app/signup/server/current-step.server.ts: cookie × URL × what Stripe and the API say. */

stopClock();

const { card, waiting, expired, canceled, done } = SESSIONS;
const past = { expiresAt: NOW };
const COOKIES: Record<string, SignupSession | "none" | "unreadable"> = {
  none: "none",
  unreadable: "unreadable",
  card,
  "card past its time": { ...card, ...past },
  waiting,
  "waiting past its time": { ...waiting, ...past },
  expired,
  canceled,
  done,
};

/** The same states of another company's sign-up, which is newer than the token's. */
const newer = {
  key: "another-key",
  details: { ...card.details, company_name: "Other Ltd", email: "grace@example.com" },
};
const NEWER = Object.fromEntries(
  Object.entries(COOKIES).flatMap(([name, session]) =>
    typeof session === "string" ? [] : [[`newer ${name}`, { ...session, ...newer }]],
  ),
);

/** Stripe's setup intent and the API's status. */
const SAYS: Record<string, { stripe: object; code?: number; api?: object; apiCode?: number }> = {
  trial: { stripe: { status: "succeeded" }, api: { status: "trial" } },
  "not yet": { stripe: { status: "succeeded" }, api: { status: "pending" } },
  used: { stripe: { status: "succeeded" }, api: { status: "card_used", client_secret: "seti_2_secret_2" } },
  "unknown to the API": { stripe: { status: "succeeded" }, apiCode: 404 },
  "over at the API": { stripe: { status: "succeeded" }, api: { status: "ended" } },
  processing: { stripe: { status: "processing" } },
  unreachable: { stripe: {}, code: 500 },
  "needs a card": { stripe: { status: "requires_payment_method" } },
  canceled: { stripe: { status: "canceled" } },
  unknown: { stripe: {}, code: 404 },
};

const URLS = {
  "its plan": () => PATH,
  "no plan": () => "/subscription",
  "another plan": () => `/subscription/${OTHER_PLAN}`,
  edit: () => `${PATH}?edit`,
  return: (token: string) => `${PATH}?return=${token}`,
  "return with Stripe's secret": (token: string) =>
    `${PATH}?return=${token}&setup_intent_client_secret=seti_1_secret_1`,
  "secret alone": () => `${PATH}?setup_intent_client_secret=seti_1_secret_1`,
  "bad return": () => `${PATH}?return=x`,
  resume: (_: string, link: string) => `${PATH}?resume=${link}`,
  "another plan's resume": (_: string, link: string) => `/subscription/${OTHER_PLAN}?resume=${link}`,
  "bad resume": () => `${PATH}?resume=x`,
};

/** Cookie, URL and answer, and what comes of them: a page or 303, and the session after it. The first that matches counts. */
type Rule = [cookie: RegExp, url: RegExp, says: RegExp, becomes: string];
const ANY = /./;
const PLAIN = /^(its plan|no plan|another plan|edit)$/;
const ASKED = /^(waiting.*|card past its time)$/;
const RULES: Rule[] = [
  [ANY, /^(secret alone|bad return)$/, ANY, "303"],
  [ANY, /^(bad resume|another plan's resume)$/, ANY, "link expired"],
  [/^(card|waiting)/, /^resume$/, ANY, "303"],
  [/^newer (card|waiting|waiting past its time)$/, /^resume$/, ANY, "busy"],
  [ANY, /^resume$/, ANY, "question"],
  [/^(expired|canceled|done)$/, /^return/, ANY, "303"],
  [/^(card|waiting)/, /^return/, /^trial$/, "303, done"],
  [/^\w+ past its time$/, /^return/, /^unknown to the API$/, "303, too old"],
  [/^(card|waiting)/, /^return/, /^(not yet|processing|unreachable|unknown to the API)$/, "303, waiting"],
  [/^(card|waiting)/, /^return/, /^used$/, "303, card used"],
  [/^\w+ past its time$/, /^return/, /^needs a card$/, "303, expired"],
  [/^(card|waiting)/, /^return/, /^needs a card$/, "303, declined"],
  [/^(card|waiting)/, /^return/, ANY, "303, canceled"],
  [ANY, /^return with/, ANY, "303"],
  [ANY, /^return$/, /^trial$/, "done without details"],
  [ANY, /^return$/, /^(not yet|processing|unreachable|unknown to the API)$/, "waiting"],
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
  [ASKED, PLAIN, /^(not yet|processing|unreachable|unknown to the API)$/, "waiting, waiting"],
  [ASKED, PLAIN, /^used$/, "card used, card"],
  [/past its time/, PLAIN, /^needs a card$/, "expired form filled in, expired"],
  [ASKED, PLAIN, /^needs a card$/, "declined, card"],
  [ASKED, PLAIN, ANY, "canceled form filled in, canceled"],
  [/^expired$/, PLAIN, ANY, "expired form filled in"],
  [/^canceled$/, PLAIN, ANY, "canceled form filled in"],
  [/^done$/, /^another plan$/, ANY, "form"],
  [/^done$/, PLAIN, ANY, "done"],
];

function ruleOf(...cell: [string, string, string]): Rule | undefined {
  return RULES.find((rule) => cell.every((word, at) => RegExp(rule[at] ?? "").test(word)));
}

type Answer = Awaited<ReturnType<typeof look>>;

const ENDS = new Map([
  [SESSION_EXPIRED, "expired "],
  [SIGNUP_CANCELED, "canceled "],
  [SESSION_UNREADABLE, "unreadable "],
]);
const QUESTIONS = { ready: "question", busy: "busy", ended: "link expired", canceled: "canceled" };

function wordsOf(step: NonNullable<Answer["step"]>): string {
  if (step.step === "resume") return QUESTIONS[step.state];
  if (step.step === "card") return step.flash ?? "card";
  if (step.step === "done") return step.details ? "done" : "done without details";
  if (step.step === "waiting") return "waiting";
  const offer = step.openPlan === PLAN ? " that offers to finish" : "";
  return `${step.ended ? ENDS.get(step.ended) : ""}form${step.draft ? " filled in" : ""}${offer}`;
}

function wordOf(session: SignupSession | string): string {
  if (typeof session === "string") return session;
  if (session.state === "ended") return session.why;
  return (session.state === "card" && session.flash) || session.state;
}

/** An answer in the words of the rules. */
function told({ step, status, session }: Answer): string {
  return [step ? wordsOf(step) : String(status), ...(session ? [wordOf(session)] : [])].join(", ");
}

const cells = Object.entries({ ...COOKIES, ...NEWER }).flatMap(([cookie, session]) =>
  Object.keys(URLS)
    .filter((url) => !cookie.startsWith("newer") || /^(return|resume)/.test(url))
    .map((url) => ({ cookie, session, url })),
);

/** What a browser with this cookie sees at this URL when Stripe and the API say so. */
async function visit({ session, url }: Pick<(typeof cells)[number], "session" | "url">, says: string) {
  const site = siteContext();
  const { stripe, code = 200, api = {}, apiCode = 200 } = SAYS[says] ?? { stripe: {} };
  Object.assign(site.stripe, { says: stripe, status: code });
  site.api.status = () => Response.json(api, { status: apiCode });
  const [token, link] = [await site.sessions.toReturnToken(card), (await site.resumeLinks.toToken(card)) ?? ""];
  const kept = typeof session === "string" ? undefined : session;
  const headers: Record<string, string> = session === "unreadable" ? { Cookie: "__Host-signup=changed" } : {};
  const path = URLS[url as keyof typeof URLS](token, link);
  return { ...(await look(site, { path, session: kept, headers })), asked: site.stripe.asked, path };
}

test.each(cells)("a browser with $cookie gets the table's step at $url", async ({ cookie, session, url }) => {
  for (const says of Object.keys(SAYS)) {
    const answer = await visit({ session, url }, says);
    const cell = [cookie, url, says];
    expect([cell, told(answer)]).toEqual([cell, ruleOf(cookie, url, says)?.[3]]);
    const mayAsk = (ASKED.test(cookie) && PLAIN.test(url)) || url.startsWith("return");
    expect([cell, answer.asked.length <= (mayAsk ? 1 : 0)]).toEqual([cell, true]);
    if (answer.sentTo !== undefined) expect([cell, answer.sentTo]).toEqual([cell, sentTo(cookie, url, answer.path)]);
    // An older tab neither replaces the newer sign-up nor says whose its own was.
    const shown = JSON.stringify(answer.step ?? "");
    if (cookie.startsWith("newer"))
      expect([answer.session, shown]).toEqual([undefined, expect.not.stringMatching(/Engines|Other/)]);
    expect([cell, shown]).toEqual([cell, expect.not.stringContaining("Other Ltd")]);
    // The form of a sign-up that has ended gets a new nonce, and only that.
    const ends = answer.session !== undefined && /expired|canceled|too old/.test(told(answer).split(", ")[1] ?? "");
    expect([cell, answer.newNonce]).toEqual([cell, ends]);
  }
});

/** A redirect leads to the path without the query, or takes Stripe's secret out of it. */
function sentTo(cookie: string, url: string, path: string): string {
  const isOwn = /^(card|waiting|expired|canceled|done)/.test(cookie);
  return (url === "return with Stripe's secret" && !isOwn ? path.split("&") : path.split("?"))[0] ?? "";
}

test("each rule of the table is needed", () => {
  const used = cells.flatMap(({ cookie, url }) => Object.keys(SAYS).map((says) => ruleOf(cookie, url, says)));
  expect(RULES.filter((rule) => !used.includes(rule))).toEqual([]);
});

describe("a step", () => {
  /** The step of a sign-up that Stripe and the API say this about. */
  const at = (session: SignupSession | undefined, { path = PATH, says = {}, site = siteContext() } = {}) => {
    Object.assign(site.stripe.says, says);
    return look(site, { session, path });
  };
  const SUCCEEDED = { status: "succeeded", payment_method: { card: { brand: "visa", last4: "4242" } } };

  test("of the card has everything that its page needs, and a flash only once", async () => {
    const { step, session } = await at({ ...card, flash: "saved", message: "x" });
    const { state: _, statusUrl: __, ...own } = card;
    const stripe = { publishableKey: "pk_test_1", stripeJsUrl: STRIPE_JS_URL, countryCode: "US" };
    const trialEnd = new Date(NOW + 5 * 24 * HOUR).toISOString();
    const resumeLink = { url: expect.stringContaining(`${SITE_URL}${PATH}?resume=`), qrCodePath: "/resume-code" };
    const returnPath = expect.stringMatching(`^${PATH}\\?return=[\\w.-]+$`);
    const page = { ...stripe, trialEnd, resumeLink, returnPath, failed: false };
    expect(step).toEqual({ ...own, ...page, step: "card", flash: "saved", message: "x" });
    expect(session).toEqual(card);
    expect((await at(card)).session).toBeUndefined();
    const planless = await at({ ...card, packageId: "" }, { path: "/subscription" });
    expect(planless.step).toHaveProperty("returnPath", expect.stringMatching(/^\/subscription\?return=/));
    expect((await at({ ...card, packageId: PLAN.toUpperCase() })).step?.step).toBe("card");
  });

  test("of a declined card has Stripe's words for visitors", async () => {
    const site = siteContext();
    site.stripe.says = { ...site.stripe.says, last_setup_error: { type: "card_error", message: "Declined." } };
    const path = `${PATH}?return=${await site.sessions.toReturnToken(card)}`;
    expect((await at(card, { path, site })).session).toMatchObject({ flash: "declined", message: "Declined." });
  });

  test.each([
    [0, 5],
    [1, 10],
    [2, 20],
    [3, 40],
    [4, 60],
    [9, 60],
  ])("of a card that was asked about %i times is loaded again after %i seconds", async (checks, refreshSeconds) => {
    const { step, session } = await at({ ...waiting, checks }, { says: { status: "processing" } });
    expect(step).toMatchObject({ refreshSeconds, reason: "processing", packageId: PLAN });
    expect(session).toEqual({ ...waiting, checks: checks + 1 });
  });

  test("of a success shows the card and the trial's end as Stripe and the API have them, and is news once", async () => {
    const { step, session } = await at(waiting, { says: SUCCEEDED });
    const { key, requestId, details, packageId, expiresAt } = card;
    const trial = { card: SUCCEEDED.payment_method.card, trialEnd: "2027-01-20T08:00:00.000Z" };
    const shown = { ...trial, key, requestId, details, packageId, startedAt: new Date(NOW).toISOString() };
    expect(step).toEqual({ ...shown, step: "done", flash: "saved", failed: false });
    const kept = { ...shown, expiresAt, state: "done", setupIntentId: "seti_1" };
    expect(session).toEqual(kept);
    expect(await at(session as SignupSession)).toMatchObject({ step: { flash: undefined }, session: undefined });
  });

  const SEEN = { step: "done", startedAt: new Date(NOW).toISOString(), trialEnd: "2027-01-20T08:00:00.000Z" };
  test.each<[says: object, shown: object, expiresAt?: number]>([
    [SUCCEEDED, { ...SEEN, packageId: PLAN, flash: "saved" }],
    [{ status: "processing" }, { step: "waiting", packageId: PLAN, reason: "processing", refreshSeconds: 10 }],
    [{ status: "succeeded", code: 404 }, { step: "resume", state: "ended" }, NOW],
  ])("of a return without the cookie is the outcome without personal data: %j", async (says, shown, expiresAt) => {
    const site = siteContext();
    if ("code" in says) site.api.status = () => new Response(null, { status: 404 });
    const token = await site.sessions.toReturnToken({ ...card, ...(expiresAt && { expiresAt }) });
    const { step } = await at(undefined, { path: `${PATH}?return=${token}`, says, site });
    expect(step).toEqual({ ...shown, failed: false });
  });

  test("of a sign-up without a status URL is a success as soon as Stripe says so", async () => {
    const site = siteContext();
    const { step } = await at({ ...waiting, statusUrl: undefined }, { says: SUCCEEDED, site });
    expect([step?.step, site.api.calls]).toEqual(["done", []]);
  });

  test("of a used card waits if the API has no other secret", async () => {
    const site = siteContext();
    site.api.status = () => Response.json({ status: "card_used", client_secret: card.clientSecret });
    expect((await at(waiting, { says: SUCCEEDED, site })).step).toMatchObject({ step: "waiting" });
  });

  test("never shows what is in the URL, and says whether it answers a post", async () => {
    const { step } = await at(undefined, { path: `${PATH}?email=a@b.co&password=${fields.password}` });
    expect(step).toEqual({ step: "form", packageId: PLAN, failed: false });
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    expect((await look(siteContext(), { headers })).step?.failed).toBe(true);
  });

  test("of a form filled in has the phone number as it is read, and the plan of its URL or of its sign-up", async () => {
    const draft = { ...card.details, phone: "(212) 555-0123" };
    for (const [path, packageId] of [
      [`/subscription/${OTHER_PLAN}`, OTHER_PLAN],
      ["/subscription", PLAN],
    ])
      expect((await at(expired, { path })).step).toMatchObject({ step: "form", packageId, draft });
  });

  test("is the card's until one millisecond before its end, and a day after it unknown", async () => {
    expect((await at({ ...card, expiresAt: NOW + 1 })).step?.step).toBe("card");
    expect((await at({ ...card, expiresAt: NOW - 24 * HOUR })).step).toMatchObject({ ended: SESSION_UNREADABLE });
  });
});
