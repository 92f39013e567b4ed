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
        await expect(page.locator("script[src], link[rel=modulepreload]")).toHaveCount(0);
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

    test("every link of the site leads to a page", async ({ page, request }) => {
      const links = new Set<string>();
      for (const { path } of pages) {
        await page.goto(path);
        for (const link of await page.locator("a[href^='/']").all()) links.add((await link.getAttribute("href")) ?? "");
      }
      for (const link of links) {
        expect((await request.get(link, { headers: { accept: "text/html" } })).status(), link).toBe(200);
      }
    });
  });
}
