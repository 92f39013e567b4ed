import { company } from "../../app/company";
import { PLANS } from "../support/plans";
import { stripeStateOf } from "../support/visitors/visitor";
import { accessibilityProblems, DESKTOP, PHONE } from "./support/faults";
import { CARDS, hydrated, PLAN, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";

/* Whole sign-ups: with scripts, by keyboard, and without scripts; also in another language and time zone. */

test.use({ locale: "de-DE", timezoneId: "Pacific/Kiritimati", permissions: ["clipboard-read", "clipboard-write"] });

const PLACES: Record<string, { viewport?: typeof PHONE; translated?: boolean }> = {
  "on a desktop": {},
  "on a phone that translates the pages": { viewport: PHONE, translated: true },
};

for (const [place, options] of Object.entries(PLACES)) {
  test.describe(place, () => {
    test.use(options);

    test("a sign-up, with a reload at each step, starts a trial", async ({ page, stack }) => {
      const visitor = signup(page);
      const status = page.getByRole("status");

      await test.step("an accepted form leads to the card step, and its notice is shown once", async () => {
        await visitor.signUp({ Country: "germany" });
        await expect(status).toHaveText("Subscription Data Saved!Now proceeding to payment...");
        await page.reload();
        await expect(status).toBeEmpty();
      });

      await test.step("the time until when it is kept is in the visitor's own language", async () => {
        await expect(page.locator("time")).toHaveText(/^\d+\. \w+ \d{4}/);
      });

      const terms = (await page.getByRole("main").textContent()) ?? "";

      await test.step("a card leads to the success step, which stays, and its notices are shown once", async () => {
        await visitor.pay(CARDS.works);
        await visitor.succeeded();
        await page.reload();
        await visitor.succeeded();
        await expect(status).toBeEmpty();
      });

      await test.step("Stripe has a trial that ends on the day that both steps tell, in UTC", async () => {
        const { subscriptions } = await stripeStateOf(stack.stripe, visitor.email);
        const end = new Date((subscriptions[0]?.trial_end ?? 0) * 1000);
        const day = `${end.toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" })} (UTC)`;
        const { short, charged } = PLANS.STANDARD;
        expect(terms).toContain(`charge ${charged} to your card on or after ${day}, and then every month`);
        const details = page.getByRole("region", { name: "Subscription Details" });
        const rows = {
          Company: "Analytical Engines",
          Contact: "Ada Lovelace",
          Email: visitor.email,
          Phone: "(212) 555-0123",
          Plan: `STANDARD, ${short} a month after the trial`,
          "Trial ends": day,
          "First payment": `${charged}, on or after ${day}`,
          Card: "Visa ending in 4242",
        };
        await expect(details.getByRole("term")).toHaveText(Object.keys(rows));
        await expect(details.getByRole("definition")).toHaveText(Object.values(rows));
      });

      await test.step("another company begins with an empty form", async () => {
        await page.getByRole("button", { name: "Sign up another company" }).click();
        await expect(page.getByLabel("Contact Name")).toHaveValue("");
      });
    });
  });
}

test.describe("the keyboard alone", () => {
  test("passes the links at the button, and sends the form", async ({ page }) => {
    const visitor = signup(page);
    await page.goto(PLAN);
    await hydrated(page);
    await visitor.fillForm();
    await page.getByLabel("Country").press("Tab");
    for (const name of ["Terms", "Privacy Policy"]) {
      await expect(page.getByRole("main").getByRole("link", { name })).toBeFocused();
      await page.keyboard.press("Tab");
    }
    await expect(page.getByRole("button", { name: "Payment" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page).toHaveTitle(`Sign up, step 2 of 2: card · ${company.name}`);
    const heading = page.getByRole("heading", { level: 1 });
    await expect(heading).toBeFocused();
    await expect(heading).toBeInViewport();
  });

  test("copies the link to another device, also after a first try that failed", async ({ page }) => {
    const visitor = signup(page);
    await visitor.openCard();
    await expect(visitor.payButton).toBeEnabled();
    await page.locator("summary", { hasText: "Continue on another device" }).press("Enter");
    const button = (name: string) => page.getByRole("button", { name });
    await page.evaluate(() => Object.assign(navigator.clipboard, { writeText: () => Promise.reject() }));
    await button("Copy link").press("Enter");
    // The browser's own function is there again, behind the one that fails.
    await page.evaluate(() => Reflect.deleteProperty(navigator.clipboard, "writeText"));
    await button("Not copied").press("Enter");
    await expect(button("Copied")).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`${PLAN}?resume=`);
  });

  test("goes back to edit the details", async ({ page }) => {
    await signup(page).openCard();
    await page.getByRole("link", { name: "Edit details" }).press("Enter");
    await expect(page.getByLabel("Contact Name")).toHaveValue("Ada Lovelace");
  });

  test("starts over with an empty form, whose heading gets the focus", async ({ page }) => {
    await signup(page).openCard();
    await page.getByRole("button", { name: "Start over" }).press("Enter");
    await expect(page.getByRole("heading", { name: "Subscription Information" })).toBeVisible();
    for (const name of ["Contact Name", "Email Address", "Password"])
      await expect(page.getByLabel(name, { exact: true })).toHaveValue("");
    const heading = page.getByRole("heading", { level: 1 });
    await expect(heading).toBeFocused();
    await expect(heading).toBeInViewport();
  });
});

test("the card step is accessible on a desktop and on a phone", async ({ page }) => {
  const visitor = signup(page);
  await visitor.openCard();
  await expect(visitor.payButton).toBeEnabled();
  for (const size of [DESKTOP, PHONE]) {
    await page.setViewportSize(size);
    expect(await accessibilityProblems(page), `${size.width} px`).toEqual([]);
  }
});

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });

  test("a refused form keeps its values, and leads to its fields", async ({ page }) => {
    await signup(page).signUp({ "ZIP Code": "1" });
    await expect(page.getByRole("region", { name: "There is a problem" })).toBeFocused();
    await page.getByRole("link", { name: "ZIP code must be at least 5 characters" }).click();
    await expect(page.getByLabel("ZIP Code")).toBeFocused();
    await expect(page.getByLabel("Contact Name")).toHaveValue("Ada Lovelace");
  });

  test("the card step says at once that it needs JavaScript", async ({ page }) => {
    const visitor = signup(page);
    await visitor.openCard();
    await expect(page.getByText("Please enter your card info")).toBeVisible();
    expect(await page.getByText("You need JavaScript to enter a card").isVisible(), "at once").toBe(true);
    await expect(visitor.payButton).toBeHidden();
  });

  test("the card step has a QR code that a camera can read", async ({ page }) => {
    await signup(page).openCard();
    await page.locator("summary", { hasText: "Continue on another device" }).click();
    const widthOf = (image: HTMLElement) => image instanceof HTMLImageElement && image.naturalWidth;
    await expect.poll(() => page.getByAltText(/QR code/).evaluate(widthOf)).toBeGreaterThan(100);
  });

  test("another device takes over the card step, and Stripe asks there for the ZIP code", async ({
    page,
    elsewhere,
  }) => {
    await signup(page).openCard();
    await page.locator("summary", { hasText: "Continue on another device" }).click();
    const link = await page.getByRole("link", { name: "Link to continue this sign-up" }).getAttribute("href");

    const device = await elsewhere({ javaScriptEnabled: true });
    await device.goto(link ?? "");
    await device.getByRole("button", { name: "Continue this sign-up" }).click();
    // Its page knows no details.
    await signup(device).card.getByLabel("ZIP code").fill("62701");
    await signup(device).pay(CARDS.works);
    await expect(device.getByRole("heading", { level: 1 })).toHaveText("Subscription Successful!");
  });
});
