import type { AppLoadContext } from "@remix-run/cloudflare";
import jsQR from "jsqr";
import { expect, test } from "vitest";
import * as z from "zod";
import { qrCode, resumeLink } from "../../../../app/signup/server/session/resume-link.server";

/** The code's dots, four pixels wide, as a camera sees them. */
function pixelsOf(svg: string) {
  const size = Number(/viewBox="0 -\.5 (\d+) /.exec(svg)?.[1]);
  const width = size * 4;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const [, x, y, length] of svg.matchAll(/M(\d+) (\d+)h(\d+)/g)) {
    for (let row = 4 * Number(y); row < 4 * Number(y) + 4; row += 1) {
      const start = row * width + 4 * Number(x);
      for (let at = start; at < start + 4 * Number(length); at += 1) pixels.fill(0, at * 4, at * 4 + 3);
    }
  }
  return { pixels, width };
}

test.each([40, 600, 1300])("a QR code of a link of %i characters leads to that link", (length) => {
  const link = `https://www.citewell.example/subscription?resume=${"aB3-_".repeat(length)}`.slice(0, length);
  const { pixels, width } = pixelsOf(qrCode(link));
  expect(jsQR(pixels, width, width)?.data).toBe(link);
});

test.each([
  [1300, "/resume-code"],
  [1301, undefined],
])("a link of %i characters has a QR code only if a phone can scan it", async (length, qrCodePath) => {
  const before = "https://www.citewell.example/subscription?resume=";
  const context = z.custom<AppLoadContext>().parse({
    configuration: { SITE_URL: "https://www.citewell.example" },
    sessions: { toLinkToken: async () => "x".repeat(length - before.length) },
  });
  const session = { step: "card", key: "", clientSecret: "", expiresAt: 0, endsAt: 0 } as const;
  const link = await resumeLink(session, context);
  expect([link.url.length, link.qrCodePath]).toEqual([length, qrCodePath]);
});

test("a QR code has the quiet zone of four modules that ISO/IEC 18004 requires", () => {
  const svg = qrCode("https://www.citewell.example/subscription?resume=x");
  const size = Number(/viewBox="0 -\.5 (\d+) /.exec(svg)?.[1]);
  const lines = [...svg.matchAll(/M(\d+) (\d+)h(\d+)/g)].map(([, ...numbers]) => numbers.map(Number));
  const [columns, rows] = [lines.flatMap(([x = 0, , length = 0]) => [x, x + length]), lines.map(([, y = 0]) => y)];
  expect([Math.min(...columns), Math.max(...columns)]).toEqual([4, size - 4]);
  expect([Math.min(...rows), Math.max(...rows)]).toEqual([4, size - 5]);
});
