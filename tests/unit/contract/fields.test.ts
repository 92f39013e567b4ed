import { describe, expect, test } from "vitest";
import { type FormField, formFields } from "../../../app/contract/fields/form-fields";
import { signupForm, toRequest } from "../../../app/signup/form-schema";
import { REFUSED } from "../../support/refused-values";
import { ACCEPTED } from "../../support/typed-values";
import { messagesFor, sentFor, validForm } from "./field-messages";

/* The fields' rules and messages, the same in the site's form and in the API's request. */

const FIELDS: Partial<Record<string, FormField>> = formFields;
const shownValue = (field: string, value: string) => FIELDS[field]?.format?.(value) ?? value;
const PACKAGE_ID = "C7E2D9A4-61B8-4F0A-A3D5-1E8F5B90C430";

test.each(ACCEPTED)("the field $field takes $typed and sends $sent", ({ field, typed, sent }) => {
  expect(messagesFor({ [field]: typed })).toEqual({});
  expect(sentFor(field, typed)).toBe(sent);
});

test.each(ACCEPTED)("the field $field shows $typed as it is sent", ({ field, typed, sent, shown = sent }) => {
  expect(shownValue(field, typed)).toBe(shown);
  expect(shownValue(field, shown), "once more").toBe(shown);
  expect(sentFor(field, shown), "what is shown").toBe(sent);
  expect(sentFor(field, sent), "what was sent").toBe(sent);
});

test.each(REFUSED)("the field $field answers $typed with its message", ({ field, typed, message }) => {
  expect(messagesFor({ [field]: typed })).toEqual({ [field]: [message] });
  expect(messagesFor({ [field]: shownValue(field, typed) }), "what the form shows").toEqual({ [field]: [message] });
});

test.each(REFUSED.filter(({ field }) => field === "phone"))("a refused phone number stays as typed: $typed", (row) => {
  expect(shownValue("phone", row.typed)).toBe(row.typed);
});

test.each([
  { field: "package_id", value: undefined },
  { field: "package_id", value: null },
  { field: "package_id", value: "" },
  { field: "package_id", value: PACKAGE_ID },
  { field: "password", value: "Passw0r!" },
  { field: "password", value: "  P\u00e4ssw0rd\u0301 " },
  { field: "password", value: `aA1!${"x".repeat(252)}` },
])("the field $field takes $value", ({ field, value }) => {
  const confirmation = field === "password" ? { confirmPassword: value } : {};
  expect(messagesFor({ [field]: value, ...confirmation })).toEqual({});
});

type Refusal = { field: string; message: string; values: unknown[] };
const REFUSALS: Refusal[] = [
  { field: "package_id", message: "Invalid subscription ID", values: ["mini"] },
  { field: "email", message: "Please enter a valid email address", values: [undefined] },
  { field: "phone", message: "Phone number is required", values: [undefined] },
  { field: "zipCode", message: "ZIP code must be at least 5 characters", values: [undefined] },
  {
    field: "password",
    message: "Password must be at least 8 characters",
    values: [undefined, "Pa0 !xx", "Pa0 !\u{1f600}\u{1f600}"],
  },
  { field: "password", message: "Password must be at most 256 characters", values: [`aA1!${"x".repeat(253)}`] },
  { field: "password", message: "Password must not contain unreadable characters", values: ["Passw0rd!\ufffd"] },
];
const refused = REFUSALS.flatMap(({ values, ...rest }) => values.map((value) => ({ ...rest, value })));

test.each(refused)("the field $field answers $value with its message", ({ field, value, message }) => {
  const confirmation = field === "password" ? { confirmPassword: value } : {};
  expect(messagesFor({ [field]: value, ...confirmation })).toEqual({ [field]: [message] });
});

describe("the password's classes", () => {
  const ASCII = Array.from({ length: 95 }, (_, nth) => String.fromCharCode(0x20 + nth));
  const CLASSES = [
    { needs: "uppercase letter", others: "aaaa11!!", ascii: /[A-Z]/, beyondAscii: "\u00c4" },
    { needs: "lowercase letter", others: "AAAA11!!", ascii: /[a-z]/, beyondAscii: "\u00e4" },
    { needs: "number", others: "AAaaaa!!", ascii: /[0-9]/, beyondAscii: "\u0663" },
    { needs: "special character", others: "AAaaaa11", ascii: /[^A-Za-z0-9]/, beyondAscii: undefined },
  ];
  const rows = CLASSES.flatMap(({ ascii, beyondAscii, ...row }) => [
    ...ASCII.map((character) => ({ ...row, character, has: ascii.test(character) })),
    // Only ASCII has letters and numbers here. A letter counts the same composed and decomposed.
    ...(beyondAscii === undefined
      ? ["\u00e4", "a\u0308", "\u0663", "\u20ac"].map((character) => ({ ...row, character, has: true }))
      : [beyondAscii, beyondAscii.normalize("NFD")].map((character) => ({ ...row, character, has: false }))),
  ]);

  test.each(rows)("$character is one $needs: $has", ({ needs, others, character, has }) => {
    const password = others + character;
    const message = `Password must contain at least one ${needs}`;
    const messages = messagesFor({ password, confirmPassword: password });
    expect(messages).toEqual(has ? {} : { password: [message] });
  });
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

  // The first and last character of each refused range.
  test.each([
    { what: "the first control character", character: "\u0000" },
    { what: "the last control character before a tab", character: "\u0008" },
    { what: "the first control character behind a line end", character: "\u000e" },
    { what: "the last control character of ASCII", character: "\u001f" },
    { what: "a delete", character: "\u007f" },
    { what: "the last control character", character: "\u009f" },
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

  test("has one space for each run of white space", () => {
    const WHITE_SPACE = " \t\n\v\f\r\u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000";
    for (const space of [WHITE_SPACE, ...WHITE_SPACE])
      expect(sentFor(field, `${space}Ada${space}Ada${space}`), JSON.stringify(space)).toBe("Ada Ada");
  });

  test("takes the letters of any language, and the characters beside unreadable ones", () => {
    expect(messageFor("Az3 éß李\u2027\u206a\ufffc.'-&x")).toBeUndefined();
  });
});

describe("the confirmation of the password", () => {
  const MISMATCH = ["Passwords do not match"];

  test("must equal the password", () => {
    expect(messagesFor({ confirmPassword: "another" })).toEqual({ confirmPassword: MISMATCH });
  });

  test.each([
    { password: "Gr\u00fc\u00dfe-2026x", confirmPassword: "Gru\u0308\u00dfe-2026x" },
    { password: "Gru\u0308\u00dfe-2026x", confirmPassword: "Gr\u00fc\u00dfe-2026x" },
    { password: "\u1ec7-Passw0rd", confirmPassword: "e\u0323\u0302-Passw0rd" },
  ])("may be typed on another keyboard, composed or decomposed", (passwords) => {
    expect(messagesFor(passwords)).toEqual({});
  });

  test.each([
    { password: "Passw0rd !", confirmPassword: "Passw0rd ! " },
    { password: "Passw0rd !", confirmPassword: "Passw0rd\u00a0!" },
    { password: "Passw0rd!1", confirmPassword: "Passw0rd!\uff11" },
    { password: "Passw0rd \ufb01", confirmPassword: "Passw0rd fi" },
  ])("differs by $confirmPassword from $password", (passwords) => {
    expect(messagesFor(passwords)).toEqual({ confirmPassword: MISMATCH });
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

  test("has the exact password from the first field", () => {
    const password = "  Pa\u0308ssw0rd\u0301 ";
    expect(requestFor({ password, confirmPassword: password.normalize("NFC") })).toMatchObject({ password });
  });

  test("has the package ID in lowercase", () => {
    expect(requestFor({ package_id: PACKAGE_ID })).toMatchObject({ package_id: PACKAGE_ID.toLowerCase() });
  });
});
