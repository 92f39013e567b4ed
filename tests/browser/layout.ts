import type { Page } from "@playwright/test";

export const PHONE = { width: 360, height: 740 };
export const DESKTOP = { width: 1280, height: 800 };

/** What sticks out of the window or is wider than its box lets show, leaving out what is made to scroll. */
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
