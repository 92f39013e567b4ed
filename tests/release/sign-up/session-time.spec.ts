import { accessibilityProblems } from "../../browser/support/accessibility";
import { CARDS, PLAN, signup } from "../../browser/support/sign-up";
import { expect, test } from "../../browser/support/stack";

/* The duration of the card step, on a clock that the test advances. */

test("ten minutes before the card step expires it says so, and one press extends it without losing the typed card [S30]", async ({
  page,
}) => {
  await page.clock.install();
  const visitor = signup(page);
  await visitor.signUp();
  const { card } = visitor;
  await card.getByLabel("Card number").fill(CARDS.works);
  const alert = page.getByRole("alert");
  await page.clock.fastForward("01:49:00");
  await expect(alert).toBeEmpty();

  await page.clock.fastForward("01:30");
  await expect(alert).toContainText("Your sign-up ends soon");
  await expect(alert.getByRole("time")).toBeInViewport();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);

  await alert.getByRole("button", { name: "Keep for 2 more hours" }).click();
  await expect(alert).toContainText("Your sign-up is kept");
  await expect(alert).not.toContainText("ends soon");
  expect(await page.evaluate(() => document.activeElement?.className)).toContain("live-region");
  await page.clock.fastForward("01:30:00");
  await expect(alert).not.toContainText("ends soon");
  // The card's number is still there.
  await expect(card.getByLabel("Card number")).toHaveValue("4242 4242 4242 4242");
  await card.getByLabel("Expiration date").fill("12 / 34");
  await card.getByLabel("Security code").fill("123");
  await page.getByRole("button", { name: "Pay", exact: true }).click();
  await visitor.succeeded();
});

test("an expired card step returns to the form, and a card set up at the last moment still succeeds [S31] [S23]", async ({
  page,
}) => {
  await page.clock.install();
  const visitor = signup(page);
  await visitor.signUp();
  await visitor.card.getByLabel("Card number").waitFor();
  await page.clock.fastForward("02:00:01");
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("Your sign-up has ended");
  await expect(alert.getByRole("link", { name: "Back to the form" })).toHaveAttribute("href", PLAN);
  await visitor.pay(CARDS.works);
  await visitor.succeeded();
});

test("the QR code loads only when its box is opened [H12]", async ({ page }) => {
  const codes: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/resume-code")) codes.push(request.url());
  });
  const visitor = signup(page);
  await visitor.signUp();
  await page.locator("summary").scrollIntoViewIfNeeded();
  await visitor.card.getByLabel("Card number").waitFor();
  expect(codes).toEqual([]);
  await page.locator("summary").click();
  await expect.poll(() => codes).toHaveLength(1);
});
