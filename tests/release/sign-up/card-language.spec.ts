import { signup } from "../../browser/support/sign-up";
import { expect, test } from "../../browser/support/stack";

test.use({ locale: "de-DE" });

test("Stripe's fields are in English, like the page, in a browser set to another language", async ({ page }) => {
  await signup(page).signUp();
  await expect(page.locator("iframe[title='Secure payment input frame']")).toHaveAttribute("src", /#locale=en$/);
});
