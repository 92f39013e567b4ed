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
export function covered(page: Page): Promise<string[]> {
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

/** The words that stand on two lines, and whether the page scrolls sideways. An address may break where it does not fit. */
export function brokenWords(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    if (document.documentElement.scrollWidth > innerWidth) found.push("scrolls sideways");
    const range = document.createRange();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const parent = node.parentElement;
      if (!parent?.checkVisibility() || parent.closest(".sr-only, .skip-link, svg, script, style, option")) continue;
      range.selectNodeContents(node);
      if (range.getClientRects().length < 2) continue;
      // A line may end after a hyphen, dash or slash.
      for (const { index, 0: word } of (node.textContent ?? "").matchAll(/[^\s/–—-]+/g)) {
        if (/[@.]\w|\w{20}/.test(word)) continue;
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const tops = [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top));
        if (new Set(tops).size > 1) found.push(`${word} in ${parent.outerHTML.slice(0, 60)}`);
      }
    }
    return found;
  });
}

/** Phones, a tablet and a desktop. */
const DEVICE_WIDTHS = [320, 375, 768, 1280];

/** What is wrong with the current page at any width: something covered at a device's width, a broken word at others. */
export async function layoutFaults(page: Page): Promise<string[]> {
  const faults: string[] = [];
  const lookAt = async (width: number, look: typeof covered) => {
    await page.setViewportSize({ width, height: 800 });
    faults.push(...(await look(page)).map((fault) => `${width} px: ${fault}`));
  };
  for (const width of DEVICE_WIDTHS) await lookAt(width, covered);
  for (let width = 320; width <= 1440; width += 20) await lookAt(width, brokenWords);
  return faults;
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
