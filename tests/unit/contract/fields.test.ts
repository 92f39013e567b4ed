import { expect, test } from "vitest";
import * as z from "zod/mini";
import { countryCode, countryNames } from "../../../app/contract/fields/country";
import { packageIdOf } from "../../../app/contract/fields/package-id";
import { formatPhone } from "../../../app/contract/fields/phone";
import { subscriptionRequest } from "../../../app/contract/subscription-request";
import { validateInBrowser } from "../../../app/signup/form/validate-in-browser";
import { signupForm, toRequest } from "../../../app/signup/form-schema";
import { parseForm } from "../../../app/signup/server/posted-form.server";
import { fields } from "../../support/person";

/* The site's form and the API's request have the same rules and messages. */

const { package_id: _, ...valid } = fields;

type Messages = Record<string, string[] | undefined>;
const messagesOf = (error?: z.core.$ZodError): Messages => (error ? z.flattenError(error).fieldErrors : {});

/** The messages for a form with some other values, which the API gives too, and the site in the browser and on its server. */
function messages(change: Record<string, unknown>): Messages {
  const { confirmPassword, ...form } = messagesOf(signupForm.safeParse({ ...valid, ...change }).error);
  expect(messagesOf(subscriptionRequest.safeParse({ ...valid, ...change }).error)).toEqual(form);
  const told = { ...form, ...(confirmPassword && { confirmPassword }) };
  const posted = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...valid, ...change }))
    if (value != null) posted.append(name, `${value}`);
  const data = new FormData();
  for (const [name, value] of posted) data.append(name, value);
  for (const read of [validateInBrowser(data), parseForm(Object.fromEntries(posted))])
    expect(read.reply().error ?? {}).toEqual(told);
  return told;
}

const EMAIL = "Please enter a valid email address";
const SHORT = "Password must be at least 8 characters";
const PHONE = "Please enter a valid phone number";
const DIGITS = "Phone number must be 10-15 digits";
const VISIBLE = "Company name must contain visible characters";
const ADDRESS = "Company name must not contain a web address";
const id = "C7E2D9A4-61B8-4F0A-A3D5-1E8F5B90C430";

/** Values of a field with its message; without one they are taken. */
const VALUES: [field: string, message: string, ...values: unknown[]][] = [
  ["package_id", "", undefined, null, "", id],
  ["package_id", "Invalid subscription ID", "mini"],
  ["email", "", "a.b+c@mail.example.co", " Ada@Example.COM ", `${"a".repeat(64)}@example.com`],
  ["email", "", `a@${"b.".repeat(125)}cc`],
  ["email", EMAIL, `a@${"b.".repeat(125)}ccc`, `${"a".repeat(65)}@example.com`, undefined, "ada@"],
  ["email", EMAIL, "a@b.co\r\nBcc:x@y.z", "\uff41da@example.com", "ada\uff20example.com", "\u0430da@example.com"],
  ["phone", "Phone number is required", undefined, "", "call me", "+"],
  ["phone", DIGITS, "555-0123", "212555012", "+45 20 12 34", "1-800-FLOWERS", "1234567890123456"],
  ["phone", DIGITS, "212 555 0123 / 212 555 0124"],
  ["phone", PHONE, "1125550123", "2121550123", "+1 112 555 0123", "+1 212 555 012", "06 12 34 56 78"],
  ["phone", "", "0113 496 0000", "123456789012345"],
  ["password", "", "Passw0r!", "  P\u00e4ssw0rd\u0301 ", `aA1!${"x".repeat(252)}`],
  ["password", SHORT, undefined, "Pa0 !xx"],
  ["password", "Password must be at most 256 characters", `aA1!${"x".repeat(253)}`],
  ["password", "Password must contain at least one uppercase letter", "passw0rd !"],
  ["password", "Password must contain at least one lowercase letter", "PASSW0RD !"],
  ["password", "Password must contain at least one number", "Password !"],
  ["password", "Password must contain at least one special character", "Passw0rdxx"],
  ["password", "Password must not contain unreadable characters", "Passw0rd!\ufffd"],
  ["full_name", "Contact name must be at least 2 characters", " x ", "e\u0301"],
  ["full_name", "Contact name must contain visible characters", "\u200b\u200b"],
  ["company_name", "", "Booking.com Ltd", "Awww.Cute", "www. GmbH", "Smith // Sons Inc.", "https: the company"],
  ["company_name", "", "a//b", "3M", "O\u2019Neil & S\u00f6hne", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"],
  ["company_name", VISIBLE, "\u2060\ufeff\u200d", "\u3164\u115f", "\u2800\u2800", "\u{e0061}\u00ad \u034f"],
  ["company_name", ADDRESS, "Ada HTTPS://evil.test", "\uff48\uff54\uff54\uff50\uff1a\uff0f\uff0fevil.test"],
  ["company_name", ADDRESS, "ht\u200btp:/\u2060/evil.test", "ftp://evil.test", "Ada //evil.test/free"],
  ["company_name", ADDRESS, "see (WWW.evil.test)", "ww\u200bw.evil.test"],
  ["city", "", "e\u0301".repeat(80)],
  ["zipCode", "", "62701", " 12345-6789 "],
  ["zipCode", "ZIP code must be at least 5 characters", undefined, "1234"],
  ["zipCode", "Please enter a valid ZIP code", "1234x", "627011", "12345-678", "12345-67890"],
];
const rows = VALUES.flatMap(([name, message, ...values]) => values.map((value) => [name, value, message] as const));

test.each(rows)("the field %s with %j: %s", (name, value, message) => {
  const confirmed = name === "password" ? { confirmPassword: value } : {};
  expect(messages({ [name]: value, ...confirmed })).toEqual(message ? { [name]: [message] } : {});
  if (name === "phone" && message) expect(formatPhone(String(value))).toBe(String(value));
});

/** The first and the last of each range of characters that no text has, and a text's usual letters beside them. */
const UNPRINTABLE = "\u0000\r\n\u001f\u007f\u009f\u2028\u2029\u202a\u202e\u2066\u2069\ud800\udfff\ufffd".split("");
const PRINTABLE = "Az3 éß李\u2027\u202f\u206a\ufffc.'-&x";

test.each([
  ["full_name", "Contact name", 2, 100],
  ["company_name", "Company name", 2, 100],
  ["address", "Street address", 5, 150],
  ["city", "City", 2, 80],
  ["state", "State", 2, 80],
  ["country", "Country", 2, 60],
] as const)("%s, told as %s, has %i to %i characters, none of them unreadable", (name, label, min, max) => {
  const told = (value: string) => messages({ [name]: value })[name]?.[0];
  const [tooShort, tooLong] = [`must be at least ${min} characters`, `must be at most ${max} characters`];
  const lengths = [min - 1, min, max, max + 1].map((length) => told("x".repeat(length)));
  expect(lengths).toEqual([`${label} ${tooShort}`, undefined, undefined, `${label} ${tooLong}`]);
  const unreadable = `${label} must not contain control or unreadable characters`;
  for (const one of UNPRINTABLE) expect([one, told(`Ada${one}Ada`)]).toEqual([one, unreadable]);
  expect(told(PRINTABLE)).toBeUndefined();
});

test("a mismatched password confirmation is reported even while other fields are invalid", () => {
  const confirmPassword = ["Passwords do not match"];
  const city = ["City must be at least 2 characters"];
  expect(messages({ confirmPassword: "another", city: undefined })).toEqual({ confirmPassword, city });
  expect(messages({ password: "short", confirmPassword: "other" })).toMatchObject({ confirmPassword });
  expect(messages({ confirmPassword: undefined })).toEqual({ confirmPassword });
  expect(messages({ password: undefined, confirmPassword: undefined })).toEqual({ password: [SHORT] });
});

test("the request has the contract's keys, normalized text, only digits in the phone number, and the exact password", () => {
  const password = "  Pässw0rd\u0301 ";
  const typed = { email: " Ada@Example.COM ", full_name: "  Zoe\u0308  ", package_id: id, password, role: "admin" };
  const normal = { email: "ada@example.com", full_name: "Zo\u00eb", package_id: id.toLowerCase(), phone: "2125550123" };
  const { confirmPassword: _, ...sent } = valid;
  const request = toRequest(signupForm.parse({ ...valid, ...typed, confirmPassword: password }));
  expect(request).toEqual({ ...sent, ...normal, password });
});

test.each([
  ["a", "?id=b&uuid=c&package_id=d", "a"],
  [undefined, "?package_id=d&uuid=c&id=b", "b"],
  [undefined, "?package_id=d&uuid=c", "c"],
  [undefined, "?id=&uuid=c", "c"],
  [undefined, "?package_id=d", "d"],
  [undefined, "", ""],
  ["x".repeat(101), "", "x".repeat(100)],
])("the package id of the path %j and the query %j is %j", (path, query, id) => {
  expect(packageIdOf(`https://site.example/subscription${query}`, path)).toBe(id);
});

const phone = subscriptionRequest.shape.phone;

/** What the field shows after it is left, the digits that are sent, and what was typed. */
test.each<[shown: string, sent: string, ...typed: string[]]>([
  ["(212) 555-0123", "2125550123", "212-555-0123", "(212) 555 0123", "212.555.0123", "212–555–0123", "٢١٢٥٥٥٠١٢٣"],
  ["(212) 555-0123", "2125550123", "212.555.0123 ext. 45", "212-555-0123 x45", "212 555 0123, Ext 45", "𝟚𝟙𝟚𝟝𝟝𝟝𝟘𝟙𝟚𝟛"],
  ["(212) 555-0123", "2125550123", "212 555 0123 #45", "२१२५५५०१२३"],
  ["+1 (212) 555-0123", "12125550123", "12125550123", "+1 212 555 0123", "011 1 212 555 0123", "1 212 555 0123;ext=45"],
  ["+1 (212) 555-0123", "12125550123", "\u202a+1 (212) 555‑0123\u202c", "＋１ ２１２ ５５５ ０１２３"],
  ["+45 201 23456", "004520123456", "+45 20 12 34 56", "0045 20 12 34 56"],
  ["+44 207 946 0958", "442079460958", "+44 20 7946 0958", "(+44) 20 7946 0958", "+44 (0)20 7946 0958", "442079460958"],
  ["+44 207 946 0958", "442079460958", "0044 20 7946 0958", "011 44 20 7946 0958", "+۴۴ ۲۰ ۷۹۴۶ ۰۹۵۸"],
  ["+353 123 45678", "35312345678", "+353 1 234 5678"],
  ["+212 555 012 345", "212555012345", "+212 555-012345"],
  ["+1 234 567 890 12345", "123456789012345", "+123456789012345"],
  ["Office: 212 555 0123", "2125550123", "Office: 212 555 0123"],
  ["0113 496 0000", "01134960000", "0113 496 0000"],
  ["011 91234-5678", "011912345678", "011 91234-5678"],
  ["2125550123/24", "212555012324", "2125550123/24"],
  ["00000000000000", "00000000000000", "00000000000000"],
])("the phone number %s is sent as %s if it is typed as %s", (shown, sent, ...typed) => {
  for (const one of typed) expect([one, formatPhone(one), phone.parse(one)]).toEqual([one, shown, sent]);
  // Neither formatting nor reading changes a number that has been formatted or read.
  expect([formatPhone(shown), phone.parse(shown), phone.parse(sent)]).toEqual([shown, sent, sent]);
});

test.each([
  ["DE", "DE|de|DEU|Germany|germany| GERMANY "],
  ["US", "USA|U.S.|U. S. A.|us|United States|The United States of America|America"],
  ["GB", "UK|U.K.|GB|Great Britain|England|Scotland|Wales|Northern Ireland"],
  ["NL", "Holland|The Netherlands|NL"],
  ["KR", "South Korea|Republic of Korea|Korea, Republic of"],
  ["CI", "Côte d’Ivoire|Cote d'Ivoire|Ivory Coast"],
  ["TT", "Trinidad and Tobago|Trinidad & Tobago"],
  ["LC", "Saint Lucia|St. Lucia|St Lucia"],
  ["CZ", "Czech Republic|Czechia"],
  ["XK", "Kosovo|XK"],
  ["HK", "Hong Kong|HKG"],
  ["CG", "Republic of the Congo"],
  ["CD", "Democratic Republic of the Congo"],
  ["", "|..|the|Nowhere|XX|ZZ|EU|Europe|Congo|Germany, Europe|constructor|__proto__|Deutschland|日本"],
])("the country %s is recognized as %s", (code = "", typed = "") => {
  for (const text of typed.split("|")) expect([text, countryCode(text) ?? ""]).toEqual([text, code]);
});

test("every country's English name is recognized as that country, and fits the form's length limit", () => {
  const names = countryNames();
  const codes = new Set(names.map(countryCode));
  expect([names.length, codes.size, codes.has(undefined)]).toEqual([250, 250, false]);
  expect(names.slice(0, 3)).toEqual(["Afghanistan", "Åland Islands", "Albania"]);
  expect(names.filter((name) => messages({ country: name }).country)).toEqual([]);
});
