import jsQR from "jsqr";
import { describe, expect, test } from "vitest";
import { loader } from "../../../app/routes/resume-code";
import { qrCode } from "../../../app/signup/server/session/qr-code.server";
import type { SignupSession } from "../../../app/signup/session-state";
import { stopClock } from "../../support/clock";
import { requestOf, siteContext } from "../../support/site-in-process/site-context";
import { PLAN } from "../../support/site-in-process/site-settings";
import { SESSIONS } from "./sessions";

/* The QR code of a link to continue on another device. */

stopClock();

const { card, waiting } = SESSIONS;
const WWW = "https://www.citewell.example";

describe("a link's QR code", () => {
  /** The longest link that has one. */
  const url = `${WWW}/subscription/${PLAN}?resume=`.padEnd(300, "aB3-_z9.");

  /** The code as a camera sees it, `size` pixels wide. */
  function seen(svg: string, size: number): Uint8ClampedArray {
    const modules = modulesOf(svg);
    const pixels = new Uint8ClampedArray(size * size * 4).fill(255);
    for (const { x, y, length } of linesOf(svg)) {
      const [left, right, top, bottom] = [x, x + length, y, y + 1].map((edge) => Math.ceil((edge * size) / modules));
      for (let row = top ?? 0; row < (bottom ?? 0); row += 1)
        pixels.fill(0, (row * size + (left ?? 0)) * 4, (row * size + (right ?? 0)) * 4);
    }
    return pixels;
  }

  const modulesOf = (svg: string) => Number(/viewBox="0 -\.5 (\d+) /.exec(svg)?.[1]);
  const linesOf = (svg: string) =>
    [...svg.matchAll(/M(\d+) (\d+)h(\d+)/g)].map(([, x, y, length]) => {
      return { x: Number(x), y: Number(y), length: Number(length) };
    });

  test("is read at 160 pixels", () => {
    expect(jsQR(seen(qrCode(url), 160), 160, 160)?.data).toBe(url);
  });

  test("has a quiet zone of four modules (ISO/IEC 18004)", () => {
    const svg = qrCode(url);
    const edges = linesOf(svg).flatMap(({ x, y, length }) => [x, x + length, y, y + 1]);
    expect(Math.min(...edges)).toBe(4);
    expect(modulesOf(svg) - Math.max(...edges)).toBe(4);
  });

  const served = async (session: SignupSession | undefined) =>
    loader(await requestOf(siteContext(), { session, path: "/resume-code" }));

  test("is served to its own browser, and not stored", async () => {
    const response = await served(card);
    expect(response).toHaveStatus(200);
    expect(response).toHaveHeader("Cache-Control", "no-store");
  });

  test.each<{ name: string; session: SignupSession | undefined }>([
    { name: "a card step without details", session: { ...card, details: undefined } },
    { name: "a card that is waited for", session: waiting },
    { name: "no sign-up", session: undefined },
  ])("is not found for $name", async ({ session }) => {
    expect(await served(session)).toHaveStatus(404);
  });
});
