import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "@playwright/test";
import { CARDS, hydrated, PLAN, signup } from "../../browser/support/sign-up";
import { expect, test } from "../../browser/support/stack";

/* Every page leads on to a success or to a final refusal. */

const payButton = (page: Page) => page.getByRole("button", { name: "Pay", exact: true });

test("two tabs can sign up two companies, both finish, and neither shows the other's name", async ({
  page,
  context,
}) => {
  const [first, second] = [signup(page), await context.newPage()];
  const other = signup(second);
  await first.signUp();
  await expect(payButton(page)).toBeEnabled();
  await second.goto(`${PLAN}?edit`);
  await hydrated(second);
  await other.fillForm();
  await second.getByLabel("Company Name").fill("Difference Engines");
  await other.submit();
  await expect(payButton(second)).toBeEnabled();
  // The older tab keeps its own sign-up: its outcome is told there, without personal data.
  await first.pay(CARDS.works);
  await expect(page.getByRole("heading", { name: "Subscription Successful!" })).toBeVisible();
  await expect(page.getByRole("main")).not.toContainText(/Engines|@example/);
  await other.pay(CARDS.works);
  await other.succeeded();
  await expect(second.getByText("Difference Engines")).toBeVisible();
});

test("with cookies blocked the form says so and keeps everything typed", async ({ baseURL, launchOptions }) => {
  const folder = await mkdtemp(join(tmpdir(), "no-cookies-"));
  await mkdir(join(folder, "Default"));
  const preferences = { profile: { default_content_setting_values: { cookies: 2 } } };
  await writeFile(join(folder, "Default/Preferences"), JSON.stringify(preferences));
  const context = await chromium.launchPersistentContext(folder, {
    ...launchOptions,
    baseURL: baseURL ?? "",
  });
  try {
    const page = await context.newPage();
    const visitor = signup(page);
    await page.goto(PLAN);
    await hydrated(page);
    await visitor.fillForm();
    await visitor.submit();
    await expect(page.getByText("Cookies are blocked", { exact: true })).toBeVisible();
    await expect(page.getByLabel("Company Name")).toHaveValue("Analytical Engines");
    await expect(page.getByLabel("City")).toHaveValue("Springfield");
    await expect(page.getByRole("button", { name: "Payment" })).toBeEnabled();
  } finally {
    await context.close();
    await rm(folder, { recursive: true });
  }
});

test("a plan chosen while the connection is away for a moment loads, and keeps everything typed", async ({
  page,
  context,
}) => {
  const visitor = signup(page);
  await page.goto("/subscription/not-a-uuid");
  await hydrated(page);
  await visitor.fillForm();
  await context.setOffline(true);
  await page.getByRole("link", { name: "LITE, $200 a month" }).click();
  await expect(page.getByLabel("Company Name")).toHaveValue("Analytical Engines");
  await context.setOffline(false);
  await expect(page.getByRole("complementary", { name: "Your plan" })).toContainText("LITE");
  // The document was not reloaded, which would clear the passwords.
  await expect(page.getByLabel("Password", { exact: true })).toHaveValue("Passw0rd !");
  await visitor.submit();
  await visitor.pay(CARDS.works);
  await visitor.succeeded();
});

test("if Stripe.js does not load, the page shows a message and a Retry button", async ({ page }) => {
  const visitor = signup(page);
  await page.route("**/stripe.js", (route) => route.abort());
  await visitor.signUp();
  await expect(page.getByRole("alert")).toContainText("could not be loaded");
  await page.unroute("**/stripe.js");
  await page.getByRole("button", { name: "Retry" }).click();
  await visitor.pay(CARDS.works);
  await visitor.succeeded();
});

test("the back button and a second tab find the card step again", async ({ page, context, stack }) => {
  await signup(page).signUp();
  await expect(page.getByText("Subscription Data Saved!")).toBeVisible();
  const calls = () => stack.api.logs.filter(({ path, route }) => path === "/subscription" || route === "/subscription");
  const before = calls().length;
  await page.goto("/pricing");
  await page.goBack();
  await expect(page.getByText("Please enter your card info")).toBeVisible();
  const tab = await context.newPage();
  await tab.goto("/subscription");
  await expect(tab.getByText("Please enter your card info")).toBeVisible();
  expect(calls().length).toBe(before);
});

test("if scripts fail to run, the card step says within ten seconds that it needs JavaScript", async ({ page }) => {
  await page.route("**/build/**/*.js", (route) => route.abort());
  await signup(page).signUp();
  await expect(page.getByText("Please enter your card info")).toBeVisible();
  const notice = page.getByText("You need JavaScript to enter a card");
  await expect(notice).toBeHidden();
  // Skips the rest of the notice's animation.
  const ends = await page.evaluate(() => {
    const timed = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    for (const animation of timed) animation.finish();
    return timed.map(({ effect }) => Number(effect?.getComputedTiming().endTime));
  });
  expect(Math.max(...ends)).toBeLessThanOrEqual(10_000);
  await expect(notice).toBeVisible();
  await page.locator("summary").click();
  await expect(page.getByAltText(/QR code/)).toBeVisible();
});

test("the form works even if the card step's code could not be preloaded", async ({ page }) => {
  const missed: string[] = [];
  await page.route(/\/card-form-/, (route) => {
    missed.push(route.request().url());
    return route.abort();
  });
  await page.goto("/subscription");
  await hydrated(page);
  await page.getByLabel("Email Address").fill("nobody");
  await page.getByLabel("Email Address").blur();
  await expect(page.getByText("valid email").first()).toBeVisible();
  expect(missed).not.toEqual([]);
});

test("a bank's dialog keeps the card step when the visitor refuses and completes the sign-up when they consent", async ({
  page,
}) => {
  const visitor = signup(page);
  await visitor.signUp();
  const bank = page.frameLocator("iframe[title='Authentication by your bank']");
  for (const answer of [/fail/i, /complete/i]) {
    await visitor.pay(CARDS.authenticatesInDialog);
    await expect(page.getByRole("dialog", { name: "Authentication by your bank" })).toBeVisible();
    await bank.getByRole("button", { name: answer }).click();
    await expect(page.getByRole("dialog")).toHaveCount(0);
    if (String(answer).includes("fail")) await expect(page.getByRole("alert")).toContainText("unable to authenticate");
  }
  await visitor.succeeded();
  await expect(page).toHaveURL(PLAN);
});
