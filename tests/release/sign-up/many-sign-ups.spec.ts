import { signup } from "../../browser/support/sign-up";
import { expect, test } from "../../browser/support/stack";

test.use({ javaScriptEnabled: false });

test("thirty sign-ups in a row, with the limits of wrangler.toml, all reach the card step [F1]", async ({ page }) => {
  test.setTimeout(300_000);
  for (let index = 0; index < 30; index += 1) {
    await page.context().clearCookies();
    await signup(page).signUp();
    await expect(page.getByText("Step 2 of 2: card")).toBeVisible();
  }
});
