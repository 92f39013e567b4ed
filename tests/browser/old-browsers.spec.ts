import type { Page } from "@playwright/test";
import { fields } from "../support/person";
import { startVisitedSite } from "../support/visitors/visited-site";
import { beforeReactRenders, hold, PLAN, postForm, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";

/* Browsers in which the page's scripts cannot run, are lost on the way, or fail. */

/** What the scripts do without, or never use. */
const UNNEEDED_APIS = (
  "AbortSignal.any AggregateError Array.prototype.at Array.prototype.findLast HTMLFormElement.prototype.requestSubmit " +
  "IntersectionObserver MessageChannel Object.hasOwn Promise.allSettled String.prototype.replaceAll TextEncoderStream " +
  "Crypto.prototype.randomUUID queueMicrotask reportError structuredClone"
).split(" ");

const BUILT = "**/build/**/*.js";
const scriptsOf = (page: Page) => expect(page.locator("html"));

/** Takes APIs away from a tab's pages from their beginning. */
const without = (page: Page, apis: string[]) =>
  page.addInitScript((names) => {
    for (const name of names) {
      const path = name.split(".");
      const last = path.pop() ?? "";
      const owner = path.reduce<object>((at, step) => Reflect.get(at, step), window);
      if (!Reflect.deleteProperty(owner, last) || last in owner) throw new Error(`${name} stays`);
    }
  }, apis);

/** Sends a form with a wrong city, and expects its message and everything typed. */
async function expectForm(page: Page): Promise<void> {
  const { field, submit } = signup(page);
  await field("full_name").fill(fields.full_name);
  await field("city").fill("x");
  await submit();
  await expect(page.getByText("City must be at least 2 characters").first()).toBeVisible();
  await expect(field("full_name")).toHaveValue(fields.full_name);
}

/* For all APIs that the scripts need, see tests/workers/pages/built-scripts.test.ts. */

test("without a global that they need no script loads, and the form is sent as with scripts off", async ({ page }) => {
  const loaded: string[] = [];
  page.on("request", (request) => request.url().endsWith(".js") && loaded.push(request.url()));
  await without(page, ["TransformStream"]);
  await page.goto(PLAN);
  await scriptsOf(page).toHaveAttribute("data-scripts", "unsupported");
  await expectForm(page);
  expect(loaded).toEqual([]);
});

test("without the APIs that the scripts do not need, they run", async ({ page }) => {
  await without(page, UNNEEDED_APIS);
  await signup(page).openForm();
  await expectForm(page);
});

test("a page that waits for a card reloads itself although its scripts are blocked", async ({ elsewhere }) => {
  const { site, upstream, dispose } = await startVisitedSite();
  const setup = { client_secret: "seti_123_secret_456" };
  upstream.answersJson(200, { ...setup, status: "processing" });
  const page = await elsewhere({ baseURL: site.url });
  // The clock stands still, so that the scripts have failed rather than taken too long.
  await page.clock.install();
  await page.route(BUILT, (route) => route.abort());
  await signup(page).signUp();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.goto(PLAN);
  await scriptsOf(page).toHaveAttribute("data-scripts", "failed");
  upstream.answersJson(200, { ...setup, status: "succeeded" });
  await page.clock.fastForward("00:10");
  await expect(page.getByText("Your card has been processed successfully.", { exact: true })).toBeVisible();
  await expect(page.getByText("Your subscription has been completed successfully.")).toBeVisible();
  await dispose();
});

test.describe("a card step whose scripts do not run says why, and has no Pay button:", () => {
  const notice = (page: Page) => page.getByRole("region", { name: /card info/ }).locator(".notice:visible");

  /** Opens the card step of a browser, without waiting for its scripts. */
  async function openCard(page: Page) {
    await postForm(page, signup(page).email);
    await page.goto(PLAN, { waitUntil: "commit" });
  }

  for (const { reason, prepare, says } of [
    {
      reason: "this browser lacks a method",
      prepare: (page: Page) => without(page, ["SubmitEvent.prototype.submitter"]),
      says: "You can’t enter a card in this browserIt’s too old for the card form. Nothing is lost: continue on another device with the link below.",
    },
    {
      reason: "the scripts did not load",
      prepare: (page: Page) => page.route(BUILT, (route) => route.abort()),
      says: "The card form didn’t loadNothing is lost. Check your connection and reload this page, or continue on another device with the link below.",
    },
  ]) {
    test(reason, async ({ page }) => {
      await prepare(page);
      await openCard(page);
      await expect(notice(page)).toHaveText(says);
      await expect(signup(page).payButton).toBeHidden();
    });
  }

  test("the card form fails again after a reload", async ({ page, complaints }) => {
    const documents: Page[] = [];
    page.on("domcontentloaded", (loaded) => documents.push(loaded));
    await without(page, ["matchMedia"]);
    await openCard(page);
    await expect.poll(() => documents.length, "one that fails, the reload, and one that loads no scripts").toBe(3);
    await expect(notice(page)).toContainText("The card form didn’t load");
    await expect(signup(page).payButton).toBeHidden();
    expect(complaints.splice(0), "the error is reported").not.toEqual([]);
  });

  test("the scripts have not come after eight seconds, but do then", async ({ page }) => {
    await page.clock.install();
    const { release } = await hold(page, BUILT);
    await openCard(page);
    await scriptsOf(page).toHaveAttribute("data-scripts", "loading");
    await page.clock.fastForward(8_000);
    await expect(notice(page)).toContainText("The card form didn’t load");
    release();
    await expect(signup(page).payButton).toBeVisible();
    await expect(notice(page)).toBeHidden();
  });
});

/** Errors that nothing in the page catches, by what fails. */
const ERRORS = {
  "Remix fails before it renders": 'ReadableStream.prototype.pipeThrough = () => { throw new Error("fails"); }',
  "the page's frame fails to hydrate": beforeReactRenders(() => Reflect.deleteProperty(Array.prototype, "flatMap")),
  "the form fails to hydrate": beforeReactRenders(() => Reflect.deleteProperty(Object, "entries")),
};

/** Waits until React has failed, and expects the form, its values and a sign-up by it. */
async function expectSignUpWithoutReact(page: Page, complaints: string[]): Promise<void> {
  const { field, submit } = signup(page);
  await scriptsOf(page).toHaveAttribute("data-scripts", "failed");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Complete Your Subscription");
  await expect(field("city")).toHaveValue(fields.city);
  await expect(field("password")).toHaveValue(fields.password);
  const posted = page.waitForRequest((request) => request.isNavigationRequest() && request.method() === "POST");
  await submit();
  await posted;
  await expect(page.getByText("Please enter your card info")).toBeVisible();
  expect(complaints.splice(0), "the error is reported").not.toEqual([]);
}

for (const [what, fail] of Object.entries(ERRORS)) {
  test(`if ${what}, the server's form stays with what was typed, and can be sent`, async ({ page, complaints }) => {
    // The page that answers the form must not fail too: its error could come after the test has read the complaints.
    await page.addInitScript(`if (window.name === "") { window.name = "failed once"; ${fail} }`);
    const { release } = await hold(page, BUILT);
    await page.goto(PLAN, { waitUntil: "commit" });
    await signup(page).fillForm();
    release();
    await expectSignUpWithoutReact(page, complaints);
  });
}

test("if the page fails later, the form stays with what was typed, and can be sent", async ({ page, complaints }) => {
  const visitor = signup(page);
  await visitor.openForm();
  await visitor.fillForm();
  await page.evaluate(() => Reflect.deleteProperty(Array.prototype, "flatMap"));
  // Leaving a field renders the form.
  await visitor.field("city").focus();
  await visitor.field("country").focus();
  await expectSignUpWithoutReact(page, complaints);
});

test("if the page fails while its form is sent, the form is sent with what was typed", async ({ page, complaints }) => {
  const visitor = signup(page);
  await visitor.openForm();
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
  await visitor.field("city").press("Enter");
  await expect(page.getByText(`Signing up ${fields.company_name} with ${visitor.email}`)).toBeVisible();
  expect(complaints.splice(0).join()).toContain("NotFoundError");
});
