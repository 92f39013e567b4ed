import type { AppLoadContext } from "@remix-run/cloudflare";
import { describe, expect, test } from "vitest";
import { SESSION_EXPIRED, SESSION_UNREADABLE } from "../../../../app/signup/notices";
import {
  cardSession,
  doneSession,
  HOUR,
  type Look,
  look,
  NOW,
  OTHER_PLAN,
  PATH,
  PLAN,
  siteContext,
  stopClock,
} from "../../../support/site-in-process/site-context";

/* The step that a visitor is at, by the session; links and ways back are in ways-back.test.ts. */

stopClock();

const DRAFT = {
  full_name: "Ada Lovelace",
  company_name: "Engines & Sons",
  email: "ada@example.com",
  phone: "(212) 555-0123",
  address: "1 Example Street",
  city: "Springfield",
  state: "IL",
  zipCode: "62701",
  country: "Canada",
};
const form = { step: "form", packageId: PLAN, formNonce: expect.any(String), failed: false };

const madeFrom = { key: "a-key", company: "Engines & Sons" };

const done = (change = {}) => doneSession({ account: cardSession().account, ...change });

describe("without a session", () => {
  test("the form is empty, has a new nonce, and sets no cookie", async () => {
    const site = siteContext();
    const { step, setCookie } = await look(site);
    expect(step).toEqual(form);
    expect(setCookie).toBeNull();
    expect(step?.step === "form" && (await site.nonces.read(step.formNonce))).toBeTruthy();
  });

  test.each<[string, Look, unknown[]]>([
    ["a browser's page view", {}, [["form_opened", PLAN]]],
    ["a program's page view", { headers: { "User-Agent": "curl/8" } }, []],
    ["a returned form", { more: { formOutcome: { status: "reply", httpStatus: 422, reply: { form: {} } } } }, []],
    [
      "a refused form",
      { more: { formOutcome: { status: "reply", httpStatus: 429, reply: { notice: SESSION_EXPIRED } } } },
      [],
    ],
  ])("the form is counted as opened or not: %s", async (_, ask, counted) => {
    const site = siteContext();
    expect((await look(site, undefined, ask)).step?.step).toBe("form");
    expect(site.counted).toEqual(counted);
  });
});

describe("after a post", () => {
  test("a returned form is shown as failed, whatever the session", async () => {
    const site = siteContext();
    const formOutcome = { status: "reply", httpStatus: 422, reply: { form: {} } } as const;
    const { step, setCookie } = await look(site, cardSession(), { more: { formOutcome } });
    expect([step, setCookie]).toEqual([{ ...form, failed: true }, null]);
  });

  test.each<AppLoadContext["formOutcome"]>([
    { status: "reply", httpStatus: 429, reply: { notice: SESSION_EXPIRED } },
    { status: "redirect", response: new Response() },
    undefined,
  ])("the session's step is shown when no form comes back (%#)", async (formOutcome) => {
    const { step } = await look(siteContext(), cardSession(), { more: { formOutcome } });
    expect(step?.step).toBe("card");
  });
});

test("an unreadable session is reported and cleared, and its form is counted", async () => {
  const site = siteContext();
  const { step, setCookie } = await look(site, undefined, { headers: { Cookie: "__Host-signup=x" } });
  expect(step).toEqual({ ...form, ended: SESSION_UNREADABLE });
  expect(setCookie).toMatch(/^__Host-signup=; Max-Age=0;/);
  expect(site.counted).toEqual([["form_opened", PLAN]]);
});

describe("an expired session", () => {
  const expired = cardSession({ expiresAt: NOW, endsAt: NOW + 20 * HOUR, flash: { saved: true } });

  test.each(["requires_payment_method", "canceled"])(
    "says so once, with what was typed, when Stripe has no card: %s",
    async (status) => {
      const site = siteContext();
      site.stripe.says = { status };
      const { step, kept } = await look(site, expired);
      expect(step).toEqual({ ...form, draft: DRAFT, madeFrom, ended: SESSION_EXPIRED });
      const { flash: _, ...rest } = expired;
      expect(kept).toEqual({ ...rest, editing: true });
      expect(site.stripe.asked).toEqual(["seti_1"]);
    },
  );

  test("is reported on another plan's page too, once Stripe has no card", async () => {
    const site = siteContext();
    const { step } = await look(site, expired, { packageId: OTHER_PLAN });
    expect(step).toEqual({ ...form, packageId: OTHER_PLAN, draft: DRAFT, madeFrom, ended: SESSION_EXPIRED });
  });

  test.each<[string, object]>([
    ["succeeded", { step: "done", setupIntentId: "seti_1", expiresAt: NOW + 2 * HOUR }],
    ["processing", { step: "card", checks: 1, waitsFor: "processing", expiresAt: NOW + 2 * HOUR }],
  ])("is extended by two hours when Stripe has a card: %s", async (status, session) => {
    const site = siteContext();
    site.stripe.says = { status };
    for (const packageId of [PLAN, OTHER_PLAN]) {
      const { sentTo, kept } = await look(site, expired, { packageId });
      expect(sentTo).toEqual([303, PATH]);
      expect(kept).toMatchObject(session);
    }
  });

  test("leaves a draft with its values", async () => {
    const { account: _, address: __, ...rest } = expired;
    expect((await look(siteContext(), rest)).step).toMatchObject({ draft: {} });
    const { address, account } = expired;
    const byAccount = (await look(siteContext(), { ...rest, account })).step;
    expect(byAccount).toHaveProperty("draft.full_name", "Ada Lovelace");
    expect(byAccount).not.toHaveProperty("draft.city");
    expect((await look(siteContext(), { ...rest, address })).step).toEqual({
      ...form,
      draft: { address: "1 Example Street", city: "Springfield", state: "IL", zipCode: "62701", country: "Canada" },
      madeFrom: { key: "a-key" },
      ended: SESSION_EXPIRED,
    });
  });
});

describe("a session's plan", () => {
  test.each([
    [PLAN, PLAN, true],
    [PLAN, PLAN.toUpperCase(), true],
    [PLAN.toUpperCase(), PLAN, true],
    [PLAN, "", true],
    [PLAN, OTHER_PLAN, false],
    [undefined, OTHER_PLAN, true],
    [undefined, "", true],
  ])("a session for plan %s continues at the URL of plan %s: %s", async (packageId, ofUrl, isThis) => {
    const account = { companyName: "E", fullName: "Ada", email: "ada@example.com", phone: "2125550123", packageId };
    const atCard = await look(siteContext(), cardSession({ account }), { packageId: ofUrl });
    const afterSuccess = await look(siteContext(), done({ account }), { packageId: ofUrl });
    expect([atCard.step?.step, afterSuccess.step?.step]).toEqual(isThis ? ["card", "done"] : ["form", "form"]);
  });

  test("another plan's form offers the waiting sign-up and restores the typed values", async () => {
    const { step, setCookie } = await look(siteContext(), cardSession(), { packageId: OTHER_PLAN });
    expect(step).toEqual({ ...form, packageId: OTHER_PLAN, draft: DRAFT, madeFrom, waiting: { packageId: PLAN } });
    expect(setCookie).toBeNull();
  });

  test("another plan's form shows nothing of a completed sign-up", async () => {
    const { step } = await look(siteContext(), done(), { packageId: OTHER_PLAN });
    expect(step).toEqual({ ...form, packageId: OTHER_PLAN });
  });
});

test.each([PLAN, OTHER_PLAN])("details that are edited stand in the form of any plan: %s", async (packageId) => {
  const site = siteContext();
  const { step, setCookie } = await look(site, cardSession({ editing: true, checks: 1 }), { packageId });
  expect([step, setCookie]).toEqual([{ ...form, packageId, madeFrom, draft: DRAFT }, null]);
  expect(site.stripe.asked).toEqual([]);
});

test("a success shows its flash message once", async () => {
  const site = siteContext();
  const first = await look(site, done({ flash: { saved: true } }));
  expect([first.step, first.kept]).toEqual([done({ flash: { saved: true } }), done()]);
  const again = await look(site, done());
  expect([again.step, again.setCookie]).toEqual([done(), null]);
  expect(site.counted).toEqual([]);
});

describe("the card step", () => {
  test("has everything that Stripe's element and the page need", async () => {
    const site = siteContext();
    const session = cardSession({ expiresAt: NOW + 90_999 });
    const { step, setCookie } = await look(site, session);
    expect(step).toEqual({
      ...session,
      packageId: PLAN,
      publishableKey: "pk_test_1",
      stripeJsUrl: "https://js.stripe.com/endive/stripe.js",
      returnUrl: expect.stringMatching(/^https:\/\/www\.site\.example\/subscription\/[\w-]{36}\?return=[\w.-]+$/),
      returnToken: expect.any(String),
      countryCode: "CA",
      trialEnd: new Date(NOW + 5 * 24 * HOUR).toISOString(),
      resumeLink: {
        url: expect.stringContaining(`https://www.site.example${PATH}?resume=`),
        qrCodePath: "/resume-code",
      },
      secondsLeft: 90,
    });
    if (step?.step !== "card") throw new Error("It is another step");
    expect(step.returnUrl).toBe(`https://www.site.example${PATH}?return=${step.returnToken}`);
    const { address: _, ...sent } = session;
    expect(await site.sessions.fromReturnToken(step.returnToken)).toEqual({ ...sent, requestId: undefined });
    expect([setCookie, site.stripe.asked]).toEqual([null, []]);
  });

  test("loads Stripe's script from the configured URL, and has no country without an address", async () => {
    const local = { SITE_URL: "http://localhost:8787", STRIPE_JS_URL: "http://localhost:8789/stripe.js" };
    const { address: _, ...session } = cardSession();
    expect((await look(siteContext(local), session)).step).toMatchObject({
      stripeJsUrl: "http://localhost:8789/stripe.js",
      countryCode: undefined,
    });
  });

  test("offers no resume link after it was opened by one [H15]", async () => {
    const { step } = await look(siteContext(), cardSession({ resumed: true }));
    expect([step?.step, step?.step === "card" && step.resumeLink]).toEqual(["card", undefined]);
  });

  test.each([
    [{ saved: true }, [["card_shown", PLAN]]],
    [{ cardUsed: true }, []],
    [{ failed: "Declined." }, []],
    [undefined, []],
  ] as const)("tells its flash message once, and counts the first: %j [S19]", async (flash, counted) => {
    const site = siteContext();
    const { step, kept } = await look(site, cardSession({ flash }));
    expect(step).toMatchObject(flash ? { flash } : { step: "card" });
    expect(kept).toEqual(flash && cardSession());
    expect(site.counted).toEqual(counted);
  });

  test("shows the URL's plan if the sign-up has none", async () => {
    const { step } = await look(siteContext(), cardSession({ account: undefined }), { packageId: OTHER_PLAN });
    expect(step).toMatchObject({ step: "card", packageId: OTHER_PLAN });
  });

  test("is counted without a plan if none is known", async () => {
    const site = siteContext();
    await look(site, cardSession({ flash: { saved: true }, account: undefined }));
    expect(site.counted).toEqual([["card_shown", undefined]]);
  });
});

describe("while Stripe is still processing the card", () => {
  test.each([
    [1, 10],
    [2, 20],
    [3, 40],
    [4, 60],
    [12, 60],
  ])("after %i checks the page checks again in %i seconds and counts on [S23]", async (checks, refreshSeconds) => {
    const site = siteContext();
    site.stripe.says = { status: "processing" };
    const { step, kept } = await look(site, cardSession({ checks, waitsFor: "unreachable" }));
    expect(step).toEqual({ step: "waiting", packageId: PLAN, reason: "processing", refreshSeconds });
    expect(kept).toEqual(cardSession({ checks: checks + 1, waitsFor: "processing" }));
  });

  test("the page says when Stripe cannot be reached, and shows the URL's plan if the sign-up has none", async () => {
    const site = siteContext();
    site.stripe.status = 503;
    const { step } = await look(site, cardSession({ checks: 0, account: undefined }));
    expect(step).toEqual({ step: "waiting", packageId: PLAN, reason: "unreachable", refreshSeconds: 5 });
  });

  test.each<[object, object]>([
    [{ status: "succeeded" }, { step: "done", setupIntentId: "seti_1" }],
    [
      { status: "requires_payment_method", last_setup_error: { type: "card_error", message: "Declined." } },
      { flash: { failed: "Declined." } },
    ],
    [{ status: "canceled" }, { editing: true, ended: true }],
  ])("the page follows Stripe's answer: %j [S23]", async (says, session) => {
    const site = siteContext();
    site.stripe.says = says;
    const { sentTo, kept } = await look(site, cardSession({ checks: 2 }));
    expect(sentTo).toEqual([303, PATH]);
    expect(kept).toMatchObject({ ...session, expiresAt: NOW + HOUR });
    expect(kept).not.toHaveProperty("checks");
  });
});
