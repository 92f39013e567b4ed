import { callsFor } from "../stripe-facts/stripe-js";
import { expectPageColors } from "./support/card-colors";
import { CARDS, hold, PLAN, postForm, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";
import { recordStripeJs } from "./support/stripe-js-recorder";

/* The card step and the pages after it, with the simulator's Stripe.js. */

test("Stripe alone gets the card, with the page's colors and the typed details", async ({ page, stack, elsewhere }) => {
  const sent: { url: string; body: string }[] = [];
  page.on("request", (request) => sent.push({ url: request.url(), body: request.postData() ?? "" }));
  const { calls } = await recordStripeJs(page);
  await page.clock.install({ time: "2030-01-01T12:00Z" });
  const confirm = await hold(page, "**/confirm");
  const visitor = signup(page);
  await visitor.signUp();
  await expect(visitor.card.getByLabel("ZIP code")).toBeHidden();
  await expect(visitor.payButton).toBeEnabled();
  await page.clock.pauseAt("2030-01-01T13:00Z");
  await visitor.pay(CARDS.works);
  const busy = page.getByRole("button", { name: "Processing..." });
  await expect(busy).toBeDisabled();
  await expect(page.getByRole("status")).toContainText("Processing your card.");
  await busy.dispatchEvent("click");
  const name = "Ada Lovelace";
  const address = { line1: "1 Example Street", city: "Springfield", state: "IL", postal_code: "62701", country: "US" };
  const billing_details = { name, email: visitor.email, phone: "2125550123", address };
  const returnUrl = new RegExp(`${stack.site.url}${PLAN}\\?return=[^"]+`);
  const called = JSON.stringify(await calls())
    .replace(returnUrl, "the return URL")
    .replace(/seti_\w+_secret_\w+/, "the client secret");
  const values = { clientSecret: "the client secret", return_url: "the return URL", billing_details };
  expect(JSON.parse(called)).toMatchObject(callsFor(values));

  confirm.release();
  const notice = (title: string) => page.getByRole("status").getByText(title, { exact: true });
  await expect(notice("Card Successful!")).toBeVisible();
  for (const [pause, isShown] of [
    [2_400, false],
    [200, true],
    [120_000, true],
  ] as const) {
    await page.clock.runFor(pause);
    await expect(notice("subscription Successful!")).toBeVisible({ visible: isShown });
  }
  await expect(notice("Card Successful!")).toBeVisible();
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

test("without the card form's script the page reloads once, then says so at the card and offers to try again", async ({
  page,
}) => {
  let documents = 0;
  page.on("request", (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) documents += 1;
  });
  await page.route(/\/stripe-elements-/, (route) => route.fulfill({ status: 404 }));
  await postForm(page);
  await page.goto(PLAN);
  await expect(page.getByRole("alert")).toContainText("The payment form could not be loaded.");
  expect(documents).toBe(2);
  await page.unroute(/\/stripe-elements-/);
  await page.getByRole("button", { name: "Try again" }).click();
  await signup(page).pay(CARDS.works);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Subscription Successful!");
});

test("after an extension has refused Stripe.js, the page says so, and takes a card once it is switched off", async ({
  page,
}) => {
  await page.route("**/stripe.js", (route) => route.abort("blockedbyclient"));
  const visitor = signup(page);
  await visitor.openCard();
  await expect(page.getByRole("alert")).toContainText("turn off any browser extension that blocks Stripe");
  await page.unroute("**/stripe.js");
  await page.evaluate(() => Object.assign(window, { isSamePage: true }));
  await page.getByRole("button", { name: "Try again" }).click();
  await visitor.pay(CARDS.works);
  await visitor.succeeded();
  expect(await page.evaluate(() => "isSamePage" in window), "the page was not reloaded").toBe(true);
});

for (const [place, number] of [
  ["on its page", CARDS.authenticates],
  ["in a dialog", CARDS.authenticatesInDialog],
] as const) {
  test(`a bank that asks ${place} keeps the card step, or completes the sign-up`, async ({ page, stack }) => {
    const urls: string[] = [];
    page.on("request", (request) => {
      if (request.url().startsWith(stack.site.url) && !request.isNavigationRequest()) urls.push(request.url());
    });
    const bank = place === "on its page" ? page : page.frameLocator("iframe[title='Authentication by your bank']");
    const visitor = signup(page);
    await visitor.openCard();
    await visitor.pay(number);
    await bank.getByRole("button", { name: /fail/i }).click();
    const notice = page.getByRole("alert").locator(".notice");
    await expect(notice).toContainText(/^Payment Failed.*unable to authenticate/);
    await expect(notice).toBeFocused();
    await visitor.pay(number);
    await bank.getByRole("button", { name: /complete/i }).click();
    await visitor.succeeded();
    await expect(page).toHaveURL(PLAN);
    expect(urls.filter((url) => url.includes("secret"))).toEqual([]);
  });
}
