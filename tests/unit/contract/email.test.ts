import { expect, test } from "vitest";
import { cleanEmail } from "../../../app/contract/fields/email";
import { randomOf } from "../../simulation/random";

/** Characters that cleaning removes, converts or reads together with their neighbors. */
const PARTS: [string, ...string[]] = [
  "mailto:",
  ..."aéمΣİ\u212Aⓔß\u0307１Ａ- @＠.．。｡\u2024,;/\u00AD\u200C\u200C\u200D\u200D\u202E",
];
const INPUTS = 5_000;

test(`cleaning ${INPUTS} odd email addresses a second time changes none of them`, () => {
  const random = randomOf(1, "email addresses");
  const changed: string[] = [];
  for (let each = 0; each < INPUTS; each += 1) {
    const parts = Array.from({ length: Math.ceil(random.between(0, 9)) }, () => random.oneOf(PARTS));
    const once = cleanEmail(parts.join(""));
    if (cleanEmail(once) !== once) changed.push(parts.map((part) => JSON.stringify(part)).join(" "));
  }
  expect(changed).toEqual([]);
});

test.each([
  { what: "between letters that are not ASCII", given: "م\u200Cن@example.com", cleaned: "م\u200Cن@example.com" },
  { what: "beside an ASCII letter", given: "a\u200Dم@example.com", cleaned: "aم@example.com" },
  { what: "between wide letters, which become ASCII", given: "Ａ\u200DＢ@example.com", cleaned: "ab@example.com" },
  { what: "in a row beside an ASCII letter", given: "م\u200C\u200Da@example.com", cleaned: "مa@example.com" },
])("joiners $what: $given becomes $cleaned", ({ given, cleaned }) => {
  expect(cleanEmail(given)).toBe(cleaned);
});
