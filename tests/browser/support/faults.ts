import type { Page } from "@playwright/test";
import axeCore from "axe-core";

export const PHONE = { width: 360, height: 740 };
export const DESKTOP = { width: 1280, height: 800 };

/** Selects what a visitor can press or fill in. */
export const CONTROLS = "a[href], button, input:not([type=hidden]), select, textarea, summary";

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
