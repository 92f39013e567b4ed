import { hydrated, PLAN, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";

test("an image from another origin violates the Content-Security-Policy, and would fail every browser test", async ({
  page,
  complaints,
}) => {
  for (const path of ["/", PLAN]) {
    await page.goto(path);
    expect(complaints).toEqual([]);
    await page.evaluate(() => document.body.insertAdjacentHTML("beforeend", '<img src="https://evil.test/x.png">'));
    await expect.poll(() => complaints.splice(0)).toEqual([expect.stringContaining("https://evil.test/x.png")]);
  }
});

test("a refused form shows the refusal and keeps everything typed", async ({ page }) => {
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
