import type { Page } from "@playwright/test";
import { announcements } from "../edge/visitor";
import { expect, test } from "./stack";

const PLAN = "/subscription/c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430";

/** Fills in the sign-up's form and enters a card, as a visitor does. */
async function signUp(page: Page, email: string): Promise<void> {
  const values = {
    "Contact Name": "Grace Hopper",
    "Company Name": "Compilers & Co",
    "Email Address": email,
    "Phone Number": "2125550123",
    "Street Address": "1 Example Street",
    City: "Springfield",
    "State/Province": "IL",
    "ZIP Code": "62701",
    Country: "United States",
    Password: "Passw0rd !",
    "Confirm Password": "Passw0rd !",
  };
  await page.goto(PLAN);
  for (const [label, value] of Object.entries(values)) await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByRole("button", { name: "Payment" }).click();
  const card = page.frameLocator("iframe[title='Secure payment input frame']");
  await card.getByLabel("Card number").fill("4242424242424242");
  await card.getByLabel("Expiration date").fill("12 / 34");
  await card.getByLabel("Security code").fill("123");
  await page.getByRole("button", { name: "Pay", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Subscription Successful!" })).toBeVisible();
}

test("from the first form post to the running trial, the mail in the mailbox and the account at the console", async ({
  page,
  stack,
}) => {
  const email = `trial-${crypto.randomUUID()}@example.com`;
  await signUp(page, email);

  const database = await stack.api.mf.getD1Database("DB");
  const row = database.prepare("SELECT status, trial_end FROM subscriptions WHERE email = ?").bind(email);
  await expect.poll(() => row.first("status")).toBe("trialing");
  const end = new Date((await row.first<string>("trial_end")) ?? "");
  const day = end.toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" });

  await expect
    .poll(async () => (await (await page.request.get(`${stack.stripe.url}/mailbox`)).text()).includes(email))
    .toBe(true);
  await page.goto(`${stack.stripe.url}/mailbox`);
  await page.getByRole("listitem").filter({ hasText: email }).getByRole("link").click();
  await expect(page.getByRole("heading", { name: "Your Citewell trial has started" })).toBeVisible();
  const mail = page.frameLocator("iframe");
  await expect(mail.getByText("Hello Grace Hopper,")).toBeVisible();
  await expect(mail.getByText(`The free trial for Compilers & Co has started and ends on ${day}.`)).toBeVisible();
  await expect(mail.getByRole("cell", { name: "STANDARD" })).toBeVisible();
  await expect(mail.getByRole("link", { name: "Open the customer console" })).toBeVisible();
  await expect(page.locator("pre")).toContainText("Plan: STANDARD");

  await expect.poll(() => announcements(stack.stripe, email)).toHaveLength(1);
  await page.goto(`${stack.stripe.url}/console`);
  await expect(page.getByText(email)).toBeVisible();
});
