import { describe, expect, test } from "vitest";
import { countryCode, countryNames } from "../../../app/contract/fields/country";

describe("countryCode", () => {
  test.each([
    ["a code", "DE de De deu DEU", "DE"],
    ["the English name", "Germany|germany|GERMANY| Germany ", "DE"],
    [
      "abbreviations with dots and spaces",
      "USA|U.S.|U. S. A.|us|United States|The United States of America|America",
      "US",
    ],
    ["parts of the United Kingdom", "UK|U.K.|GB|Great Britain|England|Scotland|Wales|Northern Ireland", "GB"],
    ["a name's usual short form", "Holland|The Netherlands|NL", "NL"],
    ["names without CLDR's words", "South Korea|Republic of Korea|Korea, Republic of", "KR"],
    ["any apostrophe", "Côte d’Ivoire|Cote d'Ivoire|Ivory Coast", "CI"],
    ["and, &", "Trinidad and Tobago|Trinidad & Tobago", "TT"],
    ["Saint, St.", "Saint Lucia|St. Lucia|St Lucia", "LC"],
    ["former names", "Czech Republic|Czechia", "CZ"],
    ["a code that is a word of other names", "AND|Andorra", "AD"],
    ["a place that is no UN member", "Kosovo|XK", "XK"],
    ["a city that is a country for ISO", "Hong Kong|HKG", "HK"],
  ])("recognizes %s", (_, texts, code) => {
    const typed = texts.includes("|") ? texts.split("|") : texts.split(" ");
    expect(typed.map((text) => [text, countryCode(text)])).toEqual(typed.map((text) => [text, code]));
  });

  test.each([
    ...["", "..", "the", "Nowhere", "XX", "ZZ", "EU", "Europe", "Congo", "Germany, Europe"],
    ...["constructor", "__proto__", "Deutschland", "日本"],
  ])("returns %j unchanged", (text) => {
    expect(countryCode(text)).toBeUndefined();
  });

  test("distinguishes countries with similar names", () => {
    const names = {
      ...{
        Niger: "NE",
        Nigeria: "NG",
        Dominica: "DM",
        "Dominican Republic": "DO",
        Samoa: "WS",
        "American Samoa": "AS",
      },
      ...{ Guinea: "GN", "Guinea-Bissau": "GW", "Equatorial Guinea": "GQ", "Papua New Guinea": "PG" },
      ...{ "Republic of the Congo": "CG", "Democratic Republic of the Congo": "CD", "North Korea": "KP" },
      ...{ "Saint Martin": "MF", "Sint Maarten": "SX", Ireland: "IE", Austria: "AT", Australia: "AU" },
    };
    expect(Object.fromEntries(Object.keys(names).map((name) => [name, countryCode(name)]))).toEqual(names);
  });
});

test("every country's English name is recognized as that country, and fits the form's length limit", () => {
  const names = countryNames();
  const codes = names.map(countryCode);

  expect(names).toHaveLength(250);
  expect(new Set(codes).size).toBe(250);
  expect(codes.filter((code) => !/^[A-Z]{2}$/.test(code ?? ""))).toEqual([]);
  expect(names.slice(0, 3)).toEqual(["Afghanistan", "Åland Islands", "Albania"]);
  expect(names.filter((name) => name.length < 2 || name.length > 60)).toEqual([]);
});
