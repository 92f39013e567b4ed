import type { Page } from "@playwright/test";
import { PUBLIC_PATHS } from "../../app/seo/public-paths";
import { accessibilityProblems, PHONE, withoutFocusRing } from "./support/faults";
import { expect, test } from "./support/stack";

/* The public pages: loaded files, accessibility, header and menu. */

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

for (const path of [...PUBLIC_PATHS, "/nothing-here"]) {
  test(`${path} loads no script, stands still on request, is accessible and shows the focus`, async ({ page }) => {
    const requests: string[] = [];
    page.on("request", (request) => {
      const isCall = ["script", "stylesheet", "fetch", "xhr", "ping"].includes(request.resourceType());
      if (isCall || request.method() !== "GET") requests.push(`${request.method()} ${request.url()}`);
    });
    await page.goto(path, { waitUntil: "load" });
    expect.soft(requests, "scripts, stylesheets and what is sent").toEqual([]);
    expect.soft(await moving(page), "what moves").not.toEqual([]);
    await page.emulateMedia({ reducedMotion: "reduce" });
    expect.soft(await moving(page), "what moves although the visitor prefers reduced motion").toEqual([]);
    expect.soft(await accessibilityProblems(page)).toEqual([]);
    expect.soft(await withoutFocusRing(page), "controls without a focus ring").toEqual([]);
  });
}

const CLEAR = "rgba(0, 0, 0, 0)";
/** White, and a little of the content shines through. */
const TRANSLUCENT = /^rgba\(255, 255, 255, 0\.9\d*\)$/;
/** The color that the header has by now, or comes to have. */
const expectHeader = (page: Page, color: string | RegExp) =>
  expect(page.locator("header")).toHaveCSS("background-color", color);

test("the header is white and translucent once it is scrolled more than 10 px", async ({ page }) => {
  const scrollTo = (top: number) => page.evaluate((y) => window.scrollTo({ top: y, behavior: "instant" }), top);
  await page.goto("/");
  await expectHeader(page, CLEAR);
  await scrollTo(11);
  await expectHeader(page, TRANSLUCENT);
  await scrollTo(10);
  await expectHeader(page, CLEAR);
  await page.goto("/pricing#faq");
  await expectHeader(page, TRANSLUCENT);
});

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });

  const menuOf = (page: Page) => page.getByRole("navigation", { name: "Main" });
  async function expectAllClickable(page: Page) {
    const links = menuOf(page).getByRole("link");
    await expect(links).toHaveText(["Home", "Pricing", "Customer Console", "Start free trial"]);
    for (const link of await links.all()) await link.click({ trial: true });
  }

  test("the menu is a row of links on a large screen", async ({ page }) => {
    await page.goto("/");
    await expect(page.getByRole("button", { name: "Menu" })).toBeHidden();
    await expectAllClickable(page);
  });

  test("on a phone a button opens the menu, and the header is readable over the content", async ({ page }) => {
    await page.setViewportSize(PHONE);
    await page.goto("/");
    const toggle = page.getByRole("button", { name: "Menu" });
    await expect(menuOf(page)).toBeHidden();
    await toggle.press("Enter");
    await page.keyboard.press("Tab");
    await expect(menuOf(page).getByRole("link", { name: "Home" })).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(menuOf(page)).toBeHidden();
    await toggle.click();
    await expectAllClickable(page);
    await menuOf(page).getByRole("link", { name: "Pricing" }).click();
    await expect(page).toHaveURL("/pricing");
    await page.mouse.wheel(0, 600);
    await expectHeader(page, TRANSLUCENT);
  });
});

test("the keyboard's first stop is a link past the header, which can only be seen then", async ({ page }) => {
  await page.goto("/pricing");
  const skip = page.getByRole("link", { name: "Skip to content" });
  await expect(skip).toHaveCSS("clip-path", "inset(50%)");
  await page.keyboard.press("Tab");
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport({ ratio: 1 });
  await page.keyboard.press("Enter");
  await expect(page.locator("#main")).toBeFocused();
});
