import { describe, expect, test } from "vitest";
import type { SignupSession } from "../../../../app/signup/steps";
import {
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
  ])("says whose sign-up it is to a browser with %s, and changes nothing [S32] [H5]", async (_, session, step) => {
    const answer = await open(session());
    expect([answer.step, answer.setCookie]).toEqual([step, null]);
    expect([answer.site.counted, answer.site.stripe.asked]).toEqual([[], []]);
  });

  test("leads to the card step in the browser that has it already", async () => {
    const { sentTo, setCookie } = await open(cardSession());
    expect([sentTo, setCookie]).toEqual([[303, PATH], null]);
  });

  test("of a sign-up of which little is known says little", async () => {
    const { step } = await open(undefined, cardSession({ account: undefined }));
    expect(step).toEqual({ step: "resume", state: "ready", packageId: PLAN });
  });

  test("shows of an email address its first character and its host", async () => {
    const account = { companyName: "E", fullName: "Ada", email: '"a@b"@example.com', phone: "2125550123" };
    expect((await open(undefined, cardSession({ account }))).step).toMatchObject({ email: '"…@example.com' });
  });

  test.each(["", "x"])("that is broken says that it has ended: '%s' [S32]", async (token) => {
    for (const session of [undefined, cardSession()]) {
      const { step, setCookie } = await look(siteContext(), session, { path: `${PATH}?resume=${token}` });
      expect([step, setCookie]).toEqual([{ step: "resume", state: "ended", packageId: PLAN }, null]);
    }
  });

  test.each([
    [PLAN, PATH],
    [undefined, "/subscription"],
  ])("is that of its plan: %s", async (packageId, path) => {
    const account = { companyName: "E", fullName: "Ada", email: "ada@example.com", phone: "2125550123", packageId };
    for (const session of [cardSession({ account }), packageId ? undefined : cardSession({ account: undefined })]) {
      if (session === undefined) continue;
      const { step } = await look(siteContext(), session);
      const { url } = (step?.step === "card" && step.resumeLink) || { url: "" };
      expect(url.split("?resume=")[0]).toBe(SITE_URL + path);
    }
  });
});

describe("the way back from the bank", () => {
  const SECRET = "seti_1_secret_1";

  async function back(
    says: object,
    {
      session,
      of = cardSession(),
      secret = SECRET,
    }: { session?: SignupSession; of?: SignupSession; secret?: string } = {},
  ) {
    const site = siteContext();
    site.stripe.says = says;
    const token = of.step === "card" ? await site.sessions.toReturnToken(of) : "x";
    const path = `${PATH}?return=${token}&setup_intent_client_secret=${secret}`;
    return { ...(await look(site, session, { path })), asked: site.stripe.asked };
  }
  const known = { account: cardSession().account, key: "a-key" };

  test.each<[string, object]>([
    ["succeeded", { step: "done", setupIntentId: "seti_1", expiresAt: NOW + 2 * HOUR }],
    ["processing", { step: "card", checks: 1, waitsFor: "processing", expiresAt: NOW + 2 * HOUR }],
    ["requires_payment_method", { step: "card", news: { failed: "" }, expiresAt: NOW + 2 * HOUR }],
    ["canceled", { step: "card", editing: true, ended: true, expiresAt: NOW + 2 * HOUR }],
  ])(
    "goes on as Stripe says, out of the secret's URL, with the cookie or without: %s [S22] [S23]",
    async (status, to) => {
      const expired = cardSession({ expiresAt: NOW - 1 });
      for (const session of [cardSession(), undefined, expired, cardSession({ editing: true })]) {
        const { sentTo, kept, asked } = await back({ status }, session ? { session } : {});
        expect([sentTo, asked]).toEqual([[303, PATH], ["seti_1"]]);
        expect(kept).toMatchObject({ ...known, ...to });
      }
    },
  );

  test.each<[string, () => SignupSession]>([
    ["another sign-up", other],
    ["another sign-up that has expired", () => ({ ...other(), expiresAt: NOW })],
    ["a success", doneSession],
  ])("changes nothing of %s, and Stripe is not asked [S22]", async (_, session) => {
    const { sentTo, setCookie, asked } = await back({ status: "succeeded" }, { session: session() });
    expect([sentTo, setCookie, asked]).toEqual([[303, PATH], null, []]);
  });

  test.each<[string, () => SignupSession]>([
    ["without its token", doneSession],
    ["with another sign-up's token", other],
  ])("%s tells nothing but what Stripe says [S22]", async (_, of) => {
    const { kept } = await back({ status: "requires_payment_method" }, { of: of() });
    expect(kept).toEqual({
      step: "card",
      key: "",
      clientSecret: SECRET,
      expiresAt: NOW + 2 * HOUR,
      endsAt: NOW + 24 * HOUR,
      news: { failed: "" },
    });
  });

  test("with a secret that Stripe does not know leaves no session, and none is changed [S22]", async () => {
    for (const secret of ["x", ""]) {
      const { sentTo, setCookie, asked } = await back({ status: "succeeded" }, { secret });
      expect([sentTo, setCookie, asked]).toEqual([[303, PATH], null, []]);
    }
    const site = siteContext();
    site.stripe.status = 404;
    const path = `${PATH}?setup_intent_client_secret=${SECRET}`;
    for (const session of [undefined, cardSession()]) {
      const { sentTo, setCookie } = await look(site, session, { path });
      expect([sentTo, setCookie]).toEqual([[303, PATH], null]);
    }
  });

  test("of a session that could not be opened begins anew from its token", async () => {
    const site = siteContext();
    const token = await site.sessions.toReturnToken(cardSession());
    const path = `${PATH}?return=${token}&setup_intent_client_secret=${SECRET}`;
    const { kept } = await look(site, undefined, { path, headers: { Cookie: "__Host-signup=x" } });
    expect(kept).toMatchObject(known);
  });

  test("leads to the page of its own URL", async () => {
    const site = siteContext();
    const path = `/subscription/${OTHER_PLAN}?setup_intent_client_secret=${SECRET}`;
    expect((await look(site, undefined, { path })).sentTo).toEqual([303, `/subscription/${OTHER_PLAN}`]);
    const unknown = await look(site, undefined, { path, more: { route: undefined } });
    expect(unknown.sentTo).toEqual([303, "/"]);
  });
});
