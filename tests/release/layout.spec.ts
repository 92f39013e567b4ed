import type { Page } from "@playwright/test";
import {
  accessibilityProblems,
  coveredAnywhere,
  faultsOfLargeText,
  layoutFaults,
  outsideColumn,
  PHONE,
  withoutFocusRing,
} from "../browser/support/faults";
import { PUBLIC_PAGES } from "../browser/support/public-pages";
import { CARDS, hydrated, PLAN, signup } from "../browser/support/sign-up";
import { expect, test } from "../browser/support/stack";

/* The look of every page and step: on all widths, with large text, in dark mode and forced colors. */

for (const path of PUBLIC_PAGES) {
  test.describe(path, () => {
    test.use({ contextOptions: { reducedMotion: "reduce" } });

    const openQuestions = (page: Page) =>
      page.locator("details").evaluateAll((questions) => {
        for (const question of questions) question.setAttribute("open", "");
      });

    test("is accessible on a phone in dark mode, with menu and questions open", async ({ page }) => {
      await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
      await page.setViewportSize(PHONE);
      await page.goto(path);
      await openQuestions(page);
      await page.getByRole("button", { name: "Menu" }).click();
      await expect(page.getByRole("link", { name: "Customer Console" })).toBeVisible();
      expect(await accessibilityProblems(page)).toEqual([]);
    });

    test("breaks no word and covers no control, from 320 to 1440 px and with large text", async ({ page }) => {
      await page.goto(path);
      await openQuestions(page);
      expect(await layoutFaults(page)).toEqual([]);
      expect(await faultsOfLargeText(page), "with text of 200%").toEqual([]);
    });

    test("covers no control without scripts", async ({ elsewhere }) => {
      const page = await elsewhere({ javaScriptEnabled: false });
      await page.goto(path);
      expect(await coveredAnywhere(page)).toEqual([]);
    });
  });
}

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
