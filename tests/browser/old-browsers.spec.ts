import type { BrowserContext, Page } from "@playwright/test";
import { NEEDED_APIS } from "../../app/ui/document/needed-apis";
import { startVisitedSite } from "../support/visitors/visited-site";
import { hold, hydrated, PLAN, postForm, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";

/* Browsers in which the page's scripts cannot run, are lost on the way, or fail. */

/** What the scripts do without, or never use. */
const UNNEEDED_APIS = [
  "AbortSignal.any",
  "AggregateError",
  "Array.prototype.at",
  "Array.prototype.findLast",
  "HTMLFormElement.prototype.requestSubmit",
  "IntersectionObserver",
  "MessageChannel",
  "Object.hasOwn",
  "Promise.allSettled",
  "String.prototype.replaceAll",
  "TextEncoderStream",
  "Crypto.prototype.randomUUID",
  "queueMicrotask",
  "reportError",
  "structuredClone",
];

/** Opens the form in a tab that lacks APIs from the beginning. */
async function openWithout(apis: string[], context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript((names) => {
    for (const name of names) {
      const path = name.split(".");
      const last = path.pop() ?? "";
      const owner = path.reduce<object>((at, step) => Reflect.get(at, step), window);
      if (!Reflect.deleteProperty(owner, last) || last in owner) throw new Error(`${name} stays`);
    }
  }, apis);
  await page.goto(PLAN);
  return page;
}

/** Sends a form with a wrong city, and expects its message and everything typed. */
async function expectForm(page: Page): Promise<void> {
  await page.getByLabel("Contact Name").fill("Ada Lovelace");
  await page.getByLabel("City").fill("x");
  await page.getByRole("button", { name: "Payment" }).click();
  await expect(page.getByText("City must be at least 2 characters").first()).toBeVisible();
  await expect(page.getByLabel("Contact Name")).toHaveValue("Ada Lovelace");
}

test("without an API that the scripts need, none loads, and the form can be sent as with scripts off", async ({
  context,
}) => {
  const loaded: string[] = [];
  context.on("request", (request) => {
    if (request.url().endsWith(".js")) loaded.push(request.url());
  });
  for (const api of NEEDED_APIS) {
    const page = await openWithout([api], context);
    await expect(page.locator("html"), api).toHaveAttribute("data-scripts", "unsupported");
    await expect(page.getByRole("button", { name: "Payment" }), api).toBeEnabled();
    if (api === NEEDED_APIS[0]) await expectForm(page);
    expect(loaded.splice(0), `scripts loaded without ${api}`).toEqual([]);
    await page.close();
  }
});

test("without the APIs that the scripts do not need, they run", async ({ context }) => {
  const page = await openWithout(UNNEEDED_APIS, context);
  await hydrated(page);
  await expectForm(page);
});

test("a page that waits for a card reloads itself although its scripts are blocked, and then shows both notices", async ({
  elsewhere,
}) => {
  const { site, upstream, dispose } = await startVisitedSite();
  const setupIntent = { status: "processing" };
  upstream.answers((response, { method }) => {
    const body = method === "POST" ? { client_secret: "seti_123_secret_456" } : setupIntent;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  const page = await elsewhere({ baseURL: site.url });
  await page.clock.install();
  await page.route("**/build/**/*.js", (route) => route.abort());
  await signup(page).signUp();
  const html = await (await page.request.get(PLAN)).text();
  await page.goto(/\/subscription[^"?\\]*\?return=[^"\\]+/.exec(html)?.[0] ?? "");
  await expect(page.locator("html")).toHaveAttribute("data-scripts", "failed");
  setupIntent.status = "succeeded";
  await page.clock.fastForward("00:10");
  await expect(page.getByText("Your card has been processed successfully.")).toBeVisible();
  await expect(page.getByText("Your subscription has been completed successfully.")).toBeVisible();
  await dispose();
});

test.describe("a card step whose scripts do not run says why:", () => {
  const notice = (page: Page) => page.getByRole("region", { name: /card info/ }).locator(".notice:visible");

  test("this browser is too old", async ({ page }) => {
    await page.addInitScript(() => Reflect.deleteProperty(window, "TransformStream"));
    await signup(page).openCard();
    await expect(notice(page)).toHaveText(
      "You can’t enter a card in this browserIt’s too old for the card form. Nothing is lost: continue on another device with the link below.",
    );
    await expect(signup(page).payButton).toBeHidden();
  });

  test("the scripts did not load", async ({ page }) => {
    await page.route("**/build/**/*.js", (route) => route.abort());
    await signup(page).openCard();
    await expect(notice(page)).toHaveText(
      "The card form didn’t loadNothing is lost. Check your connection and reload this page, or continue on another device with the link below.",
    );
    await expect(signup(page).payButton).toBeHidden();
  });

  test("the card form fails again after a reload", async ({ page, complaints }) => {
    await page.addInitScript(() => Reflect.deleteProperty(window, "matchMedia"));
    await postForm(page);
    await page.goto(PLAN, { waitUntil: "commit" });
    await expect(notice(page)).toContainText("The card form didn’t load");
    await expect(signup(page).payButton).toBeHidden();
    expect(complaints.splice(0), "the error is reported").not.toEqual([]);
  });

  test("the scripts have not come after eight seconds, and the card form takes its place once they have", async ({
    page,
  }) => {
    await page.clock.install();
    const { release } = await hold(page, "**/build/**/*.js");
    await postForm(page);
    await page.goto(PLAN, { waitUntil: "commit" });
    await expect(page.locator("html")).toHaveAttribute("data-scripts", "loading");
    await page.clock.fastForward(8_000);
    await expect(notice(page)).toContainText("The card form didn’t load");
    release();
    await expect(signup(page).payButton).toBeVisible();
    await expect(notice(page)).toBeHidden();
  });
});

/** Errors that nothing in the page catches, by what fails. */
const ERRORS: Record<string, () => void> = {
  "Remix fails before it renders": () => {
    ReadableStream.prototype.pipeThrough = () => {
      throw new Error("fails");
    };
  },
  "the page's frame fails to hydrate": () => {
    const { addEventListener } = document;
    document.addEventListener = (type: string, ...rest: [EventListener]) => {
      addEventListener.call(document, type, ...rest);
      Reflect.deleteProperty(Array.prototype, "flatMap");
    };
  },
  "the form fails to hydrate": () => {
    const { addEventListener } = document;
    document.addEventListener = (type: string, ...rest: [EventListener]) => {
      addEventListener.call(document, type, ...rest);
      Reflect.deleteProperty(Object, "entries");
    };
  },
};

/** Waits until React has failed, and expects the form, its values and a sign-up by it. */
async function expectSignUpWithoutReact(page: Page, complaints: string[]): Promise<void> {
  await expect(page.locator("html")).toHaveAttribute("data-scripts", "failed");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Complete Your Subscription");
  await expect(page.getByLabel("City")).toHaveValue("Springfield");
  await expect(page.getByLabel("Password", { exact: true })).toHaveValue("Passw0rd !");
  const posted = page.waitForRequest((request) => request.isNavigationRequest() && request.method() === "POST");
  await signup(page).submit();
  await posted;
  await expect(page.getByText("Please enter your card info")).toBeVisible();
  expect(complaints.splice(0), "the error is reported").not.toEqual([]);
}

for (const [what, fail] of Object.entries(ERRORS)) {
  test(`if ${what}, the server's form stays with what was typed, and can be sent`, async ({ page, complaints }) => {
    // The page that answers the form must not fail too: its error could come after the test has read the complaints.
    await page.addInitScript(`if (window.name === "") { window.name = "failed once"; (${fail})(); }`);
    const { release } = await hold(page, "**/build/**/*.js");
    await page.goto(PLAN, { waitUntil: "commit" });
    await signup(page).fillForm();
    release();
    await expectSignUpWithoutReact(page, complaints);
  });
}

test("if the page fails later, the form stays with what was typed, and can be sent", async ({ page, complaints }) => {
  await page.goto(PLAN);
  await hydrated(page);
  await signup(page).fillForm();
  await page.evaluate(() => Reflect.deleteProperty(Array.prototype, "flatMap"));
  // Leaving a field renders the form.
  await page.getByLabel("City").focus();
  await page.getByLabel("Country").focus();
  await expectSignUpWithoutReact(page, complaints);
});
