import type { Page } from "@playwright/test";
import { brokenWords } from "../browser/support/layout";
import { hydrated, PLAN } from "../browser/support/sign-up";
import { expect, test } from "../browser/support/stack";

const pages = ["/", "/pricing", "/privacy", "/terms", "/nothing-here", PLAN];

/** The words on each line of each visible element that a selector finds. */
function linesOf(page: Page, selector: string): Promise<string[][][]> {
  return page.evaluate((wanted) => {
    const range = document.createRange();
    const elements = [...document.querySelectorAll(wanted)].filter((element) => element.checkVisibility());
    return elements.map((element) => {
      const lines: string[][] = [];
      let bottom = Number.NaN;
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node = texts.nextNode(); node; node = texts.nextNode()) {
        for (const { index, 0: word } of (node.textContent ?? "").matchAll(/\S+/g)) {
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          const box = range.getBoundingClientRect();
          // Half of the smallest line height in use: a highlight is a little lower than the words beside it.
          if (Math.abs(box.bottom - bottom) < 10) lines.at(-1)?.push(word);
          else lines.push([word]);
          bottom = box.bottom;
        }
      }
      return lines;
    });
  }, selector);
}

test("no headline leaves a word alone on a line, and no footer link wraps, from 320 to 1920 px", async ({ page }) => {
  for (const path of pages) {
    await page.goto(path);
    await page.evaluate(() => document.fonts.ready);
    for (let width = 320; width <= 1920; width += 40) {
      await page.setViewportSize({ width, height: 900 });
      const headlines = await linesOf(page, "main :is(h1, h2), main blockquote");
      const alone = headlines.filter((lines) => lines.length > 1 && lines.some(({ length }) => length === 1));
      expect(alone, `${path}, ${width} px`).toEqual([]);
      for (const lines of await linesOf(page, "footer a")) expect(lines, `${path}, ${width} px`).toHaveLength(1);
    }
  }
});

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
