import { CARDS, hydrated, PLAN, signup } from "../../browser/support/sign-up";
import { expect, test } from "../../browser/support/stack";
import { stripeAt, stripeStateOf } from "../../support/visitors/visitor";

for (const [typed, isKnown, code] of [
  ["germany", true, "DE"],
  ["Atlantis", false, "GR"],
] as const) {
  test(`Stripe gets the card's whole billing address; a country that was ${isKnown ? "recognized is not" : "not recognized is"} asked again`, async ({
    page,
    stack,
  }) => {
    const visitor = signup(page);
    await page.goto(PLAN);
    await visitor.fillForm();
    await page.getByLabel("Country").fill(typed);
    await visitor.submit();
    const { card } = visitor;
    await expect(card.getByLabel("Card number")).toBeVisible();
    await expect(card.getByLabel("Country")).toBeVisible({ visible: !isKnown });
    await expect(card.getByLabel("ZIP code")).toBeVisible({ visible: !isKnown });
    if (!isKnown) {
      await expect(card.getByLabel("ZIP code")).toHaveValue("62701");
      await expect(card.getByText(/you allow .+ to charge your card for future payments/)).toBeVisible();
      await card.getByLabel("Country").selectOption("United Kingdom");
      await expect(card.getByLabel("Postal code")).toBeVisible();
      await card.getByLabel("Country").selectOption("Greece");
      await expect(card.getByLabel("Postal code")).toBeHidden();
    }
    await visitor.pay(CARDS.works);
    await visitor.succeeded();

    const { setupIntents } = await stripeStateOf(stack.stripe, visitor.email);
    const method = await stripeAt(stack.stripe).paymentMethods.retrieve(String(setupIntents[0]?.payment_method));
    expect(method.billing_details).toMatchObject({
      name: "Ada Lovelace",
      email: visitor.email,
      address: { line1: "1 Example Street", city: "Springfield", state: "IL", postal_code: "62701", country: code },
    });
  });
}

test("the list of countries appears once scripts run, and in a form rendered by the browser", async ({ page }) => {
  const visitor = signup(page);
  await page.goto(PLAN);
  await hydrated(page);
  await expect(page.locator("datalist option")).toHaveCount(250);
  await visitor.fillForm();
  await visitor.submit();
  await expect(page.locator("datalist option")).toHaveCount(0);
  await page.getByRole("button", { name: "Start over" }).click();
  await expect(page.getByLabel("Country")).toBeVisible();
  await expect(page.locator("datalist option")).toHaveCount(250);
});
