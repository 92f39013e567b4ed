import { describe, expect, test } from "vitest";
import { REFRESH_SECONDS } from "../../../app/signup/durations";
import { SESSION_EXPIRED, SESSION_UNREADABLE, SIGNUP_CANCELED } from "../../../app/signup/server/notices.server";
import type { SignupSession } from "../../../app/signup/session-state";
import { NOW, stopClock } from "../../support/clock";
import { OTHER_PLAN, PATH, PLAN } from "../../support/site-in-process/site-settings";
import {
  CARD_USED,
  DECLINED,
  open,
  type PageCase,
  PROCESSING,
  STRIPE_CANCELED,
  siteThatAnswers,
  TRIAL,
  UNKNOWN_SECRET,
  UNREACHABLE,
} from "./opened-page";
import { SESSIONS } from "./sessions";

/*
 * app/signup/server/current-step.server.ts: the page and the new cookie that follow from the cookie's sign-up, the URL and the
 * answers of Stripe and the API. For the next state of a sign-up, see next-state.test.ts.
 */

stopClock();

const { card, waiting, expired, canceled, done } = SESSIONS;
const OTHER_PATH = `/subscription/${OTHER_PLAN}`;
const pastCard = { ...card, expiresAt: NOW };
const tooOld: SignupSession = { ...canceled, why: "too old" };

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
    name: "a card in process is looked at again after a pause",
    cookie: waiting,
    path: PATH,
    ...PROCESSING,
    page: { step: "waiting", packageId: PLAN, reason: "processing", refreshSeconds: REFRESH_SECONDS },
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
    name: "past the sign-up's time the form of the URL's plan says that it has ended",
    cookie: pastCard,
    path: OTHER_PATH,
    ...DECLINED,
    page: form({ packageId: OTHER_PLAN, draft: filledIn, ended: SESSION_EXPIRED }),
    keeps: { state: "ended", why: "expired", packageId: PLAN },
  },
];

describe("a sign-up that waits, or has no card in time, is checked:", () => {
  test.each(CHECKED)("$name", async ({ cookie, path, page, keeps = {}, ...answers }) => {
    const { step, session } = await open(siteThatAnswers(answers), cookie, path);
    expect(step).toMatchObject(page);
    expect(session, "what the cookie keeps").toMatchObject(keeps);
    expect(session, "a notice that was shown already").not.toHaveProperty("flash");
  });

  test("its end frees its key: the same form is another sign-up", async () => {
    const { newNonce } = await open(siteThatAnswers(STRIPE_CANCELED), waiting, PATH);
    expect(newNonce, "a new key for the form").toBe(true);
  });

  test("no other state gives the form another nonce", async () => {
    const { newNonce } = await open(siteThatAnswers(DECLINED), waiting, PATH);
    expect(newNonce, "a new key for the form").toBe(false);
  });

  test("an unknown secret is an error in the log", async () => {
    const site = siteThatAnswers(UNKNOWN_SECRET);
    await open(site, waiting, PATH);
    expect(site.logged).toEqual([["setup_intent_unknown", undefined]]);
  });
});
