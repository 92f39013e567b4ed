import jsQR from "jsqr";
import { expect, test } from "vitest";
import { qrCode } from "../../../app/signup/session/resume-link.server";

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
