import jsQR from "jsqr";
import { describe, expect, test, vi } from "vitest";
import { loader } from "../../../app/routes/resume-code";
import { qrCode, resumeLink, resumeLinks } from "../../../app/signup/server/resume-link.server";
import type { SignUp } from "../../../app/signup/sign-up-state";
import { HOUR } from "../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../support/clock";
import { look, post, requestOf, siteContext } from "../../support/site-in-process/site-context";
import { OTHER_PLAN, PATH, PLAN } from "../../support/site-in-process/site-settings";
import { SESSIONS } from "./sessions";

/* The link that continues a sign-up on another device, its QR code, and the button "Continue this sign-up". */

stopClock();

const { card, waiting, done, canceled } = SESSIONS;
const API = "https://api.site.example";
const WWW = "https://www.site.example";
const links = resumeLinks(["a-secret-of-at-least-thirty-two-characters"], API);
/** As long as Stripe's and the API's. */
const long = {
  ...{ ...card, key: "k".repeat(16), statusUrl: `${API}/subscription/status/${"t".repeat(43)}` },
  clientSecret: "seti_1Mm8s8LkdIwHu7ix0OXBfTRG_secret_NXDICkPqPeiBTAFqWmkbff09lRmSVXe",
};
const elsewhere = { ...long, statusUrl: `https://another.example/${"s".repeat(100)}` };

/** A code as a camera sees it, `size` pixels wide, and how many modules its dark part is away from the edges. */
function seen(svg: string, size: number) {
  const modules = Number(/viewBox="0 -\.5 (\d+) /.exec(svg)?.[1]);
  const pixels = new Uint8ClampedArray(size * size * 4).fill(255);
  const edges = [...svg.matchAll(/M(\d+) (\d+)h(\d+)/g)].flatMap(([, x, y, length]) => {
    const run = [Number(x), Number(x) + Number(length), Number(y), Number(y) + 1];
    const [left = 0, right = 0, top = 0, bottom = 0] = run.map((edge) => Math.ceil((edge * size) / modules));
    for (let row = top; row < bottom; row += 1) pixels.fill(0, (row * size + left) * 4, (row * size + right) * 4);
    return run;
  });
  return { pixels, quiet: [Math.min(...edges), modules - Math.max(...edges)] };
}

describe("a link", () => {
  test("has at most 300 characters, and its QR code is read at 160 pixels and has a quiet zone of four modules", async () => {
    const { url = "", qrCodePath } = (await resumeLink(long, links, WWW)) ?? {};
    expect([url.length <= 300, qrCodePath]).toEqual([true, "/resume-code"]);
    const { pixels, quiet } = seen(qrCode(url), 160);
    expect([jsQR(pixels, 160, 160)?.data, quiet]).toEqual([url, [4, 4]]);
  });

  test("too long for a camera has no QR code, and a client secret that is not Stripe's no link", async () => {
    const url = expect.stringContaining(`${WWW}/subscription/${PLAN}?resume=`);
    expect(await resumeLink(elsewhere, links, WWW)).toEqual({ url, qrCodePath: undefined });
    expect(await resumeLink({ ...card, clientSecret: "another" }, links, WWW)).toBeUndefined();
    const planless = { url: expect.stringContaining(`${WWW}/subscription?resume=`) };
    expect(await resumeLink({ ...card, packageId: "" }, links, WWW)).toMatchObject(planless);
  });

  test.each([
    ["Stripe's and the API's longest", long],
    ["without a status URL", { ...card, statusUrl: undefined }],
    ["of another API", elsewhere],
  ])("has its sign-up without the details, for its own plan only: %s", async (_, signUp) => {
    const { details: __, requestId: ___, state: ____, ...rest } = signUp;
    const token = (await links.toToken(signUp)) ?? "";
    const read = { ...rest, packageId: PLAN.toUpperCase() };
    expect(await links.fromToken(token, PLAN.toUpperCase())).toEqual(read);
    expect(await links.fromToken(token, OTHER_PLAN)).toBeUndefined();
  });

  test.each([
    ["for 30 minutes", 20 * HOUR, HOUR / 2],
    ["until its sign-up ends", HOUR / 6, HOUR / 6],
  ])("works %s", async (_, left, works) => {
    const token = (await links.toToken({ ...card, expiresAt: NOW + left })) ?? "";
    vi.setSystemTime(NOW + works - 1);
    expect(await links.fromToken(token, PLAN)).toBeDefined();
    vi.setSystemTime(NOW + works);
    expect(await links.fromToken(token, PLAN)).toBeUndefined();
  });

  test.each([
    ["a card step", card, 200, "no-store"],
    ["a resumed card step", { ...card, details: undefined }, 404, null],
    ["a card that is waited for", waiting, 404, null],
    ["no session", undefined, 404, null],
  ])("has its QR code served to its own browser: %s", async (_, session, status, kept) => {
    const response = await loader(await requestOf(siteContext(), { session, path: "/resume-code" }));
    expect([response.status, response.headers.get("Cache-Control")]).toEqual([status, kept]);
  });
});

describe("Continue this sign-up", () => {
  const SUCCEEDED = { status: "succeeded" };
  const other = { ...card, key: "another-key", clientSecret: "seti_9_secret_9" };
  const { details: _, requestId, ...resumed } = card;

  type Given = {
    stripe?: object;
    code?: number;
    api?: object;
    session?: SignUp;
    headers?: Record<string, string>;
  };
  async function press({ stripe = {}, code = 200, api = {}, ...visit }: Given, by: "resume" | "return" = "resume") {
    const site = siteContext();
    Object.assign(site.stripe.says, stripe);
    site.stripe.status = code;
    site.api.status = () => Response.json(api);
    const token = by === "resume" ? await site.resumeLinks.toToken(card) : await site.sessions.toReturnToken(card);
    return { site, ...(await post(site, { intent: "resume" }, { ...visit, path: `${PATH}?${by}=${token}` })) };
  }

  const USED = { status: "card_used", client_secret: "seti_2_secret_2" };
  const another = { flash: "card used", clientSecret: "seti_2_secret_2" };

  test.each<[string, Given, more?: object]>([
    ["no session", {}],
    ["a success", { session: done }],
    ["a sign-up that has ended", { session: canceled }],
    ["a sign-up past its time", { session: { ...other, expiresAt: NOW } }],
    ["a card that has had a trial: under the new secret", { stripe: SUCCEEDED, api: USED }, another],
  ])("takes the sign-up over in a browser with %s", async (_, given, more) => {
    const { status, sentTo, session } = await press(given);
    expect([status, sentTo, session]).toEqual([303, PATH, { ...resumed, ...more }]);
  });

  const inProgress = [other, { ...waiting, key: "another-key", expiresAt: NOW }];
  test.each(inProgress)("does not replace a sign-up in progress: $state", async (session) => {
    const { site, ...answer } = await press({ session });
    expect([answer.session, site.stripe.asked]).toEqual([undefined, []]);
    expect(answer.sentTo).toMatch(`${PATH}?resume=`);
  });

  test("works after a return from the bank, and shows no link or details", async () => {
    const { site, session } = await press({}, "return");
    expect(session).toEqual({ ...resumed, requestId });
    const { step } = await look(site, { session: session as SignUp });
    expect(step).toMatchObject({ step: "card", packageId: PLAN, resumeLink: undefined, countryCode: undefined });
    expect(step).not.toHaveProperty("details");
  });

  test.each<[string, Given, status: number, title: string]>([
    ["its trial has begun", { stripe: SUCCEEDED, api: { status: "trial" } }, 409, "This sign-up is finished"],
    ["its bank is at work", { stripe: { status: "processing" } }, 409, "Your bank is still processing the card"],
    ["it was canceled", { stripe: { status: "canceled" } }, 409, "This sign-up was canceled"],
    ["Stripe cannot be reached", { code: 500 }, 503, "Connection Failed"],
    ["the browser blocks cookies", { headers: { Cookie: "" } }, 422, "Cookies are blocked"],
  ])("says why it cannot if %s", async (_, given, status, title) => {
    const { reply, ...answer } = await press(given);
    expect([answer.status, reply?.notice?.title]).toEqual([status, title]);
    expect([answer.session, answer.newNonce]).toEqual([undefined, status === 422]);
  });

  test("of an expired link changes nothing", async () => {
    const answer = await post(siteContext(), { intent: "resume" }, { path: `${PATH}?resume=x` });
    expect([answer.status, answer.sentTo, answer.session]).toEqual([303, `${PATH}?resume=x`, undefined]);
  });
});
