import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FormPage, openForm } from "../../support/form-page";
import { type SiteVisitor, siteVisitor } from "../../support/site-visitor";
import { type RunningWorker, startSite } from "../../support/workers";

/* What the form says about its fields, to a visitor without a script. */

let site: RunningWorker;
let visitor: SiteVisitor;

beforeAll(async () => {
  site = await startSite();
  visitor = siteVisitor(site);
});

afterAll(() => site.dispose());

async function submitted(change: Record<string, string>): Promise<FormPage> {
  const answer = await visitor.submit(change);
  expect(answer.status).toBe(422);
  return openForm(answer);
}

describe("passwords that differ are said under the repeated one", () => {
  const MISMATCH = ["Passwords do not match"];

  test.each([
    ["package_id", "mini", "Invalid subscription ID"],
    ["full_name", "x", "Contact name must be at least 2 characters"],
    ["full_name", "x".repeat(101), "Contact name must be at most 100 characters"],
    ["full_name", "Ada\u202eLovelace", "Contact name contains characters that cannot be used"],
    ["company_name", "", "Company name must be at least 2 characters"],
    ["email", "", "Please enter a valid email address"],
    ["email", `${"a".repeat(250)}@example.com`, "Please enter a valid email address"],
    ["email", "nobody", "Please enter a valid email address"],
    ["phone", "", "Phone number is required"],
    ["phone", "12345", "Phone number must be 10-15 digits"],
    ["phone", "1125550123", "Please enter a valid phone number"],
    ["address", "1 St", "Street address must be at least 5 characters"],
    ["city", "x", "City must be at least 2 characters"],
    ["state", "", "State must be at least 2 characters"],
    ["zipCode", "1", "ZIP code must be at least 5 characters"],
    ["zipCode", "627011", "Please enter a valid ZIP code"],
    ["country", "U", "Country must be at least 2 characters"],
  ] as const)("while %s is '%s' [V6]", async (name, value, message) => {
    const form = await submitted({ [name]: value, confirmPassword: "Another pass 1!" });
    expect(form.messages("confirmPassword")).toEqual(MISMATCH);
    expect(form.summary()).toEqual(expect.arrayContaining([message, ...MISMATCH]));
  });

  test("while the password breaks its own rules, or is empty, or the repeated one is [V6]", async () => {
    const short = await submitted({ password: "short", confirmPassword: "other" });
    expect(short.messages("password")).toContain("Password must be at least 8 characters");
    expect(short.messages("confirmPassword")).toEqual(MISMATCH);
    const first = await submitted({ password: "" });
    expect(first.messages("password")).toEqual(["Password must be at least 8 characters"]);
    expect(first.messages("confirmPassword")).toEqual(MISMATCH);
    expect((await submitted({ confirmPassword: "" })).messages("confirmPassword")).toEqual(MISMATCH);
  });

  test("in an empty form only the first password has a message [V6]", async () => {
    const form = openForm(await visitor.post("intent="));
    expect(form.messages("password")).toEqual(["Password must be at least 8 characters"]);
    expect(form.messages("confirmPassword")).toEqual([]);
  });
});

describe("phone and ZIP code", () => {
  test("say which form they expect before anybody fails, and still do beside a message [V13]", async () => {
    for (const form of [openForm(await visitor.get("/subscription")), await submitted({ phone: "1", zipCode: "1" })]) {
      expect(form.hint("phone")).toContain("10 digits");
      expect(form.hint("phone")).toContain("+44 20 7946 0958");
      expect(form.hint("zipCode")).toContain("62701-1234");
      for (const name of ["phone", "zipCode"]) {
        const described = form.document.querySelector(`[name=${name}]`)?.getAttribute("aria-describedby");
        expect(described?.split(" ")).toContain(`signup-${name}-hint`);
      }
    }
  });

  test("a number of 16 digits comes back whole, with its message [V7, V12]", async () => {
    const form = await submitted({ phone: "+1234567890123456" });
    expect(form.messages("phone")).toEqual(["Phone number must be 10-15 digits"]);
    expect(form.value("phone")).toBe("+1234567890123456");
  });

  test.each([
    ["212 555 0123 x45", []],
    ["212 555 0123 ext. 5", []],
    ["212 555 0123 #5", []],
    ["0044 20 7946 0958", []],
    ["011 44 20 7946 0958", []],
    ["212 555 x45678", ["Phone number must be 10-15 digits"]],
    ["0112345678", ["Please enter a valid phone number"]],
    ["00 123 456 789", ["Phone number must be 10-15 digits"]],
  ])("the number '%s' has the messages %j [V8, V12]", async (phone, messages) => {
    expect((await submitted({ phone, city: "" })).messages("phone")).toEqual(messages);
  });
});
