import type { Locator, Page, Route } from "@playwright/test";
import { CARDS, PLAN, signup } from "../../browser/support/sign-up";
import { expect, test } from "../../browser/support/stack";

/* Stripe's fields, and the pages before, during and after a request. */

/** Holds requests to a URL until the returned function is called. */
async function hold(page: Page, url: RegExp, method: string): Promise<() => Promise<void>> {
  const held: Route[] = [];
  let isOpen = false;
  await page.route(url, (route) => {
    if (isOpen || route.request().method() !== method) return route.continue();
    held.push(route);
  });
  return async () => {
    await expect.poll(() => held.length).toBeGreaterThan(0);
    isOpen = true;
    await Promise.all(held.map((route) => route.continue()));
  };
}

test("the card step says what it costs and keeps Pay disabled while the card is sent; only Stripe sees the card", async ({
  page,
  stack,
  browser,
}) => {
  const sent: { url: string; body: string }[] = [];
  const documents: string[] = [];
  page.on("request", (request) => {
    sent.push({ url: request.url(), body: request.postData() ?? "" });
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) documents.push(request.url());
  });
  const answer = await hold(page, /\/confirm$/, "POST");
  const visitor = signup(page);
  await visitor.signUp();
  await expect(
    page.getByText("Please enter your card info for starting your 5 days free trial", { exact: true }),
  ).toBeVisible();
  await expect(page.getByText("* You will not be charged immediately!", { exact: true })).toBeVisible();
  const pay = page.getByRole("button", { name: "Pay", exact: true });
  await expect(pay).toBeEnabled();

  await visitor.pay(CARDS.works);
  const processing = page.getByRole("button", { name: "Processing..." });
  await expect(processing).toBeDisabled();
  await expect(pay).toHaveCount(0);
  await answer();
  await visitor.succeeded();

  expect(documents).toEqual([stack.site.url + PLAN]);
  const scripts = sent.filter(({ url }) => url.endsWith("/stripe.js"));
  expect(scripts.map(({ url }) => new URL(url).origin)).toEqual([stack.stripe.url]);
  const withCard = sent.filter(({ url, body }) => decodeURIComponent(url + body).includes(CARDS.works));
  expect(withCard.length).toBeGreaterThan(0);
  expect(withCard.filter(({ url }) => !url.startsWith(stack.stripe.url))).toEqual([]);

  const confirmation = sent.find(({ url }) => url.endsWith("/confirm"))?.body;
  const returnUrl = new URLSearchParams(confirmation).get("return_url") ?? "";
  expect(returnUrl).toContain(`${stack.site.url}${PLAN}?return=`);
  // The bank's page may lead back to a browser without the session's cookie.
  const elsewhere = await (await browser.newContext()).newPage();
  await elsewhere.goto(returnUrl);
  await expect(elsewhere.getByRole("heading", { name: "Subscription Successful!" })).toBeVisible();
  await elsewhere.context().close();
});

test("the second success notice appears two and a half seconds after the first, and both stay", async ({ page }) => {
  await page.clock.install();
  const answer = await hold(page, /\/confirm$/, "POST");
  const visitor = signup(page);
  await visitor.signUp();
  await visitor.pay(CARDS.works);
  await page.clock.pauseAt(Date.now() + 60_000);
  await answer();
  const notice = (title: string) => page.getByRole("status").getByText(title, { exact: true });
  await expect(notice("Card Successful!")).toBeVisible();
  await page.clock.runFor(2_400);
  await expect(notice("subscription Successful!")).toBeHidden();
  await page.clock.runFor(200);
  await expect(notice("subscription Successful!")).toBeVisible();
  await page.clock.runFor(120_000);
  for (const title of ["Card Successful!", "subscription Successful!"]) await expect(notice(title)).toBeVisible();
});

for (const [device, viewport] of [
  ["a phone", { width: 375, height: 812 }],
  ["a desktop", { width: 1280, height: 800 }],
] as const) {
  test.describe(`on ${device}`, () => {
    test.use({ viewport });

    test("each step's first action is on the first screen, and neither the footer nor a notice shifts the layout", async ({
      page,
    }) => {
      await page.addInitScript(() => {
        new PerformanceObserver((list) => {
          for (const { value = 0 } of list.getEntries() as (PerformanceEntry & { value?: number })[])
            document.documentElement.dataset.shift = String(
              Number(document.documentElement.dataset.shift ?? 0) + value,
            );
        }).observe({ type: "layout-shift", buffered: true });
      });
      const shift = () => page.evaluate(() => Number(document.documentElement.dataset.shift ?? 0));
      const topOf = async (element: Locator) => (await element.boundingBox())?.y;
      const visitor = signup(page);
      await visitor.signUp();
      const saved = page.getByText("Subscription Data Saved!", { exact: true });
      await expect(saved).toBeVisible();
      const number = visitor.card.getByLabel("Card number");
      const pay = page.getByRole("button", { name: "Pay", exact: true });
      await expect(pay).toBeEnabled();
      await expect(number).toBeInViewport({ ratio: 1 });
      const top = await topOf(number);
      await expect(saved).toBeHidden();
      expect(await topOf(number)).toBe(top);
      await expect(page.getByText("Card details go straight to Stripe")).toBeVisible();

      await visitor.pay(CARDS.works);
      const heading = page.getByRole("heading", { name: "Subscription Successful!", exact: true });
      const last = page.getByText("subscription Successful!", { exact: true }).and(page.locator("p"));
      await expect(page.getByText("Card Successful!", { exact: true })).toBeVisible();
      await expect(last).toBeHidden();
      const before = await topOf(heading);
      await expect(last).toBeVisible();
      expect(await topOf(heading)).toBe(before);
      await expect(page.getByText("Card Successful!", { exact: true })).toBeVisible();
      await expect(page.getByRole("link", { name: "Open the Customer Console" })).toBeInViewport({ ratio: 1 });
      const details = page.getByRole("region", { name: "Subscription Details" });
      await expect(details).toBeInViewport({ ratio: viewport.width > 1000 ? 1 : 0.1 });
      expect(await shift()).toBeLessThan(0.1);
    });
  });
}

test.describe("in a browser set to another language", () => {
  test.use({ locale: "de-DE" });

  test("Stripe's fields are in English, like the page", async ({ page }) => {
    await signup(page).signUp();
    await expect(page.locator("iframe[title='Secure payment input frame']")).toHaveAttribute("src", /#locale=en$/);
  });
});
