import jsQR from "jsqr";
import { expect, test, vi } from "vitest";
import { loader } from "../../../app/routes/resume-code";
import { qrCode, resumeLink, resumeLinks } from "../../../app/signup/server/resume-link.server";
import {
  HOUR,
  NOW,
  OTHER_PLAN,
  PLAN,
  SESSIONS,
  SITE_URL,
  siteContext,
  stopClock,
} from "../../support/site-in-process/site-context";

stopClock();

const { card } = SESSIONS;
const WWW = "https://www.citewell.example";
const API = "https://api.citewell.example";
const links = resumeLinks(["a-secret-of-at-least-thirty-two-characters"], API);
/** As long as Stripe's and the API's. */
const long = {
  ...card,
  key: "k".repeat(16),
  clientSecret: "seti_1Mm8s8LkdIwHu7ix0OXBfTRG_secret_NXDICkPqPeiBTAFqWmkbff09lRmSVXe",
  statusUrl: `${API}/subscription/status/${"t".repeat(43)}`,
};

/** The code as a camera sees it, `size` pixels wide. */
function pixelsOf(svg: string, size: number) {
  const modules = Number(/viewBox="0 -\.5 (\d+) /.exec(svg)?.[1]);
  const dark = new Set<string>();
  for (const [, x, y, length] of svg.matchAll(/M(\d+) (\d+)h(\d+)/g))
    for (let at = Number(x); at < Number(x) + Number(length); at += 1) dark.add(`${at} ${y}`);
  const pixels = new Uint8ClampedArray(size * size * 4).fill(255);
  for (let pixel = 0; pixel < size * size; pixel += 1) {
    const [x, y] = [pixel % size, Math.floor(pixel / size)].map((at) => Math.floor((at * modules) / size));
    if (dark.has(`${x} ${y}`)) pixels.fill(0, pixel * 4, pixel * 4 + 3);
  }
  return { pixels, modules, dark };
}

test("a link has at most 300 characters, and its QR code is read at 160 pixels", async () => {
  const link = await resumeLink(long, links, WWW);
  expect(link?.url.length).toBeLessThanOrEqual(300);
  expect(link?.qrCodePath).toBe("/resume-code");
  const { pixels } = pixelsOf(qrCode(link?.url ?? ""), 160);
  expect(jsQR(pixels, 160, 160)?.data).toBe(link?.url);
});

test("a QR code has the quiet zone of four modules that ISO/IEC 18004 requires", () => {
  const { dark, modules } = pixelsOf(qrCode(WWW), 1);
  const at = [...dark].flatMap((place) => place.split(" ").map(Number));
  expect([Math.min(...at), Math.max(...at)]).toEqual([4, modules - 5]);
});

test("a link of another API that is too long for a camera has no QR code", async () => {
  const link = await resumeLink({ ...long, statusUrl: `https://another.example/${"s".repeat(100)}` }, links, WWW);
  expect(link).toMatchObject({
    url: expect.stringContaining(`${WWW}/subscription/${PLAN}?resume=`),
    qrCodePath: undefined,
  });
});

test.each([
  ["Stripe's and the API's longest", long],
  ["without a status URL", { ...card, statusUrl: undefined }],
  ["of another API", { ...card, statusUrl: "https://another.example/a/b" }],
])("a token has its sign-up without the details: %s", async (_, signUp) => {
  const { details: __, requestId: ___, state: ____, ...rest } = signUp;
  const token = (await links.toToken(signUp)) ?? "";
  expect(await links.fromToken(token, PLAN.toUpperCase())).toEqual({
    ...rest,
    packageId: PLAN.toUpperCase(),
    expiresAt: Math.floor(card.expiresAt / 60_000) * 60_000,
    resumed: true,
  });
  // Another plan's page would show another price.
  expect(await links.fromToken(token, OTHER_PLAN)).toBeUndefined();
});

test.each([
  ["30 minutes", 20 * HOUR, HOUR / 2],
  ["until its sign-up ends", HOUR / 6, HOUR / 6],
])("a link works for %s", async (_, left, works) => {
  const token = (await links.toToken({ ...card, expiresAt: NOW + left })) ?? "";
  vi.setSystemTime(NOW + works - 1);
  expect(await links.fromToken(token, PLAN)).toBeDefined();
  vi.setSystemTime(NOW + works);
  expect(await links.fromToken(token, PLAN)).toBeUndefined();
});

test("a client secret that is not Stripe's has no link", async () => {
  expect(await resumeLink({ ...card, clientSecret: "another" }, links, WWW)).toBeUndefined();
});

test.each([
  ["a card step", SESSIONS.card, 200],
  ["a resumed card step", { ...SESSIONS.card, resumed: true as const }, 404],
  ["a success", SESSIONS.done, 404],
  ["no session", undefined, 404],
])("the QR code of %s is served to its own browser only", async (_, session, status) => {
  const site = siteContext();
  const request = new Request(`${SITE_URL}/resume-code`, { headers: { Cookie: await site.cookies(session) } });
  const response = await loader({ request, params: {}, context: site.context });
  expect([response.status, response.headers.get("Cache-Control")]).toEqual([
    status,
    status === 200 ? "no-store" : null,
  ]);
});
