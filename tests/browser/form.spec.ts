import type { Route } from "@playwright/test";
import { DUPLICATE, DUPLICATE_EMAIL } from "../../app/signup/notices";
import { LOCAL_SECRETS } from "../../functions/subscription-api/local-development";
import { trialClaims } from "../../functions/subscription-api/sign-ups/trial-claims";
import { startVisitedSite } from "../support/visitors/visited-site";
import { accessibilityProblems, DESKTOP, PHONE } from "./support/faults";
import { hold, hydrated, PLAN, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";

/* The form with scripts, on the smallest phone in use: messages, notices and the focus. */

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

test("a page that an extension changes before hydration keeps its styles and data", async ({ page, complaints }) => {
  await page.addInitScript(() => {
    const change = () => document.querySelector("h1")?.replaceChildren("Changed");
    document.addEventListener("readystatechange", change, { once: true });
  });
  await page.goto(PLAN);
  await hydrated(page);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Complete Your Subscription");
  await expect.poll(() => complaints.splice(0).join()).toMatch(/Minified React error #4(18|2\d)/);
  await expect(page.getByRole("button", { name: "Payment" })).toHaveCSS("min-height", /^[4-9]\d/);
  await expect(page.getByText("STANDARD").first()).toBeVisible();
});

test("text typed before the scripts came stays; the card form is preloaded, Stripe.js is not", async ({ page }) => {
  const urls: string[] = [];
  page.on("request", (request) => urls.push(request.url()));
  const cardForms = () => urls.filter((url) => url.includes("/build/_shared/card-form-"));
  const { release } = await hold(page, "**/build/**/*.js");
  await page.goto(PLAN, { waitUntil: "commit" });
  await page.getByLabel("Contact Name").fill("Ada");
  await page.getByLabel("Email Address").fill(" Ada@example.com");
  await page.getByLabel("Phone Number").fill("2125550123");
  release();
  await hydrated(page);
  await expect(page.getByLabel("Contact Name")).toHaveValue("Ada");
  await expect(page.getByLabel("Email Address")).toHaveValue("ada@example.com");
  await page.getByLabel("City").fill("Springfield");
  await expect(page.getByLabel("Phone Number")).toHaveValue("(212) 555-0123");
  await expect.poll(cardForms).toHaveLength(1);
  await page.waitForLoadState("networkidle");
  expect(cardForms()).toHaveLength(1);
  expect(urls.filter((url) => /stripe\.(js|com)/.test(url))).toEqual([]);
});

test("a field's message appears on leaving it; the first invalid field gets the focus", async ({ page }) => {
  const posts: string[] = [];
  page.on("request", (request) => request.method() === "POST" && posts.push(request.url()));
  // A preload that fails changes nothing.
  await page.route(/\/card-form-/, (route) => route.abort());
  await page.goto(PLAN);
  await hydrated(page);
  const email = page.getByLabel("Email Address");
  await email.fill("Ada @");
  await expect(email).toHaveValue("ada@");
  await email.blur();
  await expect(email).toHaveAccessibleDescription("Please enter a valid email address");
  const message = page.getByText("Please enter a valid email address");
  await email.press("End");
  await email.pressSequentially("example.com");
  await expect(message).toBeHidden();
  await email.press("Home");
  await email.pressSequentially(" X");
  await expect(email, "the caret stays behind the same character").toHaveValue("xada@example.com");
  await email.pressSequentially("Y");
  await expect(email).toHaveValue("xyada@example.com");
  // A phone number stays as it is typed until its field is left.
  const phone = page.getByLabel("Phone Number");
  await phone.pressSequentially("+45 20 12 34 56");
  await expect(phone).toHaveValue("+45 20 12 34 56");
  await phone.press("Tab");
  await expect(phone).toHaveValue("+45 201 23456");
  await expect(phone).not.toHaveAttribute("aria-invalid");
  await signup(page).submit();
  await expect(page.getByLabel("Contact Name")).toBeFocused();
  await expect(page.getByLabel("Contact Name")).toHaveAttribute("aria-invalid", "true");
  expect(posts).toEqual([]);
  for (const size of [DESKTOP, PHONE]) {
    await page.setViewportSize(size);
    expect(await accessibilityProblems(page), `${size.width} px wide`).toEqual([]);
  }
});

test("a password can be shown and hidden", async ({ page }) => {
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

const OFFLINE = "Unable to connect to the API server. Please check your connection and try again.";
const fromElsewhere = async (route: Route) => {
  const headers = { ...route.request().headers(), origin: "https://evil.test" };
  await route.fulfill({ response: await route.fetch({ headers }) });
};

for (const [what, told, answer] of [
  ["finds no connection", `Connection Failed${OFFLINE}`, (route: Route) => route.abort("connectionreset")],
  ["is refused", "Submission FailedAccess forbidden. Please contact support.Contact Support", fromElsewhere],
] as const) {
  test(`a form that ${what} is sent once; its notice gets the focus, and nothing typed is lost`, async ({ page }) => {
    const visitor = signup(page);
    await page.goto(PLAN);
    await hydrated(page);
    await visitor.fillForm();
    const { held, release } = await hold(page, "**/*.data*", answer);
    const button = page.locator("#signup button[type=submit]");
    await button.evaluate((element) => element.scrollIntoView({ behavior: "instant", block: "center" }));
    await button.focus();
    const place = () => button.evaluate((element) => [scrollY, element.getBoundingClientRect().top]);
    const before = await place();
    await page.keyboard.press("Enter");
    await expect(button).toHaveText("Processing...");
    await expect(button).toBeDisabled();
    await expect(button).toHaveAttribute("aria-busy", "true");
    await expect(button.locator("svg.animate-spin")).toBeVisible();
    const progress = page.getByRole("status");
    await expect(progress).toHaveText("Processing...Submitting your subscription information.");
    await expect(progress).toBeInViewport({ ratio: 1 });
    expect(await place()).toEqual(before);
    await page.keyboard.press("Enter");
    await button.dispatchEvent("click");
    release();
    const notice = page.getByRole("alert").locator(".notice");
    await expect(notice).toHaveText(told);
    await expect(notice).toBeFocused();
    await expect(notice).toBeInViewport({ ratio: 1 });
    await expect(progress).toBeEmpty();
    expect(held).toHaveLength(1);
    await page.unroute("**/*.data*");
    await visitor.submit();
    await expect(page.getByText("Subscription Data Saved!")).toBeInViewport();
  });
}

test("a taken email address is told in a notice, and at its field until it changes", async ({ page, stack }) => {
  const visitor = signup(page);
  const { ofEmail } = trialClaims({ hashSecret: LOCAL_SECRETS.HASH_SECRET, onePerPerson: true });
  for (const hash of ofEmail(visitor.email))
    await stack.api.database.prepare("INSERT INTO trial_claims (hash) VALUES (?)").bind(hash).run();
  await visitor.signUp();
  const alert = page.getByRole("alert");
  await expect(alert).toContainText(DUPLICATE);
  await expect(alert).toBeInViewport({ ratio: 1 });
  await expect(alert.locator(".notice")).toBeFocused();
  const email = page.getByLabel("Email Address");
  await expect(email).toHaveAccessibleDescription(DUPLICATE_EMAIL);
  await page.getByLabel("City").press("x");
  await expect(email).toHaveAttribute("aria-invalid", "true");
  await email.press("x");
  await expect(email).not.toHaveAttribute("aria-invalid");
  await alert.getByRole("button", { name: "Close" }).click();
  await expect(alert).toBeEmpty();
  await expect(alert).toBeFocused();
  await visitor.submit();
  await expect(page.getByText("Subscription Data Saved!")).toBeVisible();
});

test("an unknown plan is told with the plans to choose from, and typed text stays", async ({ page }) => {
  await page.goto("/subscription/not-a-uuid");
  await hydrated(page);
  const visitor = signup(page);
  await visitor.fillForm();
  const summary = page.getByRole("region", { name: "There is a problem" });
  await expect(summary).toBeHidden();
  for (const attempt of ["first", "second"]) {
    await visitor.submit();
    await expect(summary, attempt).toBeFocused();
    await expect(summary).toBeInViewport({ ratio: 1 });
  }
  await summary.getByRole("link", { name: "Invalid subscription ID" }).click();
  const choice = page.getByRole("complementary", { name: "Invalid subscription ID" });
  await expect(choice).toBeFocused();
  await expect(choice).toBeInViewport({ ratio: 1 });
  await choice.getByRole("link", { name: "LITE, $200 a month" }).click();
  await expect(page.getByText("5-day free trial, then $200/month")).toBeVisible();
  await expect(page.getByLabel("Password", { exact: true })).toHaveValue("Passw0rd !");
  await expect(summary).toBeHidden();
  await visitor.submit();
  await expect(page.getByText("Please enter your card info")).toBeVisible();
  await expect(page.getByRole("complementary")).toContainText("LITE");
});

const LIMITED = `
  import site from "./worker.js";
  const SIGNUP_NETWORK_RATE_LIMIT = { limit: async () => ({ success: false }) };
  export default { fetch: (request, env, ...rest) => site.fetch(request, { ...env, SIGNUP_NETWORK_RATE_LIMIT }, ...rest) };`;

test("a network over its limit gets Turnstile's widget, and a new one after each try", async ({ elsewhere }) => {
  const vars = { TURNSTILE_SITE_KEY: "a-site-key-of-the-tests", TURNSTILE_SECRET_KEY: "a-secret-key-of-the-tests" };
  const { site, dispose } = await startVisitedSite({ vars, wrapper: { script: LIMITED } });
  const page = await elsewhere({ baseURL: site.url });
  const body = `let widgets = 0;
    window.turnstile = { render: (container, { sitekey }) => container.append(sitekey + " " + (widgets += 1)) };`;
  await page.route("https://challenges.cloudflare.com/**", (route) => route.fulfill({ body }));
  const visitor = signup(page);
  await visitor.signUp();
  for (const attempt of [1, 2]) {
    await expect(page.getByText(`a-site-key-of-the-tests ${attempt}`, { exact: true })).toBeVisible();
    const notice = page.getByRole("alert").locator(".notice");
    await expect(notice).toContainText("One more step");
    await expect(notice).toBeFocused();
    await visitor.submit();
  }
  await expect(page.getByLabel("Password", { exact: true })).toHaveValue("Passw0rd !");
  await dispose();
});
