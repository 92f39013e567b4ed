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
