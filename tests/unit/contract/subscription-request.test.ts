import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { acrossFields } from "../../../app/contract/fields/form-fields";
import { subscriptionRequest } from "../../../app/contract/subscription-request";
import { signupForm, toRequest } from "../../../app/signup/form-schema";
import { fields } from "../../support/visitors/site-visitor";

const { package_id: _, ...valid } = fields;

/** The messages that the form gives for one changed field (left out where undefined). */
function messages(change: Record<string, unknown>): Record<string, string[]> {
  const parsed = signupForm.safeParse({ ...valid, ...change });
  const found: Record<string, string[]> = {};
  for (const issue of parsed.error?.issues ?? []) {
    const name = String(issue.path[0]);
    found[name] = [...(found[name] ?? []), issue.message];
  }
  return found;
}

describe("the sign-up form's rules", () => {
  test("a valid form has no messages", () => expect(messages({})).toEqual({}));

  test.each([
    ["package_id", "mini", "Invalid subscription ID", "V2"],
    ["email", "ada@", "Please enter a valid email address", "V3"],
    ["email", undefined, "Please enter a valid email address", "V3"],
    ["email", "a@b.co\r\nBcc:x@y.z", "Please enter a valid email address", "V3"],
    ["email", `${"a".repeat(15_000)}@example.com`, "Please enter a valid email address", "V3"],
    ["email", `${"a".repeat(64)}@${"b".repeat(188)}.c`, "Please enter a valid email address", "V3"],
    ["email", "\uff41da@example.com", "Please enter a valid email address", "B11"],
    ["email", "ada\uff20example.com", "Please enter a valid email address", "B11"],
    ["email", "ada@example\uff0ecom", "Please enter a valid email address", "B11"],
    ["email", "\u0430da@example.com", "Please enter a valid email address", "B11"],
    ["phone", undefined, "Phone number is required", "V7"],
    ["phone", "", "Phone number is required", "V7"],
    ["phone", "call me", "Phone number is required", "V7"],
    ["phone", "12345", "Phone number must be 10-15 digits", "V7"],
    ["phone", "212555012", "Phone number must be 10-15 digits", "V7"],
    ["phone", "1234567890123456", "Phone number must be 10-15 digits", "V7"],
    ["phone", "1125550123", "Please enter a valid phone number", "V8"],
    ["phone", "0112345678", "Please enter a valid phone number", "V8"],
    ["phone", "0125550123", "Please enter a valid phone number", "V8"],
    ["phone", "11125550123", "Please enter a valid phone number", "V8"],
    ["phone", "2120550123", "Please enter a valid phone number", "V8"],
    ["phone", "+1 212 155 0123", "Please enter a valid phone number", "V8"],
    ["password", undefined, "Password must be at least 8 characters", "V5"],
    ["password", "Pa0 !xx", "Password must be at least 8 characters", "V5"],
    ["password", "passw0rd !", "Password must contain at least one uppercase letter", "V5"],
    ["password", "PASSW0RD !", "Password must contain at least one lowercase letter", "V5"],
    ["password", "Password !", "Password must contain at least one number", "V5"],
    ["password", "Passw0rdxx", "Password must contain at least one special character", "V5"],
    ["password", `aA1!${"x".repeat(253)}`, "Password must be at most 256 characters", "B12"],
    ["password", "Passw0rd!\ufffd", "Password must not contain unreadable characters", "B12"],
    ["company_name", "x", "Company name must be at least 2 characters", "V10"],
    ["full_name", "x".repeat(101), "Contact name must be at most 100 characters", "V10"],
    ["full_name", " x ", "Contact name must be at least 2 characters", "V10"],
    ["address", "1 St", "Street address must be at least 5 characters", "V10"],
    ["city", undefined, "City must be at least 2 characters", "V10"],
    ["state", "", "State must be at least 2 characters", "V10"],
    ["country", "U", "Country must be at least 2 characters", "V10"],
    ["zipCode", "123", "ZIP code must be at least 5 characters", "V11"],
    ["zipCode", "1234x", "Please enter a valid ZIP code", "V11"],
    ["zipCode", "627011", "Please enter a valid ZIP code", "V11"],
    ["zipCode", "12345-678", "Please enter a valid ZIP code", "V11"],
  ])("%s %j: %s [%s]", (name, value, message, _row) => {
    expect(messages({ [name]: value, ...(name === "password" && { confirmPassword: value }) })).toEqual({
      [name]: [message],
    });
  });

  test.each([
    ["package_id", undefined, "V2"],
    ["package_id", "", "V2"],
    ["package_id", null, "V2"],
    ["package_id", "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430", "V2"],
    ["email", "a.b+c@mail.example.co", "V3"],
    ["password", "Passw0r!", "V5"],
    ["phone", "123456789012345", "V7"],
    ["phone", "+1 (212) 555-0123", "V8"],
    ["phone", "+44 101 946 0958", "V8"],
    ["phone", "0044 20 7946 0958", "V9"],
    ["phone", "011 44 20 7946 0958", "V9"],
    ["phone", "00 123 456 789", "V8"],
    ["full_name", "Al", "V10"],
    ["company_name", "3M", "V10"],
    ["city", "Ho", "V10"],
    ["state", "IL", "V10"],
    ["country", "US", "V10"],
    ["address", "1 Elm", "V10"],
    ["zipCode", "12345-6789", "V11"],
  ])("%s may be %j [%s]", (name, value, _row) => {
    expect(messages({ [name]: value, ...(name === "password" && { confirmPassword: value }) })).toEqual({});
  });

  /** The first and the last of each range, and what is in between. */
  const UNPRINTABLE = [
    ["\u0000", "\r", "\n", "\u001f", "\u007f", "\u0085", "\u009f"],
    ["\u2028", "\u2029"],
    ["\u202a", "\u202b", "\u202c", "\u202d", "\u202e"],
    ["\u2066", "\u2067", "\u2068", "\u2069"],
    ["\ud800", "\udbff", "\udc00", "\udfff", "\ufffd"],
  ].flat();

  test.each(UNPRINTABLE)("no field of text has %j in it [B9] [H4]", (character) => {
    const labels = {
      full_name: "Contact name",
      company_name: "Company name",
      address: "Street address",
      city: "City",
      state: "State",
      country: "Country",
    };
    for (const [field, label] of Object.entries(labels)) {
      expect(messages({ [field]: `Ada${character}Lovelace` })).toEqual({
        [field]: [`${label} must not contain control or unreadable characters`],
      });
    }
  });

  test.each(["\u2027", "\u202f", "\u2065", "\u206a", "\u00a0", "\ufffc"])(
    "a name may have %j in it [B9]",
    (character) => {
      expect(messages({ full_name: `Ada${character}Lovelace` })).toEqual({});
    },
  );

  const LINKS = [
    "Ada HTTPS://evil.test",
    "see hTtP://x",
    "\uff48\uff54\uff54\uff50\uff1a\uff0f\uff0fevil.test",
    "ht\u200btp:/\u2060/evil.test",
    "https:\u00ad//evil.test",
    "ftp://evil.test",
    "Ada //evil.test/free",
    "www.evil.test",
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

  test.each([
    ...LINKS.map((value) => [value, "must not contain a web address"]),
    ...INVISIBLE.map((value) => [value, "must contain visible characters"]),
  ])("a name must not be %j: it %s [H4] [H21]", (value, message) => {
    expect(messages({ full_name: value, company_name: value })).toEqual({
      full_name: [`Contact name ${message}`],
      company_name: [`Company name ${message}`],
    });
  });

  test.each([
    "Booking.com",
    "Booking.com Ltd",
    "St. John",
    "Dr.No",
    "A.B.C. Inc",
    "Node.js Studio",
    "Awww.Cute",
    "www. GmbH",
    "Smith // Sons Inc.",
    "HTTP Solutions",
    "https: the company",
    "a//b",
    "\u{1f469}\u200d\u{1f52c} Labs",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "O\u2019Neil & S\u00f6hne",
    "3M",
  ])("accept the name %j [H4, H21]", (value) => {
    expect(messages({ full_name: value, company_name: value })).toEqual({});
  });

  test("an email address has at most 64 characters before the @ [H21]", () => {
    expect(messages({ email: `${"a".repeat(64)}@example.com` })).toEqual({});
    expect(messages({ email: `${"a".repeat(65)}@example.com` })).toEqual({
      email: ["Please enter a valid email address"],
    });
  });

  test("a mismatched password confirmation is reported even while other fields are invalid [V6]", () => {
    expect(messages({ confirmPassword: "another", city: undefined })).toEqual({
      confirmPassword: ["Passwords do not match"],
      city: ["City must be at least 2 characters"],
    });
    expect(messages({ password: "short", confirmPassword: "other" }).confirmPassword).toEqual([
      "Passwords do not match",
    ]);
    expect(messages({ password: undefined }).confirmPassword).toEqual(["Passwords do not match"]);
    expect(messages({ confirmPassword: undefined })).toEqual({ confirmPassword: ["Passwords do not match"] });
    expect(messages({ password: undefined, confirmPassword: undefined })).toEqual({
      password: ["Password must be at least 8 characters"],
    });
  });

  test("a rule across several fields is checked even while other fields are invalid", () => {
    const german = acrossFields<{ zipCode: string; country: string }>(
      "zipCode",
      ({ zipCode = "", country }) => country !== "Germany" || !zipCode.includes("-"),
      "German postal codes have five digits",
    );
    const form = z.extend(subscriptionRequest.check(german), {});
    for (const wrong of [
      { city: "x" },
      { email: "x" },
      { phone: "1" },
      { address: undefined },
      { full_name: "\u0000\u0000" },
    ]) {
      const { error } = form.safeParse({ ...valid, zipCode: "12345-6789", country: "Germany", ...wrong });
      expect(error?.issues.map(({ path }) => path[0])).toEqual([...Object.keys(wrong), "zipCode"]);
    }
  });

  test("text is normalized and trimmed before its length is checked, and a package id is lowercased [B11]", () => {
    const id = "C7E2D9A4-61B8-4F0A-A3D5-1E8F5B90C430";
    const typed = { full_name: "  Zoe\u0308  ", city: "e\u0301".repeat(80), package_id: id };
    const parsed = signupForm.parse({ ...valid, ...typed });
    expect([parsed.full_name, parsed.city, parsed.package_id]).toEqual([
      "Zo\u00eb",
      "\u00e9".repeat(80),
      id.toLowerCase(),
    ]);
    expect(messages({ city: "e\u0301".repeat(81) })).toEqual({ city: ["City must be at most 80 characters"] });
    expect(messages({ full_name: "e\u0301" })).toEqual({ full_name: ["Contact name must be at least 2 characters"] });
  });

  test("the request has the contract's keys, only digits in the phone number, a normalized email address and the exact password [V9]", () => {
    const parsed = signupForm.parse({
      ...valid,
      email: " Ada@Example.COM ",
      password: "  Pässw0rd\u0301 ",
      confirmPassword: "  Pässw0rd\u0301 ",
      role: "admin",
    });
    const { confirmPassword: _, ...sent } = valid;
    expect(toRequest(parsed)).toEqual({
      ...sent,
      email: "ada@example.com",
      phone: "2125550123",
      password: "  Pässw0rd\u0301 ",
    });
  });
});
