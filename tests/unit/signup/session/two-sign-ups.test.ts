import { describe, expect, test } from "vitest";
import type { CardSession } from "../../../../app/signup/steps";
import {
  cardSession,
  doneSession,
  HOUR,
  look,
  NOW,
  OTHER_PLAN,
  post,
  siteContext,
  stopClock,
} from "../../../support/site-in-process/site-context";

stopClock();

describe("two sign-ups of one browser", () => {
  const signUp = ({ step: _, ...rest }: CardSession) => rest;
  const other = () =>
    signUp(
      cardSession({
        key: "b-key",
        clientSecret: "seti_2_secret_2",
        account: {
          companyName: "Other Ltd",
          fullName: "Grace Hopper",
          email: "grace@example.com",
          phone: "2125550123",
          packageId: OTHER_PLAN,
        },
      }),
    );
  const both = (change: Partial<CardSession> = {}) => cardSession({ other: other(), ...change });
  const own = () => signUp(cardSession());

  test("change places by a button, and each is kept", async () => {
    const { sentTo, kept } = await post(siteContext(), { intent: "switch", sign_up: "b-key" }, { session: both() });
    expect(sentTo).toEqual([303, `/subscription/${OTHER_PLAN}`]);
    expect(kept).toEqual({ step: "card", ...other(), other: own(), expiresAt: NOW + 2 * HOUR });
  });

  test("a button of an older page is about the sign-up of that page", async () => {
    const { kept } = await post(siteContext(), { intent: "edit", sign_up: "b-key" }, { session: both() });
    expect(kept).toMatchObject({ key: "b-key", editing: true, other: { key: "a-key" } });
  });

  test("a key of nobody's changes nothing", async () => {
    const { setCookie } = await post(siteContext(), { intent: "switch", sign_up: "x" }, { session: both() });
    expect(setCookie).toBeNull();
  });

  test.each<[string, object]>([
    ["succeeded", { step: "done" }],
    ["processing", { key: "b-key", waitsFor: "processing" }],
    ["requires_payment_method", { key: "b-key", flash: { failed: "" } }],
    ["canceled", { key: "b-key", ended: true }],
  ])("an older page that reports its card is told of it, and the newest is not lost: %s", async (status, expected) => {
    const site = siteContext();
    site.stripe.says = { status };
    const return_token = await site.sessions.toReturnToken({ step: "card", ...other() });
    const { kept } = await post(site, { intent: "card-set-up", return_token }, { session: both() });
    expect(kept).toMatchObject({ ...expected, other: { key: "a-key" } });
  });

  test("starting over empties the form, and offers the other one", async () => {
    const site = siteContext();
    const { kept } = await post(site, { intent: "start-over" }, { session: both() });
    if (typeof kept === "string" || kept === undefined) throw new Error("There is no session");
    const { step } = await look(site, kept);
    expect(step).toMatchObject({ step: "form", other: { key: "b-key", company: "Other Ltd" } });
    expect(step).not.toHaveProperty("draft");
    const again = await post(site, { intent: "switch", sign_up: "b-key" }, { session: kept });
    expect(again.kept).toEqual({ step: "card", ...other(), expiresAt: NOW + 2 * HOUR });
  });

  test("each step offers the other one, without its secret", async () => {
    for (const session of [both(), both({ editing: true }), doneSession({ account: own().account, other: other() })]) {
      const { step } = await look(siteContext(), session);
      expect(step?.other).toEqual({ key: "b-key", company: "Other Ltd" });
      expect(JSON.stringify(step)).not.toContain("seti_2_secret_2");
    }
    const ended = { ...other(), expiresAt: NOW };
    expect((await look(siteContext(), both({ other: ended }))).step?.other).toBeUndefined();
  });

  test("a plan's URL leads to its own sign-up", async () => {
    const { sentTo, kept } = await look(siteContext(), both(), {
      packageId: OTHER_PLAN,
      path: `/subscription/${OTHER_PLAN}`,
    });
    expect(sentTo).toEqual([303, `/subscription/${OTHER_PLAN}`]);
    expect(kept).toMatchObject({ key: "b-key", other: { key: "a-key" } });
  });
});
