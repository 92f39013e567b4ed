import type { Page, Route } from "@playwright/test";
import { formFields } from "../../../app/contract/fields/form-fields";
import { signUpPath } from "../../../app/contract/sign-up-path";
import { TRIAL_DAYS } from "../../../app/contract/trial";
import { fields } from "../../support/person";
import { PLANS } from "../../support/plans";
import { expect } from "./stack";

export const PLAN = signUpPath(PLANS.STANDARD.packageId);

/** Test cards, as https://docs.stripe.com/testing has them. */
export const CARDS = {
  works: "4242424242424242",
  declined: "4000000000000002",
  authenticates: "4000002500003155",
  authenticatesInDialog: "4000002760003184",
};

const controls = { ...formFields, confirmPassword: { label: "Confirm Password" } };

/** A visitor's actions on the sign-up's pages. */
export function signup(page: Page) {
  const email = `visitor-${crypto.randomUUID()}@example.com`;
  const visitor = {
    email,
    /** Stripe's fields. */
    card: page.frameLocator("iframe[title='Secure payment input frame']"),
    field: (name: keyof typeof controls) => page.getByLabel(controls[name].label, { exact: true }),
    /** Fills in the form, some fields with other values. */
    async fillForm(others: Partial<typeof fields> = {}) {
      const values: Record<string, string> = { ...fields, email, ...others };
      for (const [name, { label }] of Object.entries(controls))
        await page.getByLabel(label, { exact: true }).fill(values[name] ?? "");
    },
    submit: () => page.getByRole("button", { name: "Payment" }).click(),
    /** Opens the form, and waits until React has hydrated it. */
    async openForm(path = PLAN) {
      await page.goto(path);
      await hydrated(page);
    },
    /** Opens the form, fills it in and sends it, with or without scripts. */
    async signUp(others?: Partial<typeof fields>) {
      await page.goto(PLAN);
      await scriptsLoaded(page);
      await visitor.fillForm(others);
      await visitor.submit();
    },
    /** Opens the card step of a form that was posted without a browser, and waits for its fields. */
    async openCard() {
      await postForm(page, email);
      await page.goto(PLAN);
      await expect(visitor.payButton).toBeEnabled();
    },
    payButton: page.getByRole("button", { name: "Pay", exact: true }),
    async fillCard(number: string) {
      await visitor.card.getByLabel("Card number").fill(number);
      await visitor.card.getByLabel("Expiration date").fill("12 / 34");
      await visitor.card.getByLabel("Security code").fill("123");
    },
    async pay(number: string) {
      await visitor.fillCard(number);
      await visitor.payButton.click();
    },
    async succeeded() {
      await scriptsLoaded(page);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Subscription Successful!");
      await expect(page.getByRole("main")).toContainText(`Your ${TRIAL_DAYS} days trial period has been started.`);
      await expect(page.getByRole("definition").getByText(email)).toBeVisible();
    },
  };
  return visitor;
}

/** The error above the step. */
export const failureNotice = (page: Page) => page.locator(".step-main > .notice-region > .notice");

/** Waits until the page's scripts run, or it is known that they will not. */
export const scriptsLoaded = (page: Page) =>
  expect(page.locator("html")).not.toHaveAttribute("data-scripts", "loading");

/** Waits for hydration, which renders the button that shows the password. */
export async function hydrated(page: Page): Promise<void> {
  await expect(page.getByRole("button", { name: "Show password", exact: true })).toBeVisible();
}

/** A script for a page's beginning. It runs another one once React has been asked to hydrate the page, and before it renders. */
export const beforeReactRenders = (run: () => void) => `{
  const { addEventListener } = document;
  document.addEventListener = (type, ...rest) => {
    addEventListener.call(document, type, ...rest);
    if (type === "click") queueMicrotask(${run});
  };
}`;

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

/** Posts the form as a page without scripts does, so that a journey can begin at the card step. */
export async function postForm(page: Page, email: string): Promise<void> {
  await page.request.get(PLAN);
  await page.request.post(PLAN, { form: { ...fields, email } });
}
