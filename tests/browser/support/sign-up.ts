import type { Page } from "@playwright/test";
import { expect } from "./stack";

export const PLAN = "/subscription/c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430";

/** Test cards, as https://docs.stripe.com/testing has them. */
export const CARDS = {
  works: "4242424242424242",
  declined: "4000000000000002",
  authenticates: "4000002500003155",
  authenticatesInDialog: "4000002760003184",
};

/** A visitor's actions on the sign-up's pages. */
export function signup(page: Page) {
  const card = page.frameLocator("iframe[title='Secure payment input frame']");
  const email = `visitor-${crypto.randomUUID()}@example.com`;
  const visitor = {
    email,
    /** Stripe's fields. */
    card,
    async fillForm() {
      const values = {
        "Contact Name": "Ada Lovelace",
        "Company Name": "Analytical Engines",
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
      for (const [label, value] of Object.entries(values)) await page.getByLabel(label, { exact: true }).fill(value);
    },
    submit: () => page.getByRole("button", { name: "Payment" }).click(),
    /** Opens the form, fills it in and sends it. */
    async signUp() {
      await page.goto(PLAN);
      await visitor.fillForm();
      await visitor.submit();
    },
    async pay(number: string) {
      await card.getByLabel("Card number").fill(number);
      await card.getByLabel("Expiration date").fill("12 / 34");
      await card.getByLabel("Security code").fill("123");
      await page.getByRole("button", { name: "Pay", exact: true }).click();
    },
    async succeeded() {
      await expect(page.getByRole("heading", { name: "Subscription Successful!" })).toBeVisible();
      await expect(
        page.getByText("Thank you for your subscription. Your 5 days trial period has been started."),
      ).toBeVisible();
      await expect(page.getByText("(212) 555-0123")).toBeVisible();
      await expect(page.getByText(email).first()).toBeVisible();
    },
  };
  return visitor;
}

/** Waits for hydration, which renders the button that shows the password. */
export async function hydrated(page: Page): Promise<void> {
  await expect(page.getByRole("button", { name: "Show password", exact: true })).toBeVisible();
}
