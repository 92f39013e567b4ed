import type { Page } from "@playwright/test";
import { company } from "../../app/company";
import { fields } from "../support/person";
import { PLANS } from "../support/plans";
import { translate } from "../support/translate";
import { stripeStateOf } from "../support/visitors/visitor";
import { accessibilityProblems, DESKTOP, PHONE } from "./support/faults";
import { CARDS, PLAN, scriptsLoaded, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";

/* Whole sign-ups: with scripts, by keyboard, and without scripts; also in another language and time zone. */

test.use({ locale: "de-DE", timezoneId: "Pacific/Kiritimati", permissions: ["clipboard-read", "clipboard-write"] });

test("a sign-up on a phone that translates, with a reload at each step, starts a trial", async ({ page, stack }) => {
  await page.setViewportSize(PHONE);
  await translated(page);
  const visitor = signup(page);
  const status = page.locator(".step-status");
  await visitor.signUp({ country: "germany" });
  await expect(status).toHaveText("Subscription Data Saved!Now proceeding to payment...");
  await page.reload();
  await expect(status, "its notice is shown once").toBeEmpty();
  await expect(page.locator("time"), "in the visitor's own language").toHaveText(/^\d+\. \w+ \d{4}/);
  const terms = (await page.getByRole("main").textContent()) ?? "";

  await visitor.pay(CARDS.works);
  await visitor.succeeded();
  await expect(page.locator("main font").first()).toBeAttached();
  await page.reload();
  await visitor.succeeded();
  await expect(status, "its notices are shown once").toBeEmpty();

  const { subscriptions } = await stripeStateOf(stack.stripe, visitor.email);
  const end = new Date((subscriptions[0]?.trial_end ?? 0) * 1000);
  const day = `${end.toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" })} (UTC)`;
  const { title, short, charged } = PLANS.STANDARD;
  expect(terms).toContain(`charge ${charged} to your card on or after ${day}, and then every month`);
  const details = page.getByRole("region", { name: "Subscription Details" });
  const rows = {
    Company: fields.company_name,
    Contact: fields.full_name,
    Email: visitor.email,
    Phone: fields.phone,
    Plan: `${title}, ${short} a month after the trial`,
    "Trial ends": day,
    "First payment": `${charged}, on or after ${day}`,
    Card: "Visa ending in 4242",
  };
  await expect(details.getByRole("term")).toHaveText(Object.keys(rows));
  await expect(details.getByRole("definition")).toHaveText(Object.values(rows));

  await page.getByRole("button", { name: "Sign up another company" }).click();
  await expect(visitor.field("full_name"), "an empty form for another company").toHaveValue("");
});

/** Translates a tab's pages from their hydration on. */
const translated = (page: Page) =>
  page.addInitScript(`{
    const start = () =>
      document.documentElement.dataset.scripts === "running"
        ? (${translate})(document.body)
        : requestAnimationFrame(start);
    if (window === window.top) requestAnimationFrame(start);
  }`);

test("the keyboard alone sends the form, copies the link, edits the details and starts over", async ({ page }) => {
  const visitor = signup(page);
  const [main, heading] = [page.getByRole("main"), page.getByRole("heading", { level: 1 })];
  const button = (name: string) => page.getByRole("button", { name });

  await test.step("the links come before the button, and the next step's heading gets the focus", async () => {
    await visitor.openForm();
    await visitor.fillForm();
    await visitor.field("country").press("Tab");
    for (const name of ["Terms", "Privacy Policy"]) {
      await expect(main.getByRole("link", { name })).toBeFocused();
      await page.keyboard.press("Tab");
    }
    await expect(button("Payment")).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page).toHaveTitle(`Sign up, step 2 of 2: card · ${company.name}`);
    await expect(heading).toBeFocused();
    await expect(heading).toBeInViewport();
  });

  await test.step("the card step is accessible on a desktop and on a phone", async () => {
    await expect(visitor.payButton).toBeEnabled();
    for (const size of [PHONE, DESKTOP]) {
      await page.setViewportSize(size);
      expect(await accessibilityProblems(page), `${size.width} px`).toEqual([]);
    }
  });

  await test.step("the link is copied", async () => {
    await page.locator("summary", { hasText: "Continue on another device" }).press("Enter");
    await button("Copy link").press("Enter");
    await expect(button("Copied")).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`${PLAN}?resume=`);
  });

  await test.step("the form has the details, and going back leads to the card step again", async () => {
    await page.getByRole("link", { name: "Edit details" }).press("Enter");
    await expect(visitor.field("full_name")).toHaveValue(fields.full_name);
    await page.goBack();
    await expect(visitor.payButton).toBeEnabled();
    await expect(heading).toBeFocused();
  });

  await test.step("a new sign-up begins with an empty form, whose heading gets the focus", async () => {
    await button("Start over").press("Enter");
    await expect(page.getByRole("heading", { name: "Subscription Information" })).toBeVisible();
    for (const name of ["full_name", "email", "password"] as const) await expect(visitor.field(name)).toHaveValue("");
    await expect(heading).toBeFocused();
    await expect(heading).toBeInViewport();
  });
});

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });

  test("a refused form leads to its fields, and the card step to a device with scripts", async ({
    page,
    elsewhere,
  }) => {
    const visitor = signup(page);

    await test.step("another plan takes away what was said of the first", async () => {
      await page.goto(PLAN);
      await visitor.fillForm({ zipCode: "1" });
      const ofStandard = page.getByText(`Then ${PLANS.STANDARD.short} a month`).filter({ visible: true });
      await expect(ofStandard).toHaveCount(1);
      await page.getByText("Change plan").click();
      await page.getByLabel(`${PLANS.LITE.title}, ${PLANS.LITE.short} a month`).check();
      await expect(ofStandard).toHaveCount(0);
      await visitor.submit();
    });

    await test.step("a refused form keeps its values, and leads to its fields", async () => {
      await expect(page.getByRole("region", { name: "There is a problem" })).toBeFocused();
      await page.getByRole("link", { name: "ZIP code must be at least 5 characters" }).click();
      await expect(visitor.field("zipCode")).toBeFocused();
      await expect(visitor.field("full_name")).toHaveValue(fields.full_name);
      await visitor.fillForm();
      await visitor.submit();
      await expect(page.getByRole("complementary")).toContainText(
        `This ${PLANS.LITE.title} sign-up waits for its card`,
      );
    });

    await test.step("the card step says at once that it needs JavaScript, and has a QR code that a camera can read", async () => {
      expect(await page.getByText("You need JavaScript to enter a card").isVisible(), "at once").toBe(true);
      await expect(visitor.payButton).toBeHidden();
      await page.locator("summary", { hasText: "Continue on another device" }).click();
      const widthOf = (image: HTMLElement) => image instanceof HTMLImageElement && image.naturalWidth;
      await expect.poll(() => page.getByAltText(/QR code/).evaluate(widthOf)).toBeGreaterThan(100);
    });

    const link = await page.getByRole("link", { name: "Link to continue this sign-up" }).getAttribute("href");
    const device = await elsewhere({ javaScriptEnabled: true });
    await device.goto(link ?? "");
    await scriptsLoaded(device);
    await device.getByRole("button", { name: "Continue this sign-up" }).click();
    // Its page knows no details.
    await signup(device).card.getByLabel("ZIP code").fill(fields.zipCode);
    await signup(device).pay(CARDS.works);
    await expect(device.getByRole("heading", { level: 1 })).toHaveText("Subscription Successful!");
  });
});
