import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { decodeProtectedHeader } from "jose";
import { expect, test } from "vitest";
import { sealedTokens } from "../../../app/signup/server/session/sealed-token.server";
import { newLifetime } from "../../../app/signup/server/session/session.server";
import { scryptPasswords } from "../../../functions/subscription-api/sign-ups/password/password";

const root = join(import.meta.dirname, "../../..");
const words = async (path: string) => (await readFile(join(root, path), "utf8")).replace(/\s+/g, " ");
const page = await words("app/legal/security.mdx");

const HOUR_MS = 60 * 60 * 1000;
const superscript = (number: string) => number.replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)] ?? "");

test("the security page says how a stored password is hashed [P22]", async () => {
  const [, name, parameters = "", salt = ""] = (await scryptPasswords().hash("Example-1")).split("$");
  const { ln = "", r, p } = Object.fromEntries(parameters.split(",").map((parameter) => parameter.split("=")));
  const bytes = Buffer.from(salt, "base64").length;
  expect(page).toContain(`${name} hash (N = 2${superscript(ln)}, r = ${r}, p = ${p}) with a random ${bytes}-byte salt`);
});

test("the security page says how the session's cookie is encrypted, and for how long it lasts [P22]", async () => {
  const token = await sealedTokens(["a secret of more than thirty-two characters"], "test").seal(
    {},
    Date.now() + HOUR_MS,
  );
  const [, bits, mode] = /^A(\d+)(\w+)$/.exec(decodeProtectedHeader(token).enc?.toString() ?? "") ?? [];
  expect(page).toContain(`AES-${bits} in ${mode} mode`);
  const { expiresAt, endsAt } = newLifetime(0);
  expect(expiresAt / HOUR_MS).toBe(2);
  expect(page).toContain(`it lasts two hours, or ${endsAt / HOUR_MS} at most if you extend it`);
  expect(page).toContain(`is deleted about ${endsAt / HOUR_MS} hours after it began`);
});

test("the security page and the operator's manual name the same retention of logs [P22]", async () => {
  const [, kept = ""] = /which keeps them for (\w+ days)/.exec(await words("docs/operations.md")) ?? [];
  expect(kept).not.toBe("");
  expect(page).toContain(`They are kept for ${kept}.`);
});
