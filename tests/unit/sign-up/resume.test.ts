import { describe, expect, test, vi } from "vitest";
import { LINK_MINUTES } from "../../../app/signup/durations";
import { resumeLink, resumeLinks } from "../../../app/signup/server/session/resume-link.server";
import type { SignupSession, UnfinishedSession } from "../../../app/signup/session-state";
import { HOUR } from "../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../support/clock";
import { post, siteContext } from "../../support/site-in-process/site-context";
import { OTHER_PLAN, PATH, PLAN } from "../../support/site-in-process/site-settings";
import { SESSIONS } from "./sessions";

/* The link that continues a sign-up on another device, its QR code, and the button "Continue this sign-up". */

stopClock();

const { card, waiting, done, canceled } = SESSIONS;
const MINUTE = HOUR / 60;
const API = "https://api.citewell.example";
const WWW = "https://www.citewell.example";
const links = resumeLinks(["a-secret-of-at-least-thirty-two-characters"], API);
/** As long as Stripe's and the API's. */
const long = {
  ...card,
  key: "k".repeat(16),
  statusUrl: `${API}/subscription/status/${"t".repeat(43)}`,
  clientSecret: "seti_1Mm8s8LkdIwHu7ix0OXBfTRG_secret_NXDICkPqPeiBTAFqWmkbff09lRmSVXe",
};
const ofAnotherApi = { ...long, statusUrl: `https://another.example/${"s".repeat(100)}` };

describe("a link", () => {
  test("leads to the page of its plan", async () => {
    expect((await resumeLink(long, links, WWW))?.url).toMatch(`${WWW}/subscription/${PLAN}?resume=`);
  });

  test("without a plan leads to the sign-up without a plan", async () => {
    expect((await resumeLink({ ...card, packageId: "" }, links, WWW))?.url).toMatch(`${WWW}/subscription?resume=`);
  });

  test("has at most 300 characters, so that an old phone reads its QR code", async () => {
    const { url = "", qrCodePath } = (await resumeLink(long, links, WWW)) ?? {};
    expect(url.length).toBeLessThanOrEqual(300);
    expect(qrCodePath).toBe("/resume-code");
  });

  test("leaves out the price rather than its QR code", async () => {
    const { url = "", qrCodePath } = (await resumeLink({ ...long, agreedPriceCents: 999_999_999 }, links, WWW)) ?? {};
    expect(qrCodePath).toBe("/resume-code");
    const token = new URL(url).searchParams.get("resume") ?? "";
    expect(await links.fromToken(token, PLAN)).toMatchObject({ key: long.key, agreedPriceCents: undefined });
  });

  test("too long for an old phone has no QR code", async () => {
    expect(await resumeLink(ofAnotherApi, links, WWW)).toMatchObject({ qrCodePath: undefined });
  });

  test("is not offered for a client secret that is not Stripe's", async () => {
    expect(await resumeLink({ ...card, clientSecret: "another" }, links, WWW)).toBeUndefined();
  });

  test.each([
    { name: "as long as Stripe's and the API's", signUp: long },
    { name: "without a status URL", signUp: { ...card, statusUrl: undefined } },
    { name: "of another API", signUp: ofAnotherApi },
    { name: "without a price", signUp: { ...card, agreedPriceCents: undefined } },
  ])("has its sign-up without the details: $name", async ({ signUp }) => {
    const { details: _, requestId: __, state: ___, ...kept } = signUp;
    const token = (await links.toToken(signUp)) ?? "";
    expect(await links.fromToken(token, PLAN)).toEqual(kept);
  });

  test("works for its plan in capital letters", async () => {
    const token = (await links.toToken(card)) ?? "";
    expect(await links.fromToken(token, PLAN.toUpperCase())).toBeDefined();
  });

  test("does not work for another plan", async () => {
    const token = (await links.toToken(card)) ?? "";
    expect(await links.fromToken(token, OTHER_PLAN)).toBeUndefined();
  });

  test.each([
    { name: "for its minutes", left: 20 * HOUR, works: LINK_MINUTES * MINUTE },
    { name: "until its sign-up ends, if that is sooner", left: 10 * MINUTE, works: 10 * MINUTE },
  ])("works $name", async ({ left, works }) => {
    const token = (await links.toToken({ ...card, expiresAt: NOW + left })) ?? "";
    vi.setSystemTime(NOW + works - 1);
    expect(await links.fromToken(token, PLAN), "a millisecond before its end").toBeDefined();
    vi.setSystemTime(NOW + works);
    expect(await links.fromToken(token, PLAN), "at its end").toBeUndefined();
  });
});

describe("Continue this sign-up", () => {
  const SUCCEEDED = { status: "succeeded" };
  const other: SignupSession = { ...card, key: "another-key", clientSecret: "seti_9_secret_9" };
  const { details: _, requestId, ...resumed } = card;

  interface Given {
    stripe?: object;
    stripeStatus?: number;
    api?: object;
    session?: SignupSession;
    headers?: Record<string, string>;
    /** The sign-up that the link has. */
    linked?: UnfinishedSession;
  }
  async function press({ stripe = {}, stripeStatus = 200, api, linked = card, ...visit }: Given = {}, by = "resume") {
    const site = siteContext();
    Object.assign(site.stripe.says, stripe);
    site.stripe.status = stripeStatus;
    site.api.status = () => (api ? Response.json(api) : new Response(null, { status: 503 }));
    const token = by === "resume" ? await site.resumeLinks.toToken(linked) : await site.sessions.toReturnToken(linked);
    return { site, ...(await post(site, { intent: "resume" }, { ...visit, path: `${PATH}?${by}=${token}` })) };
  }

  test.each<{ name: string; session?: SignupSession }>([
    { name: "no sign-up" },
    { name: "a success", session: done },
    { name: "a sign-up that has ended", session: canceled },
    { name: "a sign-up past its time", session: { ...other, expiresAt: NOW } },
  ])("takes the sign-up over in a browser with $name", async ({ session }) => {
    const answer = await press({ ...(session && { session }) });
    expect(answer).toRedirectTo(PATH);
    expect(answer.session).toEqual(resumed);
  });

  test("does not mention a card that was declined on the other device", async () => {
    const stripe = { last_setup_error: { message: "Your card was declined." } };
    expect((await press({ stripe })).session).toEqual(resumed);
  });

  test("says that the card already had a trial, and continues with the new secret", async () => {
    const { session } = await press({
      stripe: SUCCEEDED,
      api: { status: "card_used", client_secret: "seti_2_secret_2" },
    });
    expect(session).toEqual({ ...resumed, flash: "card used", clientSecret: "seti_2_secret_2" });
  });

  test("says that Stripe does not know the secret", async () => {
    expect((await press({ stripeStatus: 404 })).session).toEqual({ ...resumed, flash: "unknown" });
  });

  test.each<SignupSession>([other, { ...waiting, key: "another-key", expiresAt: NOW }])(
    "does not replace a sign-up in progress, and asks nobody: $state",
    async (session) => {
      const { site, ...answer } = await press({ session });
      expect(answer.session).toBeUndefined();
      expect(answer.sentTo).toMatch(`${PATH}?resume=`);
      expect(site.stripe.asked).toEqual([]);
    },
  );

  const withoutPrice = { ...card, agreedPriceCents: undefined };
  const PRICED = { status: "pending", price_cents: 60_000, currency: "usd" };

  test.each<{ name: string; linked: UnfinishedSession; api: object | undefined; agreedPriceCents: number | undefined }>(
    [
      { name: "the API's, if the link has none", linked: withoutPrice, api: PRICED, agreedPriceCents: 60_000 },
      { name: "the API's, if it is another one", linked: card, api: PRICED, agreedPriceCents: 60_000 },
      { name: "the link's, if the API does not answer", linked: card, api: undefined, agreedPriceCents: 50_000 },
      {
        name: "the link's, if an API of others does not say it",
        linked: card,
        api: { status: "pending" },
        agreedPriceCents: 50_000,
      },
    ],
  )("shows the agreed price: $name", async ({ linked, api, agreedPriceCents }) => {
    expect((await press({ linked, ...(api && { api }) })).session).toMatchObject({ state: "card", agreedPriceCents });
  });

  test("works after a return from the bank", async () => {
    expect((await press({}, "return")).session).toEqual({ ...resumed, requestId });
  });

  test.each<{ name: string; given: Given; status: number; title: string }>([
    {
      name: "its bank is at work",
      given: { stripe: { status: "processing" } },
      status: 409,
      title: "Your bank is still processing the card",
    },
    {
      name: "Stripe cannot be reached",
      given: { stripeStatus: 500 },
      status: 503,
      title: "Connection Failed",
    },
    {
      name: "neither the link nor the API says the price",
      given: { linked: withoutPrice },
      status: 503,
      title: "Connection Failed",
    },
    {
      name: "the browser blocks cookies",
      given: { headers: { Cookie: "" } },
      status: 422,
      title: "Cookies are blocked",
    },
  ])("says why it cannot now: $name", async ({ given, status, title }) => {
    const answer = await press(given);
    expect(answer).toHaveStatus(status);
    expect(answer).toShowNotice(title);
    expect(answer.session).toBeUndefined();
    expect(answer.reply?.isOver).toBeUndefined();
  });

  test.each<{ name: string; given: Given; title: string }>([
    {
      name: "its trial has begun",
      given: { stripe: SUCCEEDED, api: { status: "trial" } },
      title: "This sign-up is finished",
    },
    {
      name: "it was canceled",
      given: { stripe: { status: "canceled" } },
      title: "This sign-up was canceled",
    },
  ])("says that it is over: $name", async ({ given, title }) => {
    const answer = await press(given);
    expect(answer).toHaveStatus(409);
    expect(answer).toShowNotice(title);
    expect(answer.session).toBeUndefined();
    expect(answer.reply?.isOver).toBe(true);
  });

  test("of a changed link leads to the page that says that it has expired", async () => {
    const answer = await post(siteContext(), { intent: "resume" }, { path: `${PATH}?resume=x` });
    expect(answer).toRedirectTo(`${PATH}?resume=x`);
    expect(answer.session).toBeUndefined();
  });
});
