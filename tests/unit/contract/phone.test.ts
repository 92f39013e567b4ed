import fc from "fast-check";
import { expect, test } from "vitest";
import { formatPhone, isPlausibleNanpNumber, phoneDigits } from "../../../app/contract/phone";
import { formatTyped } from "../../../app/signup/form/format-while-typing";

test.each([
  ["2125550123", "(212) 555-0123"],
  ["12125550123", "+1 (212) 555-0123"],
  ["442079460958", "+44 207 946 0958"],
  ["+353123456789", "+353 123 456 789"],
  ["21255", "(212) 55"],
  ["", ""],
  ["+", "+"],
  ["0044 20 7946 0958", "+44 207 946 0958"],
  ["011 353 12 345 6789", "+353 123 456 789"],
  ["011 1 212 555 0123", "+1 (212) 555-0123"],
  ["00442", "00442"],
  ["000000000000", "000000000000"],
  ["0112345678", "0112345678"],
  ["2125550123x45", "(212) 555-0123 x45"],
  ["212.555.0123 ext. 5", "(212) 555-0123 ext. 5"],
  ["+44 20 7946 0958 #5", "+44 207 946 0958 #5"],
  ["Telephone: 2125550123", "(212) 555-0123"],
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
])("the phone number %s reads %s [V9]", (typed, shown) => {
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
])("%s may be a number of North America, or is of elsewhere: %s [V8]", (digits, isPlausible) => {
  expect(isPlausibleNanpNumber(digits)).toBe(isPlausible);
});

test("formatting what is formatted changes nothing", () => {
  for (const typed of ["2", "212", "21255501", "2125550123", "12125550123", "+442079460958"]) {
    expect(formatPhone(formatPhone(typed))).toBe(formatPhone(typed));
  }
});

test.each([
  ["(212) 555-0123 x45", "2125550123"],
  ["(212) 555-0123 ext. 5", "2125550123"],
  ["(212) 555-0123 Extension 5", "2125550123"],
  ["212-555-0123 #5", "2125550123"],
  ["+44 20 7946 0958;ext=7", "442079460958"],
  ["0044 20 7946 0958", "442079460958"],
  ["011 44 20 7946 0958", "442079460958"],
  ["+00 44 20 7946 0958", "442079460958"],
  ["0012345678", "0012345678"],
  ["0112345678", "0112345678"],
  ["1234567890123456", "1234567890123456"],
])("of %s the digits %s are kept [V14]", (typed, digits) => {
  expect(phoneDigits(typed)).toBe(digits);
});

test("formatting loses no digit of any number, and does nothing to what it made [V9, V14]", () => {
  const typed = fc.string({ unit: fc.constantFrom(..."0011234567890+ ()-.ex#"), maxLength: 24 });
  fc.assert(
    fc.property(typed, (value) => {
      const shown = formatPhone(value);
      expect(phoneDigits(shown)).toBe(phoneDigits(value));
      expect(formatPhone(shown)).toBe(shown);
    }),
    { numRuns: 2_000, seed: 2026 },
  );
});

test("a digit put into the middle leaves the caret behind it", () => {
  expect(formatTyped({ value: "(2192) 555-012", caret: 3 }, formatPhone, /\d/)).toEqual({
    value: "(219) 255-5012",
    caret: 3,
  });
});

test("at the end the caret stays at the end", () => {
  expect(formatTyped({ value: "2125", caret: 4 }, formatPhone, /\d/)).toEqual({ value: "(212) 5", caret: 7 });
});
