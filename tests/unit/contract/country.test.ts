import { describe, expect, test } from "vitest";
import { countryCode, countryNames } from "../../../app/contract/fields/country";
import { messagesFor } from "./field-messages";

describe.each([
  { code: "DE", names: ["DE", "de", "DEU", "Germany", "germany", " GERMANY "] },
  {
    code: "US",
    names: ["USA", "U.S.", "U. S. A.", "us", "United States", "The United States of America", "America"],
  },
  { code: "GB", names: ["UK", "U.K.", "GB", "Great Britain", "England", "Scotland", "Wales", "Northern Ireland"] },
  { code: "NL", names: ["Holland", "The Netherlands", "NL"] },
  { code: "KR", names: ["South Korea", "Republic of Korea", "Korea, Republic of"] },
  { code: "CI", names: ["Côte d’Ivoire", "Cote d'Ivoire", "Ivory Coast"] },
  { code: "TT", names: ["Trinidad and Tobago", "Trinidad & Tobago"] },
  { code: "LC", names: ["Saint Lucia", "St. Lucia", "St Lucia"] },
  { code: "CZ", names: ["Czech Republic", "Czechia"] },
  { code: "XK", names: ["Kosovo", "XK"] },
  { code: "HK", names: ["Hong Kong", "HKG"] },
  { code: "CG", names: ["Republic of the Congo"] },
  { code: "CD", names: ["Democratic Republic of the Congo"] },
])("the country $code", ({ code, names }) => {
  test.each(names)("is recognized: '%s'", (name) => {
    expect(countryCode(name)).toBe(code);
  });
});

test.each([
  "",
  "..",
  "the",
  "Nowhere",
  "XX",
  "ZZ",
  "EU",
  "Europe",
  "Congo",
  "Germany, Europe",
  "constructor",
  "__proto__",
  "Deutschland",
  "日本",
])("no country is recognized in '%s'", (name) => {
  expect(countryCode(name)).toBeUndefined();
});

describe("the list of countries", () => {
  const names = countryNames();

  test("has the 249 countries of ISO 3166-1 and Kosovo, each under its own code", () => {
    expect(names).toHaveLength(250);
    expect(new Set(names.map(countryCode)).size, "different codes").toBe(250);
    expect(names.filter((name) => countryCode(name) === undefined)).toEqual([]);
  });

  test("is sorted by English name, Å as A", () => {
    expect(names.slice(0, 3)).toEqual(["Afghanistan", "Åland Islands", "Albania"]);
  });

  test("has only names that the form takes", () => {
    expect(names.filter((country) => messagesFor({ country }).country)).toEqual([]);
  });
});
