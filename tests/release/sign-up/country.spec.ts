import type { Page } from "@playwright/test";
import { CARDS, hydrated, PLAN, signup } from "../../browser/support/sign-up";
import { expect, test } from "../../browser/support/stack";
import { stripeAt, stripeStateOf } from "../../support/visitors/visitor";

/** Fills in the form with that country and goes on to the card. */
async function toCard(page: Page, country: string) {
  const visitor = signup(page);
  await page.goto(PLAN);
  await visitor.fillForm();
  await page.getByLabel("Country").fill(country);
  await visitor.submit();
  return { visitor, card: page.frameLocator("iframe[title='Secure payment input frame']") };
}

const options = (page: Page) => page.locator("datalist option");

test("a country that was recognized is not asked again, and its card has the whole address [N7]", async ({
  page,
  stack,
}) => {
  const { visitor, card } = await toCard(page, "Deutschland");
  await expect(card.getByLabel("Card number")).toBeVisible();
  await expect(card.getByLabel("Country")).toBeHidden();
  await expect(card.getByLabel("ZIP code")).toBeHidden();
  await visitor.pay(CARDS.works);
  await visitor.succeeded();

  const { setupIntents } = await stripeStateOf(stack.stripe, visitor.email);
  const method = await stripeAt(stack.stripe).paymentMethods.retrieve(String(setupIntents[0]?.payment_method));
  expect(method.billing_details).toMatchObject({
    name: "Ada Lovelace",
    email: visitor.email,
    address: { line1: "1 Example Street", city: "Springfield", state: "IL", postal_code: "62701", country: "DE" },
  });
});

test("a country that was not recognized is asked at the card, which has the rest of the address [N7]", async ({
  page,
  stack,
}) => {
  const { visitor, card } = await toCard(page, "Atlantis");
  await expect(card.getByLabel("Country")).toBeVisible();
  await expect(card.getByLabel("ZIP code")).toHaveValue("62701");
  await expect(card.getByText(/you allow .+ to charge your card for future payments/)).toBeVisible();
  await card.getByLabel("Country").selectOption("United Kingdom");
  await expect(card.getByLabel("Postal code")).toBeVisible();
  await card.getByLabel("Country").selectOption("Greece");
  await expect(card.getByLabel("Postal code")).toBeHidden();
  await visitor.pay(CARDS.works);
  await visitor.succeeded();

  const { setupIntents } = await stripeStateOf(stack.stripe, visitor.email);
  const method = await stripeAt(stack.stripe).paymentMethods.retrieve(String(setupIntents[0]?.payment_method));
  expect(method.billing_details.address).toMatchObject({ city: "Springfield", postal_code: "62701", country: "GR" });
});

test("the list of countries is there after the script has run, and in a form that the browser made [V12]", async ({
  page,
}) => {
  const visitor = signup(page);
  await page.goto(PLAN);
  await hydrated(page);
  await expect(options(page)).toHaveCount(250);
  await visitor.fillForm();
  await visitor.submit();
  await expect(options(page)).toHaveCount(0);
  await page.getByRole("button", { name: "Start over" }).click();
  await expect(page.getByLabel("Country")).toBeVisible();
  await expect(options(page)).toHaveCount(250);
});
