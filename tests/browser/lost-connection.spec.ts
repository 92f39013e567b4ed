import type { Page } from "@playwright/test";
import { PHONE } from "./support/faults";
import { listen } from "./support/live-regions";
import { CARDS, failureNotice, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";

/*
 * A sign-up that loses its connection at each button; tests/unit/sign-up/lost-steps.test.ts has more of them. Each time the page keeps
 * its step, with a notice that is in view and has the focus, and a screen reader says what is listed. Then the network is back.
 */

const DATA = "**/*.data*";

const offline = (page: Page) => page.context().setOffline(true);

/** The site gets the request, but its answer is lost, cookies included. */
const losingTheAnswer = (page: Page) =>
  page.route(DATA, async (route) => {
    const request = route.request();
    const { ":authority": _, ...headers } = await request.allHeaders();
    await fetch(request.url(), { method: request.method(), headers, body: request.postData(), redirect: "manual" });
    await offline(page);
    await route.abort("connectionreset");
  });

/** The site answers the post, and the connection is lost before the next step is loaded. */
const afterTheAnswer = (page: Page) =>
  page.route(DATA, async (route) => {
    if (route.request().method() !== "POST") return route.abort("internetdisconnected");
    await route.fulfill({ response: await route.fetch() });
  });

async function reconnect(page: Page) {
  await page.unroute(DATA);
  await page.context().setOffline(false);
  // The browser knows of the cuts by `offline` only.
  await page.evaluate(() => dispatchEvent(new Event("online")));
}

const SENDING = "Processing... Submitting your subscription information.";
const PAYING = "Processing your card.";
const SITE_LOST = "Connection FailedWe could not reach the site. Check your connection, then try again.";
const API_LOST = "Connection FailedUnable to connect to the API server. Please check your connection and try again.";
const STRIPE_LOST = "Payment FailedAn error occurred with our connection to Stripe.";
const CARD_SAVED =
  "Your card was savedWe could not reach the site to finish your sign-up. Check your connection and keep this page open: we’ll keep trying.";

interface Loss {
  press: string;
  cut(page: Page): Promise<unknown>;
  notice: string;
  says: string;
}

/** Presses a control whose connection is lost, and brings the network back. */
async function lose(page: Page, { press, cut, notice: told, says }: Loss) {
  const heading = page.getByRole("heading", { level: 1 });
  const [title, words] = [await page.title(), await heading.textContent()];
  const said = await listen(page);
  await cut(page);
  await page.getByRole(press === "Edit details" ? "link" : "button", { name: press, exact: true }).click();
  const notice = failureNotice(page);
  await expect(notice).toHaveText(told);
  await expect(notice).toBeFocused();
  await expect(notice).toBeInViewport({ ratio: 1 });
  await expect(page).toHaveTitle(title);
  await expect(heading).toHaveText(words ?? "");
  expect(await said(), press).toEqual([says]);
  await reconnect(page);
}

test("a lost connection keeps each step, and the sign-up ends well", async ({ page }) => {
  await page.setViewportSize(PHONE);
  const visitor = signup(page);
  await visitor.openForm();
  await visitor.fillForm();
  await lose(page, { press: "Payment", cut: losingTheAnswer, notice: API_LOST, says: SENDING });
  await lose(page, { press: "Payment", cut: afterTheAnswer, notice: SITE_LOST, says: SENDING });
  await visitor.submit();
  await expect(visitor.payButton).toBeEnabled();
  await visitor.fillCard(CARDS.works);
  await lose(page, { press: "Edit details", cut: offline, notice: SITE_LOST, says: "Loading…" });
  await lose(page, { press: "Pay", cut: offline, notice: STRIPE_LOST, says: PAYING });
  await expect(visitor.card.getByLabel("Card number")).toHaveValue("4242 4242 4242 4242");
  await lose(page, { press: "Pay", cut: losingTheAnswer, notice: CARD_SAVED, says: PAYING });
  await visitor.succeeded();
});

test("going back offline leaves the form and its place in the history, and the notice is in view", async ({ page }) => {
  const visitor = signup(page);
  await visitor.openCard();
  await page.getByRole("link", { name: "Edit details" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  await page.getByRole("button", { name: "Payment" }).scrollIntoViewIfNeeded();
  await offline(page);
  await page.evaluate(() => history.back());
  const notice = failureNotice(page);
  await expect(notice).toBeFocused();
  // A smooth scroll to the entry's old place would go on after the notice has come.
  await expect(page.locator("html")).toHaveCSS("scroll-behavior", "auto");
  await expect(notice).toBeInViewport({ ratio: 1 });
  await reconnect(page);
  await page.evaluate(() => history.back());
  await expect(visitor.payButton).toBeEnabled();
});
