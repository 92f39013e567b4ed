import { describe, expect, test } from "vitest";
import { COUNTRY_CODES, countryCode } from "../../../app/contract/fields/country";

describe.each([
  { code: "DE", names: ["DE", "de", "Germany", "germany", " GERMANY "] },
  { code: "US", names: ["US", "USA", "U.S.", "U. S. A.", "United States", "United States of America", "America"] },
  { code: "CI", names: ["Côte d’Ivoire", "Cote d'Ivoire"] },
  { code: "TT", names: ["Trinidad & Tobago"] },
  { code: "XK", names: ["Kosovo", "XK"] },
])("the country $code", ({ code, names }) => {
  test.each(names)("is recognized: '%s'", (name) => {
    expect(countryCode(name)).toBe(code);
  });
});

test.each(["", "..", "Narnia", "XX", "ZZ", "EU", "Europe", "Congo", "constructor", "__proto__", "Deutschland", "日本"])(
  "no country is recognized in '%s', so Stripe asks for it",
  (name) => {
    expect(countryCode(name)).toBeUndefined();
  },
);

test("each country has a unique name, so none gets another's code", () => {
  const names = new Intl.DisplayNames("en", { type: "region" });
  const recognized = COUNTRY_CODES.map((code) => countryCode(names.of(code) ?? ""));
  expect(recognized).toEqual(COUNTRY_CODES);
});

test("the countries are the 249 of ISO 3166-1, and Kosovo", () => {
  expect(new Set(COUNTRY_CODES).size).toBe(250);
});
