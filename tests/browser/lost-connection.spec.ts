import type { Locator, Page } from "@playwright/test";
import { enterCard, newCard } from "../support/visitors/visitor";
import { DESKTOP, PHONE } from "./support/faults";
import { CARDS, hydrated, PLAN, postForm, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";

/*
 * The connection is lost at a moment of each kind, on a phone and on a desktop by turns; tests/unit/sign-up/lost-steps.test.ts has
 * every button. The page keeps its step; the table says which notice is then in view and has the focus, and what a screen reader says
 * from the press of the button on. Once the network is back, each journey ends well.
 */

interface Journey {
  moment: string;
  /** Opens the step. */
  begin(page: Page, stripeUrl: string): Promise<unknown>;
  /** The link or button that the visitor presses. */
  control(page: Page): Locator;
  cut(page: Page): Promise<unknown>;
  notice: string;
  /** What the live regions say before the notice; nothing by default. */
  before?: string[];
  title: string;
  /** What the visitor does once the network is back; presses again by default. */
  finish?(page: Page): Promise<unknown>;
  ends(page: Page): Promise<unknown>;
}

const DATA = "**/*.data*";

/* The moments at which the connection is lost. */

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

/** Only Stripe answers. */
const siteOffline = (page: Page) => page.route(DATA, (route) => route.abort("internetdisconnected"));

const reconnect = async (page: Page) => {
  await page.unroute(DATA);
  await page.context().setOffline(false);
  // The browser knows of the cuts by `offline` only.
  await page.evaluate(() => dispatchEvent(new Event("online")));
};

/* The steps at which a journey begins. */

async function atForm(page: Page) {
  await page.goto(PLAN);
  await hydrated(page);
  await signup(page).fillForm();
}

async function atCard(page: Page) {
  await postForm(page);
  await page.goto(PLAN);
  await expect(signup(page).payButton).toBeEnabled();
}

async function atFilledCard(page: Page) {
  await atCard(page);
  const { card } = signup(page);
  await card.getByLabel("Card number").fill(CARDS.works);
  await card.getByLabel("Expiration date").fill("12 / 34");
  await card.getByLabel("Security code").fill("123");
}

async function atUnloadedCard(page: Page) {
  await postForm(page);
  await page.route("**/stripe.js", (route) => route.abort("blockedbyclient"));
  await page.goto(PLAN);
  await expect(button("Try again")(page)).toBeVisible();
}

async function atResume(page: Page) {
  const [, link = ""] = /href="([^"]+\?resume=[^"]+)"/.exec(await postForm(page)) ?? [];
  await page.context().clearCookies();
  await page.goto(link);
}

async function atSuccess(page: Page, stripeUrl: string) {
  const html = await postForm(page);
  const [secret] = /seti_\w+_secret_\w+/.exec(html) ?? [];
  await enterCard(stripeUrl, secret, newCard());
  await page.goto(/\/subscription[^"?\\]*\?return=[^"\\]+/.exec(html)?.[0] ?? "");
}

const button = (name: string) => (page: Page) => page.getByRole("button", { name, exact: true });
const link = (name: string) => (page: Page) => page.getByRole("link", { name });

const shows = (heading: string) => (page: Page) =>
  expect(page.getByRole("heading", { name: heading, exact: true })).toBeVisible();
const showsCard = (page: Page) => expect(signup(page).payButton).toBeEnabled();
const showsForm = shows("Subscription Information");
const showsSuccess = shows("Subscription Successful!");
const keepsCard = (page: Page) =>
  expect(signup(page).card.getByLabel("Card number")).toHaveValue("4242 4242 4242 4242");

const API_LOST = "Connection FailedUnable to connect to the API server. Please check your connection and try again.";
const SITE_LOST = "Connection FailedWe could not reach the site. Check your connection, then try again.";
const CARD_SAVED =
  "Your card was savedWe could not reach the site to finish your sign-up. Check your connection and keep this page open: we try again.";
const STRIPE_LOST = "Payment FailedAn error occurred with our connection to Stripe.";
const NOT_LOADED =
  "Payment ErrorThe payment form could not be loaded. Check your connection, turn off any browser extension that blocks Stripe, then try again.";

const FORM = "Sign up, step 1 of 2: details · Citewell";
const CARD = "Sign up, step 2 of 2: card · Citewell";
const RESUME = "Continue your sign-up · Citewell";
const SUCCESS = "Subscription successful · Citewell";

const SENDING = "Processing...Submitting your subscription information.";
const PAYING = "Processing your card.";

const payment = { begin: atForm, control: button("Payment"), before: [SENDING], title: FORM, ends: showsCard };
const pay = { begin: atFilledCard, control: button("Pay"), before: [PAYING], title: CARD, ends: showsSuccess };
const resume = { begin: atResume, control: button("Continue this sign-up"), title: RESUME, ends: showsCard };
const another = { begin: atSuccess, control: button("Sign up another company"), title: SUCCESS, ends: showsForm };
const waits = async () => {};

const JOURNEYS: Journey[] = [
  { moment: "during Payment", ...payment, cut: losingTheAnswer, notice: API_LOST },
  { moment: "after Payment", ...payment, cut: afterTheAnswer, notice: SITE_LOST },
  { moment: "before Pay", ...pay, cut: offline, notice: STRIPE_LOST },
  { moment: "during Pay, once Stripe has the card", ...pay, cut: siteOffline, notice: CARD_SAVED, finish: waits },
  { moment: "after Pay, with the answer", ...pay, cut: losingTheAnswer, notice: CARD_SAVED, finish: waits },
  {
    moment: "before Edit details",
    begin: atFilledCard,
    control: link("Edit details"),
    cut: offline,
    notice: SITE_LOST,
    title: CARD,
    finish: keepsCard,
    ends: keepsCard,
  },
  {
    moment: "before Try again",
    begin: atUnloadedCard,
    control: button("Try again"),
    cut: offline,
    notice: NOT_LOADED,
    title: CARD,
    finish: unblock,
    ends: showsCard,
  },
  { moment: "during Continue this sign-up", ...resume, cut: losingTheAnswer, notice: API_LOST },
  { moment: "before Sign up another company", ...another, cut: offline, notice: API_LOST },
];

async function unblock(page: Page) {
  await page.unroute("**/stripe.js");
  await button("Try again")(page).click();
}

/** Records what the live regions say, as a screen reader does: each new text. */
async function listen(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const said: string[] = [];
    const texts = new Map<Element, string>();
    const look = (isSaid: boolean) => {
      for (const region of document.querySelectorAll("[role=alert], [role=status]")) {
        const text = (region.textContent ?? "").trim();
        if (isSaid && text !== "" && text !== texts.get(region)) said.push(text);
        texts.set(region, text);
      }
    };
    look(false);
    new MutationObserver(() => look(true)).observe(document, { subtree: true, childList: true, characterData: true });
    Object.assign(window, { said });
  });
  return () => page.evaluate("said");
}

async function isReactive(control: Locator) {
  await control.waitFor();
  // React marks each element that it has hydrated.
  const marks = () => control.evaluate((element) => Object.keys(element).join());
  await expect.poll(marks).toContain("__reactProps$");
}

for (const [index, journey] of JOURNEYS.entries()) {
  const { moment, begin, control, cut, notice: told, before = [], title, finish, ends } = journey;
  const [device, viewport] = index % 2 === 0 ? ["phone", PHONE] : ["desktop", DESKTOP];
  test(`a connection lost ${moment} leaves the step and says so, and the journey ends well, on a ${device}`, async ({
    page,
    stack,
  }) => {
    await page.setViewportSize(viewport);
    await begin(page, stack.stripe.url);
    await isReactive(control(page));
    const heading = await page.getByRole("heading", { level: 1 }).textContent();
    const said = await listen(page);
    await cut(page);
    await control(page).click();
    const notice = page.getByRole("alert").locator(".notice");
    await expect(notice).toHaveText(told);
    await expect(notice).toBeFocused();
    await expect(notice).toBeInViewport({ ratio: 1 });
    await expect(page).toHaveTitle(title);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading ?? "");
    expect(await said()).toEqual([...before, told]);
    await reconnect(page);
    await (finish ? finish(page) : control(page).click());
    await ends(page);
  });
}

test("going back offline leaves the form and its place in the history, and the notice is in view", async ({ page }) => {
  await atCard(page);
  await link("Edit details")(page).click();
  await button("Payment")(page).scrollIntoViewIfNeeded();
  await offline(page);
  await page.evaluate(() => history.back());
  const notice = page.getByRole("alert").locator(".notice");
  await expect(notice).toBeFocused();
  // A smooth scroll to the entry's old place would go on after the notice has come.
  await expect(page.locator("html")).toHaveCSS("scroll-behavior", "auto");
  await expect(notice).toBeInViewport({ ratio: 1 });
  await reconnect(page);
  await page.evaluate(() => history.back());
  await showsCard(page);
});
