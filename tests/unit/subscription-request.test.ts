import { describe, expect, test } from "vitest";
import { signupForm, toRequest } from "../../app/signup/form/form-schema";

const valid = {
  full_name: "Ada Lovelace",
  company_name: "Analytical Engines",
  email: "ada@example.com",
  phone: "(212) 555-0123",
  password: "Passw0rd !",
  confirmPassword: "Passw0rd !",
  address: "1 Example Street",
  city: "Springfield",
  state: "IL",
  zipCode: "62701",
  country: "United States",
};

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

describe("the sign-up's rules", () => {
  test("a valid form has no messages", () => expect(messages({})).toEqual({}));

  test.each([
    ["package_id", "mini", "Invalid subscription ID", "V2"],
    ["email", "ada@", "Please enter a valid email address", "V3"],
    ["email", undefined, "Please enter a valid email address", "V3"],
    ["email", "a@b.co\r\nBcc:x@y.z", "Please enter a valid email address", "V3"],
    ["email", `${"a".repeat(15_000)}@example.com`, "Please enter a valid email address", "V3"],
    ["email", "\uff41da@example.com", "Please enter a valid email address", "V3"],
    ["phone", undefined, "Phone number is required", "V7"],
    ["phone", "", "Phone number is required", "V7"],
    ["phone", "12345", "Phone number must be 10-15 digits", "V7"],
    ["phone", "212555012", "Phone number must be 10-15 digits", "V7"],
    ["phone", "1234567890123456", "Phone number must be 10-15 digits", "V7"],
    ["phone", "1125550123", "Please enter a valid phone number", "V8"],
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
    ["company_name", "x", "Company name must be at least 2 characters", "V10"],
    ["full_name", " x ", "Contact name must be at least 2 characters", "V10"],
    ["address", "1 St", "Street address must be at least 5 characters", "V10"],
    ["city", undefined, "City must be at least 2 characters", "V10"],
    ["state", "", "State must be at least 2 characters", "V10"],
    ["country", "U", "Country must be at least 2 characters", "V10"],
    ["zipCode", "123", "ZIP code must be at least 5 characters", "V11"],
    ["zipCode", "1234x", "Please enter a valid ZIP code", "V11"],
    ["zipCode", "12345-678", "Please enter a valid ZIP code", "V11"],
  ])("%s %j: %s [%s]", (name, value, message, _row) => {
    expect(messages({ [name]: value, ...(name === "password" && { confirmPassword: value }) })).toEqual({
      [name]: [message],
    });
  });

  test.each([
    ["package_id", undefined, "V2"],
    ["package_id", "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430", "V2"],
    ["email", "a.b+c@mail.example.co", "V3"],
    ["password", "Passw0r!", "V5"],
    ["phone", "123456789012345", "V7"],
    ["phone", "+1 (212) 555-0123", "V8"],
    ["phone", "+44 101 946 0958", "V8"],
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

  test.each(["Ada\nLovelace", "Ada\u202eLovelace", "Ada\u0000"])("the name %j cannot be used", (full_name) => {
    expect(messages({ full_name })).toEqual({
      full_name: ["Contact name contains characters that cannot be used"],
    });
  });

  test("a repeated password that differs is said beside it, also while other fields are wrong [V6]", () => {
    expect(messages({ confirmPassword: "another", city: undefined })).toEqual({
      confirmPassword: ["Passwords do not match"],
      city: ["City must be at least 2 characters"],
    });
  });

  test("the request has the contract's keys, digits, a normal e-mail, and the password byte for byte [V9]", () => {
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
