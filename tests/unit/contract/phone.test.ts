import fc from "fast-check";
import { expect, test } from "vitest";
import { formatPhone, isPlausibleNanpNumber, phoneDigits } from "../../../app/contract/fields/phone";
import { subscriptionRequest } from "../../../app/contract/subscription-request";
import { formatTyped } from "../../../app/signup/form/format-while-typing";

test.each([
  ["2125550123", "(212) 555-0123"],
  ["12125550123", "+1 (212) 555-0123"],
  ["442079460958", "+44 207 946 0958"],
  ["+353123456789", "+353 123 456 789"],
  ["21255", "(212) 55"],
  ["", ""],
  ["+", "+"],
  ["0044 20 7946 0958", "00442079460958"],
  ["011 44 20 7946 0958", "011442079460958"],
  ["00442", "(004) 42"],
  ["+00442", "(004) 42"],
  ["0112345678", "(011) 234-5678"],
  ["+451234567", "+45 123 4567"],
  ["+4512345678", "(451) 234-5678"],
  ["2125550123 ext. 5", "+212 555 01235"],
  ["Telephone: 2125550123", "(212) 555-0123"],
  ["Telephone", ""],
  ["1234567890123456", "+1 234 567 890 123 456"],
  ["212", "212"],
  ["2125", "(212) 5"],
  ["212555", "(212) 555"],
  ["2125550", "(212) 555-0"],
  ["1125550123", "(112) 555-0123"],
  ["+1", "+1"],
  ["+1 2", "+1 2"],
  [" +44 20", "+44 20"],
  ["+123456789012", "+1 234 567 89012"],
  ["123456789012", "+1 234 567 89012"],
])("the phone number %s is formatted as %s [V9]", (typed, shown) => {
  expect(formatPhone(typed)).toBe(shown);
  expect(phoneDigits(formatPhone(typed))).toBe(phoneDigits(typed));
});

test.each([
  ["2125550123", true],
  ["1125550123", false],
  ["2121550123", false],
  ["12125550123", true],
  ["11125550123", false],
  ["01125550123", true],
  ["21125550123", true],
  ["111255501234", true],
])("%s is a possible North American number or a foreign one: %s [V8]", (digits, isPlausible) => {
  expect(isPlausibleNanpNumber(digits)).toBe(isPlausible);
});

const phone = subscriptionRequest.shape.phone;

test.each([
  ["00 212 555 0123", "002125550123"],
  ["011 212 555 0123", "0112125550123"],
  ["212x5550123", "2125550123"],
])("formatting %s keeps every digit: %s [V9]", (typed, digits) => {
  expect(phone.parse(typed)).toBe(digits);
});

test("formatting is idempotent and changes no digit, whatever is typed [V14]", () => {
  const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 8, maxLength: 17 });
  const text = fc.string({ unit: fc.constantFrom(..."0011234567890+ ()-.ex#"), maxLength: 24 });
  const typed = fc.oneof(
    text,
    fc.tuple(fc.constantFrom("", "+", "00", "011", "1", "+1"), digits).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(typed, (value) => {
      const shown = formatPhone(value);
      expect(phoneDigits(shown)).toBe(phoneDigits(value));
      expect(formatPhone(shown)).toBe(shown);
      const [read, readShown] = [phone.safeParse(value), phone.safeParse(shown)];
      expect(readShown.data).toBe(read.data);
      expect(readShown.error?.issues).toEqual(read.error?.issues);
      if (read.success) expect(formatPhone(read.data)).toBe(shown);
    }),
    { numRuns: 5_000, seed: 2026 },
  );
});

test("the caret stays behind a digit inserted in the middle", () => {
  expect(formatTyped({ value: "(2192) 555-012", caret: 3 }, formatPhone, /\d/)).toEqual({
    value: "(219) 255-5012",
    caret: 3,
  });
});

test("the caret stays at the end", () => {
  expect(formatTyped({ value: "2125", caret: 4 }, formatPhone, /\d/)).toEqual({ value: "(212) 5", caret: 7 });
});
