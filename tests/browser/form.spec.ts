import { accessibilityProblems, DESKTOP, PHONE } from "./support/faults";
import { hydrated, PLAN, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";

/* The form with scripts while it is filled in, on the smallest phone in use. */

test.use({ viewport: { width: 375, height: 667 } });

test("typing preloads the card form once, and nothing of Stripe", async ({ page }) => {
  const urls: string[] = [];
  page.on("request", (request) => urls.push(request.url()));
  const cardForms = () => urls.filter((url) => url.includes("/build/_shared/stripe-elements-"));
  await page.goto(PLAN);
  await hydrated(page);
  await page.getByLabel("City").fill("Springfield");
  await page.getByLabel("Contact Name").fill("Ada");
  await expect.poll(cardForms).toHaveLength(1);
  await page.waitForLoadState("networkidle");
  expect(cardForms()).toHaveLength(1);
  expect(urls.filter((url) => /stripe\.(js|com)/.test(url))).toEqual([]);
});

const INVALID = {
  "Contact Name": ["A", "Contact name must be at least 2 characters"],
  "Company Name": ["A", "Company name must be at least 2 characters"],
  "Email Address": ["ada@", "Please enter a valid email address"],
  "Phone Number": ["123", "Phone number must be 10-15 digits"],
  Password: ["Aa1", "Password must be at least 8 characters"],
  "Confirm Password": ["other", "Passwords do not match"],
  "Street Address": ["1", "Street address must be at least 5 characters"],
  City: ["A", "City must be at least 2 characters"],
  "State/Province": ["A", "State must be at least 2 characters"],
  "ZIP Code": ["1234", "ZIP code must be at least 5 characters"],
  Country: ["A", "Country must be at least 2 characters"],
};

test("each field shows its message when it is left, until its value is valid", async ({ page }) => {
  await page.goto(PLAN);
  await hydrated(page);
  for (const [label, [value = "", message = ""]] of Object.entries(INVALID)) {
    const field = page.getByLabel(label, { exact: true });
    await field.fill(value);
    await field.blur();
    await expect(field, label).toHaveAccessibleDescription(new RegExp(message));
  }
  await signup(page).fillForm();
  await expect(page.locator("[aria-invalid]")).toHaveCount(0);
  for (const [, message = ""] of Object.values(INVALID)) await expect(page.getByText(message)).toBeHidden();
  await expect(page.getByLabel("Contact Name")).toHaveValue("Ada Lovelace");
});

test.describe("an invalid form", () => {
  test("is not sent, and its first invalid field gets the focus", async ({ page }) => {
    const posts: string[] = [];
    page.on("request", (request) => request.method() === "POST" && posts.push(request.url()));
    await page.goto(PLAN);
    await hydrated(page);
    await signup(page).submit();
    await expect(page.getByLabel("Contact Name")).toBeFocused();
    await expect(page.getByLabel("Contact Name")).toHaveAttribute("aria-invalid", "true");
    expect(posts).toEqual([]);
  });

  test("is accessible on a desktop and on a phone", async ({ page }) => {
    await page.goto(PLAN);
    await hydrated(page);
    await signup(page).submit();
    await expect(page.getByText("Phone number is required")).toBeVisible();
    for (const size of [DESKTOP, PHONE]) {
      await page.setViewportSize(size);
      expect(await accessibilityProblems(page), `${size.width} px`).toEqual([]);
    }
  });
});

test("a preload of the card form that fails changes nothing", async ({ page }) => {
  await page.route(/\/stripe-elements-/, (route) => route.abort());
  await page.goto(PLAN);
  await hydrated(page);
  await page.getByLabel("City").fill("Springfield");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Complete Your Subscription");
});

test("a password can be shown and hidden", async ({ page }) => {
  await page.goto(PLAN);
  const password = page.getByLabel("Password", { exact: true });
  await password.fill("Passw0rd !");
  await page.getByRole("button", { name: "Show password", exact: true }).click();
  await expect(password).toHaveAttribute("type", "text");
  await expect(page.getByLabel("Confirm Password", { exact: true })).toHaveAttribute("type", "password");
  await page.getByRole("button", { name: "Hide password", exact: true }).click();
  await expect(password).toHaveAttribute("type", "password");
  await expect(page.locator("[aria-invalid]"), "the form is not sent").toHaveCount(0);
  await expect(password).toHaveValue("Passw0rd !");
});
