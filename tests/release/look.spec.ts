import { brokenWords } from "../browser/support/layout";
import { hydrated, PLAN } from "../browser/support/sign-up";
import { expect, test } from "../browser/support/stack";

const pages = ["/", "/pricing", "/privacy", "/terms", "/nothing-here", PLAN];

test("a page prints dark on white with the brand and every answer, without menu and footer", async ({ page }) => {
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  for (const [path, answers] of [
    ["/", 0],
    ["/pricing", 6],
    ["/terms", 0],
  ] as const) {
    await page.goto(path);
    await expect(page.getByRole("banner").getByRole("link", { name: /, home$/ })).toBeVisible();
    for (const name of ["contentinfo", "navigation", "button"] as const)
      await expect(page.getByRole(name)).toHaveCount(0);
    await expect(page.locator("details p")).toHaveCount(answers);
    for (const answer of await page.locator("details p").all())
      expect((await answer.boundingBox())?.height).toBeGreaterThan(10);
    const pale = await page
      .locator("main :is(h1, h2, h3, p, a, li, strong, figcaption)")
      .evaluateAll((elements) =>
        elements
          .filter((element) => Math.max(...(getComputedStyle(element).color.match(/\d+/g) ?? []).map(Number)) > 230)
          .map(({ textContent }) => textContent),
      );
    expect(pale, path).toEqual([]);
  }
});

test("with text at 200 % on a phone headlines grow and no word of the form breaks", async ({ page }) => {
  await page.setViewportSize({ width: 375, height: 740 });
  for (const path of pages) {
    await page.goto(path);
    const title = page.getByRole("heading", { level: 1 });
    const size = () => title.evaluate((h1) => Number.parseFloat(getComputedStyle(h1).fontSize));
    const usual = await size();
    await page.evaluate(() => document.documentElement.style.setProperty("font-size", "200%"));
    expect(await size(), path).toBeGreaterThan(usual * 1.2);
  }
  expect(await brokenWords(page)).toEqual([]);
});

test("the header never covers the focused field or its label", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 500 });
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(PLAN);
  await hydrated(page);
  for (const label of ["Contact Name", "Phone Number", "Country"]) {
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await page.getByLabel(label, { exact: true }).focus();
    const [header, box] = [page.getByRole("banner"), page.getByText(label, { exact: true }).first()];
    const { height = Number.NaN } = (await header.boundingBox()) ?? {};
    expect((await box.boundingBox())?.y, label).toBeGreaterThanOrEqual(height);
  }
});
