import type { Page } from "@playwright/test";
import { formFields } from "../../app/contract/fields/form-fields";
import { PUBLIC_PATHS } from "../../app/seo/public-paths";
import { accessibilityProblems, DESKTOP } from "../browser/support/faults";
import { CARDS, hydrated, PLAN, signup } from "../browser/support/sign-up";
import { expect, test } from "../browser/support/stack";
import type { Stack } from "../support/visitors/visited-site";
import { enterCard, mails, signUp } from "../support/visitors/visitor";

/* Pages in rare circumstances: printed, opened from an email. */

for (const viewport of [{ width: 375, height: 812 }, DESKTOP]) {
  test(`at ${viewport.width} px each first action is on the first screen; nothing shifts`, async ({ page }) => {
    await page.setViewportSize(viewport);
    await page.addInitScript(() => {
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          const shift = Number(Reflect.get(entry, "value")) + Number(document.documentElement.dataset.shift ?? 0);
          document.documentElement.dataset.shift = String(shift);
        }
      }).observe({ type: "layout-shift", buffered: true });
    });
    const visitor = signup(page);
    await visitor.signUp();
    const number = visitor.card.getByLabel("Card number");
    await expect(visitor.payButton).toBeEnabled();
    await expect(number).toBeInViewport({ ratio: 1 });
    const before = await number.boundingBox();
    await expect(page.getByText("Subscription Data Saved!", { exact: true })).toBeHidden();
    expect(await number.boundingBox()).toEqual(before);
    await visitor.pay(CARDS.works);
    await expect(page.getByText("Card Successful!", { exact: true })).toBeVisible();
    const heading = page.getByRole("heading", { level: 1 });
    const place = await heading.boundingBox();
    await expect(page.locator(".step-status").getByText("subscription Successful!", { exact: true })).toBeVisible();
    expect(await heading.boundingBox()).toEqual(place);
    await expect(page.getByRole("link", { name: "Open the Customer Console" })).toBeInViewport({ ratio: 1 });
    expect(Number(await page.locator("html").getAttribute("data-shift"))).toBeLessThan(0.1);
  });
}

test.describe("the pages of an email's links", () => {
  /** The first email of a trial that has just begun. */
  async function trialEmail({ api, stripe }: Stack) {
    const email = `links-${crypto.randomUUID()}@example.com`;
    await enterCard(stripe.url, (await signUp(api, { email })).clientSecret);
    const text = async () => (await mails(stripe, email)).find(({ subject }) => subject.includes("has started"))?.text;
    await expect.poll(text).toContain("This wasn’t me");
    return (await text()) ?? "";
  }
  const linkAfter = (words: string, text: string) => new RegExp(`${words}: (http\\S+)`).exec(text)?.[1] ?? "";
  const headingOf = (page: Page) => page.getByRole("heading", { level: 1 });

  test("ask before they confirm an address, and are accessible", async ({ page, stack }) => {
    await page.goto(linkAfter("Confirm my email address", await trialEmail(stack)));
    await expect(headingOf(page)).toHaveText("Is this your email address?");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Confirm my email address" }).click();
    await expect(headingOf(page)).toHaveText("Your email address is confirmed");
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test("ask before they end a sign-up, and are accessible", async ({ page, stack }) => {
    await page.goto(linkAfter("This wasn’t me", await trialEmail(stack)));
    await expect(headingOf(page)).toHaveText("Wasn’t you?");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "End this sign-up" }).click();
    await expect(headingOf(page)).toHaveText("This sign-up has ended");
    expect(await accessibilityProblems(page)).toEqual([]);
  });
});

for (const path of PUBLIC_PATHS) {
  test(`${path} in print is dark on white, without menu, buttons and footer, and has every answer open`, async ({
    page,
  }) => {
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await page.goto(path);
    await expect(page.getByRole("banner").getByRole("link", { name: /, home$/ })).toBeVisible();
    for (const name of ["contentinfo", "navigation", "button"] as const)
      await expect(page.getByRole(name)).toHaveCount(0);
    const answers = await page.locator("details p").all();
    expect(answers.length, "answers").toBeGreaterThanOrEqual(await page.locator("main details").count());
    for (const answer of answers)
      expect((await answer.boundingBox())?.height, (await answer.textContent()) ?? "").toBeGreaterThan(10);
    const pale = await page
      .locator("main :is(h1, h2, h3, p, a, li, strong, figcaption)")
      .evaluateAll((elements) =>
        elements
          .filter((element) => Math.max(...(getComputedStyle(element).color.match(/\d+/g) ?? []).map(Number)) > 230)
          .map(({ textContent }) => textContent),
      );
    expect(pale, "pale text").toEqual([]);
  });
}

test("the header never covers the focused field or its label", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 500 });
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(PLAN);
  await hydrated(page);
  for (const { label } of [formFields.full_name, formFields.phone, formFields.country]) {
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await page.getByLabel(label, { exact: true }).focus();
    const [header, box] = [page.getByRole("banner"), page.getByText(label, { exact: true }).first()];
    const { height = Number.NaN } = (await header.boundingBox()) ?? {};
    expect((await box.boundingBox())?.y, label).toBeGreaterThanOrEqual(height);
  }
});
