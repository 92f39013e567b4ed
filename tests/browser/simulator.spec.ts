import { expect, type Page, test } from "@playwright/test";
import { Webhook } from "standardwebhooks";
import { monthlyPrice } from "../../app/contract/money";
import { LOCAL_SECRETS } from "../../functions/subscription-api/local-development";
import { MINI, newCustomer, STANDARD, subscribe, TRIAL_DAYS } from "../stripe-facts/facts/situations";
import { startSimulatorWorld } from "../stripe-facts/simulator-world";

/** Presses a button of the page, which answers with itself, and expects what it then shows. */
async function press(page: Page, name: string, shows: string | RegExp) {
  await page.getByRole("button", { name, exact: true }).click();
  await expect(page.getByText(shows).first()).toBeVisible();
}

test("each link and button of the simulator's pages, which the README opens, does what it says", async ({ page }) => {
  const { url, world, dispose } = await startSimulatorWorld();
  const { stripe } = world;
  const { id: customer, email } = await newCustomer(world);
  const { id: visa } = await stripe.paymentMethods.attach("pm_card_visa", { customer });
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: visa } });
  await subscribe(world, customer, (await world.price(STANDARD)).id);
  const mini = await world.price(MINI);

  await test.step("the portal opens by an email address, and changes plan, end and card", async () => {
    await page.goto(`${url}/p/login/test`);
    await page.getByLabel("Email address").fill(email ?? "");
    await press(page, "Send", `Ada Lovelace, ${email}`);
    await page.getByLabel("Plan").selectOption(mini.id);
    await press(page, "Change plan", monthlyPrice(MINI));
    await press(page, "Cancel subscription", /^.*Canceled: it ends on /);
    await press(page, "Don't cancel subscription", /Free trial\. The first payment is on /);
    const card = { "Card number": "5555555555554444", Month: "12", Year: "34", CVC: "123" };
    for (const [label, value] of Object.entries(card)) await page.getByRole("textbox", { name: label }).fill(value);
    await press(page, "Change card", "mastercard ending in 4444");
  });

  await test.step("the dashboard leads to each customer, and acts on a subscription", async () => {
    await page.goto(url);
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

  await test.step("the mailbox shows an email with its links, and the console an account", async () => {
    const message = { from: "us@example.com", to: ["ada@example.com"], subject: "Hello", html: "<h1>Hello Ada</h1>" };
    const headers = { authorization: `Bearer ${LOCAL_SECRETS.MAIL_API_KEY}` };
    await page.request.post(`${url}/emails`, { headers, data: { ...message, text: `See ${url}/dashboard` } });
    const sentAt = new Date();
    const data = JSON.stringify({ type: "account.created", timestamp: sentAt, data: { id: "an-account" } });
    const signed = {
      "webhook-id": "msg_1",
      "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
      "webhook-signature": new Webhook(LOCAL_SECRETS.CONSOLE_WEBHOOK_SECRET).sign("msg_1", sentAt, data),
    };
    await page.request.post(`${url}/console/webhook`, { headers: signed, data });

    await page.goto(`${url}/mailbox`);
    await page.getByRole("link", { name: "Hello" }).click();
    await expect(page.frameLocator("iframe").getByRole("heading")).toHaveText("Hello Ada");
    await expect(page.getByRole("link", { name: `${url}/dashboard` })).toHaveAttribute("href", `${url}/dashboard`);
    await page.getByRole("link", { name: "Mailbox" }).click();
    await expect(page.getByText("to ada@example.com")).toBeVisible();
    await page.goto(`${url}/console`);
    await expect(page.getByText("account.created")).toBeVisible();
    await expect(page.getByText('"id": "an-account"')).toBeVisible();
  });
  await dispose();
});
