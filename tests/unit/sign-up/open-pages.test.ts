import { describe, expect, test } from "vitest";
import * as z from "zod";
import { company } from "../../../app/company";
import { trialEndOf } from "../../../app/contract/trial";
import { meta } from "../../../app/routes/subscription";
import type { SignupSession } from "../../../app/signup/session-state";
import { STRIPE_JS_URL } from "../../../app/signup/stripe-js";
import { NOW, stopClock } from "../../support/clock";
import { fields } from "../../support/person";
import { look, siteContext } from "../../support/site-in-process/site-context";
import { OTHER_PLAN, PATH, PLAN, SITE_URL } from "../../support/site-in-process/site-settings";
import { open, SUCCEEDED, siteThatAnswers, TRIAL } from "./opened-page";
import { SESSIONS } from "./sessions";

/* What the links to continue on another device lead to, and the data and title of each page. */

stopClock();

const { card, waiting, canceled, done } = SESSIONS;
const OTHER_PATH = `/subscription/${OTHER_PLAN}`;
const pastCard = { ...card, expiresAt: NOW };
const form = (more: object = {}) => ({ step: "form", packageId: PLAN, ...more });

describe("a link to continue", () => {
  const newer: SignupSession = { ...card, key: "another-key" };

  test.each<{ name: string; cookie?: SignupSession; state: string }>([
    { name: "without a sign-up asks", state: "ready" },
    { name: "after another sign-up's success asks", cookie: { ...done, key: "another-key" }, state: "ready" },
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

  test.each([card, waiting, pastCard, done])("of the cookie's own sign-up leads to it: %j", async (cookie) => {
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
      trialEnd: trialEndOf(new Date(NOW).toISOString()),
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

test.each([
  { title: "Sign up, step 2 of 2: card", page: "with the card step", data: { step: "waiting" } },
  { title: "Continue your sign-up", page: "with a sign-up to continue", data: { step: "resume" } },
  {
    title: "Error: Sign up, step 1 of 2: details",
    page: "whose form was refused",
    data: { step: "card", failed: true },
  },
  {
    title: "Error: Sign up, step 2 of 2: card",
    page: "whose button could not start over",
    data: { step: "card", failed: true },
    search: "?start-over",
  },
])('the title is "$title" on a page $page', ({ title, data, search = "" }) => {
  const given = z.custom<Parameters<typeof meta>[0]>().parse({ data, location: { search } });
  expect(meta(given)).toContainEqual({ title: `${title} · ${company.name}` });
});
