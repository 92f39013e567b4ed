import { accessibilityProblems } from "./accessibility";
import { PLAN, signup } from "./sign-up";
import { expect, test } from "./stack";

test.describe("with JavaScript", () => {
  test("the whole sign-up, with a reload at each step, ends in the database", async ({ page, stack }) => {
    const visitor = signup(page);
    await page.goto(PLAN);
    await expect(page.getByText("$500 a month").first()).toBeVisible();
    await visitor.fillForm();
    await expect(page.getByLabel("Phone Number")).toHaveValue("(212) 555-0123");
    await visitor.submit();
    await expect(page.getByText("Subscription Data Saved!")).toBeVisible();
    await page.reload();
    await visitor.pay("4242424242424242");
    await expect(page.getByText("Card Successful!")).toBeVisible();
    await expect(page.getByText("subscription Successful!", { exact: true })).toBeVisible();
    await visitor.succeeded();
    await page.reload();
    await visitor.succeeded();

    const database = await stack.api.mf.getD1Database("DB");
    const row = database.prepare("SELECT * FROM sign_ups WHERE email = ?").bind(visitor.email);
    await expect
      .poll(() => row.first())
      .toMatchObject({ phone: "2125550123", full_name: "Ada Lovelace", status: "trialing" });
  });

  test("a declined card keeps the step, and another card goes on", async ({ page }) => {
    const visitor = signup(page);
    await page.goto(PLAN);
    await visitor.fillForm();
    await visitor.submit();
    await visitor.pay("4000000000000002");
    await expect(page.getByRole("alert")).toContainText("Payment Failed");
    await expect(page.getByRole("alert")).toContainText("Your card was declined.");
    await visitor.pay("4242424242424242");
    await visitor.succeeded();
  });

  test("authentication by redirect ends in the same success, and in the same step when it fails", async ({ page }) => {
    const visitor = signup(page);
    await page.goto(PLAN);
    await visitor.fillForm();
    await visitor.submit();
    await visitor.pay("4000002500003155");
    await page.getByRole("button", { name: /fail/i }).click();
    await expect(page.getByRole("alert")).toContainText("Payment Failed");
    expect(page.url()).not.toContain("secret");
    await visitor.pay("4000002500003155");
    await page.getByRole("button", { name: /complete/i }).click();
    await visitor.succeeded();
    expect(page.url()).not.toContain("secret");
  });

  test("messages come on blur, then while typing; the first wrong field is focused", async ({ page }) => {
    await page.goto(PLAN);
    const email = page.getByLabel("Email Address");
    await expect(page.getByRole("button", { name: "Show password", exact: true })).toBeVisible();
    await email.fill("Ada @");
    await expect(email).toHaveValue("ada@");
    await email.blur();
    await expect(page.getByText("Please enter a valid email address")).toBeVisible();
    await email.press("End");
    await email.pressSequentially("example.com");
    await expect(page.getByText("Please enter a valid email address")).toBeHidden();
    await signup(page).submit();
    await expect(page.getByLabel("Contact Name")).toBeFocused();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test("a submit while offline keeps everything typed", async ({ page, context }) => {
    const visitor = signup(page);
    await page.goto(PLAN);
    await expect(page.getByRole("button", { name: "Show password", exact: true })).toBeVisible();
    await visitor.fillForm();
    await context.setOffline(true);
    await visitor.submit();
    await expect(page.getByRole("alert")).toContainText("Connection Failed");
    await expect(page.getByLabel("Password", { exact: true })).toHaveValue("Passw0rd !");
    await context.setOffline(false);
    await visitor.submit();
    await expect(page.getByText("Subscription Data Saved!")).toBeVisible();
  });

  test("a provider script that does not load gets a message and Retry", async ({ page }) => {
    const visitor = signup(page);
    await page.route("**/stripe.js", (route) => route.abort());
    await page.goto(PLAN);
    await visitor.fillForm();
    await visitor.submit();
    await expect(page.getByRole("alert")).toContainText("could not be loaded");
    await page.unroute("**/stripe.js");
    await page.getByRole("button", { name: "Retry" }).click();
    await visitor.pay("4242424242424242");
    await visitor.succeeded();
  });

  test("the card step has no accessibility problems and can be left by Start over", async ({ page }) => {
    const visitor = signup(page);
    await page.goto(PLAN);
    await visitor.fillForm();
    await visitor.submit();
    await expect(page.getByRole("button", { name: "Pay", exact: true })).toBeEnabled();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Start over" }).click();
    await expect(page.getByRole("heading", { name: "Subscription Information" })).toBeVisible();
    await expect(page.getByLabel("Contact Name")).toHaveValue("");
    const heading = page.getByRole("heading", { level: 1 });
    await expect(heading).toBeFocused();
    await expect(heading).toBeInViewport();
  });

  test("the form is sent with the keyboard alone", async ({ page }) => {
    const visitor = signup(page);
    await page.goto(PLAN);
    await visitor.fillForm();
    await page.getByLabel("Country").press("Tab");
    await expect(page.getByRole("button", { name: "Payment" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page.getByText("Subscription Data Saved!")).toBeVisible();
    await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  });
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("the form comes back with its values, then leads to the card step and on to another device", async ({
    page,
    browser,
  }) => {
    const visitor = signup(page);
    await page.goto(PLAN);
    await visitor.fillForm();
    await page.getByLabel("ZIP Code").fill("1");
    await visitor.submit();
    await expect(page).toHaveTitle(/^Error: /);
    await expect(page.getByRole("region", { name: "There is a problem" })).toBeFocused();
    await page.getByRole("link", { name: "ZIP code must be at least 5 characters" }).click();
    await expect(page.getByLabel("ZIP Code")).toBeFocused();
    await expect(page.getByLabel("Contact Name")).toHaveValue("Ada Lovelace");
    await expect(page.getByLabel("Password", { exact: true })).toHaveValue("");
    await visitor.fillForm();
    await visitor.submit();
    await expect(page.getByText("Entering a card needs JavaScript")).toBeVisible();
    await expect(page.getByAltText(/QR code/)).toBeVisible();
    const link = await page.getByRole("link", { name: "Link to continue this sign-up" }).getAttribute("href");

    const device = await browser.newContext({ javaScriptEnabled: true });
    const elsewhere = await device.newPage();
    await elsewhere.goto(link ?? "");
    await expect(elsewhere.getByText("Analytical Engines")).toBeVisible();
    await elsewhere.frameLocator("iframe[title='Secure payment input frame']").getByLabel("Card number").waitFor();
    await device.close();
  });
});
