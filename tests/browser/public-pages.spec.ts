import type { Page } from "@playwright/test";
import { accessibilityProblems } from "./accessibility";
import { expect, test } from "./stack";

const pages = [
  { path: "/", status: 200 },
  { path: "/pricing", status: 200 },
  { path: "/privacy", status: 200, heading: "Privacy Policy" },
  { path: "/terms", status: 200 },
  { path: "/nothing-here", status: 404, heading: "Oops! Page not found" },
];

for (const javaScriptEnabled of [true, false]) {
  test.describe(`JavaScript ${javaScriptEnabled ? "on" : "off"}`, () => {
    test.use({ javaScriptEnabled });

    for (const { path, status, heading } of pages) {
      test(`${path} is complete, accessible and without script files`, async ({ page }) => {
        const scripts: string[] = [];
        const complaints: string[] = [];
        page.on("request", (request) => request.resourceType() === "script" && scripts.push(request.url()));
        page.on("pageerror", (error) => complaints.push(error.message));
        page.on("console", (message) => {
          if (message.text().includes("Content Security Policy")) complaints.push(message.text());
        });

        const response = await page.goto(path);

        expect(response?.status()).toBe(status);
        const title = page.getByRole("heading", { level: 1 });
        await expect(title).toHaveCount(1);
        await expect(title).toBeVisible();
        if (heading) await expect(title).toHaveText(heading);

        const header = page.getByRole("banner");
        await expect(header.getByRole("link", { name: /, home$/ })).toHaveAttribute("href", "/");
        const footer = page.getByRole("contentinfo");
        await expect(footer.getByRole("link", { name: "Pricing" })).toHaveAttribute("href", "/pricing");
        await expect(footer.getByRole("link", { name: "Contact Sales" })).toHaveAttribute("href", /^mailto:.+@/);
        await expect(footer.getByRole("link", { name: "Contact Support" })).toHaveAttribute("href", /^mailto:.+@/);
        await expect(footer.getByRole("link", { name: "Privacy Policy" })).toHaveAttribute("href", "/privacy");
        await expect(footer.getByRole("link", { name: "Terms & Conditions" })).toHaveAttribute("href", "/terms");

        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(overflow, "pixels that stick out to the side").toBeLessThanOrEqual(0);
        // axe is a script itself; without JavaScript the page is the same document.
        if (javaScriptEnabled) expect(await accessibilityProblems(page)).toEqual([]);
        expect(scripts).toEqual([]);
        await expect(page.locator("script[src]:not([nomodule]), link[rel=modulepreload]")).toHaveCount(0);
        expect(complaints).toEqual([]);
      });

      test(`${path}: the main menu leads on`, async ({ page, viewport }) => {
        await page.goto(path);
        const menu = page.getByRole("navigation", { name: "Main" });
        const toggle = page.getByRole("button", { name: "Menu" });
        if (viewport && viewport.width < 768) {
          await expect(menu).toBeHidden();
          await toggle.click();
          await expect(menu).toBeVisible();
          await page.keyboard.press("Escape");
          await expect(menu).toBeHidden();
          await toggle.click();
        } else {
          await expect(toggle).toBeHidden();
        }
        await expect(menu.getByRole("link", { name: "Customer Console" })).toHaveAttribute("href", /^https:/);
        await menu.getByRole("link", { name: "Pricing" }).click();
        await expect(page).toHaveURL("/pricing");
        await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      });
    }

    test("a question opens and closes by the keyboard", async ({ page }) => {
      await page.goto("/pricing");
      const answer = page.getByText("the price difference is prorated");
      await expect(answer).toBeHidden();
      await page.locator("summary", { hasText: "Can I upgrade my plan?" }).focus();
      await page.keyboard.press("Enter");
      await expect(answer).toBeVisible();
      await page.keyboard.press("Enter");
      await expect(answer).toBeHidden();
    });

    test("the skip link comes first and leads past the header", async ({ page }) => {
      await page.goto("/pricing");
      const skip = page.getByRole("link", { name: "Skip to content" });
      await page.keyboard.press("Tab");
      await expect(skip).toBeFocused();
      await expect(skip).toBeInViewport();
      await page.keyboard.press("Enter");
      await expect(page.locator("#main")).toBeFocused();
    });

    test("Learn More leads to the features, Get Started to pricing", async ({ page }) => {
      await page.goto("/");
      await page.getByRole("link", { name: "Learn More" }).click();
      await expect(page).toHaveURL("/#features");
      await expect(page.locator("#features").getByRole("heading", { level: 2 })).toBeInViewport();
      await page.getByRole("link", { name: "Get Started" }).click();
      await expect(page).toHaveURL("/pricing");
    });
  });
}

test.describe("every page", () => {
  for (const { path } of pages) {
    test(`${path} has no problem of accessibility in the dark, with the menu and all questions open`, async ({
      page,
      viewport,
    }) => {
      await page.emulateMedia({ colorScheme: "dark" });
      await page.goto(path);
      await page.locator("details").evaluateAll((questions) => {
        for (const question of questions) question.setAttribute("open", "");
      });
      expect(await accessibilityProblems(page)).toEqual([]);
      if (viewport && viewport.width < 768) {
        await page.getByRole("button", { name: "Menu" }).click();
        await expect(page.getByRole("link", { name: "Customer Console" })).toBeVisible();
        expect(await accessibilityProblems(page)).toEqual([]);
      }
    });

    test(`${path} fits every width and text at 200 %: nothing is cut off or to be scrolled sideways`, async ({
      page,
    }) => {
      await page.goto(path);
      for (const [width, fontSize] of [
        [320, "100%"],
        [768, "100%"],
        [1280, "200%"],
        [1920, "100%"],
        [360, "200%"],
      ] as const) {
        await page.setViewportSize({ width, height: 900 });
        await page.evaluate((size) => {
          document.documentElement.style.fontSize = size;
        }, fontSize);
        expect(await cutOff(page), `${width} px wide, text at ${fontSize}`).toEqual([]);
      }
    });

    test(`${path} moves nothing for those who asked for less motion`, async ({ page }) => {
      await page.emulateMedia({ reducedMotion: "reduce" });
      await page.goto(path);
      const moving = await page.evaluate(() =>
        [document.documentElement, ...document.body.querySelectorAll("*")].flatMap((element) => {
          const { transitionProperty, transitionDuration, animationName, scrollBehavior } = getComputedStyle(element);
          const still = transitionProperty === "none" || /^0s(, 0s)*$/.test(transitionDuration);
          return still && animationName === "none" && scrollBehavior === "auto" ? [] : [element.outerHTML.slice(0, 80)];
        }),
      );
      expect(moving).toEqual([]);
    });
  }
});

test("the header turns white and translucent past 10 px", async ({ page }) => {
  await page.goto("/");
  const background = () =>
    page.locator("header").evaluate((header) => getComputedStyle(header).backgroundColor.replaceAll(" ", ""));
  const scrollDownTo = (y: number) => page.evaluate((top) => window.scrollTo({ top, behavior: "instant" }), y);

  expect(await background()).toBe("rgba(0,0,0,0)");
  await scrollDownTo(10);
  await page.waitForTimeout(400);
  expect(await background()).toBe("rgba(0,0,0,0)");
  await scrollDownTo(11);
  await expect.poll(background).toMatch(/^rgba\(255,255,255,0\.\d+\)$/);
  await scrollDownTo(0);
  await expect.poll(background).toBe("rgba(0,0,0,0)");

  // Also where the browser itself goes to another place than the top.
  await scrollDownTo(900);
  await page.reload();
  await expect.poll(background).toMatch(/^rgba\(255,255,255,0\.\d+\)$/);
  await page.goto("/pricing");
  expect(await background()).toBe("rgba(0,0,0,0)");
  await page.goto("/#features");
  await expect.poll(background).toMatch(/^rgba\(255,255,255,0\.\d+\)$/);
  await page.goto("/pricing");
  await page.goBack();
  await expect.poll(background).toMatch(/^rgba\(255,255,255,0\.\d+\)$/);
});

test("a page is loaded before a link to it is followed, and the sign-up never is", async ({ page, viewport }) => {
  test.skip(!viewport || viewport.width < 768, "There is a pointer to hover with on desktops only.");
  const statuses: string[] = [];
  const candidates = new Set<string>();
  const devTools = await page.context().newCDPSession(page);
  devTools.on("Preload.preloadingAttemptSourcesUpdated", ({ preloadingAttemptSources }) => {
    for (const { key } of preloadingAttemptSources) candidates.add(`${key.action} ${new URL(key.url).pathname}`);
  });
  // While developer tools are attached, Chromium loads the page in advance but leaves its rendering for later.
  devTools.on("Preload.prefetchStatusUpdated", ({ prefetchUrl, prefetchStatus }) => {
    statuses.push(`${new URL(prefetchUrl).pathname} ${prefetchStatus}`);
  });
  await devTools.send("Preload.enable");

  await page.goto("/pricing");
  await expect
    .poll(() => [...candidates].sort())
    .toEqual(["/", "/pricing", "/privacy", "/terms"].map((path) => `Prerender ${path}`));
  const link = page.getByRole("contentinfo").getByRole("link", { name: "Privacy Policy" });
  await link.hover();
  await expect.poll(() => statuses).toContain("/privacy PrefetchSuccessfulButNotUsed");
  await link.click();
  await expect(page).toHaveURL("/privacy");
  await expect.poll(() => statuses).toContain("/privacy PrefetchResponseUsed");
});

test("a legal text prints without header, contents and footer", async ({ page }) => {
  await page.goto("/terms");
  await page.emulateMedia({ media: "print" });
  for (const name of ["banner", "contentinfo", "navigation"] as const)
    await expect(page.getByRole(name)).toHaveCount(0);
  await expect(page.getByRole("heading", { name: "14. Contact" })).toBeVisible();
});

/** What sticks out of the window or is wider than its box lets show, leaving out what is made to scroll. */
function cutOff(page: Page): Promise<string[]> {
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
