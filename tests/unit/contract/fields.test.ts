import { describe, expect, test } from "vitest";
import { formatPhone } from "../../../app/contract/fields/phone";
import { signupForm, toRequest } from "../../../app/signup/form-schema";
import { messagesFor, validForm } from "./field-messages";

/* The fields' rules and messages, the same in the site's form and in the API's request. */

const PACKAGE_ID = "C7E2D9A4-61B8-4F0A-A3D5-1E8F5B90C430";
/** In the second part of an address, labels of one letter. */
const labels = (count: number) => "b.".repeat(count);

test.each([
  { field: "package_id", value: undefined },
  { field: "package_id", value: null },
  { field: "package_id", value: "" },
  { field: "package_id", value: PACKAGE_ID },
  { field: "email", value: "a.b+c@mail.example.co" },
  { field: "email", value: " Ada@Example.COM " },
  { field: "email", value: `${"a".repeat(64)}@example.com` },
  { field: "email", value: `a@${labels(125)}cc` },
  { field: "phone", value: "0113 496 0000" },
  { field: "phone", value: "123456789012345" },
  { field: "password", value: "Passw0r!" },
  { field: "password", value: "  P\u00e4ssw0rd\u0301 " },
  { field: "password", value: `aA1!${"x".repeat(252)}` },
  { field: "company_name", value: "Booking.com Ltd" },
  { field: "company_name", value: "Awww.Cute" },
  { field: "company_name", value: "www. GmbH" },
  { field: "company_name", value: "Smith // Sons Inc." },
  { field: "company_name", value: "https: the company" },
  { field: "company_name", value: "a//b" },
  { field: "company_name", value: "3M" },
  { field: "company_name", value: "O\u2019Neil & S\u00f6hne" },
  { field: "company_name", value: "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645" },
  { field: "city", value: "e\u0301".repeat(80) },
  { field: "zipCode", value: "62701" },
  { field: "zipCode", value: " 12345-6789 " },
])("the field $field takes $value", ({ field, value }) => {
  const confirmation = field === "password" ? { confirmPassword: value } : {};
  expect(messagesFor({ [field]: value, ...confirmation })).toEqual({});
});

type Refusal = { field: string; message: string; values: unknown[] };
const REFUSALS: Refusal[] = [
  { field: "package_id", message: "Invalid subscription ID", values: ["mini"] },
  {
    field: "email",
    message: "Please enter a valid email address",
    values: [
      undefined,
      "ada@",
      `a@${labels(125)}ccc`,
      `${"a".repeat(65)}@example.com`,
      "a@b.co\r\nBcc:x@y.z",
      "\uff41da@example.com",
      "ada\uff20example.com",
      "\u0430da@example.com",
    ],
  },
  { field: "phone", message: "Phone number is required", values: [undefined, "", "call me", "+"] },
  {
    field: "phone",
    message: "Phone number must be 10-15 digits",
    values: [
      "555-0123",
      "212555012",
      "+45 20 12 34",
      "1-800-FLOWERS",
      "1234567890123456",
      "212 555 0123 / 212 555 0124",
    ],
  },
  {
    field: "phone",
    message: "Please enter a valid phone number",
    values: [
      "1125550123",
      "2120550123",
      "2121550123",
      "+1 112 555 0123",
      "+1 212 055 0123",
      "+1 212 155 0123",
      "+1 212 555 012",
      "06 12 34 56 78",
    ],
  },
  { field: "password", message: "Password must be at least 8 characters", values: [undefined, "Pa0 !xx"] },
  { field: "password", message: "Password must be at most 256 characters", values: [`aA1!${"x".repeat(253)}`] },
  { field: "password", message: "Password must contain at least one uppercase letter", values: ["passw0rd !"] },
  { field: "password", message: "Password must contain at least one lowercase letter", values: ["PASSW0RD !"] },
  { field: "password", message: "Password must contain at least one number", values: ["Password !"] },
  { field: "password", message: "Password must contain at least one special character", values: ["Passw0rdxx"] },
  { field: "password", message: "Password must not contain unreadable characters", values: ["Passw0rd!\ufffd"] },
  { field: "full_name", message: "Contact name must be at least 2 characters", values: [" x ", "e\u0301"] },
  { field: "full_name", message: "Contact name must contain visible characters", values: ["\u200b\u200b"] },
  {
    field: "company_name",
    message: "Company name must contain visible characters",
    values: ["\u2060\ufeff\u200d", "\u3164\u115f", "\u2800\u2800", "\u{e0061}\u00ad \u034f"],
  },
  {
    field: "company_name",
    message: "Company name must not contain a web address",
    values: [
      "Ada HTTPS://evil.test",
      "\uff48\uff54\uff54\uff50\uff1a\uff0f\uff0fevil.test",
      "ht\u200btp:/\u2060/evil.test",
      "ftp://evil.test",
      "Ada //evil.test/free",
      "see (WWW.evil.test)",
      "ww\u200bw.evil.test",
    ],
  },
  { field: "zipCode", message: "ZIP code must be at least 5 characters", values: [undefined, "1234"] },
  {
    field: "zipCode",
    message: "Please enter a valid ZIP code",
    values: ["1234x", "627011", "12345 6789", "123456789", "12345-678", "12345-67890"],
  },
];
const refused = REFUSALS.flatMap(({ values, ...rest }) => values.map((value) => ({ ...rest, value })));

test.each(refused)("the field $field answers $value with its message", ({ field, value, message }) => {
  const confirmation = field === "password" ? { confirmPassword: value } : {};
  expect(messagesFor({ [field]: value, ...confirmation })).toEqual({ [field]: [message] });
});

test.each(refused.filter(({ field }) => field === "phone"))("a refused phone number stays as typed: $value", (row) => {
  expect(formatPhone(String(row.value))).toBe(String(row.value));
});

describe.each([
  { field: "full_name", label: "Contact name", min: 2, max: 100 },
  { field: "company_name", label: "Company name", min: 2, max: 100 },
  { field: "address", label: "Street address", min: 5, max: 150 },
  { field: "city", label: "City", min: 2, max: 80 },
  { field: "state", label: "State", min: 2, max: 80 },
  { field: "country", label: "Country", min: 2, max: 60 },
])("the field $field", ({ field, label, min, max }) => {
  const messageFor = (value: string) => messagesFor({ [field]: value })[field]?.[0];

  test(`has at least ${min} characters`, () => {
    expect(messageFor("x".repeat(min))).toBeUndefined();
    expect(messageFor("x".repeat(min - 1))).toBe(`${label} must be at least ${min} characters`);
  });

  test(`has at most ${max} characters`, () => {
    expect(messageFor("x".repeat(max))).toBeUndefined();
    expect(messageFor("x".repeat(max + 1))).toBe(`${label} must be at most ${max} characters`);
  });

  // The first and the last of each range of characters that no text has.
  test.each([
    { what: "the first control character", character: "\u0000" },
    { what: "a carriage return", character: "\r" },
    { what: "a line feed", character: "\n" },
    { what: "the last control character of ASCII", character: "\u001f" },
    { what: "a delete", character: "\u007f" },
    { what: "the last control character", character: "\u009f" },
    { what: "a line separator", character: "\u2028" },
    { what: "a paragraph separator", character: "\u2029" },
    { what: "the first bidirectional embedding", character: "\u202a" },
    { what: "the last bidirectional override", character: "\u202e" },
    { what: "the first bidirectional isolate", character: "\u2066" },
    { what: "the last bidirectional isolate", character: "\u2069" },
    { what: "a high surrogate alone", character: "\ud800" },
    { what: "a low surrogate alone", character: "\udfff" },
    { what: "the replacement of invalid UTF-8", character: "\ufffd" },
  ])("does not take $what", ({ character }) => {
    const unreadable = `${label} must not contain control or unreadable characters`;
    expect(messageFor(`Ada${character}Ada`)).toBe(unreadable);
  });

  test("takes the letters of any language, and the characters beside unreadable ones", () => {
    expect(messageFor("Az3 éß李\u2027\u202f\u206a\ufffc.'-&x")).toBeUndefined();
  });
});

describe("the confirmation of the password", () => {
  const MISMATCH = ["Passwords do not match"];

  test("must equal the password", () => {
    expect(messagesFor({ confirmPassword: "another" })).toEqual({ confirmPassword: MISMATCH });
  });

  test("is required", () => {
    expect(messagesFor({ confirmPassword: undefined })).toEqual({ confirmPassword: MISMATCH });
  });

  test("is compared even while another field is invalid", () => {
    const city = ["City must be at least 2 characters"];
    expect(messagesFor({ confirmPassword: "another", city: undefined })).toEqual({ confirmPassword: MISMATCH, city });
  });

  test("is compared even while the password itself is invalid", () => {
    expect(messagesFor({ password: "short", confirmPassword: "other" })).toMatchObject({ confirmPassword: MISMATCH });
  });

  test("has no message in addition to a missing password's", () => {
    const password = ["Password must be at least 8 characters"];
    expect(messagesFor({ password: undefined, confirmPassword: undefined })).toEqual({ password });
  });
});

describe("the request to the API", () => {
  const requestFor = (typed: Record<string, string>) => toRequest(signupForm.parse({ ...validForm, ...typed }));

  test("has the contract's keys and no other", () => {
    const { confirmPassword: _, ...contract } = validForm;
    const keys = Object.keys(requestFor({ role: "admin", package_id: PACKAGE_ID }));
    expect(keys.sort()).toEqual(["package_id", ...Object.keys(contract)].sort());
  });

  test("has the exact password", () => {
    const password = "  Pässw0rd\u0301 ";
    expect(requestFor({ password, confirmPassword: password })).toMatchObject({ password });
  });

  test.each([
    { field: "email", typed: " Ada@Example.COM ", sent: "ada@example.com" },
    { field: "full_name", typed: "  Zoe\u0308  ", sent: "Zo\u00eb" },
    { field: "package_id", typed: PACKAGE_ID, sent: PACKAGE_ID.toLowerCase() },
    { field: "phone", typed: "(212) 555-0123", sent: "2125550123" },
  ])("has the field $field in its normal form", ({ field, typed, sent }) => {
    expect(requestFor({ [field]: typed })).toHaveProperty(field, sent);
  });
});
