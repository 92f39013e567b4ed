import type { Request } from "@playwright/test";
import { accessibilityProblems } from "./support/accessibility";
import { brokenWords, coveredAnywhere, cutOff, DESKTOP, layoutFaults, moving, PHONE } from "./support/layout";
import { expect, test } from "./support/stack";

const pages = [
  { path: "/", status: 200 },
  { path: "/pricing", status: 200 },
  { path: "/privacy", status: 200, heading: "Privacy Policy" },
  { path: "/terms", status: 200 },
  { path: "/security", status: 200 },
  { path: "/nothing-here", status: 404, heading: "Oops! Page not found" },
];

for (const { path, status, heading } of pages) {
  test(`${path} requests nothing else, is accessible in light and dark, fits every screen, can be clicked everywhere, and has no motion for visitors who prefer reduced motion`, async ({
    page,
    browser,
    baseURL,
  }) => {
    const requests: string[] = [];
    const note = (request: Request) => {
      const isCall = ["script", "stylesheet", "fetch", "xhr", "ping"].includes(request.resourceType());
      if (isCall || request.method() !== "GET") requests.push(request.url());
    };
    page.on("request", note);
    await page.setViewportSize(DESKTOP);
    await page.emulateMedia({ reducedMotion: "reduce" });
    const response = await page.goto(path);
    expect(response?.status()).toBe(status);
    const title = page.getByRole("heading", { level: 1 });
    await expect(title).toBeVisible();
    if (heading) await expect(title).toHaveText(heading);
    expect(requests).toEqual([]);
    page.off("request", note);
    // As Lighthouse does.
    expect(await page.evaluate(async () => (await fetch("/robots.txt")).text())).toContain("Sitemap: ");
    expect(await moving(page)).toEqual([]);
    expect(await accessibilityProblems(page)).toEqual([]);

    await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
    await page.locator("details").evaluateAll((questions) => {
      for (const question of questions) question.setAttribute("open", "");
    });
    await page.setViewportSize(PHONE);
    expect(await moving(page)).toEqual([]);
    await page.getByRole("button", { name: "Menu" }).click();
    await expect(page.getByRole("link", { name: "Customer Console" })).toBeVisible();
    expect(await accessibilityProblems(page), "on a phone, dark, with the menu").toEqual([]);
    await page.keyboard.press("Escape");

    expect(await layoutFaults(page)).toEqual([]);
    for (const [width, fontSize] of [
      [320, "100%"],
      [1280, "100%"],
      [375, "200%"],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.evaluate((size) => {
        document.documentElement.style.fontSize = size;
      }, fontSize);
      expect(await cutOff(page), `${width} px wide, text at ${fontSize}`).toEqual([]);
    }
    expect(await brokenWords(page), "text at 200%").toEqual([]);

    const context = await browser.newContext({ javaScriptEnabled: false, baseURL: baseURL ?? "" });
    const withoutScripts = await context.newPage();
    await withoutScripts.goto(path);
    expect(await coveredAnywhere(withoutScripts), "without scripts").toEqual([]);
    await context.close();
  });
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(`JavaScript ${javaScriptEnabled ? "on" : "off"}`, () => {
    test.use({ javaScriptEnabled });

    test("the main menu links to the pages, and on a small screen a button opens it", async ({ page }) => {
      const menu = page.getByRole("navigation", { name: "Main" });
      const toggle = page.getByRole("button", { name: "Menu" });
      await page.setViewportSize(DESKTOP);
      await page.goto("/");
      await expect(toggle).toBeHidden();
      await expect(menu.getByRole("link", { name: "Customer Console" })).toHaveAttribute("href", /^https:/);
      // A trial click only checks that the link is clickable.
      await menu.getByRole("link", { name: "Pricing" }).click({ trial: true });

      await page.setViewportSize(PHONE);
      await expect(menu).toBeHidden();
      await toggle.click();
      for (const name of ["Home", "Pricing", "Customer Console"])
        await expect(menu.getByRole("link", { name })).toBeVisible();
      await page.keyboard.press("Escape");
      await expect(menu).toBeHidden();
      await toggle.click();
      await menu.getByRole("link", { name: "Pricing" }).click();
      await expect(page).toHaveURL("/pricing");
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    });
  });
}

test("with the keyboard alone, the skip link skips the header, and a question opens and closes", async ({ page }) => {
  await page.goto("/pricing");
  const skip = page.getByRole("link", { name: "Skip to content" });
  await page.keyboard.press("Tab");
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press("Enter");
  await expect(page.locator("#main")).toBeFocused();

  const answer = page.getByText("the price difference is prorated");
  await expect(answer).toBeHidden();
  await page.locator("summary", { hasText: "Can I upgrade my plan?" }).focus();
  await page.keyboard.press("Enter");
  await expect(answer).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(answer).toBeHidden();
});

test("Learn More links to the features and Get Started to pricing", async ({ page }) => {
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await page.goto("/");
    await page.getByRole("link", { name: "Learn More" }).click();
    await expect(page).toHaveURL("/#features");
    await expect(page.locator("#features").getByRole("heading", { level: 2 })).toBeInViewport();
    await page.getByRole("link", { name: "Get Started" }).click();
    await expect(page).toHaveURL("/pricing");
  }
});

test("the header turns white and translucent after 10 px of scrolling", async ({ page }) => {
  await page.goto("/");
  const header = page.locator("header");
  const background = () => header.evaluate((element) => getComputedStyle(element).backgroundColor.replaceAll(" ", ""));
  const scrollDownTo = (y: number) => page.evaluate((top) => window.scrollTo({ top, behavior: "instant" }), y);
  const TRANSPARENT = "rgba(0,0,0,0)";
  const TRANSLUCENT = /^rgba\(255,255,255,0\.\d+\)$/;

  expect(await background()).toBe(TRANSPARENT);
  await scrollDownTo(10);
  // Two frames later the scroll event has fired, and a color change would have begun.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  expect(await header.evaluate((element) => element.getAnimations().length)).toBe(0);
  expect(await background()).toBe(TRANSPARENT);
  await scrollDownTo(11);
  await expect.poll(background).toMatch(TRANSLUCENT);
  await scrollDownTo(0);
  await expect.poll(background).toBe(TRANSPARENT);

  // The browser itself may restore another scroll position than the top.
  await scrollDownTo(900);
  await page.reload();
  await expect.poll(background).toMatch(TRANSLUCENT);
  await page.goto("/pricing");
  expect(await background()).toBe(TRANSPARENT);
  await page.goto("/#features");
  await expect.poll(background).toMatch(TRANSLUCENT);
  await page.goto("/pricing");
  await page.goBack();
  await expect.poll(background).toMatch(TRANSLUCENT);
});
