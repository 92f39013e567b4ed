import type { Page } from "@playwright/test";
import axeCore from "axe-core";

/** Tags of axe's rules for WCAG 2.2 AA and best practices. */
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/**
 * Accessibility problems that axe finds on the current page.
 * @returns one line for each element that breaks a rule of WCAG 2.2 AA or a best practice
 */
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
