import { describe, expect, test } from "vitest";
import { look, PATH, PLAN, post, SESSIONS, siteContext, stopClock } from "../../support/site-in-process/site-context";

/* The sign-up's two buttons, and buttons that exist no more. */

stopClock();

const { card, waiting, done, canceled } = SESSIONS;
const other = { ...card, key: "another-key", clientSecret: "seti_9_secret_9" };

describe("Start over", () => {
  const press = (session: typeof card | typeof done | undefined, sign_up: string) =>
    post(siteContext(), { intent: "start-over", sign_up }, { session });

  test.each([
    ["its sign-up", card, card.key],
    ["its success", done, done.key],
    ["no session", undefined, card.key],
  ])("empties the form of a browser with %s, and the next form is another sign-up", async (_, session, key) => {
    const { sentTo, session: kept, newNonce } = await press(session, key);
    expect([sentTo, kept, newNonce]).toEqual([PATH, "cleared", true]);
  });

  test("on an older page leaves the newer sign-up alone", async () => {
    const { sentTo, session, newNonce } = await press(other, card.key);
    expect([sentTo, session, newNonce]).toEqual([PATH, undefined, false]);
  });
});

describe("Continue this sign-up", () => {
  const OPEN = { status: "requires_payment_method" };

  async function press(stripe: object, { session, api = {}, by = "resume", code = 200, headers = {} }: Press = {}) {
    const site = siteContext();
    Object.assign(site.stripe, { says: stripe, status: code });
    site.api.status = () => Response.json(api);
    const token = by === "resume" ? await site.resumeLinks.toToken(card) : await site.sessions.toReturnToken(card);
    return { site, ...(await post(site, { intent: "resume" }, { session, headers, path: `${PATH}?${by}=${token}` })) };
  }
  type Press = {
    session?: typeof card | typeof waiting | typeof done | typeof canceled;
    api?: object;
    by?: "resume" | "return";
    code?: number;
    headers?: Record<string, string>;
  };

  const { details: _, requestId: __, ...linked } = card;
  const resumed = { ...linked, resumed: true, expiresAt: card.expiresAt };

  test.each([
    ["no session", undefined],
    ["a success", done],
    ["a sign-up that has ended", canceled],
    ["a sign-up past its time", { ...other, expiresAt: Date.now() - 1 }],
  ])("takes the sign-up over in a browser with %s", async (_, session) => {
    const answer = await press(OPEN, { ...(session && { session }) });
    expect([answer.status, answer.sentTo]).toEqual([303, PATH]);
    expect(answer.session).toEqual(resumed);
  });

  test("does not replace a sign-up in progress", async () => {
    for (const session of [other, { ...waiting, key: "another-key" }]) {
      const answer = await press(OPEN, { session });
      expect([answer.session, answer.sentTo?.startsWith(`${PATH}?resume=`)]).toEqual([undefined, true]);
      expect(answer.site.stripe.asked).toEqual([]);
    }
  });

  test("works after a return from the bank, and shows no link or details", async () => {
    const { site, session } = await press(OPEN, { by: "return" });
    expect(session).toEqual({ ...resumed, requestId: card.requestId });
    if (typeof session !== "object") throw new Error("Nothing was taken over");
    const { step } = await look(site, { session });
    expect(step).toMatchObject({ step: "card", packageId: PLAN, resumeLink: undefined });
    expect(step).not.toHaveProperty("details");
  });

  test.each<[string, object, Press, number, string]>([
    ["its trial has begun", { status: "succeeded" }, { api: { status: "trial" } }, 409, "This sign-up is finished"],
    ["its bank is at work", { status: "processing" }, {}, 409, "This sign-up is finished"],
    ["it was canceled", { status: "canceled" }, {}, 409, "This sign-up was canceled"],
    ["Stripe does not know it", {}, { code: 404 }, 409, "This sign-up was canceled"],
    ["Stripe cannot be reached", {}, { code: 500 }, 503, "Connection Failed"],
    ["the API does not know yet", { status: "succeeded" }, { api: {} }, 503, "Connection Failed"],
    ["the browser blocks cookies", OPEN, { headers: { Cookie: "" } }, 422, "Cookies are blocked"],
  ])("says why it cannot if %s", async (_, stripe, press_, status, title) => {
    const answer = await press(stripe, press_);
    expect([answer.status, answer.session, answer.reply?.notice?.title]).toEqual([status, undefined, title]);
  });

  test("asks for another card under the new secret if the card has had a trial", async () => {
    const api = { status: "card_used", client_secret: "seti_2_secret_2" };
    const { session } = await press({ status: "succeeded" }, { api });
    expect(session).toMatchObject({ state: "card", flash: "card used", clientSecret: "seti_2_secret_2" });
  });

  test("of an expired link changes nothing", async () => {
    const answer = await post(siteContext(), { intent: "resume" }, { path: `${PATH}?resume=x` });
    expect([answer.sentTo, answer.session]).toEqual([`${PATH}?resume=x`, undefined]);
  });
});

test.each(["an-older-button", "constructor", "__proto__", ""])(
  "a button of an earlier release leads to the browser's step: %s",
  async (intent) => {
    const site = siteContext();
    const answer = await post(site, { intent }, { session: card });
    expect([answer.status, answer.sentTo, answer.session, site.api.calls]).toEqual([303, PATH, undefined, []]);
  },
);
