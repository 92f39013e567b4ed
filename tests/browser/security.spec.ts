import type { Page } from "@playwright/test";
import { startSite } from "../support/workers";
import { PLAN, signup } from "./sign-up";
import { expect, type Stack, test } from "./stack";

/** What the browser complains about from now on: violations of the policy, errors in scripts. */
async function complaintsOf(page: Page): Promise<string[]> {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (/content security policy|policy violated/i.test(message.text())) complaints.push(message.text());
  });
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, sample }) => {
      console.error(`Policy violated: ${effectiveDirective} ${blockedURI} ${sample}`);
    });
  });
  return complaints;
}

/** What browsers have reported to the site itself. */
const reported = ({ site }: Stack) => site.logs.filter(({ event }) => event === "csp_violation");

const publicPages = ["/", "/pricing", "/privacy", "/terms", "/nothing-here", "/subscription", PLAN];

for (const javaScriptEnabled of [true, false]) {
  test.describe(`JavaScript ${javaScriptEnabled ? "on" : "off"}`, () => {
    test.use({ javaScriptEnabled });

    test("E: no page violates its policy", async ({ page, stack }) => {
      const complaints = await complaintsOf(page);
      for (const path of publicPages) {
        await page.goto(path, { waitUntil: "networkidle" });
        await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      }
      expect(complaints).toEqual([]);
      expect(reported(stack)).toEqual([]);
    });
  });
}

test("E: the whole sign-up with JavaScript, from a marketing page to its success, violates no policy", async ({
  page,
  stack,
}) => {
  const complaints = await complaintsOf(page);
  const visitor = signup(page);
  await page.goto("/pricing");
  await page.locator(`a[href="${PLAN}"]`).first().click();
  await visitor.fillForm();
  await visitor.submit();
  await expect(page.getByText("Subscription Data Saved!")).toBeVisible();
  await visitor.pay("4000000000000002");
  await expect(page.getByRole("alert")).toContainText("Payment Failed");
  await visitor.pay("4000002500003155");
  await page.getByRole("button", { name: /complete/i }).click();
  await visitor.succeeded();
  expect(complaints).toEqual([]);
  expect(reported(stack)).toEqual([]);
});

test("E: the whole sign-up up to the card without JavaScript violates no policy", async ({ browser, stack }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: stack.site.url });
  const page = await context.newPage();
  const complaints = await complaintsOf(page);
  const visitor = signup(page);
  await page.goto(PLAN);
  await visitor.submit();
  await expect(page).toHaveTitle(/^Error: /);
  await visitor.fillForm();
  await visitor.submit();
  await expect(page.getByText("Entering a card needs JavaScript")).toBeVisible();
  expect(complaints).toEqual([]);
  expect(reported(stack)).toEqual([]);
  await context.close();
});

test("F5, F9: after the provider's return no request has the client_secret in its address", async ({ page, stack }) => {
  const visitor = signup(page);
  await page.goto(PLAN);
  await visitor.fillForm();
  await visitor.submit();
  await visitor.pay("4000002500003155");
  const addresses: string[] = [];
  await page.getByRole("button", { name: /complete/i }).waitFor();
  page.on("request", (request) => {
    if (request.url().startsWith(stack.site.url) && !request.isNavigationRequest()) addresses.push(request.url());
  });
  await page.getByRole("button", { name: /complete/i }).click();
  await visitor.succeeded();
  expect(addresses.length).toBeGreaterThan(0);
  expect(addresses.filter((address) => address.includes("secret"))).toEqual([]);
  await expect(page).toHaveURL(PLAN);
});

test("F10: scripts in every field are shown as text and never run", async ({ page }) => {
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const evil = '"><script>alert(1)</script><img src=x onerror=alert(2)>';
  const visitor = signup(page);
  await page.goto(PLAN);
  await visitor.fillForm();
  for (const label of ["Contact Name", "Company Name", "Street Address"]) await page.getByLabel(label).fill(evil);
  await visitor.submit();
  await expect(page.getByText(evil).first()).toBeVisible();
  await page.reload();
  await visitor.pay("4242424242424242");
  await visitor.succeeded();
  await expect(page.getByText(evil).first()).toBeVisible();
  expect(dialogs).toEqual([]);
});

test.describe("one form too many", () => {
  for (const javaScriptEnabled of [true, false]) {
    test(`F1: is told on the form itself, with everything kept, JavaScript ${javaScriptEnabled ? "on" : "off"}`, async ({
      browser,
      stack,
    }) => {
      test.setTimeout(120_000);
      const site = await startSite({ vars: { SUBSCRIPTION_API_URL: stack.api.url }, rateLimits: "as configured" });
      const context = await browser.newContext({ javaScriptEnabled, baseURL: site.url });
      const page = await context.newPage();
      const visitor = signup(page);
      await page.goto(PLAN);
      await visitor.fillForm();
      // The limiter counts from one full minute to the next.
      const age = Date.now() % 60_000;
      if (age > 45_000) await page.waitForTimeout(60_000 - age);
      for (let index = 0; index < 10; index += 1) {
        await page.request.post("/subscription", { form: { email: "nobody" }, headers: { Origin: site.url } });
      }
      await visitor.submit();
      const alert = page.getByRole("alert");
      await expect(alert).toContainText("Submission Failed");
      await expect(alert).toContainText("Too many requests. Please wait a moment and try again.");
      await expect(page.getByLabel("Contact Name")).toHaveValue("Ada Lovelace");
      await expect(page.getByLabel("Email Address")).toHaveValue(visitor.email);
      // Only the page's script still has the password; it never comes back from the site.
      await expect(page.getByLabel("Password", { exact: true })).toHaveValue(javaScriptEnabled ? "Passw0rd !" : "");
      await context.close();
      await site.dispose();
    });
  }
});

test("A1: a form that the site refuses says so on the form, with everything kept", async ({ page }) => {
  const visitor = signup(page);
  await page.route("**/*.data", async (route) => {
    const headers = { ...route.request().headers(), origin: "https://evil.test" };
    await route.fulfill({ response: await route.fetch({ headers }) });
  });
  await page.goto(PLAN);
  await expect(page.getByRole("button", { name: "Show password", exact: true })).toBeVisible();
  await visitor.fillForm();
  await visitor.submit();
  await expect(page.getByRole("alert")).toContainText("Access forbidden. Please contact support.");
  await expect(page.getByLabel("Password", { exact: true })).toHaveValue("Passw0rd !");
  await page.unroute("**/*.data");
  await visitor.submit();
  await expect(page.getByText("Subscription Data Saved!")).toBeVisible();
});

test("D3: back and a second tab find the card step again", async ({ page, context, stack }) => {
  const visitor = signup(page);
  await page.goto(PLAN);
  await visitor.fillForm();
  await visitor.submit();
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

test("with scripting on but broken, the card step says what it needs", async ({ page }) => {
  await page.route("**/build/**/*.js", (route) => route.abort());
  const visitor = signup(page);
  await page.goto(PLAN);
  await visitor.fillForm();
  await visitor.submit();
  await expect(page.getByText("Please enter your card info")).toBeVisible();
  await expect(page.getByText("Entering a card needs JavaScript")).toBeHidden();
  await expect(page.getByText("Entering a card needs JavaScript")).toBeVisible({ timeout: 10_000 });
  await expect(page.getByAltText(/QR code/)).toBeVisible();
});
