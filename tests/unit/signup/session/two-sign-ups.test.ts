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

describe("two sign-ups in one browser", () => {
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

  test("are both kept when a button switches between them", async () => {
    const { sentTo, kept } = await post(siteContext(), { intent: "switch", sign_up: "b-key" }, { session: both() });
    expect(sentTo).toEqual([303, `/subscription/${OTHER_PLAN}`]);
    expect(kept).toEqual({ step: "card", ...other(), other: own(), expiresAt: NOW + 2 * HOUR });
  });

  test("follow a button of an older page to the sign-up of that page", async () => {
    const { kept } = await post(siteContext(), { intent: "edit", sign_up: "b-key" }, { session: both() });
    expect(kept).toMatchObject({ key: "b-key", editing: true, other: { key: "a-key" } });
  });

  test("ignore an unknown key", async () => {
    const { setCookie } = await post(siteContext(), { intent: "switch", sign_up: "x" }, { session: both() });
    expect(setCookie).toBeNull();
  });

  test.each<[string, object]>([
    ["succeeded", { step: "done" }],
    ["processing", { key: "b-key", waitsFor: "processing" }],
    ["requires_payment_method", { key: "b-key", flash: { failed: "" } }],
    ["canceled", { key: "b-key", ended: true }],
  ])("report the result of an older page's card without losing the newer sign-up: %s", async (status, expected) => {
    const site = siteContext();
    site.stripe.says = { status };
    const return_token = await site.sessions.toReturnToken({ step: "card", ...other() });
    const { kept } = await post(site, { intent: "card-set-up", return_token }, { session: both() });
    expect(kept).toMatchObject({ ...expected, other: { key: "a-key" } });
  });

  test("leave the other one on offer, and the form empty, after starting over", async () => {
    const site = siteContext();
    const { kept } = await post(site, { intent: "start-over" }, { session: both() });
    if (typeof kept === "string" || kept === undefined) throw new Error("There is no session");
    const { step } = await look(site, kept);
    expect(step).toMatchObject({ step: "form", other: { key: "b-key", company: "Other Ltd" } });
    expect(step).not.toHaveProperty("draft");
    const again = await post(site, { intent: "switch", sign_up: "b-key" }, { session: kept });
    expect(again.kept).toEqual({ step: "card", ...other(), expiresAt: NOW + 2 * HOUR });
  });

  test("each offer the other one without its client secret", async () => {
    for (const session of [both(), both({ editing: true }), doneSession({ account: own().account, other: other() })]) {
      const { step } = await look(siteContext(), session);
      expect(step?.other).toEqual({ key: "b-key", company: "Other Ltd" });
      expect(JSON.stringify(step)).not.toContain("seti_2_secret_2");
    }
    const ended = { ...other(), expiresAt: NOW };
    expect((await look(siteContext(), both({ other: ended }))).step?.other).toBeUndefined();
  });

  test("each appear at their own plan's URL", async () => {
    const { sentTo, kept } = await look(siteContext(), both(), {
      packageId: OTHER_PLAN,
      path: `/subscription/${OTHER_PLAN}`,
    });
    expect(sentTo).toEqual([303, `/subscription/${OTHER_PLAN}`]);
    expect(kept).toMatchObject({ key: "b-key", other: { key: "a-key" } });
  });
});
