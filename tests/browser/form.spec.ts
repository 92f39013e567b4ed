import { accessibilityProblems, DESKTOP, PHONE } from "./support/faults";
import { hold, hydrated, PLAN, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";

/* The form with scripts while it is filled in, on the smallest phone in use. */

test.use({ viewport: { width: 375, height: 667 } });

test("React hydrates the form although a click interrupts it", async ({ page }) => {
  await page.addInitScript(() => {
    const { addEventListener } = document;
    document.addEventListener = (type: string, ...rest: [EventListener]) => {
      addEventListener.call(document, type, ...rest);
      // React listens once it is asked to hydrate, and renders later.
      if (type === "click") queueMicrotask(() => document.querySelector("h1")?.click());
    };
  });
  await page.goto(PLAN);
  await hydrated(page);
});

/** What extensions, password managers and in-app browsers do to a page. */
const CHANGES: Record<string, () => void> = {
  "changes a text": () => document.querySelector("h1")?.replaceChildren("Changed"),
  "adds an element at the body's start": () => document.body.insertAdjacentHTML("afterbegin", "<div></div>"),
  "adds an element at the body's end": () => document.body.insertAdjacentHTML("beforeend", "<div></div>"),
  "adds a style to the head": () => document.head.insertAdjacentHTML("beforeend", "<style></style>"),
  "adds elements between the inputs": () => {
    for (const input of document.querySelectorAll("input")) input.insertAdjacentHTML("afterend", "<div></div>");
  },
  "adds an element to the form": () => document.forms[0]?.insertAdjacentHTML("afterbegin", "<div></div>"),
  "adds attributes": () => {
    for (const element of document.querySelectorAll("html, body, form, input"))
      element.setAttribute("data-extension", "1");
  },
};

for (const [what, change] of Object.entries(CHANGES)) {
  test(`styles and typed text stay when an extension ${what} before hydration`, async ({ page, complaints }) => {
    const { release } = await hold(page, "**/build/**/*.js");
    await page.goto(PLAN, { waitUntil: "commit" });
    await page.getByLabel("Contact Name").fill("Ada");
    await page.getByRole("contentinfo").waitFor();
    await page.evaluate(change);
    await page.getByLabel("Email Address").fill("Ada@example.com");
    await page.getByLabel("Password", { exact: true }).fill("Passw0rd !");
    const city = page.getByLabel("City");
    await city.pressSequentially("Spring");
    // If React replaces the form, marks what has the focus right then: the next key goes there.
    const served = await city.elementHandle();
    await city.evaluate((input) => {
      const observer = new MutationObserver(() => {
        if (input.isConnected) return;
        observer.disconnect();
        document.activeElement?.setAttribute("data-first-focus", "");
      });
      observer.observe(document, { subtree: true, childList: true });
    });
    release();
    await hydrated(page);
    const isReplaced = !(await served?.evaluate((input) => input.isConnected));
    if (isReplaced) await expect(city).toHaveAttribute("data-first-focus");
    await page.keyboard.type("field");
    await expect(city).toHaveValue("Springfield");
    await expect(page.getByLabel("Contact Name")).toHaveValue("Ada");
    await expect(page.getByLabel("Email Address")).toHaveValue("ada@example.com");
    await expect(page.getByLabel("Password", { exact: true })).toHaveValue("Passw0rd !");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Complete Your Subscription");
    await expect(page.getByRole("button", { name: "Payment" })).toHaveCSS("min-height", /^[4-9]\d/);
    await expect(city).toBeInViewport();
    for (const complaint of complaints.splice(0)) expect(complaint).toMatch(/React error #4(18|2\d)|inline style/);
  });
}

test("text typed before the scripts came stays, and is formatted as if they had been there", async ({ page }) => {
  const { release } = await hold(page, "**/build/**/*.js");
  await page.goto(PLAN, { waitUntil: "commit" });
  await page.getByLabel("Contact Name").fill("Ada");
  await page.getByLabel("Email Address").fill(" Ada@example.com");
  await page.getByLabel("Phone Number").fill("2125550123");
  release();
  await hydrated(page);
  await expect(page.getByLabel("Contact Name")).toHaveValue("Ada");
  await expect(page.getByLabel("Email Address")).toHaveValue("ada@example.com");
  await page.getByLabel("City").focus();
  await expect(page.getByLabel("Phone Number")).toHaveValue("(212) 555-0123");
});

test("typing preloads the card form once, and nothing of Stripe", async ({ page }) => {
  const urls: string[] = [];
  page.on("request", (request) => urls.push(request.url()));
  const cardForms = () => urls.filter((url) => url.includes("/build/_shared/stripe-elements-"));
  await page.goto(PLAN);
  await hydrated(page);
  await page.getByLabel("City").fill("Springfield");
  await page.getByLabel("Contact Name").fill("Ada");
  await expect.poll(cardForms).toHaveLength(1);
  await page.waitForLoadState("networkidle");
  expect(cardForms()).toHaveLength(1);
  expect(urls.filter((url) => /stripe\.(js|com)/.test(url))).toEqual([]);
});

const INVALID = {
  "Contact Name": ["A", "Contact name must be at least 2 characters"],
  "Company Name": ["A", "Company name must be at least 2 characters"],
  "Email Address": ["ada@", "Please enter a valid email address"],
  "Phone Number": ["123", "Phone number must be 10-15 digits"],
  Password: ["Aa1", "Password must be at least 8 characters"],
  "Confirm Password": ["other", "Passwords do not match"],
  "Street Address": ["1", "Street address must be at least 5 characters"],
  City: ["A", "City must be at least 2 characters"],
  "State/Province": ["A", "State must be at least 2 characters"],
  "ZIP Code": ["1234", "ZIP code must be at least 5 characters"],
  Country: ["A", "Country must be at least 2 characters"],
};

test("each field shows its message when it is left, until its value is valid", { tag: "@translated" }, async ({
  page,
}) => {
  await page.goto(PLAN);
  await hydrated(page);
  for (const [label, [value = "", message = ""]] of Object.entries(INVALID)) {
    const field = page.getByLabel(label, { exact: true });
    await field.fill(value);
    await field.blur();
    await expect(field, label).toHaveAccessibleDescription(new RegExp(message));
  }
  await signup(page).fillForm();
  await expect(page.locator("[aria-invalid]")).toHaveCount(0);
  for (const [, message = ""] of Object.values(INVALID)) await expect(page.getByText(message)).toBeHidden();
  await expect(page.getByLabel("Contact Name")).toHaveValue("Ada Lovelace");
});

test.describe("an invalid form", () => {
  test("is not sent, and its first invalid field gets the focus", async ({ page }) => {
    const posts: string[] = [];
    page.on("request", (request) => request.method() === "POST" && posts.push(request.url()));
    await page.goto(PLAN);
    await hydrated(page);
    await signup(page).submit();
    await expect(page.getByLabel("Contact Name")).toBeFocused();
    await expect(page.getByLabel("Contact Name")).toHaveAttribute("aria-invalid", "true");
    expect(posts).toEqual([]);
  });

  for (const [device, size] of Object.entries({ "a desktop": DESKTOP, "a phone": PHONE })) {
    test(`is accessible on ${device}`, async ({ page }) => {
      await page.setViewportSize(size);
      await page.goto(PLAN);
      await hydrated(page);
      await signup(page).submit();
      await expect(page.getByText("Phone number is required")).toBeVisible();
      expect(await accessibilityProblems(page)).toEqual([]);
    });
  }
});

test("a preload of the card form that fails changes nothing", async ({ page }) => {
  await page.route(/\/stripe-elements-/, (route) => route.abort());
  await page.goto(PLAN);
  await hydrated(page);
  await page.getByLabel("City").fill("Springfield");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Complete Your Subscription");
});

test("a password can be shown and hidden", { tag: "@translated" }, async ({ page }) => {
  await page.goto(PLAN);
  const password = page.getByLabel("Password", { exact: true });
  await password.fill("Passw0rd !");
  await page.getByRole("button", { name: "Show password", exact: true }).click();
  await expect(password).toHaveAttribute("type", "text");
  await expect(page.getByLabel("Confirm Password", { exact: true })).toHaveAttribute("type", "password");
  await page.getByRole("button", { name: "Hide password", exact: true }).click();
  await expect(password).toHaveAttribute("type", "password");
  await expect(page.locator("[aria-invalid]"), "the form is not sent").toHaveCount(0);
  await expect(password).toHaveValue("Passw0rd !");
});
