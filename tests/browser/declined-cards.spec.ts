import { MAX_FAILED_CARDS } from "../../app/contract/trial";
import { CARDS, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";

test("from the third declined card on, the page says how many tries are left; after the fifth, that the sign-up has ended", async ({
  page,
}) => {
  const visitor = signup(page);
  await visitor.openCard();
  const alert = page.getByRole("alert");
  const hint = (left: string) =>
    `You can try at most ${left}. We limit tries to keep stolen cards from being tested here.`;
  for (const said of ["", "", hint("2 more cards"), hint("1 more card")]) {
    await visitor.pay(CARDS.declined);
    await expect(alert).toHaveText(`Payment FailedYour card was declined.${said}`);
    await expect(alert.locator(".notice")).toBeFocused();
    // Checked before the notice would disappear by itself after two seconds.
    expect(await page.getByText("Subscription Data Saved!").isVisible()).toBe(false);
    // The count outlives a reload.
    await page.reload();
  }
  await visitor.pay(CARDS.declined);
  await expect(alert).toContainText(`A sign-up ends after ${MAX_FAILED_CARDS} declined cards`);
  await expect(alert).toContainText("To try again, start a new sign-up with another card, or contact sales");
  await expect(alert.locator(".notice")).toBeFocused();
  await expect(page.getByLabel("Contact Name")).toHaveValue("Ada Lovelace");
});
