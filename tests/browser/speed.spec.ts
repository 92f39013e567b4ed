import type { Page } from "@playwright/test";
import { expect, test } from "./stack";

const SIGN_UP = "/subscription";

/** The addresses that a page asks for, as it does. */
function requestsOf(page: Page): string[] {
  const addresses: string[] = [];
  page.on("request", (request) => addresses.push(request.url()));
  return addresses;
}

const isCardStep = (address: string) => address.includes("/build/_shared/card-form-");
const isStripe = (address: string) => /stripe\.(js|com)/.test(address);

test.describe("the card step's code", () => {
  test("is fetched once the visitor begins to type, without the provider's script", async ({ page }) => {
    const addresses = requestsOf(page);
    await page.goto(SIGN_UP, { waitUntil: "networkidle" });
    expect(addresses.filter((address) => address.endsWith(".js")).length).toBeGreaterThan(3);
    expect(addresses.filter(isCardStep)).toEqual([]);

    await page.getByLabel("Contact Name").pressSequentially("Ada");
    await expect.poll(() => addresses.filter(isCardStep)).toHaveLength(1);
    await page.getByLabel("Company Name").fill("Analytical Engines");
    await page.waitForLoadState("networkidle");
    expect(addresses.filter(isCardStep)).toHaveLength(1);
    expect(addresses.filter(isStripe)).toEqual([]);
  });

  test("may be missing: the form goes on", async ({ page }) => {
    const failures: string[] = [];
    page.on("pageerror", ({ message }) => failures.push(message));
    await page.route(
      ({ href }) => isCardStep(href),
      (route) => route.abort(),
    );
    await page.goto(SIGN_UP, { waitUntil: "networkidle" });
    await page.getByLabel("Email Address").fill("nobody");
    await page.getByLabel("Email Address").blur();
    await expect(page.getByText("valid email").first()).toBeVisible();
    expect(failures).toEqual([]);
  });
});

for (const path of ["/", "/pricing", "/privacy", "/terms"]) {
  test(`${path} needs nothing but itself to be painted`, async ({ page }) => {
    const addresses = requestsOf(page);
    await page.goto(path, { waitUntil: "networkidle" });
    expect(addresses.filter((address) => /\.(css|js)(\?|$)/.test(address))).toEqual([]);
  });
}
