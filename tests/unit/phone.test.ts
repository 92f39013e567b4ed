import { expect, test } from "vitest";
import { formatPhone, phoneDigits } from "../../app/contract/phone";
import { formatTyped } from "../../app/signup/form/format-while-typing";

test.each([
  ["2125550123", "(212) 555-0123"],
  ["12125550123", "+1 (212) 555-0123"],
  ["442079460958", "+44 207 946 0958"],
  ["+353123456789", "+353 123 456 789"],
  ["21255", "(212) 55"],
  ["", ""],
  ["+", "+"],
])("the phone number %s reads %s [V9]", (typed, shown) => {
  expect(formatPhone(typed)).toBe(shown);
  expect(phoneDigits(formatPhone(typed))).toBe(phoneDigits(typed));
});

test("formatting what is formatted changes nothing", () => {
  for (const typed of ["2", "212", "21255501", "2125550123", "12125550123", "+442079460958"]) {
    expect(formatPhone(formatPhone(typed))).toBe(formatPhone(typed));
  }
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
