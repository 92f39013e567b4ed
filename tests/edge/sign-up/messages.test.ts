import { beforeAll, describe, expect, test } from "vitest";
import { type FormPage, openForm } from "../../support/visitors/form-page";
import { fields, type SiteVisitor } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";
import type { Upstream } from "../../support/workers/upstream";

/* What the form says about its fields, to a visitor without a script. */

const CONSOLE_URL = "https://console.test";
const MINI = "/subscription/5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10";
const UNKNOWN = "11111111-2222-4333-8444-555555555555";

let upstream: Upstream;
let visitor: SiteVisitor;

beforeAll(async () => {
  const started = await startVisitedSite({
    vars: { CONSOLE_URL, SUPPORT_EMAIL: "support@brand.test" },
  });
  ({ upstream, visitor } = started);
  return started.dispose;
});

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
  test("say which form they expect before anybody fails, and still do beside a message [V15]", async () => {
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

  test("a number of 16 digits comes back whole, with its message [V7, V14]", async () => {
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
  ])("the number '%s' has the messages %j [V8, V14]", async (phone, messages) => {
    expect((await submitted({ phone, city: "" })).messages("phone")).toEqual(messages);
  });
});

describe("the plan", () => {
  const plan = "aside";

  test("a package id that is no uuid is said on arrival, ahead of the form, with the plans to choose from [S25]", async () => {
    for (const path of ["/subscription/not-a-uuid", "/subscription?id=not-a-uuid"]) {
      const form = openForm(await visitor.get(path));
      expect(form.words(`${plan} h2`)).toBe("Invalid subscription ID");
      const links = [...form.document.querySelectorAll(`${plan} a`)];
      expect(links.map(({ textContent }) => textContent)).toEqual([
        "MINI, $100 a month",
        "LITE, $200 a month",
        "STANDARD, $500 a month",
        "Compare plans",
      ]);
      expect(links[0]?.getAttribute("href")).toBe(MINI);
      expect(form.summary()).toEqual([]);
    }
  });

  test("a form with such an id leads from its summary to the plans [S25]", async () => {
    const form = await submitted({ package_id: "not-a-uuid" });
    expect(form.summary()).toEqual(["Invalid subscription ID"]);
    const link = form.document.querySelector("[aria-labelledby=error-summary] a")?.getAttribute("href") ?? "";
    expect(form.document.querySelector(link)?.textContent).toContain("MINI, $100 a month");
  });

  test("a package id that the site does not know is a custom plan: neither id nor price are shown [S26]", async () => {
    const form = openForm(await visitor.get(`/subscription/${UNKNOWN}`));
    expect(form.words(plan)).toContain("Custom plan");
    expect(form.words("main")).not.toContain(UNKNOWN);
    expect(form.words(plan)).not.toContain("$");
    expect(form.value("package_id")).toBe(UNKNOWN);
  });

  test("a plan that the site knows has its name and its price, before and after the trial [S26]", async () => {
    const form = openForm(await visitor.get(MINI));
    expect(form.words(`${plan} p`)).toBe("MINI $100 a month");
    expect(form.words(`${plan} dl`)).toContain("After 5 days$100 a month, unless you cancel before.");
  });
});

test("the button says what one accepts, with both texts linked [S27]", async () => {
  const { document, words } = openForm(await visitor.get("/subscription"));
  const sentence = "form p:has(+ button)";
  expect(words(sentence)).toBe("By continuing you accept the Terms and the Privacy Policy.");
  const links = [...document.querySelectorAll(`${sentence} a`)];
  expect(links.map((link) => link.getAttribute("href"))).toEqual(["/terms", "/privacy"]);
  expect(links.filter((link) => link.hasAttribute("target"))).toEqual([]);
});

describe("what the API refuses", () => {
  async function refused(status: number): Promise<FormPage> {
    upstream.answersJson(status, {});
    const answer = await visitor.submit();
    expect(answer.status).toBe(status);
    const form = openForm(answer);
    const { password: _, confirmPassword: __, ...kept } = fields;
    for (const [name, value] of Object.entries(kept)) expect(form.value(name), name).toBe(value);
    expect([form.value("password"), form.value("confirmPassword")]).toEqual(["", ""]);
    return form;
  }

  test("409 names the e-mail field and offers the console's login and support, with everything typed kept [M10]", async () => {
    const form = await refused(409);
    const message = "There is already a subscription with this email address";
    expect(form.messages("email")).toEqual([message]);
    expect(form.summary()).toEqual([message]);
    expect(form.document.querySelector("[name=email]")?.getAttribute("aria-invalid")).toBe("true");
    expect(form.words("[role=alert]")).toContain(
      "Submission Failed" + "A subscription with this information already exists.",
    );
    const links = [...form.document.querySelectorAll("[role=alert] a")];
    expect(links.map((link) => [link.textContent, link.getAttribute("href")])).toEqual([
      ["Log in to the Customer Console", CONSOLE_URL],
      ["Contact Support", "mailto:support@brand.test"],
    ]);
  });

  test.each([
    [400, "Invalid subscription data. Please check your information and try again."],
    [422, "Invalid subscription information. Please check your details."],
  ])("%d keeps everything typed but the passwords, and blames no field [M3, S7]", async (status, message) => {
    const form = await refused(status);
    expect(form.words("[role=alert]")).toBe(`Submission Failed${message}`);
    expect(form.summary()).toEqual([]);
  });

  test("a notice has no button to close it where no script runs, and takes the focus of a loaded page [M11]", async () => {
    const { document } = await refused(409);
    expect(document.querySelectorAll(".notice button")).toHaveLength(0);
    expect(document.querySelector("[autofocus]")?.textContent).toContain("Submission Failed");
  });
});
