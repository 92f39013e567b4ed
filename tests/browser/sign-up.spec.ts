import { company } from "../../app/company";
import { stripeStateOf } from "../support/visitors/visitor";
import { accessibilityProblems, DESKTOP, PHONE } from "./support/faults";
import { CARDS, hydrated, PLAN, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";

/* Whole sign-ups: with scripts, by keyboard, and without scripts; also in another language and time zone. */

test.use({ locale: "de-DE", timezoneId: "Pacific/Kiritimati", permissions: ["clipboard-read", "clipboard-write"] });

test("a sign-up, with a reload at each step, starts a trial and tells what Stripe charges on which day in UTC", {
  tag: "@phone",
}, async ({ page, stack }) => {
  const visitor = signup(page);
  await visitor.signUp({ Country: "germany" });
  const status = page.getByRole("status");
  await expect(status).toHaveText("Subscription Data Saved!Now proceeding to payment...");
  await page.reload();
  await expect(status).toBeEmpty();
  await expect(page.locator("time")).toHaveText(/^\d+\. \w+ \d{4}/);
  const charge = /charge \$500\.00 USD to your card on or after (\w+ \d+, \d{4} \(UTC\)), and then every month/;
  const [, day = ""] = charge.exec((await page.getByRole("main").textContent()) ?? "") ?? [];
  await visitor.pay(CARDS.works);
  await visitor.succeeded();
  await page.reload();
  await visitor.succeeded();
  await expect(status).toBeEmpty();
  const details = page.getByRole("region", { name: "Subscription Details" });
  const terms = "Company,Contact,Email,Phone,Plan,Trial ends,First payment,Card".split(",");
  await expect(details.getByRole("term")).toHaveText(terms);
  await expect(details.getByRole("definition")).toHaveText([
    "Analytical Engines",
    "Ada Lovelace",
    visitor.email,
    "(212) 555-0123",
    "STANDARD, $500 a month after the trial",
    day,
    `$500.00 USD, on or after ${day}`,
    "Visa ending in 4242",
  ]);

  await page.getByRole("button", { name: "Sign up another company" }).click();
  await expect(page.getByLabel("Contact Name")).toHaveValue("");

  const { subscriptions } = await stripeStateOf(stack.stripe, visitor.email);
  const end = new Date((subscriptions[0]?.trial_end ?? 0) * 1000);
  expect(day).toBe(`${end.toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" })} (UTC)`);
});

test("the keyboard alone reaches the card step and all its links, and starts over", async ({ page }) => {
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
  await expect(visitor.payButton).toBeEnabled();
  for (const size of [DESKTOP, PHONE]) {
    await page.setViewportSize(size);
    expect(await accessibilityProblems(page), `${size.width} px wide`).toEqual([]);
  }
  await page.locator("summary").press("Enter");
  const copy = page.getByRole("button", { name: "Copy link" });
  await page.evaluate(() => Object.assign(navigator.clipboard, { writeText: () => Promise.reject() }));
  await copy.press("Enter");
  await page.evaluate(() => Reflect.deleteProperty(navigator.clipboard, "writeText"));
  await copy.press("Enter");
  await expect(page.getByRole("button", { name: "Copied" })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`${PLAN}?resume=`);
  await page.getByRole("link", { name: "Edit details" }).press("Enter");
  await expect(page.getByLabel("Contact Name")).toHaveValue("Ada Lovelace");
  await page.goBack();
  await page.getByRole("button", { name: "Start over" }).press("Enter");
  await expect(page.getByRole("heading", { name: "Subscription Information" })).toBeVisible();
  for (const name of ["Contact Name", "Email Address", "Password"])
    await expect(page.getByLabel(name, { exact: true })).toHaveValue("");
  await expect(heading).toBeFocused();
  await expect(heading).toBeInViewport();
});

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });

  test("a refused form keeps its values, and another device takes over the card step", async ({ page, elsewhere }) => {
    const visitor = signup(page);
    await visitor.signUp({ "ZIP Code": "1" });
    await expect(page.getByRole("region", { name: "There is a problem" })).toBeFocused();
    await page.getByRole("link", { name: "ZIP code must be at least 5 characters" }).click();
    await expect(page.getByLabel("ZIP Code")).toBeFocused();
    await expect(page.getByLabel("Contact Name")).toHaveValue("Ada Lovelace");
    await visitor.fillForm();
    await visitor.submit();
    await expect(page.getByText("Please enter your card info")).toBeVisible();
    expect(await page.getByText("You need JavaScript to enter a card").isVisible(), "at once").toBe(true);
    await expect(visitor.payButton).toBeHidden();
    await page.locator("summary").click();
    const code = page.getByAltText(/QR code/);
    const widthOf = (image: HTMLElement) => image instanceof HTMLImageElement && image.naturalWidth;
    await expect.poll(() => code.evaluate(widthOf)).toBeGreaterThan(100);
    const link = await page.getByRole("link", { name: "Link to continue this sign-up" }).getAttribute("href");

    const device = await elsewhere({ javaScriptEnabled: true });
    await device.goto(link ?? "");
    await device.getByRole("button", { name: "Continue this sign-up" }).click();
    // Its page knows no details, so that Stripe asks for them.
    await signup(device).card.getByLabel("ZIP code").fill("62701");
    await signup(device).pay(CARDS.works);
    await expect(device.getByRole("heading", { level: 1 })).toHaveText("Subscription Successful!");
  });
});
