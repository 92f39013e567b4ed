import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ALGORITHMS } from "../../../app/signup/server/sealed-token.server";
import { endOfSignUp } from "../../../app/signup/server/session.server";
import { scryptPasswords } from "../../../functions/subscription-api/sign-ups/password/password";

const root = join(import.meta.dirname, "../../..");
const words = async (path: string) => (await readFile(join(root, path), "utf8")).replace(/\s+/g, " ");
const page = await words("app/legal/security.mdx");

const HOUR_MS = 60 * 60 * 1000;
const superscript = (number: string) => number.replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)] ?? "");

test("the security page says how a stored password is hashed", async () => {
  const [, name, parameters = "", salt = ""] = (await scryptPasswords().hash("Example-1")).split("$");
  const { ln = "", r, p } = Object.fromEntries(parameters.split(",").map((parameter) => parameter.split("=")));
  const bytes = Buffer.from(salt, "base64").length;
  expect(page).toContain(`${name} hash (N = 2${superscript(ln)}, r = ${r}, p = ${p}) with a random ${bytes}-byte salt`);
});

test("the security page says how the session's cookie is encrypted, and for how long it lasts", async () => {
  const [, bits, mode] = /^A(\d+)(\w+)$/.exec(ALGORITHMS.enc) ?? [];
  expect(page).toContain(`AES-${bits} in ${mode} mode`);
  const hours = Math.round((endOfSignUp() - Date.now()) / HOUR_MS);
  expect(page).toContain(`your sign-up is kept for ${hours} hours`);
  expect(page).toContain(`is deleted about ${hours} hours after it began`);
});

test("the security page and the operator's manual name the same retention of logs", async () => {
  const [, kept = ""] = /which keeps them for (\w+ days)/.exec(await words("docs/operations.md")) ?? [];
  expect(kept).not.toBe("");
  expect(page).toContain(`They are kept for ${kept}.`);
});
