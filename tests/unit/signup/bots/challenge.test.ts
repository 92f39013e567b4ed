import { describe, expect, test } from "vitest";
import { challenges } from "../../../../app/signup/server/bots/challenge.server";
import { formNonces } from "../../../../app/signup/server/submit/form-nonce.server";
import { validRequest } from "../../../support/visitors/visitor";

/** Of a form without a plan. */
const { package_id: _, ...request } = validRequest;

const SECRET = "a-secret-of-at-least-thirty-two-characters";
const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const at = (time: number, ...secrets: string[]) => challenges(secrets.length > 0 ? secrets : [SECRET], () => time);

describe("the challenge token", () => {
  test.each([
    [-1, false],
    [0, true],
    [10 * MINUTE, true],
    [10 * MINUTE + 1, false],
  ])("after %i ms is valid: %s [H20]", async (age, counts) => {
    const token = await at(NOW).issue("a-nonce", request);
    expect(await at(NOW + age).isFor(token, "a-nonce", request)).toBe(counts);
  });

  test("is bound to one nonce and to the form's values except the password, about which it reveals nothing [H20]", async () => {
    const token = await at(NOW).issue("a-nonce", request);
    const isFor = (change: Partial<typeof validRequest>, nonce = "a-nonce") =>
      at(NOW).isFor(token, nonce, { ...request, ...change });
    expect(await isFor({ password: "Passw0rd ?" })).toBe(true);
    expect(await isFor({}, "another-nonce")).toBe(false);
    expect(await isFor({ email: "other@example.com" })).toBe(false);
    expect(await isFor({ package_id: "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430" })).toBe(false);
    expect(await at(NOW).issue("a-nonce", { ...request, password: "Passw0rd ?" })).toBe(token);
  });

  test("cannot be forged: it is dated, and signed for this purpose [H20]", async () => {
    const token = await at(NOW).issue("a-nonce", request);
    const [issued = "", signature = ""] = token.split(".");
    const nonce = await formNonces([SECRET], () => NOW).issue();
    for (const forged of [
      "",
      ".",
      issued,
      `${issued}.`,
      `.${signature}`,
      `${token}x`,
      `${(NOW - 1).toString(36)}.${signature}`,
      nonce,
    ]) {
      expect(await at(NOW).isFor(forged, "a-nonce", request), forged).toBe(false);
      expect(await at(NOW).isFor(forged, nonce, request), forged).toBe(false);
    }
  });

  test("from the old secret is valid during rotation; the new secret signs [H19]", async () => {
    const changing = at(NOW, `${SECRET}!`, SECRET);
    const old = await at(NOW).issue("a-nonce", request);
    expect(await changing.isFor(old, "a-nonce", request)).toBe(true);
    const renewed = await changing.issue("a-nonce", request);
    expect(await at(NOW).isFor(renewed, "a-nonce", request)).toBe(false);
    expect(await at(NOW, `${SECRET}!`).isFor(renewed, "a-nonce", request)).toBe(true);
  });
});
