import { expect, test } from "vitest";
import { COUNTRY_CODES, countryCode } from "../../../app/contract/fields/country";

test.each([
  { code: "DE", names: ["DE", "de", "Germany", " GERMANY "] },
  { code: "US", names: ["US", "USA", "U. S. A.", "United States", "United States of America", "America"] },
  { code: "CI", names: ["Côte d’Ivoire", "Cote d'Ivoire"] },
  { code: "TT", names: ["Trinidad & Tobago"] },
  { code: undefined, names: ["", "..", "Narnia", "XX", "EU", "Congo", "constructor", "__proto__", "日本"] },
])("the country $code is recognized in $names; without one, Stripe asks for it", ({ code, names }) => {
  expect(names.map((name) => [name, countryCode(name)])).toEqual(names.map((name) => [name, code]));
});

test("the countries are the 249 of ISO 3166-1, and Kosovo, each with a name of its own", () => {
  const names = new Intl.DisplayNames("en", { type: "region" });
  const recognized = COUNTRY_CODES.map((code) => countryCode(names.of(code) ?? ""));
  expect(recognized).toEqual(COUNTRY_CODES);
  expect(new Set(COUNTRY_CODES).size).toBe(250);
});
