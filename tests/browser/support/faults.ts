import type { Page } from "@playwright/test";
import axeCore from "axe-core";

export const PHONE = { width: 360, height: 740 };
export const DESKTOP = { width: 1280, height: 800 };

const CONTROLS = "a[href], button, input:not([type=hidden]), select, textarea, summary";

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

/** The links, buttons and fields that look the same with the keyboard's focus as without. */
export async function withoutFocusRing(page: Page): Promise<string[]> {
  await page.keyboard.press("Tab");
  return page.evaluate((controls) => {
    const found: string[] = [];
    for (const control of document.querySelectorAll<HTMLElement>(controls)) {
      control.focus({ preventScroll: true });
      if (document.activeElement !== control) continue;
      // The ring may be around the box of a field.
      const boxes = [control, control.parentElement, control.parentElement?.parentElement].filter((box) => !!box);
      const isShown = boxes.some((box) => getComputedStyle(box).outline.includes("solid 3px"));
      if (!isShown) found.push(control.outerHTML.slice(0, 80));
    }
    return found;
  }, CONTROLS);
}

/** The visible links, buttons and fields that stick out of their column on the left in forced colors, which show each button's border. */
export async function outsideColumn(page: Page): Promise<string[]> {
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
export const coveredAnywhere = (page: Page) => atWidths(page, [320, 375, 768, 1280], covered);

const EVERY_WIDTH = Array.from({ length: 57 }, (_, step) => 320 + 20 * step);

/** Also words broken across lines between 320 and 1440 px. */
export async function layoutFaults(page: Page): Promise<string[]> {
  return [...(await coveredAnywhere(page)), ...(await atWidths(page, EVERY_WIDTH, brokenWords))];
}

/** Broken words where text has 200 % of its size, and a headline that does not grow with it. */
export async function faultsOfLargeText(page: Page): Promise<string[]> {
  await page.setViewportSize({ width: 375, height: 900 });
  const size = () => page.locator("h1").evaluate((h1) => Number.parseFloat(getComputedStyle(h1).fontSize));
  const usual = await size();
  await page.evaluate(() => document.documentElement.style.setProperty("font-size", "200%"));
  return [...((await size()) > usual * 1.2 ? [] : ["the headline stays small"]), ...(await brokenWords(page))];
}

/** Tags of axe's rules for WCAG 2.2 AA and best practices. */
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** The elements of the current page that break a rule of WCAG 2.2 AA or a best practice, as axe finds them. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  // The debugger evaluates it: the page's policy neither stops it nor has to be switched off.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axeCore.source);
  const { violations } = await page.evaluate(
    (tags) => globalThis.axe.run(document, { runOnly: tags, resultTypes: ["violations"] }),
    RULES,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = "" }) => `${id} ${target.join(" ")}: ${failureSummary.replace(/\s+/g, " ")}`),
  );
}

declare global {
  var axe: typeof axeCore;
}
