import type { Route } from "@playwright/test";
import { INVALID_EMAIL } from "../../app/contract/fields/form-fields";
import { DUPLICATE, DUPLICATE_EMAIL } from "../../app/signup/server/notices.server";
import { LOCAL_SECRETS } from "../../functions/subscription-api/local-development";
import { trialHashes } from "../../functions/subscription-api/sign-ups/trial-hashes";
import { fields } from "../support/person";
import { startVisitedSite } from "../support/visitors/visited-site";
import { accessibilityProblems, DESKTOP, PHONE } from "./support/faults";
import { failureNotice, hold, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";

/* The form on the smallest phone in use: while it is filled in, while the visitor waits, and after each answer. */

test.use({ viewport: { width: 375, height: 667 }, permissions: ["clipboard-read", "clipboard-write"] });

test("the form says at its fields what is wrong, and shows a password on request", async ({ page }) => {
  const visitor = signup(page);
  const [password, again] = [visitor.field("password"), visitor.field("confirmPassword")];
  await visitor.openForm();
  for (const { field, value, message } of [
    { field: visitor.field("email"), value: "ada@", message: INVALID_EMAIL },
    { field: again, value: "other", message: "Passwords do not match" },
  ]) {
    await field.fill(value);
    await expect(field, "before it is left").not.toHaveAttribute("aria-invalid");
    await field.blur();
    await expect(field).toHaveAccessibleDescription(message);
  }

  await visitor.submit();
  await expect(page.getByText("Phone number is required")).toBeVisible();
  for (const size of [DESKTOP, PHONE]) {
    await page.setViewportSize(size);
    expect(await accessibilityProblems(page), `${size.width} px`).toEqual([]);
  }

  await visitor.fillForm();
  await expect(page.locator("[aria-invalid]")).toHaveCount(0);
  await expect(page.getByText("Phone number is required")).toBeHidden();

  await page.getByRole("button", { name: "Show password", exact: true }).click();
  await expect(password).toHaveAttribute("type", "text");
  await expect(again).toHaveAttribute("type", "password");
  await page.getByRole("button", { name: "Hide password", exact: true }).click();
  await expect(password).toHaveAttribute("type", "password");
  await expect(password).toHaveValue(fields.password);
});

test("an email address is cleaned while it is typed, and the caret stays in its place", async ({ page }) => {
  const visitor = signup(page);
  const [email, phone] = [visitor.field("email"), visitor.field("phone")];
  await visitor.openForm();
  await email.fill("Ada @");
  await expect(email).toHaveValue("ada@");
  await email.press("Home");
  await email.pressSequentially(" X");
  await expect(email).toHaveValue("xada@");
  await email.pressSequentially("Y");
  await expect(email, "typed behind the X").toHaveValue("xyada@");

  const keyboard = await page.context().newCDPSession(page);
  await email.fill("@example.com");
  await email.press("Home");
  for (const text of ["\uff21", "\uff21\uff44", "\uff21\uff44\uff41"]) {
    const end = text.length;
    await keyboard.send("Input.imeSetComposition", { text, selectionStart: end, selectionEnd: end });
    await expect(email, "while it is composed").toHaveValue(`${text}@example.com`);
  }
  await keyboard.send("Input.insertText", { text: "\uff21\uff44\uff41" });
  await expect(email).toHaveValue("ada@example.com");
  await email.pressSequentially("1");
  await expect(email, "typed behind the composed text").toHaveValue("ada1@example.com");

  await phone.pressSequentially("+45 20 12 34 56");
  await expect(phone).toHaveValue("+45 20 12 34 56");
  await phone.press("Tab");
  await expect(phone).toHaveValue("+45 201 23456");
  await expect(phone).not.toHaveAttribute("aria-invalid");
});

test("values that are pasted, filled in or typed before Enter are sent as they are shown", async ({ page }) => {
  const visitor = signup(page);
  await visitor.openForm();
  await visitor.fillForm();
  for (const { name, pasted, shown } of [
    { name: "address", pasted: "1 Example Street\r\nSuite 5", shown: "1 Example Street Suite 5" },
    { name: "zipCode", pasted: "94105 \u2013 1234", shown: "94105-1234" },
    { name: "phone", pasted: "212\u00a0555\u00a00123", shown: "(212) 555-0123" },
  ] as const) {
    await page.evaluate((text) => navigator.clipboard.writeText(text), pasted);
    const field = visitor.field(name);
    await field.fill("");
    await field.press("ControlOrMeta+V");
    await field.blur();
    await expect(field).toHaveValue(shown);
  }
  /** Browsers fill in fields without a focus, a key or a composition. */
  await visitor.field("full_name").evaluate((input: HTMLInputElement) => {
    input.value = "Ada  Byron";
    for (const type of ["input", "change"]) input.dispatchEvent(new Event(type, { bubbles: true }));
  });
  await expect(visitor.field("full_name"), "until it is sent").toHaveValue("Ada  Byron");

  const { release } = await hold(page, "**/*.data*");
  const posting = page.waitForRequest((request) => request.method() === "POST");
  await visitor.field("email").fill("MAILTO:visitor@m\u00fcnchen.de,");
  await visitor.field("email").press("Enter");
  const posted = new URLSearchParams((await posting).postData() ?? "");
  for (const [name, value] of Object.entries({
    full_name: "Ada Byron",
    email: "visitor@xn--mnchen-3ya.de",
    phone: "(212) 555-0123",
    zipCode: "94105-1234",
  })) {
    expect(posted.get(name), name).toBe(value);
    await expect(page.locator(`[name=${name}]`), "what the form shows").toHaveValue(value);
  }
  release();
  await expect(page.getByText("visitor@xn--mnchen-3ya.de")).toBeVisible();
});

/** Answers as the guard does to a form from another site. */
const fromElsewhere = async (route: Route) => {
  const headers = { ...route.request().headers(), origin: "https://evil.test", "sec-fetch-site": "cross-site" };
  await route.fulfill({ response: await route.fetch({ headers }) });
};

test("a sent form says so and moves nothing; a refusal is a focused notice in its place", async ({ page, stack }) => {
  const visitor = signup(page);
  const [notice, email] = [failureNotice(page), visitor.field("email")];
  const { ofEmail } = trialHashes({ hashSecret: LOCAL_SECRETS.HASH_SECRET, onePerPerson: true });
  for (const hash of ofEmail(visitor.email))
    await stack.api.database.prepare("INSERT INTO trial_claims (hash) VALUES (?)").bind(hash).run();
  await visitor.openForm();
  await visitor.fillForm();

  await test.step("while it is sent, nothing moves, and it is not sent again", async () => {
    const { held, release } = await hold(page, "**/*.data*", fromElsewhere);
    const button = page.locator("#signup button[type=submit]");
    await button.focus();
    const place = () => button.evaluate((element) => [scrollY, element.getBoundingClientRect().top]);
    const before = await place();
    await page.keyboard.press("Enter");
    await expect(button).toHaveText("Processing...");
    await expect(button).toBeDisabled();
    await expect(button).toHaveAttribute("aria-busy", "true");
    await expect(button.locator("svg.animate-spin")).toBeVisible();
    const progress = page.locator(".submit-area .notice");
    await expect(progress).toHaveText("Processing...Submitting your subscription information.");
    await expect(progress).toBeInViewport({ ratio: 1 });
    expect(await place(), "scroll position and place of the button").toEqual(before);
    await page.keyboard.press("Enter");
    await button.dispatchEvent("click");
    release();
    await expect(progress).toBeHidden();
    expect(held).toHaveLength(1);
    await page.unroute("**/*.data*");
  });

  const expectNotice = async (words: string) => {
    await expect(notice).toContainText(words);
    await expect(notice).toBeFocused();
    await expect(notice).toBeInViewport({ ratio: 1 });
  };
  await expectNotice("Submission FailedThis form was not sent from our site. Please open the sign-up page again");

  await test.step("a taken email address has an error at its field until it is replaced", async () => {
    await visitor.submit();
    await expectNotice(`Submission Failed${DUPLICATE}`);
    await expect(email).toHaveAccessibleDescription(DUPLICATE_EMAIL);
    await expect(visitor.field("password")).toHaveValue(fields.password);
    await notice.getByRole("button", { name: "Close" }).click();
    await expect(notice).toBeHidden();
    await expect(page.locator(".step-main > .notice-region"), "the focus stays where the notice was").toBeFocused();
    await visitor.field("city").press("x");
    await expect(email).toHaveAttribute("aria-invalid", "true");
    await email.press("x");
    await expect(email).not.toHaveAttribute("aria-invalid");
  });

  await visitor.submit();
  await expect(page.getByText("Subscription Data Saved!", { exact: true })).toBeInViewport();
});

const LIMITED = `
  import site from "./worker.js";
  const SIGNUP_NETWORK_RATE_LIMIT = { limit: async () => ({ success: false }) };
  export default { fetch: (request, env, ...rest) => site.fetch(request, { ...env, SIGNUP_NETWORK_RATE_LIMIT }, ...rest) };`;

/** Turnstile's script, whose widgets are numbered frames. */
const TURNSTILE = `let widgets = 0;
  window.turnstile = { render(container, { sitekey }) {
    const frame = document.createElement("iframe");
    frame.src = "https://challenges.cloudflare.com/" + sitekey + "/" + (widgets += 1);
    container.replaceChildren(frame);
  } };`;

test("a network over its limit gets Turnstile's widget, and a new one after each try", async ({ elsewhere }) => {
  const vars = { TURNSTILE_SITE_KEY: "a-site-key-of-the-tests", TURNSTILE_SECRET_KEY: "a-secret-key-of-the-tests" };
  const { site, dispose } = await startVisitedSite({ vars, wrapper: { script: LIMITED } });
  const page = await elsewhere({ baseURL: site.url });
  await page.route("https://challenges.cloudflare.com/**", (route) => route.fulfill({ body: TURNSTILE }));
  const visitor = signup(page);
  await visitor.openForm();
  await visitor.fillForm();
  for (const attempt of [1, 2]) {
    await visitor.submit();
    const widget = `https://challenges.cloudflare.com/a-site-key-of-the-tests/${attempt}`;
    await expect(page.locator("iframe")).toHaveAttribute("src", widget);
    await expect(failureNotice(page)).toContainText("One more step");
    await expect(failureNotice(page)).toBeFocused();
  }
  await expect(visitor.field("password")).toHaveValue(fields.password);
  await dispose();
});
