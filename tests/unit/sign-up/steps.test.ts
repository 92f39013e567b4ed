import { describe, expect, test } from "vitest";
import { SESSION_EXPIRED, SESSION_UNREADABLE, SIGNUP_CANCELED } from "../../../app/signup/notices";
import { STRIPE_JS_URL } from "../../../app/signup/server/current-step.server";
import type { SignupSession } from "../../../app/signup/session-state";
import { HOUR } from "../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../support/clock";
import { fields } from "../../support/person";
import { look, type Site, siteContext } from "../../support/site-in-process/site-context";
import { OTHER_PLAN, PATH, PLAN, SITE_URL } from "../../support/site-in-process/site-settings";
import { SESSIONS } from "./sessions";

/*
 * app/signup/server/current-step.server.ts: the page and the new cookie that follow from the cookie's sign-up, the URL and the
 * answers of Stripe and the API. For the next state of a sign-up, see transition.test.ts.
 */

stopClock();

const { card, waiting, expired, canceled, done } = SESSIONS;
const OTHER_PATH = `/subscription/${OTHER_PLAN}`;
const pastCard = { ...card, expiresAt: NOW };
const tooOld: SignupSession = { ...canceled, why: "too old" };

/** Answers of Stripe and the API. `stripeStatus` is 200 by default. */
interface Answers {
  stripe?: object;
  stripeStatus?: number;
  api?: object;
}

const SUCCEEDED = { status: "succeeded", payment_method: { card: { brand: "visa", last4: "4242" } } };
const TRIAL: Answers = { stripe: SUCCEEDED, api: { status: "trial", trial_end: "2026-11-27T12:00:00.000Z" } };
const PENDING: Answers = { stripe: SUCCEEDED, api: { status: "pending" } };
const CARD_USED: Answers = { stripe: SUCCEEDED, api: { status: "card_used", client_secret: "seti_2_secret_2" } };
const ENDED_AT_API: Answers = { stripe: SUCCEEDED, api: { status: "ended" } };
const PROCESSING: Answers = { stripe: { status: "processing" } };
const UNREACHABLE: Answers = { stripeStatus: 500 };
const DECLINED: Answers = {
  stripe: { status: "requires_payment_method", last_setup_error: { message: "Insufficient funds" } },
};
const STRIPE_CANCELED: Answers = { stripe: { status: "canceled" } };
const UNKNOWN_SECRET: Answers = { stripeStatus: 404 };

function siteThatAnswers({ stripe, stripeStatus = 200, api = {} }: Answers = {}): Site {
  const site = siteContext();
  Object.assign(site.stripe, { status: stripeStatus, ...(stripe && { says: stripe }) });
  site.api.status = () => Response.json(api);
  return site;
}

/** Opens a page in a browser with this sign-up, or with a cookie that cannot be read. */
function open(site: Site, cookie: SignupSession | "unreadable" | undefined, path: string) {
  if (cookie === "unreadable") return look(site, { path, headers: { Cookie: "__Host-signup=changed" } });
  return look(site, { path, session: cookie });
}

interface PageCase extends Answers {
  name: string;
  cookie?: SignupSession | "unreadable";
  path: string;
  page: object;
  keeps?: object | "cleared";
}

const form = (more: object = {}) => ({ step: "form", packageId: PLAN, ...more });
const filledIn = expect.objectContaining({ company_name: "Engines & Sons", phone: "(212) 555-0123" });

const UNASKED: PageCase[] = [
  { name: "without a sign-up, a plan's URL shows its form", path: PATH, page: form() },
  { name: "without a sign-up or a plan, the form has no plan", path: "/subscription", page: form({ packageId: "" }) },
  {
    name: "a cookie that cannot be read is cleared, and the form says so",
    cookie: "unreadable",
    path: PATH,
    page: form({ ended: SESSION_UNREADABLE }),
    keeps: "cleared",
  },
  { name: "a sign-up that needs a card shows the card step", cookie: card, path: PATH, page: { step: "card" } },
  {
    name: "a sign-up that needs a card shows the card step at a URL without a plan",
    cookie: card,
    path: "/subscription",
    page: { step: "card", packageId: PLAN },
  },
  {
    name: "a plan in capital letters is the same plan",
    cookie: { ...card, packageId: PLAN.toUpperCase() },
    path: PATH,
    page: { step: "card" },
  },
  {
    name: "a sign-up with a millisecond left shows the card step unasked",
    cookie: { ...card, expiresAt: NOW + 1 },
    path: PATH,
    page: { step: "card" },
  },
  {
    name: "editing the details shows the form filled in, with a way back to the card",
    cookie: card,
    path: `${PATH}?edit`,
    page: form({ draft: filledIn, openPlan: PLAN }),
  },
  {
    name: "another plan shows its form filled in, with a way back to the card",
    cookie: card,
    path: OTHER_PATH,
    page: form({ packageId: OTHER_PLAN, draft: filledIn, openPlan: PLAN }),
  },
  {
    name: "an expired sign-up shows its form filled in, with the reason",
    cookie: expired,
    path: "/subscription",
    page: form({ draft: filledIn, ended: SESSION_EXPIRED }),
  },
  {
    name: "a canceled sign-up shows the form of the URL's plan, with the reason",
    cookie: canceled,
    path: OTHER_PATH,
    page: form({ packageId: OTHER_PLAN, draft: filledIn, ended: SIGNUP_CANCELED }),
  },
  {
    name: "a sign-up that neither Stripe nor the API knows anymore shows its form, with the reason",
    cookie: tooOld,
    path: PATH,
    page: form({ draft: filledIn, ended: SESSION_UNREADABLE }),
  },
  { name: "a success shows the success step", cookie: done, path: PATH, page: { step: "done" } },
  { name: "a success stays at a URL without a plan", cookie: done, path: "/subscription", page: { step: "done" } },
  { name: "a success has nothing to edit", cookie: done, path: `${PATH}?edit`, page: { step: "done" } },
  {
    name: "after a success another plan shows its empty form",
    cookie: done,
    path: OTHER_PATH,
    page: { step: "form", packageId: OTHER_PLAN, failed: false },
  },
];

describe("without a check,", () => {
  test.each(UNASKED)("$name", async ({ cookie, path, page, keeps }) => {
    const site = siteThatAnswers();
    const { step, session } = await open(site, cookie, path);
    expect(step).toMatchObject(page);
    expect(session, "what the cookie keeps").toEqual(keeps);
    expect(site.stripe.asked, "questions to Stripe").toEqual([]);
  });
});

interface CheckedCase extends PageCase {
  keeps?: object;
}

const CHECKED: CheckedCase[] = [
  {
    name: "a started trial is a success",
    cookie: waiting,
    path: PATH,
    ...TRIAL,
    page: { step: "done", flash: "saved" },
  },
  {
    name: "a started trial is a success at another plan's URL too",
    cookie: waiting,
    path: OTHER_PATH,
    ...TRIAL,
    page: { step: "done", packageId: PLAN },
    keeps: { state: "done", packageId: PLAN },
  },
  {
    name: "a trial that started in time is a success past the sign-up's time",
    cookie: pastCard,
    path: PATH,
    ...TRIAL,
    page: { step: "done" },
    keeps: { state: "done" },
  },
  {
    name: "a card in process is looked at again every ten seconds",
    cookie: waiting,
    path: PATH,
    ...PROCESSING,
    page: { step: "waiting", packageId: PLAN, agreedPriceCents: 50_000, reason: "processing", refreshSeconds: 10 },
    keeps: waiting,
  },
  {
    name: "while a card is in process there is nothing to edit",
    cookie: waiting,
    path: `${PATH}?edit`,
    ...PROCESSING,
    page: { step: "waiting" },
  },
  {
    name: "while Stripe cannot be reached the page waits",
    cookie: pastCard,
    path: PATH,
    ...UNREACHABLE,
    page: { step: "waiting", reason: "unreachable" },
    keeps: { state: "waiting", reason: "unreachable" },
  },
  {
    name: "until the API has started the trial the page waits",
    cookie: waiting,
    path: PATH,
    ...PENDING,
    page: { step: "waiting", reason: "unreachable" },
    keeps: { state: "waiting", reason: "unreachable" },
  },
  {
    name: "a declined card is reported once, with Stripe's message",
    cookie: waiting,
    path: PATH,
    ...DECLINED,
    page: { step: "card", flash: "declined", message: "Insufficient funds" },
    keeps: card,
  },
  {
    name: "a used card is reported once, and the card step has the new secret",
    cookie: waiting,
    path: OTHER_PATH,
    ...CARD_USED,
    page: { step: "card", packageId: PLAN, flash: "card used", clientSecret: "seti_2_secret_2" },
    keeps: { ...card, clientSecret: "seti_2_secret_2" },
  },
  {
    name: "a secret that Stripe does not know is reported, and the card step stays",
    cookie: waiting,
    path: PATH,
    ...UNKNOWN_SECRET,
    page: { step: "card", flash: "unknown" },
    keeps: card,
  },
  {
    name: "a secret that Stripe does not know ends with its sign-up",
    cookie: pastCard,
    path: PATH,
    ...UNKNOWN_SECRET,
    page: form({ draft: filledIn, ended: SESSION_UNREADABLE }),
    keeps: { state: "ended", why: "too old" },
  },
  {
    name: "past the sign-up's time the form of the URL's plan says that it has ended",
    cookie: pastCard,
    path: OTHER_PATH,
    ...DECLINED,
    page: form({ packageId: OTHER_PLAN, draft: filledIn, ended: SESSION_EXPIRED }),
    keeps: { state: "ended", why: "expired", packageId: PLAN },
  },
  {
    name: "a canceled setup shows the form with the reason",
    cookie: waiting,
    path: PATH,
    ...STRIPE_CANCELED,
    page: form({ draft: filledIn, ended: SIGNUP_CANCELED }),
    keeps: { state: "ended", why: "canceled" },
  },
];

describe("a sign-up that waits, or has no card in time, is checked:", () => {
  test.each(CHECKED)("$name", async ({ cookie, path, page, keeps = {}, ...answers }) => {
    const { step, session } = await open(siteThatAnswers(answers), cookie, path);
    expect(step).toMatchObject(page);
    expect(session, "what the cookie keeps").toMatchObject(keeps);
  });

  test("its end frees its key: the same form is another sign-up", async () => {
    const { newNonce } = await open(siteThatAnswers(STRIPE_CANCELED), waiting, PATH);
    expect(newNonce).toBe(true);
  });

  test("no other state gives the form another nonce", async () => {
    const { newNonce } = await open(siteThatAnswers(DECLINED), waiting, PATH);
    expect(newNonce).toBe(false);
  });

  test("an unknown secret is an error in the log", async () => {
    const site = siteThatAnswers(UNKNOWN_SECRET);
    await open(site, waiting, PATH);
    expect(site.logged).toEqual([["setup_intent_unknown", undefined]]);
  });
});

describe("a return from the card's setup", () => {
  const returnPath = async (site: Site, { of = card as SignupSession & { state: "card" }, more = "" } = {}) =>
    `${PATH}?return=${await site.sessions.toReturnToken(of)}${more}`;

  interface ReturnCase extends Answers {
    name: string;
    cookie: SignupSession;
    keeps: object | undefined;
    /** How often Stripe is asked. */
    asked: number;
  }

  test.each<ReturnCase>([
    { name: "a started trial is a success", cookie: card, ...TRIAL, keeps: { state: "done" }, asked: 1 },
    { name: "a waiting sign-up too", cookie: waiting, ...TRIAL, keeps: { state: "done" }, asked: 1 },
    {
      name: "a declined card is reported on the card step",
      cookie: card,
      ...DECLINED,
      keeps: { ...card, flash: "declined", message: "Insufficient funds" },
      asked: 1,
    },
    {
      name: "an unknown secret is reported on the card step",
      cookie: card,
      ...UNKNOWN_SECRET,
      keeps: { ...card, flash: "unknown" },
      asked: 1,
    },
    { name: "a canceled setup ends it", cookie: card, ...STRIPE_CANCELED, keeps: canceled, asked: 1 },
    { name: "a success stays one, unasked", cookie: done, ...STRIPE_CANCELED, keeps: undefined, asked: 0 },
    { name: "an end stays one, unasked", cookie: canceled, ...TRIAL, keeps: undefined, asked: 0 },
  ])("of the cookie's own sign-up leads to the plan's URL: $name", async ({ cookie, keeps, asked, ...answers }) => {
    const site = siteThatAnswers(answers);
    const answer = await open(site, cookie, await returnPath(site));
    expect(answer).toRedirectTo(PATH);
    if (keeps === undefined) expect(answer.session).toBeUndefined();
    else expect(answer.session).toMatchObject(keeps);
    expect(site.stripe.asked).toHaveLength(asked);
  });

  test("that ends the sign-up frees its key", async () => {
    const site = siteThatAnswers(STRIPE_CANCELED);
    expect((await open(site, card, await returnPath(site))).newNonce).toBe(true);
  });

  const OUTCOMES: (Answers & { name: string; page: object; expiresAt?: number })[] = [
    {
      name: "a success, without card and details",
      ...TRIAL,
      page: {
        step: "done",
        packageId: PLAN,
        agreedPriceCents: 50_000,
        startedAt: new Date(NOW).toISOString(),
        trialEnd: "2026-11-27T12:00:00.000Z",
        flash: "saved",
        failed: false,
      },
    },
    {
      name: "a card in process",
      ...PROCESSING,
      page: {
        step: "waiting",
        packageId: PLAN,
        agreedPriceCents: 50_000,
        reason: "processing",
        refreshSeconds: 10,
        failed: false,
      },
    },
    {
      name: "asking to continue after a declined card",
      ...DECLINED,
      page: { step: "resume", state: "ready", failed: false },
    },
    {
      name: "asking to continue after a used card",
      ...CARD_USED,
      page: { step: "resume", state: "ready", failed: false },
    },
    {
      name: "an empty form with the reason of the end",
      ...ENDED_AT_API,
      page: { ...form(), ended: SIGNUP_CANCELED, failed: false },
    },
    {
      name: "an empty form after the sign-up's time",
      ...UNKNOWN_SECRET,
      expiresAt: NOW,
      page: { ...form(), ended: SESSION_UNREADABLE, failed: false },
    },
  ];

  test.each(OUTCOMES)("without the cookie shows the outcome only: $name", async ({ page, expiresAt, ...answers }) => {
    const site = siteThatAnswers(answers);
    const of = { ...card, expiresAt: expiresAt ?? card.expiresAt };
    const { step, session } = await open(site, undefined, await returnPath(site, { of }));
    expect(step).toEqual(page);
    expect(session).toBeUndefined();
  });

  const details = { ...card.details, company_name: "Other Ltd", email: "grace@example.com" };
  const newer: SignupSession = { ...card, key: "another-key", details };

  test.each<Answers & { name: string; page: object }>([
    { name: "a success", ...TRIAL, page: { step: "done", key: undefined, details: undefined } },
    { name: "the other sign-up first", ...DECLINED, page: { step: "resume", state: "busy" } },
    {
      name: "the end, with a way to the other sign-up",
      ...STRIPE_CANCELED,
      page: form({ ended: SIGNUP_CANCELED, openPlan: PLAN }),
    },
  ])("in an older tab leaves the newer sign-up alone, and shows $name", async ({ page, ...answers }) => {
    const site = siteThatAnswers(answers);
    const { step, session } = await open(site, newer, await returnPath(site));
    expect(step).toMatchObject(page);
    expect(session).toBeUndefined();
    expect(JSON.stringify(step)).not.toMatch(/Other Ltd|grace|Engines/);
  });

  test("with Stripe's secret in the URL first redirects to the URL without it, before any call", async () => {
    const site = siteThatAnswers(TRIAL);
    const path = await returnPath(site);
    const answer = await open(site, card, `${path}&setup_intent=seti_1&setup_intent_client_secret=seti_1_secret_1`);
    expect(answer).toRedirectTo(path);
    expect(answer.session).toBeUndefined();
    expect(site.stripe.asked).toEqual([]);
  });

  test("with Stripe's secret and any token stays a URL", async () => {
    const path = `${PATH}?return=%0d%0a%0c%20%26&setup_intent_client_secret=seti_1_secret_1`;
    expect(await open(siteThatAnswers(), card, path)).toRedirectTo(`${PATH}?return=%0D%0A%0C%20%26`);
  });

  test("of Stripe without a token leaves the secret", async () => {
    const path = `${PATH}?setup_intent_client_secret=seti_1_secret_1`;
    expect(await open(siteThatAnswers(), card, path)).toRedirectTo(PATH);
  });

  test.each(["x", "", "a.b.c"])("with a wrong token leads to the plan's URL: %j", async (token) => {
    expect(await open(siteThatAnswers(), card, `${PATH}?return=${token}`)).toRedirectTo(PATH);
  });

  test.each(["%0a", "%0c", "%20", "%09"])("with whitespace in its token is wrong: %s", async (space) => {
    const site = siteThatAnswers(TRIAL);
    const path = (await returnPath(site)).replace(/\.(?=[^.]*$)/, `${space}.`);
    const answer = await open(site, undefined, path);
    expect(answer).toRedirectTo(PATH);
    expect(site.stripe.asked).toEqual([]);
  });

  test("does not open as a link to continue, which would outlive its 30 minutes", async () => {
    const site = siteThatAnswers();
    const token = await site.sessions.toReturnToken(card);
    const { step } = await open(site, undefined, `${PATH}?resume=${token}`);
    expect(step).toMatchObject({ step: "resume", state: "expired" });
  });
});

describe("a link to continue", () => {
  const newer: SignupSession = { ...card, key: "another-key" };

  test.each<{ name: string; cookie?: SignupSession; state: string }>([
    { name: "without a sign-up asks", state: "ready" },
    { name: "after a success asks", cookie: done, state: "ready" },
    { name: "after an end asks", cookie: canceled, state: "ready" },
    { name: "past another sign-up's time asks", cookie: { ...newer, expiresAt: NOW }, state: "ready" },
    { name: "beside another sign-up says so", cookie: newer, state: "busy" },
    {
      name: "says that another card is still being processed, however late it is",
      cookie: { ...waiting, key: "another-key", expiresAt: NOW },
      state: "busy",
    },
  ])("$name", async ({ cookie, state }) => {
    const site = siteThatAnswers();
    const { step, session } = await open(site, cookie, `${PATH}?resume=${await site.resumeLinks.toToken(card)}`);
    expect(step).toEqual({ step: "resume", state, failed: false });
    expect(session).toBeUndefined();
    expect(site.stripe.asked).toEqual([]);
  });

  test.each([card, waiting, pastCard])("of the cookie's own sign-up leads to it: %j", async (cookie) => {
    const site = siteThatAnswers();
    const answer = await open(site, cookie, `${PATH}?resume=${await site.resumeLinks.toToken(card)}`);
    expect(answer).toRedirectTo(PATH);
  });

  test("of another plan has expired", async () => {
    const site = siteThatAnswers();
    const { step } = await open(site, card, `${OTHER_PATH}?resume=${await site.resumeLinks.toToken(card)}`);
    expect(step).toMatchObject({ step: "resume", state: "expired" });
  });

  test("that was changed has expired", async () => {
    const { step } = await open(siteThatAnswers(), undefined, `${PATH}?resume=x`);
    expect(step).toMatchObject({ step: "resume", state: "expired" });
  });
});

describe("a page", () => {
  test("of the card has all of its data", async () => {
    const { step } = await open(siteThatAnswers(), card, PATH);
    const { state: _, statusUrl: __, ...shown } = card;
    expect(step).toEqual({
      ...shown,
      step: "card",
      publishableKey: "pk_test_1",
      stripeJsUrl: STRIPE_JS_URL,
      countryCode: "US",
      returnPath: expect.stringMatching(`^${PATH}\\?return=[\\w.-]+$`),
      trialEnd: new Date(NOW + 5 * 24 * HOUR).toISOString(),
      resumeLink: { url: expect.stringContaining(`${SITE_URL}${PATH}?resume=`), qrCodePath: "/resume-code" },
      failed: false,
    });
  });

  test("of the card without a plan returns to the sign-up without a plan", async () => {
    const { step } = await open(siteThatAnswers(), { ...card, packageId: "" }, "/subscription");
    expect(step).toHaveProperty("returnPath", expect.stringMatching(/^\/subscription\?return=/));
  });

  test("of the card without details offers no other device", async () => {
    const { details: _, ...resumed } = card;
    const { step } = await open(siteThatAnswers(), resumed, PATH);
    expect(step).toMatchObject({ step: "card", resumeLink: undefined, countryCode: undefined });
  });

  test.each<{ name: string; cookie: SignupSession; keeps: SignupSession }>([
    { name: "that the form was saved", cookie: { ...card, flash: "saved" }, keeps: card },
    { name: "a declined card", cookie: { ...card, flash: "declined", message: "Declined." }, keeps: card },
    { name: "a success", cookie: { ...done, flash: "saved" }, keeps: done },
  ])("says once $name", async ({ cookie, keeps }) => {
    const { step, session } = await open(siteThatAnswers(), cookie, PATH);
    expect(step).toMatchObject({ flash: "flash" in cookie && cookie.flash });
    expect(session).toEqual(keeps);
  });

  test("of a success shows the card and the trial's end as Stripe and the API have them", async () => {
    const { step } = await open(siteThatAnswers(TRIAL), waiting, PATH);
    const { key, requestId, details, packageId, agreedPriceCents } = card;
    expect(step).toEqual({
      ...{ step: "done", key, requestId, details, packageId, agreedPriceCents, flash: "saved", failed: false },
      card: { brand: "visa", last4: "4242" },
      startedAt: new Date(NOW).toISOString(),
      trialEnd: "2026-11-27T12:00:00.000Z",
    });
  });

  test("of a set-up card without a status URL is a success without a call to the API", async () => {
    const site = siteThatAnswers({ stripe: SUCCEEDED });
    const { step } = await open(site, { ...waiting, statusUrl: undefined }, PATH);
    expect(step?.step).toBe("done");
    expect(site.api.calls).toEqual([]);
  });

  test("never shows what is in the URL", async () => {
    const path = `${PATH}?email=a@b.co&password=${encodeURIComponent(fields.password)}`;
    expect((await open(siteThatAnswers(), undefined, path)).step).toEqual(form({ failed: false }));
  });

  test("that answers a post says so in its title", async () => {
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    expect((await look(siteContext(), { headers })).step?.failed).toBe(true);
  });
});
