import { test as base, expect, type Page } from "@playwright/test";
import { Webhook } from "standardwebhooks";
import { monthlyPrice } from "../../app/contract/money";
import { LOCAL_SECRETS } from "../../functions/subscription-api/local-development";
import { MINI, newCustomer, STANDARD, subscribe, TRIAL_DAYS } from "../stripe-facts/facts/situations";
import { startSimulatorWorld } from "../stripe-facts/simulator-world";

/* The simulator's pages that the README opens: each link and button once. */

type Started = Awaited<ReturnType<typeof startSimulatorWorld>>;

const test = base.extend<object, { started: Started }>({
  started: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures this one needs.
    async ({}, provide) => {
      const started = await startSimulatorWorld();
      await provide(started);
      await started.dispose();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  baseURL: async ({ started }, provide) => provide(started.url),
});

/** A customer with a card, in a trial of the plan for $500. */
async function onTrial(world: Started["world"]) {
  const { stripe } = world;
  const { id: customer, email } = await newCustomer(world);
  const { id: card } = await stripe.paymentMethods.attach("pm_card_visa", { customer });
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card } });
  await subscribe(world, customer, (await world.price(STANDARD)).id);
  return { customer, email: email ?? "" };
}

/** Presses a button of the page, which answers with itself, and expects what it then shows. */
async function press(page: Page, name: string, shows: string | RegExp) {
  await page.getByRole("button", { name, exact: true }).click();
  await expect(page.getByText(shows).first()).toBeVisible();
}

test("the portal opens by an email address, and changes plan, end and card", async ({ page, started: { world } }) => {
  const { email } = await onTrial(world);
  const mini = await world.price(MINI);
  await page.goto("/p/login/test");
  await page.getByLabel("Email address").fill(email);
  await press(page, "Send", `Ada Lovelace, ${email}`);
  await page.getByLabel("Plan").selectOption(mini.id);
  await press(page, "Change plan", monthlyPrice(MINI));
  await press(page, "Cancel subscription", /^.*Canceled: it ends on /);
  await press(page, "Don't cancel subscription", /Free trial\. The first payment is on /);
  const card = { "Card number": "5555555555554444", Month: "12", Year: "34", CVC: "123" };
  for (const [label, value] of Object.entries(card)) await page.getByRole("textbox", { name: label }).fill(value);
  await press(page, "Change card", "mastercard ending in 4444");
});

test("the dashboard leads to each customer, and each of its buttons does what it says", async ({ page, started }) => {
  const { customer } = await onTrial(started.world);
  await page.goto("/");
  await expect(page).toHaveURL("/dashboard");
  await page.locator(`a[href="/dashboard/${customer}"]`).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Ada Lovelace");
  for (const [name, shows] of Object.entries({
    "Move the clock to the next step": "customer.subscription.trial_will_end",
    "Let the next charge fail": "and the next charge will fail",
    "Cancel at the end of the period": /It ends at \d{4}-/,
    "Cancel now": /^canceled$/,
  }))
    await press(page, name, shows);
  await expect(page.getByRole("button", { name: "Cancel now" })).toBeHidden();
  await page.getByRole("link", { name: "Customer portal" }).click();
  await expect(page.getByText("There is no subscription.")).toBeVisible();

  await page.goBack();
  await page.getByRole("link", { name: "Dashboard" }).click();
  const now = async () =>
    Date.parse((await page.locator("form time").first().getAttribute("datetime")) ?? "") / 3_600_000;
  const moves = { "An hour": 1, "A day": 24, "The trial": 24 * TRIAL_DAYS, "A month": 24 * 31 };
  for (const [name, hours] of Object.entries(moves)) {
    const before = await now();
    await page.getByRole("button", { name, exact: true }).click();
    await expect.poll(async () => (await now()) - before, name).toBeCloseTo(hours, 1);
  }
});

test("the mailbox shows an email with its links, and the console an account", async ({ page, request, started }) => {
  const link = new URL("/dashboard", started.url).href;
  const email = { from: "us@example.com", to: ["ada@example.com"], subject: "Hello", html: "<h1>Hello Ada</h1>" };
  const authorization = `Bearer ${LOCAL_SECRETS.MAIL_API_KEY}`;
  await request.post("/emails", { headers: { authorization }, data: { ...email, text: `See ${link}` } });
  const sentAt = new Date();
  const data = JSON.stringify({ type: "account.created", timestamp: sentAt, data: { id: "an-account" } });
  const headers = {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
    "webhook-signature": new Webhook(LOCAL_SECRETS.CONSOLE_WEBHOOK_SECRET).sign("msg_1", sentAt, data),
  };
  expect((await request.post("/console/webhook", { headers, data })).status()).toBe(204);

  await page.goto("/mailbox");
  await page.getByRole("link", { name: "Hello" }).click();
  await expect(page.frameLocator("iframe").getByRole("heading")).toHaveText("Hello Ada");
  await expect(page.getByRole("link", { name: link })).toHaveAttribute("href", link);
  await page.getByRole("link", { name: "Mailbox" }).click();
  await expect(page.getByText("to ada@example.com")).toBeVisible();
  await page.goto("/console");
  await expect(page.getByText("account.created")).toBeVisible();
  await expect(page.getByText('"id": "an-account"')).toBeVisible();
});
