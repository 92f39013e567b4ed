import type { Page } from "@playwright/test";
import { PUBLIC_PATHS } from "../../app/seo/public-paths";
import { accessibilityProblems, CONTROLS, PHONE, withoutFocusRing } from "../browser/support/faults";
import { CARDS, failureNotice, hydrated, PLAN, signup } from "../browser/support/sign-up";
import { expect, test } from "../browser/support/stack";

/* The look of every page and step: on all widths, with large text, in dark mode and forced colors. */

/** The visible links, buttons and fields with something else over their middle, where a mouse or finger presses. */
function covered(page: Page): Promise<string[]> {
  return page.evaluate((controls) => {
    const found: string[] = [];
    for (const control of document.querySelectorAll<HTMLElement>(controls)) {
      if (!control.checkVisibility({ visibilityProperty: true }) || control.matches(".skip-link")) continue;
      control.scrollIntoView({ block: "center", behavior: "instant" });
      // A link over two lines has two boxes.
      const box = control.getClientRects()[0];
      const hit = box && document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      if (hit && (control.contains(hit) || hit.closest("label")?.control === control)) continue;
      found.push(`${control.outerHTML.slice(0, 80)} is under ${hit?.outerHTML.slice(0, 80) ?? "nothing"}`);
    }
    scrollTo({ top: 0, behavior: "instant" });
    return found;
  }, CONTROLS);
}

/** The visible links, buttons and fields that stick out of their column on the left in forced colors, which show each button's border. */
async function outsideColumn(page: Page): Promise<string[]> {
  await page.emulateMedia({ forcedColors: "active" });
  const found = await page.evaluate((controls) => {
    const edge = document.querySelector("h1")?.getBoundingClientRect().left ?? 0;
    return [...document.querySelectorAll(`main :is(${controls})`)]
      .filter((control) => control.checkVisibility() && control.getBoundingClientRect().left < edge - 1)
      .map((control) => control.outerHTML.slice(0, 80));
  }, CONTROLS);
  await page.emulateMedia({ forcedColors: "none" });
  return found;
}

/** The words on two lines that would fit on one, and whether the page scrolls sideways. */
function brokenWords(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found = document.documentElement.scrollWidth > innerWidth ? ["scrolls sideways"] : [];
    /** The width that a word has at most. A table must not squeeze it. */
    const roomFor = (element: Element) => {
      let box = element.closest("table")?.parentElement ?? element;
      while (getComputedStyle(box).display.startsWith("inline") && box.parentElement) box = box.parentElement;
      const { paddingLeft, paddingRight } = getComputedStyle(box);
      return box.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
    };
    const range = document.createRange();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const parent = node.parentElement;
      if (!parent?.checkVisibility() || parent.closest(".sr-only, .skip-link, svg, script, style, option")) continue;
      range.selectNodeContents(node);
      if (range.getClientRects().length < 2) continue;
      // A line may end after a hyphen, a dash or an ellipsis.
      for (const { index, 0: word } of (node.textContent ?? "").matchAll(/[^\s…–—-]+/g)) {
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const parts = [...range.getClientRects()].filter(({ width }) => width > 0);
        const width = parts.reduce((sum, part) => sum + part.width, 0);
        const isBroken = new Set(parts.map(({ top }) => Math.round(top))).size > 1;
        if (isBroken && width <= roomFor(parent)) found.push(`${word} in ${parent.outerHTML.slice(0, 60)}`);
      }
    }
    return found;
  });
}

/** Runs `look` on the current page at several widths and lists the faults. */
async function atWidths(page: Page, widths: number[], look: typeof covered): Promise<string[]> {
  const faults: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    faults.push(...(await look(page)).map((fault) => `${width} px: ${fault}`));
  }
  return faults;
}

/** Elements that something covers on two phones, a tablet or a desktop. */
const coveredAnywhere = (page: Page) => atWidths(page, [320, 375, 768, 1280], covered);

const EVERY_WIDTH = Array.from({ length: 57 }, (_, step) => 320 + 20 * step);

/** Also words broken across lines between 320 and 1440 px. */
async function layoutFaults(page: Page): Promise<string[]> {
  return [...(await coveredAnywhere(page)), ...(await atWidths(page, EVERY_WIDTH, brokenWords))];
}

/** Broken words where text has 200 % of its size, and a headline that does not grow with it. */
async function faultsOfLargeText(page: Page): Promise<string[]> {
  await page.setViewportSize({ width: 375, height: 900 });
  const size = () => page.locator("h1").evaluate((h1) => Number.parseFloat(getComputedStyle(h1).fontSize));
  const usual = await size();
  await page.evaluate(() => document.documentElement.style.setProperty("font-size", "200%"));
  return [...((await size()) > usual * 1.2 ? [] : ["the headline stays small"]), ...(await brokenWords(page))];
}

for (const path of [...PUBLIC_PATHS, "/nothing-here"]) {
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
  // Nine states at 57 widths each.
  test.slow();
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
  await expect(failureNotice(page)).toContainText("Your card was declined.");
  await check("declined card");
  await visitor.pay(CARDS.works);
  await visitor.succeeded();
  await check("success");
  await checkWithoutScripts(PLAN);
});
