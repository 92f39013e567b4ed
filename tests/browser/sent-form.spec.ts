import type { Page, Route } from "@playwright/test";
import { DUPLICATE, DUPLICATE_EMAIL } from "../../app/signup/server/notices.server";
import { LOCAL_SECRETS } from "../../functions/subscription-api/local-development";
import { trialHashes } from "../../functions/subscription-api/sign-ups/trial-hashes";
import { startVisitedSite } from "../support/visitors/visited-site";
import { hold, hydrated, PLAN, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";

/* A sent form on the smallest phone in use, while the visitor waits and after each answer. */

test.use({ viewport: { width: 375, height: 667 } });

/** Answers as the guard does to a form from another site. */
const fromElsewhere = async (route: Route) => {
  const headers = { ...route.request().headers(), origin: "https://evil.test", "sec-fetch-site": "cross-site" };
  await route.fulfill({ response: await route.fetch({ headers }) });
};

test.describe("a form that is refused", () => {
  /** A form whose request waits for an answer. */
  async function sent(page: Page) {
    const visitor = signup(page);
    await page.goto(PLAN);
    await hydrated(page);
    await visitor.fillForm();
    const { held, release } = await hold(page, "**/*.data*", fromElsewhere);
    const button = page.locator("#signup button[type=submit]");
    await button.evaluate((element) => element.scrollIntoView({ behavior: "instant", block: "center" }));
    await button.focus();
    const place = () => button.evaluate((element) => [scrollY, element.getBoundingClientRect().top]);
    // Filling in the last fields and focusing the button scroll the page: wait until it stands still.
    await page.evaluate(async () => {
      const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      let last = scrollY;
      for (let still = 0; still < 20; still = scrollY === last ? still + 1 : 0) {
        last = scrollY;
        await nextFrame();
      }
    });
    const before = await place();
    await page.keyboard.press("Enter");
    return { visitor, held, release, button, before, place };
  }

  test("shows that it is being sent, once, and moves nothing", async ({ page }) => {
    const { button, held, before, place, release } = await sent(page);
    await expect(button).toHaveText("Processing...");
    await expect(button).toBeDisabled();
    await expect(button).toHaveAttribute("aria-busy", "true");
    await expect(button.locator("svg.animate-spin")).toBeVisible();
    const progress = page.getByRole("status");
    await expect(progress).toHaveText("Processing...Submitting your subscription information.");
    await expect(progress).toBeInViewport({ ratio: 1 });
    expect(await place(), "scroll position and place of the button").toEqual(before);
    await page.keyboard.press("Enter");
    await button.dispatchEvent("click");
    release();
    await expect(page.getByRole("alert").locator(".notice")).toBeVisible();
    expect(held).toHaveLength(1);
  });

  test("has a focused notice in place of the progress, and can be sent again", async ({ page }) => {
    const { visitor, release } = await sent(page);
    release();
    const notice = page.getByRole("alert").locator(".notice");
    await expect(notice).toHaveText(
      "Submission FailedThis form was not sent from our site. Please open the sign-up page again and send it from there.",
    );
    await expect(notice).toBeFocused();
    await expect(notice).toBeInViewport({ ratio: 1 });
    await expect(page.getByRole("status")).toBeEmpty();
    await page.unroute("**/*.data*");
    await visitor.submit();
    await expect(page.getByText("Subscription Data Saved!")).toBeInViewport();
  });
});

test("a taken email address has a notice, and an error at its field until it is replaced", async ({ page, stack }) => {
  const visitor = signup(page);
  const { ofEmail } = trialHashes({ hashSecret: LOCAL_SECRETS.HASH_SECRET, onePerPerson: true });
  for (const hash of ofEmail(visitor.email))
    await stack.api.database.prepare("INSERT INTO trial_claims (hash) VALUES (?)").bind(hash).run();
  await visitor.signUp();
  const [alert, email] = [page.getByRole("alert"), page.getByLabel("Email Address")];
  await expect(alert).toContainText(DUPLICATE);
  await expect(alert).toBeInViewport({ ratio: 1 });
  await expect(alert.locator(".notice")).toBeFocused();
  await expect(email).toHaveAccessibleDescription(DUPLICATE_EMAIL);
  await expect(page.getByLabel("Password", { exact: true })).toHaveValue("Passw0rd !");
  await alert.getByRole("button", { name: "Close" }).click();
  await expect(alert).toBeEmpty();
  await expect(alert, "the focus stays where the notice was").toBeFocused();
  await page.getByLabel("City").press("x");
  await expect(email).toHaveAttribute("aria-invalid", "true");
  await email.press("x");
  await expect(email).not.toHaveAttribute("aria-invalid");
  await visitor.submit();
  await expect(page.getByText("Subscription Data Saved!")).toBeVisible();
});

test("a page that fails to render while its form is sent keeps what was typed and sends it", async ({
  page,
  complaints,
}) => {
  const visitor = signup(page);
  await page.goto(PLAN);
  await hydrated(page);
  await visitor.fillForm();
  await hold(page, "**/*.data*");
  // As an extension that has moved the button's text would: React's next insertion fails.
  await page.evaluate(() => {
    const { insertBefore } = Node.prototype;
    Node.prototype.insertBefore = () => {
      Node.prototype.insertBefore = insertBefore;
      throw new DOMException("The node is not a child of this node.", "NotFoundError");
    };
  });
  await page.getByLabel("City").press("Enter");
  await expect(page.getByText(`Signing up Analytical Engines with ${visitor.email}`)).toBeVisible();
  expect(complaints.splice(0).join()).toContain("NotFoundError");
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
    window.turnstile = { render(container, { sitekey }) {
      const frame = document.createElement("iframe");
      frame.src = "https://challenges.cloudflare.com/widget?" + sitekey + " " + (widgets += 1);
      container.replaceChildren(frame);
    } };`;
  await page.route("https://challenges.cloudflare.com/**", (route) => {
    const { pathname, search } = new URL(route.request().url());
    const widget = decodeURIComponent(search.slice(1));
    return route.fulfill(pathname === "/widget" ? { contentType: "text/html", body: widget } : { body });
  });
  const visitor = signup(page);
  await visitor.signUp();
  for (const attempt of [1, 2]) {
    const widget = page.frameLocator('iframe[src^="https://challenges.cloudflare.com/"]');
    await expect(widget.getByText(`a-site-key-of-the-tests ${attempt}`, { exact: true })).toBeVisible();
    const notice = page.getByRole("alert").locator(".notice");
    await expect(notice).toContainText("One more step");
    await expect(notice).toBeFocused();
    await visitor.submit();
  }
  await expect(page.getByLabel("Password", { exact: true })).toHaveValue("Passw0rd !");
  await dispose();
});
