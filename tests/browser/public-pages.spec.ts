import type { Page } from "@playwright/test";
import * as faults from "./support/faults";
import { expect, test } from "./support/stack";

/** The elements with a transition, an animation or smooth scrolling. */
function moving(page: Page): Promise<string[]> {
  return page.locator("*").evaluateAll((elements) =>
    elements
      .filter((element) => {
        const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(element);
        return /[1-9]/.test(transitionDuration) || animationName !== "none" || scrollBehavior !== "auto";
      })
      .map(({ outerHTML }) => outerHTML.slice(0, 80)),
  );
}

for (const path of ["/", "/pricing", "/privacy", "/terms", "/security", "/nothing-here"]) {
  test(`${path} needs no script, is accessible, fits every screen and can be clicked`, async ({ page, elsewhere }) => {
    const requests: string[] = [];
    page.on("request", (request) => {
      const isCall = ["script", "stylesheet", "fetch", "xhr", "ping"].includes(request.resourceType());
      if (isCall || request.method() !== "GET") requests.push(request.url());
    });
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.goto(path, { waitUntil: "load" });
    expect(requests).toEqual([]);
    expect(await moving(page)).toEqual([]);
    expect(await faults.accessibilityProblems(page)).toEqual([]);
    expect(await faults.withoutFocusRing(page)).toEqual([]);

    await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
    await page.locator("details").evaluateAll((questions) => {
      for (const question of questions) question.setAttribute("open", "");
    });
    await page.setViewportSize(faults.PHONE);
    await page.getByRole("button", { name: "Menu" }).click();
    await expect(page.getByRole("link", { name: "Customer Console" })).toBeVisible();
    expect(await faults.accessibilityProblems(page), "on a phone, dark, with the menu").toEqual([]);
    await page.keyboard.press("Escape");

    expect(await faults.layoutFaults(page)).toEqual([]);
    expect(await faults.faultsOfLargeText(page)).toEqual([]);

    const withoutScripts = await elsewhere({ javaScriptEnabled: false });
    await withoutScripts.goto(path);
    expect(await faults.coveredAnywhere(withoutScripts), "without scripts").toEqual([]);
  });
}

test("the header turns translucent over the content after 10 px of scrolling", async ({ page }) => {
  const header = page.locator("header");
  const background = () => header.evaluate((element) => getComputedStyle(element).backgroundColor);
  const scrollTo = (y: number) =>
    page.evaluate(async (top) => {
      window.scrollTo({ top, behavior: "instant" });
      // Two frames later the scroll event has fired, and a change of color has begun.
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      for (const animation of document.querySelector("header")?.getAnimations() ?? []) animation.finish();
    }, y);
  const [clear, translucent] = ["rgba(0, 0, 0, 0)", expect.stringMatching(/^rgba\(255, 255, 255, 0\.9\d*\)$/)];
  await page.goto("/");
  for (const [y, color] of [
    [10, clear],
    [11, translucent],
    [0, clear],
  ] as const) {
    await scrollTo(y);
    expect(await background(), `${y} px`).toEqual(color);
  }
  await page.goto("/pricing#faq");
  await expect.poll(background, "scrolled by the browser itself").toEqual(translucent);
});

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });

  test("the main menu is a row; on a small screen a button opens it, also by keyboard", async ({ page }) => {
    const menu = page.getByRole("navigation", { name: "Main" });
    const toggle = page.getByRole("button", { name: "Menu" });
    const canClickAll = async () => {
      await expect(menu.getByRole("link")).toHaveText(["Home", "Pricing", "Customer Console", "Start free trial"]);
      for (const link of await menu.getByRole("link").all()) await link.click({ trial: true });
    };
    await page.goto("/");
    await expect(toggle).toBeHidden();
    await canClickAll();

    await page.setViewportSize(faults.PHONE);
    await expect(menu).toBeHidden();
    await toggle.press("Enter");
    await canClickAll();
    await page.keyboard.press("Tab");
    await expect(menu.getByRole("link", { name: "Home" })).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(menu).toBeHidden();
    await toggle.click();
    await menu.getByRole("link", { name: "Pricing" }).click();
    await expect(page).toHaveURL("/pricing");
    await page.mouse.wheel(0, 600);
    const background = () => page.locator("header").evaluate((header) => getComputedStyle(header).backgroundColor);
    await expect.poll(background, "readable over the content").toMatch(/^rgba\(255, 255, 255, 0\.9\d*\)$/);
  });
});

test("the keyboard skips the header, and opens and closes a question", async ({ page }) => {
  await page.goto("/pricing");
  const skip = page.getByRole("link", { name: "Skip to content" });
  await expect(skip).toHaveCSS("clip-path", "inset(50%)");
  await page.keyboard.press("Tab");
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport({ ratio: 1 });
  await page.keyboard.press("Enter");
  await expect(page.locator("#main")).toBeFocused();
  const answer = page.getByText("the price difference is prorated");
  const question = page.locator("summary", { hasText: "Can I upgrade my plan?" });
  for (const isShown of [false, true, false]) {
    await expect(answer).toBeVisible({ visible: isShown });
    await question.press("Enter");
  }
});

for (const words of ["$100 a month", "$200 a month", "ENTERPRISE/AGENCY", "Price on request"]) {
  test(`the first "${words}" of the pricing page can be seen`, async ({ page }) => {
    await page.goto("/pricing");
    await expect(page.getByText(words).first()).toBeVisible();
  });
}
