import type { Page } from "@playwright/test";
import { MAX_FAILED_CARDS } from "../../app/contract/trial";
import { callsFor } from "../stripe-facts/stripe-js";
import { validRequest as typed } from "../support/person";
import { expectPageColors } from "./support/card-colors";
import { CARDS, failureNotice, hold, hydrated, PLAN, postForm, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";
import { recordStripeJs } from "./support/stripe-js-recorder";

/* The card step and the pages after it, with the simulator's Stripe.js. */

test("while Stripe has a card, nothing else begins; the fifth declined card ends the sign-up", async ({ page }) => {
  const visitor = signup(page);
  const [main, notice] = [page.getByRole("main"), failureNotice(page)];
  const others = main.getByText(/^(Change plan|Edit details|Continue on another device|Start over)$/);
  const link = main.getByRole("link", { name: "Edit details", disabled: false });
  const usable = link.or(main.getByRole("button", { name: "Start over", disabled: false }));

  await test.step("the step's other controls are off until Stripe has answered", async () => {
    const confirm = await hold(page, "**/confirm");
    await visitor.openCard();
    await expect(usable).toHaveCount(2);
    await visitor.pay(CARDS.declined);
    await expect(page.getByRole("button", { name: "Processing..." })).toBeDisabled();
    // Checked before the notice would disappear by itself after two seconds.
    expect(await page.getByText("Subscription Data Saved!", { exact: true }).isVisible()).toBe(false);
    await expect(usable).toHaveCount(0);
    await expect(others).toHaveCount(4);
    for (const other of await others.all()) await other.click({ force: true });
    await expect(page).toHaveURL(PLAN);
    await expect(main.locator("details[open]")).toHaveCount(0);
    confirm.release();
    await expect(usable).toHaveCount(2);
  });

  for (let declined = 1; declined < MAX_FAILED_CARDS; declined += 1) {
    await expect(notice).toContainText("Payment FailedYour card was declined.");
    await expect(notice).toBeFocused();
    await visitor.pay(CARDS.declined);
  }
  await expect(notice).toContainText(`A sign-up ends after ${MAX_FAILED_CARDS} declined cards`);
  await expect(notice).toContainText("To try again, start a new sign-up with another card, or contact sales");
  await expect(notice).toBeFocused();
  await expect(visitor.field("full_name")).toHaveValue(typed.full_name);
});

test("Stripe alone gets the card, with the page's colors and the typed details", async ({ page, stack, elsewhere }) => {
  const sent: { url: string; body: string }[] = [];
  page.on("request", (request) => sent.push({ url: request.url(), body: request.postData() ?? "" }));
  const { calls } = await recordStripeJs(page);
  await page.clock.install({ time: "2030-01-01T12:00Z" });
  const confirm = await hold(page, "**/confirm");
  const visitor = signup(page);
  await visitor.signUp();
  await expect(visitor.payButton).toBeEnabled();
  await expect(visitor.card.getByLabel("ZIP code")).toBeHidden();
  await page.clock.pauseAt("2030-01-01T13:00Z");
  await visitor.pay(CARDS.works);
  const busy = page.getByRole("button", { name: "Processing..." });
  await expect(busy).toBeDisabled();
  await busy.dispatchEvent("click");
  const { address: line1, city, state, zipCode: postal_code } = typed;
  const address = { line1, city, state, postal_code, country: "US" };
  const billing_details = { name: typed.full_name, email: visitor.email, phone: typed.phone, address };
  const returnUrl = new RegExp(`${stack.site.url}${PLAN}\\?return=[^"]+`);
  const called = JSON.stringify(await calls())
    .replace(returnUrl, "the return URL")
    .replace(/seti_\w+_secret_\w+/, "the client secret");
  const values = { clientSecret: "the client secret", return_url: "the return URL", billing_details };
  expect(JSON.parse(called)).toMatchObject(callsFor(values));

  confirm.release();
  const notice = (title: string) => page.locator(".step-status").getByText(title, { exact: true });
  await expect(notice("Card Successful!")).toBeVisible();
  await page.clock.runFor(2_400);
  await expect(notice("subscription Successful!")).toBeHidden();
  await page.clock.runFor(200);
  await expect(notice("subscription Successful!")).toBeVisible();
  await page.clock.runFor(120_000);
  for (const title of ["Card Successful!", "subscription Successful!"]) await expect(notice(title)).toBeVisible();
  expect(confirm.held).toHaveLength(1);
  expect(sent.filter(({ url }) => url.endsWith("/stripe.js"))).toHaveLength(1);
  const withCard = sent.filter(({ url, body }) => decodeURIComponent(url + body).includes(CARDS.works));
  expect(new Set(withCard.map(({ url }) => new URL(url).origin))).toEqual(new Set([stack.stripe.url]));

  // The bank's page may lead back to a browser without the session's cookie.
  const other = await elsewhere();
  const confirmation = new URLSearchParams(withCard.find(({ url }) => url.endsWith("/confirm"))?.body);
  await other.goto(confirmation.get("return_url") ?? "");
  await expect(other.getByRole("heading", { level: 1 })).toHaveText("Subscription Successful!");
});

test("the card's fields have the page's colors, and follow when the visitor's color scheme changes", ({ page }) =>
  expectPageColors(page));

test("if the card form's script is gone, the page reloads once, then says so at the card", async ({ page }) => {
  const visitor = signup(page);
  const [documents, scripts, stripe]: string[][] = [[], [], []];
  page.on("request", (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) documents?.push(request.url());
    if (request.url().includes("/stripe-elements-")) scripts?.push(request.url());
    if (/stripe\.(js|com)/.test(request.url())) stripe?.push(request.url());
  });
  await page.route(/\/stripe-elements-/, (route) => route.fulfill({ status: 404 }));
  await page.goto(PLAN);
  await hydrated(page);
  await visitor.fillForm();
  await page.waitForLoadState("networkidle");
  expect(scripts).toHaveLength(1);
  expect(stripe).toEqual([]);
  await visitor.submit();
  await expect(failureNotice(page)).toContainText("The payment form could not be loaded.");
  expect(documents).toHaveLength(2);
  await page.unroute(/\/stripe-elements-/);
  await page.getByRole("button", { name: "Try again" }).click();
  await visitor.pay(CARDS.works);
  await visitor.succeeded();
});

test("after an extension has refused Stripe.js, a card can be entered without a reload", async ({ page }) => {
  const visitor = signup(page);
  await page.route("**/stripe.js", (route) => route.abort("blockedbyclient"));
  await postForm(page, visitor.email);
  await page.goto(PLAN);
  await expect(failureNotice(page)).toContainText("turn off any browser extension that blocks Stripe");
  await page.unroute("**/stripe.js");
  await page.evaluate(() => Object.assign(window, { isSamePage: true }));
  await page.getByRole("button", { name: "Try again" }).click();
  await visitor.pay(CARDS.authenticatesInDialog);
  await answer(bankDialog(page), "Complete authentication");
  await visitor.succeeded();
  expect(await page.evaluate(() => "isSamePage" in window), "the page was not reloaded").toBe(true);
});

test("a bank that refuses, in a dialog or on its page, keeps the card step", async ({ page }) => {
  const visitor = signup(page);
  await visitor.openCard();
  for (const { number, bank } of [
    { number: CARDS.authenticatesInDialog, bank: bankDialog(page) },
    { number: CARDS.authenticates, bank: page },
  ]) {
    await visitor.pay(number);
    await answer(bank, "Fail authentication");
    await expect(failureNotice(page)).toContainText(/^Payment Failed.*unable to authenticate/);
    await expect(failureNotice(page)).toBeFocused();
  }
  await visitor.pay(CARDS.authenticates);
  await answer(page, "Complete authentication");
  await visitor.succeeded();
  await expect(page).toHaveURL(PLAN);
});

const bankDialog = (page: Page) => page.frameLocator("iframe[title='Authentication by your bank']");
const answer = (bank: Pick<Page, "getByRole">, name: string) => bank.getByRole("button", { name }).click();
