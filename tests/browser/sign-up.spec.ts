import type { Locator } from "@playwright/test";
import { accountWebhooks, stripeStateOf } from "../support/visitors/visitor";
import { accessibilityProblems } from "./support/accessibility";
import { DESKTOP, PHONE } from "./support/layout";
import { CARDS, hydrated, PLAN, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";

const isDrawn = (picture: Locator) =>
  picture.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth > 0);

/* The main journeys to a trial; rarer ones are in tests/release/sign-up/. */

test("the whole sign-up, with a reload at each step, starts a trial, sends its email and creates its account", {
  tag: "@phone",
}, async ({ page, stack }) => {
  const visitor = signup(page);
  const { email } = visitor;
  await page.goto(PLAN);
  await expect(page.getByText("$0 today. Then $500/month after 5 days unless you cancel.")).toBeVisible();
  await visitor.fillForm();
  await expect(page.getByLabel("Phone Number")).toHaveValue("(212) 555-0123");
  await visitor.submit();
  const status = page.getByRole("status");
  await expect(status).toHaveText("Subscription Data Saved!Now proceeding to payment...");
  await expect(page.getByLabel("Contact Name")).toHaveCount(0);
  await page.reload();
  await visitor.pay(CARDS.works);
  await expect(status).toHaveText(
    "Card Successful!Your card has been processed successfully." +
      "subscription Successful!Your subscription has been completed successfully.",
  );
  await visitor.succeeded();
  await page.reload();
  await visitor.succeeded();
  const details = page.getByRole("region", { name: "Subscription Details" });
  await expect(details.getByRole("term")).toHaveText([
    "Company",
    "Contact",
    "Email",
    "Phone",
    "Plan",
    "Trial ends",
    "First payment",
    "Card",
  ]);
  await expect(details.getByRole("definition")).toHaveText([
    "Analytical Engines",
    "Ada Lovelace",
    email,
    "(212) 555-0123",
    "STANDARD, $500 a month after the trial",
    /^\w+ \d+, \d{4} \(UTC\)$/,
    /^\$500\.00 USD, on or after \w+ \d+, \d{4} \(UTC\)$/,
    "Visa ending in 4242",
  ]);
  await expect(page.getByRole("region", { name: "What's Next?" })).toContainText(
    `A confirmation email with details and next steps will be sent to ${email}.`,
  );

  const database = stack.api.database;
  const row = database.prepare("SELECT * FROM sign_ups WHERE email = ?").bind(email);
  await expect
    .poll(() => row.first())
    .toMatchObject({ phone: "2125550123", full_name: "Ada Lovelace", status: "trialing" });
  const end = new Date(String((await row.first())?.trial_end));
  const day = end.toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" });

  const mailbox = `${stack.stripe.url}/mailbox`;
  await expect.poll(async () => (await page.request.get(mailbox)).text()).toContain(email);
  await page.goto(mailbox);
  await page.getByRole("listitem").filter({ hasText: email }).getByRole("link", { name: "has started" }).click();
  await expect(page.getByRole("heading", { name: "Your Citewell trial has started" })).toBeVisible();
  const mail = page.frameLocator("iframe");
  await expect(mail.getByText("Hello Ada Lovelace,")).toBeVisible();
  await expect(
    mail.getByText(`The free trial for Analytical Engines has started and ends on ${day} (UTC).`),
  ).toBeVisible();
  await expect(mail.getByRole("cell", { name: "STANDARD" })).toBeVisible();
  await expect(mail.getByRole("link", { name: "Open the customer console" })).toBeVisible();
  await expect(page.locator("pre")).toContainText("Plan: STANDARD");

  await expect.poll(() => accountWebhooks(stack.stripe, email)).toHaveLength(1);
  await page.goto(`${stack.stripe.url}/console`);
  await expect(page.getByText(email)).toBeVisible();
});

test("every time zone shows the first charge's day and amount as Stripe has them", async ({ page, browser, stack }) => {
  const visitor = signup(page);
  await visitor.signUp();
  await expect(visitor.card.getByLabel("Card number")).toBeVisible();
  /** The page's text in three time zones, with scripts. */
  const seen = async (part: RegExp) => {
    const storageState = await page.context().storageState();
    const found = new Set<string | undefined>();
    for (const timezoneId of ["Pacific/Kiritimati", "Asia/Kolkata", "Pacific/Pago_Pago"]) {
      const context = await browser.newContext({ storageState, timezoneId, baseURL: stack.site.url });
      const other = await context.newPage();
      await other.goto(PLAN, { waitUntil: "networkidle" });
      found.add(part.exec((await other.getByRole("main").textContent()) ?? "")?.[1]);
      await context.close();
    }
    return [...found];
  };
  const atCard = await seen(/charge \$500\.00 USD to your card on or after (\w+ \d+, \d{4} \(UTC\)), and then/);
  await visitor.pay(CARDS.works);
  await visitor.succeeded();
  const atSuccess = await seen(/First payment\s*\$500\.00 USD, on or after (\w+ \d+, \d{4} \(UTC\))/);
  const { subscriptions } = await stripeStateOf(stack.stripe, visitor.email);
  const end = new Date((subscriptions[0]?.trial_end ?? 0) * 1000);
  const day = `${end.toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" })} (UTC)`;
  expect([atCard, atSuccess]).toEqual([[day], [day]]);
});

test("a form sent while offline keeps everything typed, and its notice is in view", async ({ page, context }) => {
  await page.setViewportSize(PHONE);
  const visitor = signup(page);
  await page.goto(PLAN);
  await hydrated(page);
  await visitor.fillForm();
  await context.setOffline(true);
  await visitor.submit();
  const alert = page.getByRole("alert");
  await expect(alert).toHaveText(
    "Connection FailedUnable to connect to the API server. Please check your connection and try again.",
  );
  await expect(alert).toBeInViewport();
  await expect(page.getByLabel("Password", { exact: true })).toHaveValue("Passw0rd !");
  await context.setOffline(false);
  await visitor.submit();
  await expect(page.getByText("Subscription Data Saved!")).toBeVisible();
});

test("field messages appear on blur, then while typing; an invalid form is not sent, and its first invalid field gets the focus", async ({
  page,
}) => {
  const posts: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") posts.push(request.url());
  });
  await page.goto(PLAN);
  const email = page.getByLabel("Email Address");
  await hydrated(page);
  await email.fill("Ada @");
  await expect(email).toHaveValue("ada@");
  await email.blur();
  const message = page.getByText("Please enter a valid email address");
  await expect(message).toBeVisible();
  await expect(email).toHaveAccessibleDescription("Please enter a valid email address");
  const [field, text] = [await email.boundingBox(), await message.boundingBox()];
  expect(text?.y).toBeGreaterThanOrEqual((field?.y ?? Infinity) + (field?.height ?? 0));
  expect(Math.abs((text?.y ?? Infinity) - (field?.y ?? 0) - (field?.height ?? 0))).toBeLessThan(20);
  await email.press("End");
  await email.pressSequentially("example.com");
  await expect(message).toBeHidden();
  // A phone number stays as it is typed until its field is left.
  const phone = page.getByLabel("Phone Number");
  await phone.pressSequentially("+45 20 12 34 56");
  await expect(phone).toHaveValue("+45 20 12 34 56");
  await phone.press("Tab");
  await expect(phone).toHaveValue("+45 201 23456");
  await expect(phone).not.toHaveAttribute("aria-invalid");
  await signup(page).submit();
  await expect(page.getByLabel("Contact Name")).toBeFocused();
  expect(posts).toEqual([]);
  for (const size of [DESKTOP, PHONE]) {
    await page.setViewportSize(size);
    expect(await accessibilityProblems(page), `${size.width} px wide`).toEqual([]);
  }
});

test("the keyboard alone reaches the card step, which is accessible, and Start over returns to an empty form", async ({
  page,
}) => {
  const visitor = signup(page);
  await page.goto(PLAN);
  await visitor.fillForm();
  await page.getByLabel("Country").press("Tab");
  for (const name of ["Terms", "Privacy Policy"]) {
    await expect(page.getByRole("main").getByRole("link", { name })).toBeFocused();
    await page.keyboard.press("Tab");
  }
  await expect(page.getByRole("button", { name: "Payment" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByText("Subscription Data Saved!")).toBeVisible();
  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).toBeFocused();

  await expect(page.getByRole("button", { name: "Pay", exact: true })).toBeEnabled();
  for (const size of [DESKTOP, PHONE]) {
    await page.setViewportSize(size);
    expect(await accessibilityProblems(page), `${size.width} px wide`).toEqual([]);
  }
  await page.getByRole("button", { name: "Start over" }).click();
  await expect(page.getByRole("heading", { name: "Subscription Information" })).toBeVisible();
  await expect(page.getByLabel("Contact Name")).toHaveValue("");
  await expect(page.getByLabel("Password", { exact: true })).toHaveValue("");
  await expect(heading).toBeFocused();
  await expect(heading).toBeInViewport();
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("an invalid form comes back with its values, and a valid one leads to the card step and its link for another device", async ({
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
    await expect(page.getByText("You need JavaScript to enter a card")).toBeVisible();
    await page.locator("summary").click();
    await expect(page.getByAltText(/QR code/)).toBeVisible();
    await expect.poll(() => isDrawn(page.getByAltText(/QR code/))).toBe(true);
    const link = await page.getByRole("link", { name: "Link to continue this sign-up" }).getAttribute("href");

    const device = await browser.newContext({ javaScriptEnabled: true });
    const elsewhere = await device.newPage();
    await elsewhere.goto(link ?? "");
    await elsewhere.getByRole("button", { name: "Continue this sign-up" }).click();
    await signup(elsewhere).card.getByLabel("Card number").waitFor();
    await device.close();
  });
});

test("from the third declined card on the step says how many tries are left, and the end says what to do next", async ({
  page,
}) => {
  const visitor = signup(page);
  await visitor.signUp();
  const alert = page.getByRole("alert");
  for (const hint of [
    "",
    "",
    "You can try at most 2 more cards. We limit tries to keep stolen cards from being tested here.",
    "You can try at most 1 more card. We limit tries to keep stolen cards from being tested here.",
  ]) {
    await visitor.pay(CARDS.declined);
    await expect(alert).toHaveText(`Payment FailedYour card was declined.${hint}`);
    // The count outlives a reload.
    await page.reload();
  }
  await visitor.pay(CARDS.declined);
  await expect(alert).toContainText("A sign-up ends after 5 declined cards");
  await expect(alert).toContainText("You weren't charged, and no account was created.");
  await expect(alert).toContainText("To try again, start a new sign-up with another card, or contact sales");
  await expect(page.getByLabel("Contact Name")).toHaveValue("Ada Lovelace");
});

test("a declined card and a failed authentication keep the card step, the next try succeeds, and no URL contains the client_secret", async ({
  page,
  stack,
}) => {
  const visitor = signup(page);
  await page.goto("/pricing");
  await page.locator(`a[href="${PLAN}"]`).first().click();
  await visitor.fillForm();
  await visitor.submit();
  await visitor.pay(CARDS.declined);
  const alert = page.getByRole("alert");
  await expect(alert).toHaveText("Payment FailedYour card was declined.");
  // Checked before the notice would disappear by itself after two seconds.
  expect(await page.getByText("Subscription Data Saved!").isVisible()).toBe(false);

  await visitor.pay(CARDS.authenticates);
  await page.getByRole("button", { name: /fail/i }).click();
  await expect(alert).toContainText("Payment Failed");
  expect(page.url()).not.toContain("secret");

  await visitor.pay(CARDS.authenticates);
  const urls: string[] = [];
  await page.getByRole("button", { name: /complete/i }).waitFor();
  page.on("request", (request) => {
    if (request.url().startsWith(stack.site.url) && !request.isNavigationRequest()) urls.push(request.url());
  });
  await page.getByRole("button", { name: /complete/i }).click();
  await visitor.succeeded();
  expect(urls.length).toBeGreaterThan(0);
  expect(urls.filter((url) => url.includes("secret"))).toEqual([]);
  await expect(page).toHaveURL(PLAN);
});

test("the card step's code, but not Stripe.js, is preloaded when the visitor begins to type", async ({ page }) => {
  const urls: string[] = [];
  const cardForms = () => urls.filter((url) => url.includes("/build/_shared/card-form-"));
  page.on("request", (request) => urls.push(request.url()));
  await page.goto("/subscription", { waitUntil: "networkidle" });
  expect(urls.filter((url) => url.endsWith(".js")).length).toBeGreaterThan(3);
  expect(cardForms()).toEqual([]);

  await page.getByLabel("Contact Name").pressSequentially("Ada");
  await expect.poll(cardForms).toHaveLength(1);
  await page.getByLabel("Company Name").fill("Analytical Engines");
  await page.waitForLoadState("networkidle");
  expect(cardForms()).toHaveLength(1);
  expect(urls.filter((url) => /stripe\.(js|com)/.test(url))).toEqual([]);
});
