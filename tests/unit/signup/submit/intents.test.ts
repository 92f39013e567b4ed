import { describe, expect, test } from "vitest";
import { CONNECTION_FAILED, SIGNUP_CANCELED, SIGNUP_FINISHED } from "../../../../app/signup/notices";
import type { OtherSignUp, SignupSession } from "../../../../app/signup/steps";
import {
  API_URL,
  cardSession,
  doneSession,
  HOUR,
  NOW,
  PATH,
  post,
  siteContext,
  stopClock,
} from "../../../support/site-in-process/site-context";

/* What the buttons beside the form do, from any session. */

stopClock();

const expired = () => cardSession({ expiresAt: NOW });
const other = () => cardSession({ clientSecret: "seti_2_secret_2", key: "another-key" });
const nobody = () => undefined;

type Session = () => SignupSession | undefined;

test.each<[string, Session]>([
  ["no session", nobody],
  ["a card step", cardSession],
  ["a success", doneSession],
])("starting over clears %s", async (_, session) => {
  const { sentTo, setCookie } = await post(siteContext(), { intent: "start-over" }, { session: session() });
  expect(sentTo).toEqual([303, PATH]);
  expect(setCookie).toMatch(/^__Host-signup=; Max-Age=0;/);
});

test.each<[string, Session]>([
  ["a card step", () => cardSession({ flash: { saved: true }, checks: 2, waitsFor: "processing" })],
  ["an expired session", expired],
  ["a session being edited", () => cardSession({ editing: true })],
])("the details of %s can be edited for two more hours [S20]", async (_, session) => {
  const { sentTo, kept } = await post(siteContext(), { intent: "edit" }, { session: session() });
  expect(sentTo).toEqual([303, PATH]);
  expect(kept).toEqual({ ...cardSession(), expiresAt: NOW + 2 * HOUR, editing: true });
});

test.each<[string, Session]>([
  ["no session", nobody],
  ["a success", doneSession],
])("there is nothing to edit with %s", async (_, session) => {
  const { sentTo, setCookie } = await post(siteContext(), { intent: "edit" }, { session: session() });
  expect([sentTo, setCookie]).toEqual([[303, PATH], null]);
});

test.each<[string, Session, boolean]>([
  ["no session", nobody, false],
  ["a success", doneSession, false],
  ["an expired session", expired, false],
  ["a card step", () => cardSession({ expiresAt: NOW + 1 }), true],
])("%s is kept for two more hours if it is in progress [S30]", async (_, session, isKept) => {
  const { sentTo, kept } = await post(siteContext(), { intent: "extend" }, { session: session() });
  expect(sentTo).toEqual([303, PATH]);
  expect(kept).toEqual(isKept ? cardSession({ expiresAt: NOW + 2 * HOUR, kept: true }) : undefined);
});

describe(`the intent "card set up"`, () => {
  async function finish(says: object, { session, page }: { session?: Session; page?: SignupSession } = {}) {
    const site = siteContext();
    site.stripe.says = says;
    const form: Record<string, string> = { intent: "card-set-up" };
    if (page?.step === "card") form.return_token = await site.sessions.toReturnToken(page);
    const answer = await post(site, form, { session: session?.() });
    expect(answer.sentTo).toEqual([303, PATH]);
    return { kept: answer.kept, asked: site.stripe.asked };
  }
  const SUCCEEDED = { status: "succeeded" };
  const OPEN = { status: "requires_payment_method" };

  test.each<[object, object]>([
    [SUCCEEDED, { step: "done", setupIntentId: "seti_1", flash: { saved: true } }],
    [{ status: "processing" }, { step: "card", checks: 1, waitsFor: "processing" }],
    [OPEN, { step: "card", flash: { failed: "" } }],
  ])("follows Stripe's answer only, and keeps the session for two hours: %j [H9]", async (says, session) => {
    for (const page of [undefined, cardSession()]) {
      const { kept, asked } = await finish(says, { session: cardSession, ...(page && { page }) });
      expect(kept).toMatchObject({ ...session, expiresAt: NOW + 2 * HOUR, key: "a-key" });
      expect(asked).toEqual(["seti_1"]);
    }
  });

  test.each<[string, object, string | undefined]>([
    ["Stripe has it", SUCCEEDED, "done"],
    ["Stripe is working on it", { status: "processing" }, "card"],
    ["there is none", OPEN, undefined],
    ["it was canceled", { status: "canceled" }, undefined],
  ])("keeps an expired session if %s [S23] [S31]", async (_, says, step) => {
    const { kept } = await finish(says, { session: expired });
    expect(kept).toEqual(step && expect.objectContaining({ step, expiresAt: NOW + 2 * HOUR }));
  });

  test.each<[string, Session]>([
    ["no session", nobody],
    ["a success", doneSession],
  ])("does nothing with %s and no page token", async (_, session) => {
    expect(await finish(SUCCEEDED, { session })).toEqual({ kept: undefined, asked: [] });
  });

  test.each<[string, Session]>([
    ["nothing", nobody],
    ["a success", doneSession],
    ["another sign-up", other],
  ])("on an open page succeeds though the cookie has %s, and reveals nothing else [S23]", async (_, session) => {
    const page = cardSession();
    const { kept, asked } = await finish(SUCCEEDED, { session, page });
    expect(kept).toMatchObject({ step: "done", key: "a-key", account: page.account, setupIntentId: "seti_1" });
    expect(asked).toEqual(["seti_1"]);
    for (const status of ["processing", "requires_payment_method", "canceled"]) {
      expect((await finish({ status }, { session, page })).kept).toBeUndefined();
    }
  });

  test("on an open page keeps the sign-up that waits beside a success", async () => {
    const { step: _, ...beside } = other();
    const session = () => doneSession({ key: "c-key", other: beside });
    const { kept } = await finish(SUCCEEDED, { session, page: cardSession() });
    expect(kept).toMatchObject({ step: "done", key: "a-key", other: beside });
  });

  test("keeps what only the session knows, such as the address", async () => {
    const { kept } = await finish(OPEN, { session: cardSession, page: cardSession() });
    expect(kept).toHaveProperty("address", cardSession().address);
  });

  test("with an invalid token changes nothing, even for a session whose card is set up", async () => {
    const site = siteContext();
    site.stripe.says = SUCCEEDED;
    for (const return_token of ["", "x"]) {
      const answer = await post(site, { intent: "card-set-up", return_token }, { session: cardSession() });
      expect([answer.sentTo, answer.setCookie, site.stripe.asked]).toEqual([[303, PATH], null, []]);
    }
  });
});

describe("taking over the sign-up of a resume link", () => {
  async function resume(session: Session, says: object = { status: "requires_action" }, status = 200) {
    const site = siteContext();
    Object.assign(site.stripe, { says, status });
    const path = `${PATH}?resume=${await site.sessions.toLinkToken(cardSession())}`;
    const form = { intent: "resume" };
    return { ...(await post(site, form, { session: session(), path })), path, asked: site.stripe.asked };
  }
  const { requestId: _, ...linked } = cardSession();

  test.each<[string, Session]>([
    ["no session", nobody],
    ["a success", doneSession],
    ["another one that has expired", () => ({ ...other(), expiresAt: NOW })],
    ["the same sign-up", cardSession],
    ["the same sign-up, whose details are edited", () => cardSession({ editing: true })],
  ])("works for two hours in a browser with %s [S32]", async (_, session) => {
    const { sentTo, kept } = await resume(session);
    expect(sentTo).toEqual([303, PATH]);
    expect(kept).toEqual({
      ...linked,
      ...cardSession({ requestId: undefined }),
      expiresAt: NOW + 2 * HOUR,
      resumed: true,
    });
  });

  test.each<[string, (beside: OtherSignUp) => SignupSession]>([
    ["a success", (beside) => doneSession({ other: beside })],
    ["one that has ended", (beside) => ({ ...other(), key: "c-key", editing: true, ended: true, other: beside })],
    ["one that has expired", (beside) => ({ ...other(), key: "c-key", expiresAt: NOW, other: beside })],
  ])("keeps the waiting sign-up beside %s [S32] [S18]", async (_, session) => {
    const { step: __, ...beside } = other();
    expect((await resume(() => session(beside))).kept).toMatchObject({ key: "a-key", other: beside });
    const ended = { ...beside, expiresAt: NOW };
    expect((await resume(() => session(ended))).kept).not.toHaveProperty("other");
    const { step: ___, ...same } = cardSession();
    expect((await resume(() => session(same))).kept).not.toHaveProperty("other");
  });

  test("never replaces a sign-up in progress, and the page says why [S32] [H5]", async () => {
    for (const session of [other, () => ({ ...other(), editing: true as const })]) {
      const { sentTo, setCookie, path, asked } = await resume(session);
      expect([sentTo, setCookie, asked]).toEqual([[303, path], null, []]);
    }
  });

  test.each(["?resume=x", "?resume=", ""])(
    "with the invalid link '%s' shows the page for expired links",
    async (query) => {
      for (const session of [undefined, cardSession()]) {
        const { sentTo, setCookie } = await post(siteContext(), { intent: "resume" }, { session, path: PATH + query });
        expect([sentTo, setCookie]).toEqual([[303, PATH + query], null]);
      }
    },
  );

  test("leads to the card step for another card if the card has had its trial", async () => {
    const site = siteContext();
    const client_secret = "seti_3_secret_3";
    site.stripe.says = { status: "succeeded" };
    site.api.answer = () => Response.json({ status: "card_used", client_secret });
    const linked = cardSession({ statusUrl: `${API_URL}/subscription/status/1` });
    const path = `${PATH}?return=${await site.sessions.toReturnToken(linked)}`;
    const { sentTo, kept } = await post(site, { intent: "resume" }, { path });
    expect(sentTo).toEqual([303, PATH]);
    expect(kept).toMatchObject({ step: "card", clientSecret: client_secret, flash: { cardUsed: true }, resumed: true });
  });

  test.each([
    ["succeeded", 200, 409, SIGNUP_FINISHED],
    ["processing", 200, 409, SIGNUP_FINISHED],
    ["canceled", 200, 409, SIGNUP_CANCELED],
    ["unknown to Stripe", 404, 409, SIGNUP_CANCELED],
    ["out of reach", 500, 503, CONNECTION_FAILED],
  ])("is refused if its card is %s [S32] [H15]", async (status, stripeStatus, httpStatus, notice) => {
    const answer = await resume(nobody, { status }, stripeStatus);
    expect([answer.httpStatus, answer.reply, answer.setCookie]).toEqual([httpStatus, { notice }, null]);
  });
});
