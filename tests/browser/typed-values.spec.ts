import type { Locator } from "@playwright/test";
import { ACCEPTED } from "../support/typed-values";
import { hold, hydrated, PLAN, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";

/* What a visitor types, pastes, composes or lets the browser fill in: the form shows what it sends. */

test.describe("an email address", () => {
  test.beforeEach(async ({ page }) => {
    await page.goto(PLAN);
    await hydrated(page);
  });

  test("loses its spaces and capital letters while it is typed, and the caret stays in its place", async ({ page }) => {
    const email = page.getByLabel("Email Address");
    await email.fill("Ada @");
    await expect(email).toHaveValue("ada@");
    await email.press("Home");
    await email.pressSequentially(" X");
    await expect(email).toHaveValue("xada@");
    await email.pressSequentially("Y");
    await expect(email, "typed behind the X").toHaveValue("xyada@");
  });
});

test.describe("values as people have them", () => {
  test.use({ permissions: ["clipboard-read", "clipboard-write"] });

  const LABELS: Record<string, string> = {
    full_name: "Contact Name",
    company_name: "Company Name",
    email: "Email Address",
    phone: "Phone Number",
    address: "Street Address",
    city: "City",
    zipCode: "ZIP Code",
  };
  const changed = ACCEPTED.map(({ field, typed, sent, shown = sent }) => ({
    label: LABELS[field] ?? "",
    typed,
    shown,
  })).filter(({ typed, shown }) => typed !== shown && typed.length < 50);

  test("are shown as they are sent once they have been pasted", async ({ page }) => {
    await page.goto(PLAN);
    await hydrated(page);
    for (const { label, typed, shown } of changed) {
      await page.evaluate((text) => navigator.clipboard.writeText(text), typed);
      const field = page.getByLabel(label);
      await field.fill("");
      await field.press("ControlOrMeta+V");
      await field.blur();
      await expect(field, JSON.stringify(typed)).toHaveValue(shown);
    }
  });

  test("are sent as they are shown when Enter sends them", async ({ page }) => {
    const posted: URLSearchParams[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") posted.push(new URLSearchParams(request.postData() ?? ""));
    });
    await page.goto(PLAN);
    await hydrated(page);
    await signup(page).fillForm({ "Contact Name": "Ada\tByron", "ZIP Code": "94105 \u2013 1234" });
    const email = page.getByLabel("Email Address");
    await email.fill("MAILTO:visitor@m\u00fcnchen.de,");
    await email.press("Enter");
    await expect(page.getByText("visitor@xn--mnchen-3ya.de")).toBeVisible();
    const [form] = posted;
    expect(form?.get("email")).toBe("visitor@xn--mnchen-3ya.de");
    expect(form?.get("full_name")).toBe("Ada Byron");
    expect(form?.get("zipCode")).toBe("94105-1234");
  });

  test("stay as the browser filled them in until they are sent, and are shown as they are sent", async ({ page }) => {
    await page.goto(PLAN);
    await hydrated(page);
    await signup(page).fillForm();
    const [name, phone] = [page.getByLabel("Contact Name"), page.getByLabel("Phone Number")];
    /** Browsers fill in fields without a focus, a key or a composition. */
    const autofill = (field: Locator, value: string) =>
      field.evaluate((input: HTMLInputElement, text) => {
        input.value = text;
        for (const type of ["input", "change"]) input.dispatchEvent(new Event(type, { bubbles: true }));
      }, value);
    await autofill(name, "Ada  Byron");
    await autofill(phone, "+1 212 555 0123");
    await expect(name).toHaveValue("Ada  Byron");
    await expect(phone).toHaveValue("+1 212 555 0123");
    const { held, release } = await hold(page, "**/*.data*");
    await signup(page).submit();
    await expect.poll(() => held).toHaveLength(1);
    await expect(name).toHaveValue("Ada Byron");
    await expect(phone).toHaveValue("+1 (212) 555-0123");
    release();
    await expect(page.getByText("Signing up Analytical Engines")).toBeVisible();
  });

  test("are left alone while an input method composes them, and cleaned once they are complete", async ({ page }) => {
    await page.goto(PLAN);
    await hydrated(page);
    const email = page.getByLabel("Email Address");
    const keyboard = await page.context().newCDPSession(page);
    const compose = (text: string) =>
      keyboard.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
    await email.fill("@example.com");
    await email.press("Home");
    for (const text of ["\uff21", "\uff21\uff44", "\uff21\uff44\uff41"]) {
      await compose(text);
      await expect(email, "while it is composed").toHaveValue(`${text}@example.com`);
    }
    await keyboard.send("Input.insertText", { text: "\uff21\uff44\uff41" });
    await expect(email).toHaveValue("ada@example.com");
    await email.pressSequentially("1");
    await expect(email, "typed behind the composed text").toHaveValue("ada1@example.com");
  });
});

test("a phone number stays as it is typed until its field is left, and is formatted then", async ({ page }) => {
  await page.goto(PLAN);
  await hydrated(page);
  const phone = page.getByLabel("Phone Number");
  await phone.pressSequentially("+45 20 12 34 56");
  await expect(phone).toHaveValue("+45 20 12 34 56");
  await phone.press("Tab");
  await expect(phone).toHaveValue("+45 201 23456");
  await expect(phone).not.toHaveAttribute("aria-invalid");
});
