import type { Page, Route } from "@playwright/test";
import { TRIAL_DAYS } from "../../../app/contract/trial";
import { fields } from "../../support/person";
import { expect } from "./stack";

export const PLAN = "/subscription/c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430";

/** Test cards, as https://docs.stripe.com/testing has them. */
export const CARDS = {
  works: "4242424242424242",
  declined: "4000000000000002",
  authenticates: "4000002500003155",
  authenticatesInDialog: "4000002760003184",
};

const TYPED = {
  "Contact Name": "Ada Lovelace",
  "Company Name": "Analytical Engines",
  "Phone Number": "2125550123",
  "Street Address": "1 Example Street",
  City: "Springfield",
  "State/Province": "IL",
  "ZIP Code": "62701",
  Country: "United States",
  Password: "Passw0rd !",
  "Confirm Password": "Passw0rd !",
};

/** A visitor's actions on the sign-up's pages. */
export function signup(page: Page) {
  const email = `visitor-${crypto.randomUUID()}@example.com`;
  const visitor = {
    email,
    /** Stripe's fields. */
    card: page.frameLocator("iframe[title='Secure payment input frame']"),
    /** Fills in the form, some fields by label with other values. */
    async fillForm(others: Record<string, string> = {}) {
      for (const [label, value] of Object.entries({ "Email Address": email, ...TYPED, ...others }))
        await page.getByLabel(label, { exact: true }).fill(value);
    },
    submit: () => page.getByRole("button", { name: "Payment" }).click(),
    /** Opens the form, fills it in and sends it. */
    async signUp(others?: Record<string, string>) {
      await page.goto(PLAN);
      await visitor.fillForm(others);
      await visitor.submit();
    },
    /** Opens the card step of a form that was posted without a browser. */
    async openCard() {
      await postForm(page, email);
      await page.goto(PLAN);
    },
    payButton: page.getByRole("button", { name: "Pay", exact: true }),
    async pay(number: string) {
      await visitor.card.getByLabel("Card number").fill(number);
      await visitor.card.getByLabel("Expiration date").fill("12 / 34");
      await visitor.card.getByLabel("Security code").fill("123");
      await visitor.payButton.click();
    },
    async succeeded() {
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Subscription Successful!");
      await expect(page.getByRole("main")).toContainText(`Your ${TRIAL_DAYS} days trial period has been started.`);
      await expect(page.getByRole("definition").getByText(email)).toBeVisible();
    },
  };
  return visitor;
}

/** Waits for hydration, which renders the button that shows the password. */
export async function hydrated(page: Page): Promise<void> {
  await expect(page.getByRole("button", { name: "Show password", exact: true })).toBeVisible();
}

/** Holds the requests to some URLs until their release, and answers them then. */
export async function hold(page: Page, url: string, answer = (route: Route): Promise<unknown> => route.continue()) {
  const held: string[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    held.push(route.request().url());
    await released;
    await answer(route);
  });
  return { held, release };
}

/**
 * Posts the form as a page without scripts does, so that a journey can begin at the card step.
 * @returns the card step's HTML, with the sign-up's client secret and its links
 */
export async function postForm(page: Page, email = `visitor-${crypto.randomUUID()}@example.com`): Promise<string> {
  await page.request.get(PLAN);
  const form = { ...fields, email };
  return (await page.request.post(PLAN, { form })).text();
}
