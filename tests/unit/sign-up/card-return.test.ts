import { describe, expect, test } from "vitest";
import { REFRESH_SECONDS } from "../../../app/signup/durations";
import { SESSION_UNREADABLE, SIGNUP_CANCELED } from "../../../app/signup/server/notices.server";
import type { SignupSession } from "../../../app/signup/session-state";
import { NOW, stopClock } from "../../support/clock";
import type { Site } from "../../support/site-in-process/site-context";
import { PATH, PLAN } from "../../support/site-in-process/site-settings";
import {
  type Answers,
  DECLINED,
  ENDED_AT_API,
  open,
  PROCESSING,
  STRIPE_CANCELED,
  siteThatAnswers,
  TRIAL,
  UNKNOWN_SECRET,
} from "./opened-page";
import { SESSIONS } from "./sessions";

/* The way back from the card's setup, by script or from the bank: what the session becomes, and the page. */

stopClock();

const { card, waiting, canceled, done } = SESSIONS;
const form = (more: object = {}) => ({ step: "form", packageId: PLAN, ...more });

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
        refreshSeconds: REFRESH_SECONDS,
        failed: false,
      },
    },
    {
      name: "asking to continue after a declined card",
      ...DECLINED,
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
    { name: "a success", ...TRIAL, page: { step: "done" } },
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
    expect(JSON.stringify(step)).not.toMatch(/Other Ltd|grace|Engines|-key/);
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
});
