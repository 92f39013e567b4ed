import type { Page } from "@playwright/test";

export const PHONE = { width: 360, height: 740 };
export const DESKTOP = { width: 1280, height: 800 };

/** Elements that overflow the window or their box, except scrolling ones. */
export function cutOff(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    if (document.documentElement.scrollWidth > innerWidth)
      found.push(`page: ${document.documentElement.scrollWidth} px`);
    for (const element of document.body.querySelectorAll<HTMLElement>("*")) {
      if (element.closest(".comparison, .skip-link, .sr-only, svg") || !element.checkVisibility()) continue;
      const { right, width } = element.getBoundingClientRect();
      const hides = getComputedStyle(element).overflowX !== "visible";
      if (width > 0 && right > innerWidth + 1) found.push(`${element.outerHTML.slice(0, 80)} ends at ${right} px`);
      if (hides && element.scrollWidth > element.clientWidth + 1)
        found.push(`${element.outerHTML.slice(0, 80)} hides text`);
    }
    return found;
  });
}

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
      const label = hit?.closest("label");
      if (hit && (control.contains(hit) || (label && label.control === control))) continue;
      found.push(`${control.outerHTML.slice(0, 80)} is under ${hit?.outerHTML.slice(0, 80) ?? "nothing"}`);
    }
    scrollTo({ top: 0, behavior: "instant" });
    return found;
  }, CONTROLS);
}

/** The words on two lines that would fit on one, and whether the page scrolls sideways. */
export function brokenWords(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    if (document.documentElement.scrollWidth > innerWidth) found.push("scrolls sideways");
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

/** What `look` finds on the current page at some widths. */
async function atWidths(page: Page, widths: number[], look: typeof covered): Promise<string[]> {
  const faults: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    faults.push(...(await look(page)).map((fault) => `${width} px: ${fault}`));
  }
  return faults;
}

/** What is covered on two phones, a tablet and a desktop. */
export function coveredAnywhere(page: Page): Promise<string[]> {
  return atWidths(page, [320, 375, 768, 1280], covered);
}

const EVERY_WIDTH = Array.from({ length: 57 }, (_, step) => 320 + 20 * step);

/** Also the words that are broken from 320 to 1440 px. */
export async function layoutFaults(page: Page): Promise<string[]> {
  return [...(await coveredAnywhere(page)), ...(await atWidths(page, EVERY_WIDTH, brokenWords))];
}

/** The elements with a transition, an animation or smooth scrolling. */
export function moving(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [document.documentElement, ...document.body.querySelectorAll("*")].flatMap((element) => {
      const { transitionProperty, transitionDuration, animationName, scrollBehavior } = getComputedStyle(element);
      const still = transitionProperty === "none" || /^0s(, 0s)*$/.test(transitionDuration);
      return still && animationName === "none" && scrollBehavior === "auto" ? [] : [element.outerHTML.slice(0, 80)];
    }),
  );
}

/**
 * The lines of text of each visible element that a selector finds, as they stand on the screen. A line that ends within
 * a word ends in "…".
 */
export function linesOf(page: Page, selector: string): Promise<string[][]> {
  return page.evaluate((wanted) => {
    const bottomOf = (node: Node, at: number) => {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      return range.getBoundingClientRect().bottom;
    };
    return [...document.querySelectorAll(wanted)]
      .filter((element) => element.checkVisibility())
      .map((element) => {
        const lines: string[] = [];
        let line = Number.NaN;
        const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        for (let node = texts.nextNode(); node; node = texts.nextNode()) {
          if (node.parentElement?.closest(".sr-only")) continue;
          for (const [at, character] of [...(node.textContent ?? "")].entries()) {
            const isSpace = /\s/.test(character);
            const bottom = isSpace ? line : bottomOf(node, at);
            const last = lines.length - 1;
            // Half of the smallest line height in use: a highlight is a little lower than the words beside it.
            if (Math.abs(bottom - line) < 10 || isSpace)
              lines[last] = `${lines[last] ?? ""}${isSpace ? " " : character}`;
            else {
              if (last >= 0 && !/[\s/-]$/.test(lines[last] ?? "")) lines[last] += "…";
              lines.push(character);
              line = bottom;
            }
          }
        }
        return lines.map((text) => text.trim());
      });
  }, selector);
}
