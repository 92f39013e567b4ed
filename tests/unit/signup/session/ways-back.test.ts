import { describe, expect, test, vi } from "vitest";
import type { SignupSession } from "../../../../app/signup/steps";
import {
  API_URL,
  cardSession,
  doneSession,
  HOUR,
  look,
  NOW,
  OTHER_PLAN,
  PATH,
  PLAN,
  SITE_URL,
  siteContext,
  stopClock,
} from "../../../support/site-in-process/site-context";

/* How a sign-up goes on by a link from another device, and after the bank's page. */

stopClock();

const other = () => cardSession({ clientSecret: "seti_2_secret_2", key: "another-key" });
describe("a resume link", () => {
  async function open(session?: SignupSession, linked = cardSession()) {
    const site = siteContext();
    const token = await site.sessions.toLinkToken(linked);
    return { ...(await look(site, session, { path: `${PATH}?resume=${token}` })), site };
  }
  const ready = { step: "resume", state: "ready", packageId: PLAN, company: "Engines & Sons", email: "a…@example.com" };

  test.each<[string, () => SignupSession | undefined, object]>([
    ["no session", () => undefined, ready],
    ["the same sign-up, whose details are edited", () => cardSession({ editing: true }), ready],
    ["the same sign-up, which has expired", () => cardSession({ expiresAt: NOW }), ready],
    ["a success", doneSession, ready],
    ["another sign-up in progress", other, { ...ready, state: "busy" }],
    ["another sign-up that is edited", () => ({ ...other(), editing: true }), { ...ready, state: "busy" }],
    ["another sign-up that has expired", () => ({ ...other(), expiresAt: NOW }), ready],
  ])("shows whose sign-up it is to a browser with %s, and changes nothing [S32] [H5]", async (_, session, step) => {
    const answer = await open(session());
    expect([answer.step, answer.setCookie]).toEqual([step, null]);
    expect([answer.site.counted, answer.site.stripe.asked]).toEqual([[], []]);
  });

  test("opens the card step in the browser that already has the sign-up", async () => {
    const { sentTo, setCookie } = await open(cardSession());
    expect([sentTo, setCookie]).toEqual([[303, PATH], null]);
  });

  test("shows little of a sign-up with few details", async () => {
    const { step } = await open(undefined, cardSession({ account: undefined }));
    expect(step).toEqual({ step: "resume", state: "ready", packageId: PLAN });
  });

  test("shows the first character and the domain of the email address", async () => {
    const account = { companyName: "E", fullName: "Ada", email: '"a@b"@example.com', phone: "2125550123" };
    expect((await open(undefined, cardSession({ account }))).step).toMatchObject({ email: '"…@example.com' });
  });

  test.each(["", "x"])("shows that it has expired if its token is '%s' [S32]", async (token) => {
    for (const session of [undefined, cardSession()]) {
      const { step, setCookie } = await look(siteContext(), session, { path: `${PATH}?resume=${token}` });
      expect([step, setCookie]).toEqual([{ step: "resume", state: "ended", packageId: PLAN }, null]);
    }
  });

  test.each([
    [PLAN, PATH],
    [undefined, "/subscription"],
  ])("the page of a session for plan %s is its plan's page", async (packageId, path) => {
    const account = { companyName: "E", fullName: "Ada", email: "ada@example.com", phone: "2125550123", packageId };
    for (const session of [cardSession({ account }), packageId ? undefined : cardSession({ account: undefined })]) {
      if (session === undefined) continue;
      const { step } = await look(siteContext(), session);
      const { url } = (step?.step === "card" && step.resumeLink) || { url: "" };
      expect(url.split("?resume=")[0]).toBe(SITE_URL + path);
    }
  });
});

describe("the return from the bank", () => {
  const SECRET = "seti_1_secret_1";
  const OPEN = { status: "requires_payment_method" };
  const SUCCEEDED = { status: "succeeded" };

  async function back(says: object, session: SignupSession, secret = SECRET) {
    const site = siteContext();
    site.stripe.says = says;
    const path = `${PATH}?setup_intent_client_secret=${secret}`;
    return { ...(await look(site, session, { path })), asked: site.stripe.asked };
  }

  test.each<[string, object]>([
    ["succeeded", { step: "done", setupIntentId: "seti_1", expiresAt: NOW + 2 * HOUR }],
    ["processing", { step: "card", checks: 1, waitsFor: "processing", expiresAt: NOW + 2 * HOUR }],
    ["requires_payment_method", { step: "card", flash: { failed: "" }, expiresAt: NOW + 2 * HOUR }],
    ["canceled", { step: "card", editing: true, ended: true, expiresAt: NOW + 2 * HOUR }],
  ])("follows Stripe's answer and drops the secret from the URL: %s [S22] [S23]", async (status, to) => {
    for (const change of [{}, { expiresAt: NOW - 1 }, { editing: true as const }]) {
      const { sentTo, kept, asked } = await back({ status }, cardSession(change));
      expect([sentTo, asked]).toEqual([[303, PATH], ["seti_1"]]);
      expect(kept).toMatchObject({ account: cardSession().account, key: "a-key", ...to });
    }
  });

  test.each<[string, () => SignupSession]>([
    ["another sign-up", other],
    ["another sign-up that has expired", () => ({ ...other(), expiresAt: NOW })],
    ["a success", doneSession],
  ])("changes nothing with %s, and Stripe is not queried [S22]", async (_, session) => {
    const { sentTo, setCookie, asked } = await back(SUCCEEDED, session());
    expect([sentTo, setCookie, asked]).toEqual([[303, PATH], null, []]);
  });

  test("changes nothing with a secret unknown to Stripe [S22]", async () => {
    const site = siteContext();
    site.stripe.status = 404;
    const path = `${PATH}?setup_intent_client_secret=${SECRET}`;
    const { sentTo, setCookie } = await look(site, cardSession(), { path });
    expect([sentTo, setCookie]).toEqual([[303, PATH], null]);
  });

  describe("the return from the bank without a session", () => {
    const MINUTE = HOUR / 60;
    const details = /Engines|Ada|ada@|212|seti_|a-key/;
    const ready = {
      step: "resume",
      state: "ready",
      packageId: PLAN,
      company: "Engines & Sons",
      email: "a…@example.com",
    };

    /** Follows the redirect that takes the secret out of the URL; the token was made some minutes ago. */
    async function come(says: object, { minutes = 0, status = 200, signUp = cardSession() } = {}) {
      const site = siteContext();
      const token = await site.sessions.toReturnToken(signUp);
      vi.setSystemTime(Date.now() + minutes * MINUTE);
      Object.assign(site.stripe, { says, status });
      const first = await look(site, undefined, {
        path: `${PATH}?return=${token}&setup_intent_client_secret=${SECRET}`,
      });
      const path = `${PATH}?return=${token}`;
      expect([first.sentTo, first.setCookie, site.stripe.asked]).toEqual([[303, path], null, []]);
      return { site, path, ...(await look(site, undefined, { path })) };
    }

    test.each<[string, object, object]>([
      ["the success step", SUCCEEDED, { step: "done", startedAt: expect.any(String), flash: { saved: true } }],
      ["the waiting step", { status: "processing" }, { step: "waiting", packageId: PLAN, reason: "processing" }],
    ])("shows %s for ten minutes, and nothing else [S22] [H5]", async (_, says, shown) => {
      const { step, setCookie } = await come(says, { minutes: 9 });
      expect([step, setCookie]).toEqual([expect.objectContaining(shown), null]);
      expect(JSON.stringify(step)).not.toMatch(details);
      expect((await come(says, { minutes: 11 })).step).toEqual(ready);
    });

    test.each<[string, object, number]>([
      ["is still missing", OPEN, 200],
      ["was canceled", { status: "canceled" }, 200],
      ["is unknown to Stripe", {}, 404],
    ])("asks whose sign-up it is if its card %s [S22] [H5]", async (_, says, status) => {
      const { step, setCookie } = await come(says, { status });
      expect([step, setCookie]).toEqual([ready, null]);
    });

    test("works for the same 30 minutes as a resume link [H15]", async () => {
      const { step, setCookie } = await come(SUCCEEDED, { minutes: 31 });
      expect([step, setCookie]).toEqual([{ step: "resume", state: "ended", packageId: PLAN }, null]);
    });

    test.each<[object, object]>([
      [{ status: "trial" }, { step: "done" }],
      [{ status: "pending" }, { step: "waiting", reason: "unreachable" }],
      [{ status: "card_used", client_secret: "seti_3_secret_3" }, ready],
      [{ status: "ended" }, ready],
    ])("shows a success only if the API confirms it: %j [S23] [H9]", async (answer, shown) => {
      const site = siteContext();
      site.api.answer = () => Response.json(answer);
      site.stripe.says = SUCCEEDED;
      const token = await site.sessions.toReturnToken(cardSession({ statusUrl: `${API_URL}/subscription/status/1` }));
      const { step, setCookie } = await look(site, undefined, { path: `${PATH}?return=${token}` });
      expect([step, setCookie]).toEqual([expect.objectContaining(shown), null]);
    });

    test("takes nothing over from an unreadable session", async () => {
      const site = siteContext();
      site.stripe.says = OPEN;
      const path = `${PATH}?return=${await site.sessions.toReturnToken(cardSession())}`;
      const { step, setCookie } = await look(site, undefined, { path, headers: { Cookie: "__Host-signup=x" } });
      expect([step, setCookie]).toEqual([ready, null]);
    });

    test.each<[string, (site: ReturnType<typeof siteContext>) => Promise<string>]>([
      ["no token", async () => ""],
      ["an invalid token", async () => "return=x&"],
      ["another sign-up's token", async ({ sessions }) => `return=${await sessions.toReturnToken(other())}&`],
      ["a resume link's token", async ({ sessions }) => `return=${await sessions.toLinkToken(cardSession())}&`],
    ])("with a secret and %s goes to the URL's own page without querying Stripe [S22] [H5]", async (_, query) => {
      for (const status of ["succeeded", "processing", "requires_payment_method", "canceled"]) {
        const site = siteContext();
        site.stripe.says = { status };
        const path = `/subscription/${OTHER_PLAN}?${await query(site)}setup_intent_client_secret=${SECRET}`;
        const { sentTo, setCookie } = await look(site, undefined, { path });
        expect([sentTo, setCookie, site.stripe.asked]).toEqual([[303, `/subscription/${OTHER_PLAN}`], null, []]);
      }
    });
  });

  test("with a return token alone asks a browser that has another sign-up, and continues in a browser that has this one [H5]", async () => {
    for (const [session, shown] of [
      [other(), expect.objectContaining({ step: "resume", state: "busy" })],
      [cardSession(), undefined],
    ] as const) {
      const site = siteContext();
      const path = `${PATH}?return=${await site.sessions.toReturnToken(cardSession())}`;
      const { step, sentTo, setCookie } = await look(site, session, { path });
      expect([step, sentTo, setCookie]).toEqual([shown, shown ? undefined : [303, PATH], null]);
    }
  });
});
