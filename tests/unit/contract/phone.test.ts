import fc from "fast-check";
import { expect, test } from "vitest";
import { formatPhone } from "../../../app/contract/fields/phone";
import { subscriptionRequest } from "../../../app/contract/subscription-request";

const REQUIRED = "Phone number is required";
const LENGTH = "Phone number must be 10-15 digits";
const INVALID = "Please enter a valid phone number";

/** What the field shows after it is left, and the digits that are sent or else the message. */
const INPUTS: [typed: string, shown: string, sentOrMessage: string][] = [
  // The United States and Canada
  ["2125550123", "(212) 555-0123", "2125550123"],
  ["212-555-0123", "(212) 555-0123", "2125550123"],
  ["(212) 555 0123", "(212) 555-0123", "2125550123"],
  ["212.555.0123", "(212) 555-0123", "2125550123"],
  ["212–555–0123", "(212) 555-0123", "2125550123"],
  ["12125550123", "+1 (212) 555-0123", "12125550123"],
  ["1-212-555-0123", "+1 (212) 555-0123", "12125550123"],
  ["+1 212 555 0123", "+1 (212) 555-0123", "12125550123"],
  ["\u202a+1 (212) 555‑0123\u202c", "+1 (212) 555-0123", "12125550123"],
  ["011 1 212 555 0123", "+1 (212) 555-0123", "12125550123"],
  ["tel:+12125550123", "tel:+12125550123", "12125550123"],
  ["Office: 212 555 0123", "Office: 212 555 0123", "2125550123"],
  // Extensions
  ["212.555.0123 ext. 45", "(212) 555-0123", "2125550123"],
  ["212-555-0123 x45", "(212) 555-0123", "2125550123"],
  ["(212) 555-0123, Ext 45", "(212) 555-0123", "2125550123"],
  ["+1-212-555-0123;ext=45", "+1 (212) 555-0123", "12125550123"],
  ["212 555 0123 #45", "(212) 555-0123", "2125550123"],
  // From abroad
  ["+45 20 12 34 56", "+45 201 23456", "004520123456"],
  ["0045 20 12 34 56", "+45 201 23456", "004520123456"],
  ["+47 22 22 55 55", "+47 222 25555", "004722225555"],
  ["+65 6123 4567", "+65 612 34567", "006561234567"],
  ["+44 20 7946 0958", "+44 207 946 0958", "442079460958"],
  ["(+44) 20 7946 0958", "+44 207 946 0958", "442079460958"],
  ["+44 (0)20 7946 0958", "+44 207 946 0958", "442079460958"],
  ["0044 20 7946 0958", "+44 207 946 0958", "442079460958"],
  ["011 44 20 7946 0958", "+44 207 946 0958", "442079460958"],
  ["442079460958", "+44 207 946 0958", "442079460958"],
  ["+353 1 234 5678", "+353 123 45678", "35312345678"],
  ["+212 555-012345", "+212 555 012 345", "212555012345"],
  ["+49 (30) 123456-78", "+49 301 234 5678", "493012345678"],
  ["+123456789012345", "+1 234 567 890 12345", "123456789012345"],
  // With a national 0: which country is not known
  ["0113 496 0000", "0113 496 0000", "01134960000"],
  ["011 91234-5678", "011 91234-5678", "011912345678"],
  ["0151 23456789", "0151 23456789", "015123456789"],
  ["06 12 34 56 78", "06 12 34 56 78", INVALID],
  // Other digits
  ["٢١٢٥٥٥٠١٢٣", "(212) 555-0123", "2125550123"],
  ["+۴۴ ۲۰ ۷۹۴۶ ۰۹۵۸", "+44 207 946 0958", "442079460958"],
  ["＋１ ２１２ ５５５ ０１２３", "+1 (212) 555-0123", "12125550123"],
  ["२१२५५५०१२३", "(212) 555-0123", "2125550123"],
  // Not a number, or not the whole one
  ["", "", REQUIRED],
  ["call me", "call me", REQUIRED],
  ["+", "+", REQUIRED],
  ["555-0123", "555-0123", LENGTH],
  ["212555012", "212555012", LENGTH],
  ["+45 20 12 34", "+45 20 12 34", LENGTH],
  ["1-800-FLOWERS", "1-800-FLOWERS", LENGTH],
  ["212 555 0123 / 212 555 0124", "212 555 0123 / 212 555 0124", LENGTH],
  ["1234567890123456", "1234567890123456", LENGTH],
  ["2125550123/24", "2125550123/24", "212555012324"],
  ["1125550123", "1125550123", INVALID],
  ["2121550123", "2121550123", INVALID],
  ["+1 112 555 0123", "+1 112 555 0123", INVALID],
  ["+1 212 555 012", "+1 212 555 012", INVALID],
];

const phone = subscriptionRequest.shape.phone;

function sentOrMessageFor(value: string): string {
  const { data, error } = phone.safeParse(value);
  return data ?? error?.issues.map(({ message }) => message).join() ?? "";
}

test.each(INPUTS)("the phone number %j is shown as %j, and sent or refused as %j", (typed, shown, sentOrMessage) => {
  expect(formatPhone(typed)).toBe(shown);
  expect(sentOrMessageFor(typed)).toBe(sentOrMessage);
});

test("whatever is typed: formatting changes neither what is sent nor the message, and sent digits are shown as the same number", () => {
  const typed = fc.oneof(
    fc.string({ unit: fc.constantFrom(..."0011234567890+ ()-.ex#;"), maxLength: 24 }),
    fc
      .tuple(fc.constantFrom("", "+", "00", "011", "1", "+1", "+45 "), fc.stringMatching(/^\d{8,17}$/))
      .map((parts) => parts.join("")),
    fc.string({ unit: "binary", maxLength: 20 }),
  );
  fc.assert(
    fc.property(typed, (value) => {
      const shown = formatPhone(value);
      expect(formatPhone(shown)).toBe(shown);
      expect(sentOrMessageFor(shown)).toBe(sentOrMessageFor(value));
      const { data: sent } = phone.safeParse(value);
      if (sent === undefined) return;
      expect(phone.parse(sent)).toBe(sent);
      if (shown !== value) expect(formatPhone(sent)).toBe(shown);
    }),
    { numRuns: 3_000, seed: 2026 },
  );
});

test("every decimal digit of Unicode's numbering systems is read", () => {
  const systems = Intl.supportedValuesOf("numberingSystem").filter(
    (numberingSystem) => !/^\d|hanidec/.test(new Intl.NumberFormat("en", { numberingSystem }).format(0)),
  );
  expect(systems.length).toBeGreaterThan(50);
  for (const numberingSystem of systems) {
    const format = new Intl.NumberFormat("en", { numberingSystem, useGrouping: false });
    if (!/^\p{Nd}{10}$/u.test(format.format(2125550123))) continue;
    expect(formatPhone(format.format(2125550123)), numberingSystem).toBe("(212) 555-0123");
  }
});
