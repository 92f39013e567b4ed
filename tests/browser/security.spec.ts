import { someone } from "../support/visitors/senders";
import { startSite } from "../support/workers/workers";
import { CARDS, hydrated, PLAN, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";

/* Every test here and in the other files fails when a page violates its policy: `stack.ts` listens. */

const policyPages = ["/", "/pricing", "/privacy", "/terms", "/nothing-here", "/subscription", PLAN];

for (const javaScriptEnabled of [true, false]) {
  test.describe(`JavaScript ${javaScriptEnabled ? "on" : "off"}`, () => {
    test.use({ javaScriptEnabled });

    test("no page violates its policy, and a picture from elsewhere would be noticed [E2]", async ({
      page,
      complaints,
    }) => {
      for (const path of policyPages) {
        await test.step(path, async () => {
          await page.goto(path);
          await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
          if (javaScriptEnabled && path.startsWith("/subscription")) await hydrated(page);
        });
      }
      expect(complaints).toEqual([]);
      await page.evaluate(() => document.body.insertAdjacentHTML("beforeend", '<img src="https://evil.test/x.png">'));
      await expect.poll(() => complaints.splice(0)).toEqual([expect.stringContaining("https://evil.test/x.png")]);
    });
  });
}

test("scripts in every field are shown as text and never run [F10]", async ({ page }) => {
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
  await visitor.pay(CARDS.works);
  await visitor.succeeded();
  await expect(page.getByText(evil).first()).toBeVisible();
  expect(dialogs).toEqual([]);
});

test("one form too many is told on the form itself, with everything kept, with JavaScript and without [F1]", async ({
  browser,
  stack,
}) => {
  test.setTimeout(60_000);
  // How many are let through is tests/workers' matter; here the first one is.
  const site = await startSite({ vars: { SUBSCRIPTION_API_URL: stack.api.url }, rateLimit: 1 });
  for (const javaScriptEnabled of [true, false]) {
    const context = await browser.newContext({ javaScriptEnabled, baseURL: site.url, extraHTTPHeaders: someone() });
    const page = await context.newPage();
    const visitor = signup(page);
    await page.goto(PLAN);
    await visitor.fillForm();
    // The limiter counts from one full minute to the next.
    const age = Date.now() % 60_000;
    if (age > 55_000) await page.waitForTimeout(60_000 - age);
    await page.request.post("/subscription", { form: { email: "nobody" }, headers: { Origin: site.url } });
    await visitor.submit();
    const alert = page.getByRole("alert");
    await expect(alert).toContainText("Submission Failed");
    await expect(alert).toContainText("Too many requests. Please wait a moment and try again.");
    await expect(page.getByLabel("Contact Name")).toHaveValue("Ada Lovelace");
    await expect(page.getByLabel("Email Address")).toHaveValue(visitor.email);
    // Only the page's script still has the password; it never comes back from the site.
    await expect(page.getByLabel("Password", { exact: true })).toHaveValue(javaScriptEnabled ? "Passw0rd !" : "");
    await context.close();
  }
  await site.dispose();
});

test("a form that the site refuses says so on the form, with everything kept [A1]", async ({ page }) => {
  const visitor = signup(page);
  await page.route("**/*.data", async (route) => {
    const headers = { ...route.request().headers(), origin: "https://evil.test" };
    await route.fulfill({ response: await route.fetch({ headers }) });
  });
  await page.goto(PLAN);
  await hydrated(page);
  await visitor.fillForm();
  await visitor.submit();
  await expect(page.getByRole("alert")).toContainText("Access forbidden. Please contact support.");
  await expect(page.getByLabel("Password", { exact: true })).toHaveValue("Passw0rd !");
  await page.unroute("**/*.data");
  await visitor.submit();
  await expect(page.getByText("Subscription Data Saved!")).toBeVisible();
});
