import jsQR from "jsqr";
import { expect, test, vi } from "vitest";
import type { Terms } from "../../../app/contract/terms";
import { loader } from "../../../app/routes/resume-code";
import { LINK_MINUTES } from "../../../app/signup/durations";
import { qrCode } from "../../../app/signup/server/session/qr-code.server";
import { resumeLink, resumeLinks } from "../../../app/signup/server/session/resume-link.server";
import type { SignupSession } from "../../../app/signup/session-state";
import { HOUR } from "../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../support/clock";
import { post, requestOf, siteContext } from "../../support/site-in-process/site-context";
import { OTHER_PLAN, PATH, PLAN, TERMS } from "../../support/site-in-process/site-settings";
import { OTHER, OTHER_TERMS, SESSIONS } from "./sessions";
import { type Answers, PROCESSING, SUCCEEDED, siteThatAnswers, TRIAL, UNREACHABLE } from "./site-that-answers";

/* The link that continues a sign-up on another device, its QR code, and the button "Continue this sign-up". */

stopClock();

const { card, waiting } = SESSIONS;
const MINUTE = HOUR / 60;
const API = "https://api.citewell.example";
const WWW = "https://www.citewell.example";
const QR_CODE = "/resume-code";

const links = resumeLinks(["a-secret-of-at-least-thirty-two-characters"], API);
const at = (price_cents: number | undefined): Terms => ({ ...TERMS, price_cents });
/** As long as Stripe's and the API's. */
const long = {
  ...card,
  key: "k".repeat(16),
  statusUrl: `${API}/subscription/status/${"t".repeat(43)}`,
  clientSecret: "seti_1Mm8s8LkdIwHu7ix0OXBfTRG_secret_NXDICkPqPeiBTAFqWmkbff09lRmSVXe",
};
const ofAnotherApi = { ...long, statusUrl: `https://another.example/${"s".repeat(100)}` };

test.each<{ what: string; signUp: SignupSession & typeof long; keeps?: Terms; qrCodePath?: string }>([
  { what: "has the sign-up's terms and a QR code", signUp: { ...card, terms: OTHER_TERMS }, qrCodePath: QR_CODE },
  { what: "needs no status URL", signUp: { ...card, statusUrl: "" }, qrCodePath: QR_CODE },
  {
    what: "leaves out the price rather than its QR code",
    signUp: { ...long, terms: at(99_999_999) },
    ...{ keeps: at(undefined), qrCodePath: QR_CODE },
  },
  { what: "too long for an old phone has no QR code", signUp: ofAnotherApi },
])("a link $what, and continues its sign-up without the details, for its plan and no other", async (row) => {
  const { details: _, requestId: __, state: ___, ...signUp } = row.signUp;
  const { url = "", qrCodePath } = (await resumeLink(row.signUp, links, WWW)) ?? {};
  const [page, token = ""] = url.split("?resume=");
  expect(page).toBe(`${WWW}/subscription/${PLAN}`);
  expect(qrCodePath).toBe(row.qrCodePath);
  expect(url.length <= 300, "short enough for an old phone").toBe(qrCodePath !== undefined);
  const kept = { ...signUp, statusUrl: signUp.statusUrl || undefined, terms: row.keeps ?? signUp.terms };
  expect(await links.fromToken(token, PLAN)).toEqual(kept);
  expect(await links.fromToken(token, PLAN.toUpperCase()), "in capital letters").toBeDefined();
  expect(await links.fromToken(token, OTHER_PLAN)).toBeUndefined();
});

test("a link of no plan leads to the sign-up without a plan, and none is offered for a secret not Stripe's", async () => {
  const { url } = (await resumeLink({ ...card, packageId: "" }, links, WWW)) ?? {};
  expect(url).toMatch(`${WWW}/subscription?resume=`);
  expect(await resumeLink({ ...card, clientSecret: "another" }, links, WWW)).toBeUndefined();
});

test.each([
  { name: "for its minutes", left: 20 * HOUR, works: LINK_MINUTES * MINUTE },
  { name: "until its sign-up ends, if that is sooner", left: 10 * MINUTE, works: 10 * MINUTE },
])("a link works $name", async ({ left, works }) => {
  const token = (await links.toToken({ ...card, expiresAt: NOW + left })) ?? "";
  vi.setSystemTime(NOW + works - 1);
  expect(await links.fromToken(token, PLAN), "a millisecond before its end").toBeDefined();
  vi.setSystemTime(NOW + works);
  expect(await links.fromToken(token, PLAN), "at its end").toBeUndefined();
});

const { details: _, requestId, ...resumed } = card;
type Given = Answers & { session?: SignupSession; headers?: Record<string, string>; by?: "resume" | "return" };

async function press({ by = "resume", ...given }: Given) {
  const site = siteThatAnswers({ api: { status: "pending" }, ...given });
  const token = by === "resume" ? await site.resumeLinks.toToken(card) : await site.sessions.toReturnToken(card);
  return post(site, { intent: "resume" }, { ...given, path: `${PATH}?${by}=${token}` });
}

test.each<Given & { name: string; becomes?: object }>([
  { name: "in a browser with a sign-up past its time", session: { ...OTHER, expiresAt: NOW } },
  { name: "after a return from the bank", by: "return", becomes: { requestId } },
  {
    name: "without a word about a card that was declined on the other device",
    stripe: { last_setup_error: { message: "Your card was declined." } },
  },
  {
    name: "with the new secret after a card that already had a trial, and says so",
    ...{ stripe: SUCCEEDED, api: { status: "card_used", client_secret: "seti_2_secret_2" } },
    becomes: { flash: "card used", clientSecret: "seti_2_secret_2" },
  },
  { name: "and says that Stripe does not know the secret", stripeStatus: 404, becomes: { flash: "unknown" } },
  {
    name: "with the API's terms, if they are others",
    api: { status: "pending", ...OTHER_TERMS, currency: "usd" },
    becomes: { terms: OTHER_TERMS },
  },
])("Continue this sign-up takes it over $name", async ({ becomes, ...given }) => {
  const answer = await press(given);
  expect(answer).toRedirectTo(PATH);
  expect(answer.session).toEqual({ ...resumed, ...becomes });
});

test("Continue leads back to the link's page beside a sign-up in progress, or if the link was changed", async () => {
  const changed = await post(siteContext(), { intent: "resume" }, { path: `${PATH}?resume=x` });
  expect(changed).toRedirectTo(`${PATH}?resume=x`);
  const beside = await press({ session: OTHER });
  expect(beside.sentTo).toMatch(`${PATH}?resume=`);
  expect([changed.session, beside.session]).toEqual([undefined, undefined]);
});

const CANCELED = { stripe: { status: "canceled" } };

test.each<Given & { name: string; status: number; title: string; isOver?: true }>([
  { name: "its bank is at work", ...PROCESSING, status: 409, title: "Your bank is still processing the card" },
  { name: "Stripe cannot be reached", ...UNREACHABLE, status: 503, title: "Connection Failed" },
  { name: "the browser blocks cookies", headers: { Cookie: "" }, status: 422, title: "Please try again" },
  { name: "its trial has begun", ...TRIAL, status: 409, title: "This sign-up is finished", isOver: true },
  { name: "it was canceled", ...CANCELED, status: 409, title: "This sign-up was canceled", isOver: true },
])("Continue says why it cannot, and if the sign-up is over: $name", async ({ status, title, isOver, ...given }) => {
  const answer = await press(given);
  expect(answer).toHaveStatus(status);
  expect(answer).toShowNotice(title);
  expect(answer.session).toBeUndefined();
  expect(answer.reply?.isOver).toBe(isOver);
});

test("the longest link's QR code is read, and has a quiet zone of four modules (ISO/IEC 18004)", () => {
  const url = `${WWW}/subscription/${PLAN}?resume=`.padEnd(300, "aB3-_z9.");
  const svg = qrCode(url);
  const modules = Number(/viewBox="0 -\.5 (\d+) /.exec(svg)?.[1]);
  /** Three pixels a module. */
  const size = 3 * modules;
  const pixels = new Uint8ClampedArray(size * size * 4).fill(255);
  const edges: number[] = [];
  for (const [, x, y, length] of svg.matchAll(/M(\d+) (\d+)h(\d+)/g)) {
    const [left, right, top] = [Number(x), Number(x) + Number(length), Number(y)];
    edges.push(left, right, top, top + 1);
    for (let row = 3 * top; row < 3 * top + 3; row += 1)
      pixels.fill(0, (row * size + 3 * left) * 4, (row * size + 3 * right) * 4);
  }
  expect(jsQR(pixels, size, size)?.data).toBe(url);
  expect([Math.min(...edges), modules - Math.max(...edges)]).toEqual([4, 4]);
});

test.each<{ name: string; session?: SignupSession; status: number }>([
  { name: "a card step is served to its own browser", session: card, status: 200 },
  { name: "a card step without details is not found", session: { ...card, details: undefined }, status: 404 },
  { name: "a card that is waited for is not found", session: waiting, status: 404 },
  { name: "no sign-up is not found", status: 404 },
])("the QR code of $name", async ({ session, status }) => {
  const response = await loader(await requestOf(siteContext(), { session, path: QR_CODE }));
  expect(response).toHaveStatus(status);
  expect(response.headers.get("Cache-Control")).toBe(status === 200 ? "no-store" : null);
});
