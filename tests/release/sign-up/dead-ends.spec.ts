import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "@playwright/test";
import { CARDS, hydrated, PLAN, signup } from "../../browser/support/sign-up";
import { expect, test } from "../../browser/support/stack";

/* Every page leads on to a success or to a final refusal. */

const payButton = (page: Page) => page.getByRole("button", { name: "Pay", exact: true });

async function atCardStep(page: Page) {
  const visitor = signup(page);
  await visitor.signUp();
  await expect(payButton(page)).toBeEnabled();
  return visitor;
}

async function hasEnded(page: Page) {
  await expect(page.getByText("This sign-up was canceled", { exact: true })).toBeVisible();
  await expect(page.getByLabel("Company Name")).toHaveValue("Analytical Engines");
  await expect(page.getByRole("button", { name: "Payment" })).toBeEnabled();
  await expect(payButton(page)).toHaveCount(0);
}

test("after the fifth declined card the page says that the sign-up was canceled and shows the form, even after a reload, and a new form works", async ({
  page,
}) => {
  const visitor = await atCardStep(page);
  for (let card = 1; card <= 5; card += 1) {
    await expect(payButton(page)).toBeEnabled();
    await visitor.pay(CARDS.declined);
    await expect(
      page.getByText(card < 5 ? "Your card was declined." : "This sign-up was canceled").first(),
    ).toBeVisible();
  }
  await hasEnded(page);
  await page.reload();
  await hasEnded(page);
  await hydrated(page);
  await page.getByLabel("Password", { exact: true }).fill("Passw0rd !");
  await page.getByLabel("Confirm Password").fill("Passw0rd !");
  await visitor.submit();
  await visitor.pay(CARDS.works);
  await visitor.succeeded();
});

test("a success that only the browser reports does not count: the card step returns with an enabled button", async ({
  page,
}) => {
  const visitor = signup(page);
  await page.route(/\/v1\/setup_intents\/[^/]+\/confirm/, async (route) => {
    const [, id = ""] = /setup_intents\/([^/]+)/.exec(route.request().url()) ?? [];
    await route.fulfill({ json: { id, object: "setup_intent", status: "succeeded", client_secret: `${id}_secret_x` } });
  });
  await visitor.signUp();
  await expect(payButton(page)).toBeEnabled();
  await visitor.pay(CARDS.works);
  await expect(page.getByText("An error occurred during payment")).toBeVisible();
  await expect(payButton(page)).toBeEnabled();
  await page.unroute(/\/v1\/setup_intents\/[^/]+\/confirm/);
  await visitor.pay(CARDS.works);
  await visitor.succeeded();
});

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

test("a card step that cannot be loaded is asked for five times; then the error page offers to try again", async ({
  page,
}) => {
  const visitor = signup(page);
  await page.goto(PLAN);
  await hydrated(page);
  await visitor.fillForm();
  let asked = 0;
  await page.route("**/*.data*", (route) => {
    if (route.request().method() === "POST") return route.fallback();
    asked += 1;
    return route.fulfill({ status: 503, body: "Busy" });
  });
  await visitor.submit();
  await expect(page.getByRole("heading", { name: "Unexpected Application Error" })).toBeVisible({ timeout: 20_000 });
  expect(asked).toBe(5);
  await page.unroute("**/*.data*");
  await page.getByRole("link", { name: "Try again" }).click();
  await visitor.pay(CARDS.works);
  await visitor.succeeded();
});

test("card fields that failed to load can be loaded again", async ({ page }) => {
  const visitor = signup(page);
  let asked = 0;
  // The page asks first, then the card's fields.
  await page.route(/\/v1\/setup_intents\/[^/]+\?/, (route) => {
    asked += 1;
    const body = { error: { type: "invalid_request_error", message: "No such setupintent" } };
    return asked === 2 ? route.fulfill({ status: 404, json: body }) : route.continue();
  });
  await visitor.signUp();
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByText("No such setupintent")).toHaveCount(0);
  await visitor.pay(CARDS.works);
  await visitor.succeeded();
});

test("a connection that breaks for a few seconds after the form was accepted still leads to the card step", async ({
  page,
  stack,
}) => {
  const visitor = signup(page);
  let documents = 0;
  page.on("response", (response) => {
    if (response.request().isNavigationRequest() && response.frame() === page.mainFrame()) documents += 1;
  });
  await page.goto(PLAN);
  await hydrated(page);
  await visitor.fillForm();
  let failed = 0;
  await page.route("**/*.data*", (route) => {
    if (route.request().method() === "POST" || failed === 4) return route.continue();
    failed += 1;
    return route.abort("connectionreset");
  });
  await visitor.submit();
  await visitor.pay(CARDS.works);
  await visitor.succeeded();
  expect(failed).toBe(4);
  expect(documents).toBe(1);
  const database = stack.api.database;
  const count = database.prepare("SELECT count(*) AS n FROM sign_ups WHERE email = ?").bind(visitor.email);
  expect(await count.first()).toEqual({ n: 1 });
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
