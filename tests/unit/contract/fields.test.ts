import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { acrossFields } from "../../../app/contract/fields/form-fields";
import { packageIdOf } from "../../../app/contract/fields/package-id";
import { subscriptionRequest } from "../../../app/contract/subscription-request";
import { signupForm, toRequest } from "../../../app/signup/form-schema";
import { fields } from "../../support/visitors/site-visitor";

/* The site's form and the API's request have the same rules. Phone numbers: phone.test.ts. */

const { package_id: _, ...valid } = fields;

type Messages = Record<string, string[]>;

function messagesOf(error: z.core.$ZodError | undefined): Messages {
  const found: Messages = {};
  for (const { path, message } of error?.issues ?? []) {
    const name = String(path[0]);
    found[name] = [...(found[name] ?? []), message];
  }
  return found;
}

/** The messages for a form with some other values, which the API gives too. */
function messages(change: Record<string, unknown>): Messages {
  const { confirmPassword, ...form } = messagesOf(signupForm.safeParse({ ...valid, ...change }).error);
  expect(messagesOf(subscriptionRequest.safeParse({ ...valid, ...change }).error)).toEqual(form);
  return { ...form, ...(confirmPassword && { confirmPassword }) };
}

const PASSWORD_SHORT = "Password must be at least 8 characters";
const EMAIL = "Please enter a valid email address";
const ZIP = "Please enter a valid ZIP code";

const REFUSED: [field: string, value: unknown, message: string][] = [
  ["package_id", "mini", "Invalid subscription ID"],
  ["email", undefined, EMAIL],
  ["email", "ada@", EMAIL],
  ["email", "a@b.co\r\nBcc:x@y.z", EMAIL],
  ["email", `${"a".repeat(65)}@example.com`, EMAIL],
  ["email", `${"a".repeat(64)}@${"b".repeat(188)}.c`, EMAIL],
  ["email", "\uff41da@example.com", EMAIL],
  ["email", "ada\uff20example.com", EMAIL],
  ["email", "\u0430da@example.com", EMAIL],
  ["phone", undefined, "Phone number is required"],
  ["password", undefined, PASSWORD_SHORT],
  ["password", "Pa0 !xx", PASSWORD_SHORT],
  ["password", "passw0rd !", "Password must contain at least one uppercase letter"],
  ["password", "PASSW0RD !", "Password must contain at least one lowercase letter"],
  ["password", "Password !", "Password must contain at least one number"],
  ["password", "Passw0rdxx", "Password must contain at least one special character"],
  ["password", `aA1!${"x".repeat(253)}`, "Password must be at most 256 characters"],
  ["password", "Passw0rd!\ufffd", "Password must not contain unreadable characters"],
  ["full_name", " x ", "Contact name must be at least 2 characters"],
  ["full_name", "e\u0301", "Contact name must be at least 2 characters"],
  ["zipCode", "123", "ZIP code must be at least 5 characters"],
  ["zipCode", "1234x", ZIP],
  ["zipCode", "627011", ZIP],
  ["zipCode", "12345-678", ZIP],
];

const ACCEPTED: [field: string, value: unknown][] = [
  ["package_id", undefined],
  ["package_id", ""],
  ["package_id", null],
  ["package_id", "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430"],
  ["email", "a.b+c@mail.example.co"],
  ["email", " Ada@Example.COM "],
  ["email", `${"a".repeat(64)}@example.com`],
  ["password", "Passw0r!"],
  ["password", "  P\u00e4ssw0rd\u0301 "],
  ["zipCode", "62701"],
  ["zipCode", "12345-6789"],
  ["city", "e\u0301".repeat(80)],
  ["full_name", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"],
  ["full_name", "O\u2019Neil & S\u00f6hne"],
];

const both = (name: string, value: unknown) => ({
  [name]: value,
  ...(name === "password" && { confirmPassword: value }),
});

test.each(REFUSED)("%s may not be %j: %s", (name, value, message) => {
  expect(messages(both(name, value))).toEqual({ [name]: [message] });
});

test.each(ACCEPTED)("%s may be %j", (name, value) => expect(messages(both(name, value))).toEqual({}));

const TEXTS: [field: string, label: string, min: number, max: number][] = [
  ["full_name", "Contact name", 2, 100],
  ["company_name", "Company name", 2, 100],
  ["address", "Street address", 5, 150],
  ["city", "City", 2, 80],
  ["state", "State", 2, 80],
  ["country", "Country", 2, 60],
];

/** The first and the last of each range of characters that no text has, and a text's usual letters beside them. */
const UNPRINTABLE = "\u0000\r\n\u001f\u007f\u009f\u2028\u2029\u202a\u202e\u2066\u2069\ud800\udfff\ufffd".split("");
const PRINTABLE = ["A", "z", "3", "é", "ß", "李", "\u2027", "\u202f", "\u206a", "\ufffc", ".", "'", "-", "&"];

test.each(TEXTS)("%s has its length and characters, whatever is typed", (name, label, min, max) => {
  const typed = fc.array(
    fc.oneof({ weight: 40, arbitrary: fc.constantFrom(...PRINTABLE) }, fc.constantFrom(...UNPRINTABLE)),
    {
      maxLength: max + 3,
      size: "max",
    },
  );
  fc.assert(
    fc.property(typed, (characters) => {
      // Between two letters, so that nothing is trimmed.
      const value = characters.length < 2 ? "x".repeat(characters.length) : `A${characters.slice(2).join("")}z`;
      const unprintable = `${label} must not contain control or unreadable characters`;
      const expected =
        value.length < min
          ? `${label} must be at least ${min} characters`
          : value.length > max
            ? `${label} must be at most ${max} characters`
            : characters.slice(2).some((character) => UNPRINTABLE.includes(character)) && unprintable;
      expect(messages({ [name]: value })).toEqual(expected ? { [name]: [expected] } : {});
    }),
    { seed: 2026, numRuns: 200 },
  );
});

const LINKS = [
  "Ada HTTPS://evil.test",
  "\uff48\uff54\uff54\uff50\uff1a\uff0f\uff0fevil.test",
  "ht\u200btp:/\u2060/evil.test",
  "https:\u00ad//evil.test",
  "ftp://evil.test",
  "Ada //evil.test/free",
  "see (WWW.evil.test)",
  "ww\u200bw.evil.test",
];
const INVISIBLE = [
  "\u200b\u200b",
  "\u2060\ufeff\u200d",
  "\u3164\u115f",
  "\u2800\u2800",
  "\u{e0061}\u{e0062}",
  "\u00ad \u034f",
];
const NAMES = [
  "Booking.com Ltd",
  "St. John",
  "Node.js Studio",
  "Awww.Cute",
  "www. GmbH",
  "Smith // Sons Inc.",
  "https: the company",
  "a//b",
  "3M",
];

test.each([
  ...LINKS.map((value) => [value, " must not contain a web address"]),
  ...INVISIBLE.map((value) => [value, " must contain visible characters"]),
  ...NAMES.map((value) => [value, ""]),
])("the name %j%s", (value, problem) => {
  const of = (label: string) => [`${label}${problem}`];
  const expected = problem ? { full_name: of("Contact name"), company_name: of("Company name") } : {};
  expect(messages({ full_name: value, company_name: value })).toEqual(expected);
});

test("a mismatched password confirmation is reported even while other fields are invalid", () => {
  const mismatch = ["Passwords do not match"];
  const city = ["City must be at least 2 characters"];
  expect(messages({ confirmPassword: "another", city: undefined })).toEqual({ confirmPassword: mismatch, city });
  expect(messages({ password: "short", confirmPassword: "other" }).confirmPassword).toEqual(mismatch);
  expect(messages({ confirmPassword: undefined })).toEqual({ confirmPassword: mismatch });
  expect(messages({ password: undefined, confirmPassword: undefined })).toEqual({ password: [PASSWORD_SHORT] });
});

test("a rule across several fields is checked even while another field is invalid", () => {
  const german = acrossFields<{ zipCode: string; country: string }>(
    "zipCode",
    ({ zipCode = "", country }) => country !== "Germany" || !zipCode.includes("-"),
    "German postal codes have five digits",
  );
  const form = z.extend(subscriptionRequest.check(german), {});
  for (const [name, value] of REFUSED.filter(([name]) => name !== "zipCode")) {
    const { error } = form.safeParse({ ...valid, zipCode: "12345-6789", country: "Germany", [name]: value });
    expect(Object.keys(messagesOf(error)), `${name} ${value}`).toEqual([name, "zipCode"]);
  }
});

test("the request has the contract's keys, normalized text, only digits in the phone number, and the exact password", () => {
  const id = "C7E2D9A4-61B8-4F0A-A3D5-1E8F5B90C430";
  const password = "  Pässw0rd\u0301 ";
  const typed = { email: " Ada@Example.COM ", full_name: "  Zoe\u0308  ", package_id: id, password, role: "admin" };
  const { confirmPassword: _, ...sent } = valid;
  expect(toRequest(signupForm.parse({ ...valid, ...typed, confirmPassword: password }))).toEqual({
    ...sent,
    package_id: id.toLowerCase(),
    email: "ada@example.com",
    full_name: "Zo\u00eb",
    phone: "2125550123",
    password,
  });
});

test.each([
  ["a", "?id=b&uuid=c&package_id=d", "a"],
  [undefined, "?package_id=d&uuid=c&id=b", "b"],
  [undefined, "?package_id=d&uuid=c", "c"],
  [undefined, "?package_id=d", "d"],
  [undefined, "", ""],
  [undefined, `?id=${"x".repeat(8_000)}`, "x".repeat(100)],
  ["x".repeat(8_000), "", "x".repeat(100)],
])("the package id of the path %j and the query %j is %j", (path, query, id) => {
  expect(packageIdOf(`https://site.example/subscription${query}`, path)).toBe(id);
});
