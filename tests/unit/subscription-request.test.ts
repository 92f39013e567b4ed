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
    ["package_id", "mini", "Invalid subscription ID"],
    ["email", "ada@", "Please enter a valid email address"],
    ["email", "a@b.co\r\nBcc:x@y.z", "Please enter a valid email address"],
    ["email", `${"a".repeat(15_000)}@example.com`, "Please enter a valid email address"],
    ["email", "\uff41da@example.com", "Please enter a valid email address"],
    ["email", undefined, "Please enter a valid email address"],
    ["phone", undefined, "Phone number is required"],
    ["phone", "", "Phone number is required"],
    ["phone", "12345", "Phone number must be 10-15 digits"],
    ["phone", "1234567890123456", "Phone number must be 10-15 digits"],
    ["phone", "1125550123", "Please enter a valid phone number"],
    ["phone", "2120550123", "Please enter a valid phone number"],
    ["phone", "+1 212 155 0123", "Please enter a valid phone number"],
    ["password", undefined, "Password must be at least 8 characters"],
    ["password", "Pa0 !xx", "Password must be at least 8 characters"],
    ["password", "passw0rd !", "Password must contain at least one uppercase letter"],
    ["password", "PASSW0RD !", "Password must contain at least one lowercase letter"],
    ["password", "Password !", "Password must contain at least one number"],
    ["password", "Passw0rdxx", "Password must contain at least one special character"],
    ["company_name", "x", "Company name must be at least 2 characters"],
    ["full_name", " x ", "Contact name must be at least 2 characters"],
    ["full_name", "Ada\nLovelace", "Contact name contains characters that cannot be used"],
    ["full_name", "Ada\u202eLovelace", "Contact name contains characters that cannot be used"],
    ["full_name", "Ada\u0000", "Contact name contains characters that cannot be used"],
    ["address", "1 St", "Street address must be at least 5 characters"],
    ["city", undefined, "City must be at least 2 characters"],
    ["state", "", "State must be at least 2 characters"],
    ["country", "U", "Country must be at least 2 characters"],
    ["zipCode", "123", "ZIP code must be at least 5 characters"],
    ["zipCode", "1234x", "Please enter a valid ZIP code"],
    ["zipCode", "12345-678", "Please enter a valid ZIP code"],
  ])("%s %j: %s", (name, value, message) => {
    expect(messages({ [name]: value, ...(name === "password" && { confirmPassword: value }) })).toEqual({
      [name]: [message],
    });
  });

  test("a repeated password that differs is said beside it, also while other fields are wrong", () => {
    expect(messages({ confirmPassword: "another", city: undefined })).toEqual({
      confirmPassword: ["Passwords do not match"],
      city: ["City must be at least 2 characters"],
    });
  });

  test("the request has the contract's keys, digits, a normal e-mail, and the password byte for byte", () => {
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
