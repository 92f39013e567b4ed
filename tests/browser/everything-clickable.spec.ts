import { layoutFaults } from "./support/layout";
import { CARDS, hydrated, PLAN, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";

const PAGES = [
  "/",
  "/pricing",
  "/privacy",
  "/terms",
  "/security",
  "/nothing-here",
  "/subscription",
  PLAN,
  "/subscription/x",
];
for (const path of PAGES)
  test(`everything on ${path}`, async ({ page }) => {
    await page.goto(path);
    expect(await layoutFaults(page)).toEqual([]);
  });
test("steps", async ({ page }) => {
  const v = signup(page);
  await page.goto(PLAN);
  await hydrated(page);
  await v.submit();
  expect.soft(await layoutFaults(page)).toEqual([]);
  await v.fillForm();
  await v.submit();
  await v.card.getByLabel("Card number").waitFor();
  expect.soft(await layoutFaults(page)).toEqual([]);
  await v.pay(CARDS.declined);
  await expect(page.getByRole("alert")).toContainText("declined");
  expect.soft(await layoutFaults(page)).toEqual([]);
  await v.pay(CARDS.works);
  await v.succeeded();
  expect.soft(await layoutFaults(page)).toEqual([]);
});
