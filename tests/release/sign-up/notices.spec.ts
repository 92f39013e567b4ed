import type { Page } from "@playwright/test";
import { DUPLICATE, DUPLICATE_EMAIL } from "../../../app/signup/notices";
import { trialClaims } from "../../../functions/subscription-api/limits/trial-claims";
import { LOCAL_SECRETS } from "../../../functions/subscription-api/local-development";
import { cutOff } from "../../browser/support/layout";
import { hydrated, PLAN, signup } from "../../browser/support/sign-up";
import { expect, type Stack, test } from "../../browser/support/stack";

/* Notices and messages are in view, even on the smallest phone in use. */

test.use({ viewport: { width: 375, height: 667 } });

/** An email address that has had its trial, which the API answers with 409. */
async function takenEmail(page: Page, { api }: Stack): Promise<string> {
  const { email } = signup(page);
  const { emailsOf } = trialClaims({ hashSecret: LOCAL_SECRETS.HASH_SECRET, onePerPerson: true });
  for (const hash of emailsOf(email))
    await api.database.prepare("INSERT INTO trial_claims (hash) VALUES (?)").bind(hash).run();
  return email;
}

test("an invalid package id is shown with the plans, and Payment links to it from the error summary", async ({
  page,
}) => {
  await page.goto("/subscription/not-a-uuid");
  const choice = page.getByRole("complementary", { name: "Invalid subscription ID" });
  for (const plan of ["MINI, $100 a month", "LITE, $200 a month", "STANDARD, $500 a month"])
    await expect(choice.getByRole("link", { name: plan })).toBeInViewport({ ratio: 1 });

  await hydrated(page);
  await signup(page).fillForm();
  const summary = page.getByRole("region", { name: "There is a problem" });
  await expect(summary).toBeHidden();
  for (const attempt of ["first", "second"]) {
    await signup(page).submit();
    await expect(summary, attempt).toBeFocused();
    await expect(summary).toBeInViewport({ ratio: 1 });
  }
  await summary.getByRole("link", { name: "Invalid subscription ID" }).click();
  await expect(choice).toBeFocused();
  await expect(choice).toBeInViewport({ ratio: 1 });
  await choice.getByRole("link", { name: "LITE, $200 a month" }).click();
  await expect(page.getByText("5-day free trial, then $200/month")).toBeVisible();
  // Nothing typed is lost, and the form continues with the chosen plan.
  await expect(page.getByLabel("Contact Name")).toHaveValue("Ada Lovelace");
  await expect(summary).toBeHidden();
  await signup(page).submit();
  await expect(page.getByText("Please enter your card info")).toBeVisible();
  await expect(page.getByText("LITE")).toBeVisible();
});

test("the notice for a taken email address is in view, has the focus, covers nothing and can be closed; typing clears the field's message", async ({
  page,
  stack,
}) => {
  const email = await takenEmail(page, stack);
  await page.goto(PLAN);
  await hydrated(page);
  await signup(page).fillForm();
  await page.getByLabel("Email Address").fill(email);
  await page.getByLabel("Company Name").fill("Another Company");
  const button = page.getByRole("button", { name: "Payment" });
  // Scrolls at once, because focusing alone would scroll smoothly.
  await button.evaluate((element) => element.scrollIntoView({ behavior: "instant" }));
  await button.focus();
  await page.keyboard.press("Enter");

  const alert = page.getByRole("alert");
  await expect(alert).toContainText(DUPLICATE);
  await expect(alert).toBeInViewport({ ratio: 1 });
  await expect(alert.locator(".notice")).toBeFocused();
  await expect(alert.getByRole("link", { name: "Log in to the Customer Console" })).toHaveAttribute("href", /^https:/);
  expect(await alert.evaluate((area) => getComputedStyle(area).position)).toBe("static");
  const message = page.getByRole("listitem").filter({ hasText: DUPLICATE_EMAIL });
  await expect(message).toHaveCount(1);
  await expect(page.getByLabel("Email Address")).toHaveAttribute("aria-invalid", "true");
  await page.getByLabel("Email Address").pressSequentially("x");
  await expect(page.locator("#signup-email-error")).toHaveCount(0);

  await alert.getByRole("button", { name: "Close" }).click();
  await expect(alert).toBeEmpty();
  await expect(alert).toBeFocused();
  await button.click();
  await expect(page.getByText("Subscription Data Saved!")).toBeInViewport();
});

test("while a form is being sent its button is disabled and nothing moves; if it fails, the notice gets the focus", async ({
  page,
}) => {
  await page.goto(PLAN);
  await hydrated(page);
  await signup(page).fillForm();
  let posts = 0;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/*.data*", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    posts += 1;
    await held;
    return route.abort("connectionreset");
  });
  const button = page.locator("#signup button[type=submit]");
  await button.evaluate((element) => element.scrollIntoView({ behavior: "instant", block: "center" }));
  await button.focus();
  const place = () => button.evaluate((element) => [scrollY, element.getBoundingClientRect().top]);
  const before = await place();
  await page.keyboard.press("Enter");
  await expect(button).toHaveText("Processing...");
  await expect(button).toBeDisabled();
  await expect(button).toHaveAttribute("aria-busy", "true");
  await expect(button.locator("svg.animate-spin")).toBeVisible();
  const progress = page.getByRole("status");
  await expect(progress).toHaveText("Processing...Submitting your subscription information.");
  await expect(progress).toBeInViewport({ ratio: 1 });
  expect(await place()).toEqual(before);
  await page.keyboard.press("Enter");
  await button.dispatchEvent("click");
  release();
  const notice = page.getByRole("alert").locator(".notice");
  await expect(notice).toContainText("Connection Failed");
  await expect(notice).toBeFocused();
  await expect(notice).toBeInViewport({ ratio: 1 });
  await expect(progress).toBeEmpty();
  expect(posts).toBe(1);
});

test("at 320 px and at 400 % zoom nothing overflows or covers the focused element", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 256 });
  await page.goto("/subscription/not-a-uuid");
  await hydrated(page);
  await page.getByLabel("Company Name").fill("Wirtschaftsprüfungsgesellschaftsverbandsvorsitzende".repeat(2));
  for (const label of ["Email Address", "ZIP Code", "Contact Name", "Street Address"]) {
    const field = page.getByLabel(label);
    await field.focus();
    await expect(field).toBeInViewport({ ratio: 1 });
    const isUncovered = await field.evaluate((input) => {
      const { left, top, width, height } = input.getBoundingClientRect();
      return document.elementFromPoint(left + width / 2, top + height / 2) === input;
    });
    expect(isUncovered, label).toBe(true);
  }
  await page.goto(PLAN);
  const plan = page.getByRole("complementary", { name: "Your plan" });
  expect((await plan.boundingBox())?.height, "few lines").toBeLessThan(130);
  for (const path of ["/subscription/not-a-uuid", PLAN, "/subscription/11111111-2222-4333-8444-555555555555"]) {
    await page.goto(path);
    expect(await cutOff(page)).toEqual([]);
  }
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("the header stays readable over the content that scrolls under it", async ({ page }) => {
    await page.goto("/pricing");
    const background = () => page.locator("header").evaluate((header) => getComputedStyle(header).backgroundColor);
    await page.mouse.wheel(0, 600);
    await expect.poll(background).toMatch(/^rgba\(255, 255, 255, 0\.9\d*\)$/);
  });
});
