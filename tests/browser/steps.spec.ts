import type { Page } from "@playwright/test";
import { coveredAnywhere, faultsOfLargeText, layoutFaults, outsideColumn, withoutFocusRing } from "./support/faults";
import { CARDS, hydrated, PLAN, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";

test("on every step everything can be clicked, has a focus ring, stays in its column and breaks no word", async ({
  page,
  elsewhere,
}) => {
  const visitor = signup(page);
  async function check(step: string) {
    expect.soft(await layoutFaults(page), step).toEqual([]);
    expect.soft(await withoutFocusRing(page), step).toEqual([]);
    expect.soft(await outsideColumn(page), step).toEqual([]);
  }
  async function checkWithoutScripts(path: string, prepare = async (_: Page) => {}) {
    const other = await elsewhere({ javaScriptEnabled: false, storageState: await page.context().storageState() });
    await other.goto(path);
    await prepare(other);
    expect.soft(await coveredAnywhere(other), `${path} without scripts`).toEqual([]);
    expect.soft(await faultsOfLargeText(other), `${path} without scripts`).toEqual([]);
  }

  for (const path of ["/subscription", "/subscription/x", PLAN]) {
    await page.goto(path);
    await hydrated(page);
    await check(path);
    await checkWithoutScripts(path);
  }
  await page.getByText("Change plan").click();
  await check("form with the plans to choose from");
  await visitor.submit();
  await expect(page.getByText("Phone number is required")).toBeVisible();
  await check("form with errors");
  await checkWithoutScripts(PLAN, (other) => signup(other).submit());

  await visitor.fillForm();
  await visitor.submit();
  await expect(visitor.payButton).toBeEnabled();
  await page.locator("summary", { hasText: "Continue on another device" }).click();
  await page.getByText("Change plan").click();
  await check("card step");
  await checkWithoutScripts(PLAN);
  const link = (await page.getByRole("link", { name: "Link to continue this sign-up" }).getAttribute("href")) ?? "";
  const device = await elsewhere();
  await device.goto(link);
  await device.getByRole("button", { name: "Continue this sign-up" }).waitFor();
  expect.soft(await layoutFaults(device), "resume").toEqual([]);

  await visitor.pay(CARDS.declined);
  await expect(page.getByRole("alert")).toContainText("Your card was declined.");
  await check("declined card");
  await visitor.pay(CARDS.works);
  await visitor.succeeded();
  await check("success");
  await checkWithoutScripts(PLAN);
});
