import { fields } from "../support/person";
import { PLANS } from "../support/plans";
import { beforeReactRenders, hold, hydrated, PLAN, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";

/* The form before and during hydration: typed text stays, whatever has changed the page. */

test.use({ viewport: { width: 375, height: 667 } });

test("a click or a key neither stops the hydration nor makes React hydrate the form at once", async ({ page }) => {
  await page.addInitScript(
    beforeReactRenders(() => {
      const input = document.getElementById("signup-city");
      input?.click();
      input?.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true }));
      // React marks each element that it has hydrated.
      const isHydrated = Object.keys(input ?? {}).some((name) => name.startsWith("__reactFiber$"));
      input?.setAttribute("data-at-key", isHydrated ? "hydrated" : "not hydrated");
    }),
  );
  const visitor = signup(page);
  await visitor.openForm();
  await expect(visitor.field("city")).toHaveAttribute("data-at-key", "not hydrated");
});

/** What extensions, password managers and in-app browsers do to a page. */
const CHANGES: Record<string, () => void> = {
  "changes a text": () => document.querySelector("h1")?.replaceChildren("Changed"),
  "adds elements to the body": () => {
    for (const place of ["afterbegin", "beforeend"] as const) document.body.insertAdjacentHTML(place, "<div></div>");
  },
  "adds a style to the head": () => document.head.insertAdjacentHTML("beforeend", "<style></style>"),
  "adds elements to the form": () => {
    for (const input of document.querySelectorAll("input")) input.insertAdjacentHTML("afterend", "<div></div>");
  },
  "adds attributes": () => {
    for (const element of document.querySelectorAll("html, body, form, input"))
      element.setAttribute("data-extension", "1");
  },
};

for (const [what, change] of Object.entries(CHANGES)) {
  test(`styles and typed text stay when an extension ${what} before hydration`, async ({ page, complaints }) => {
    const { field } = signup(page);
    const city = field("city");
    const { release } = await hold(page, "**/build/**/*.js");
    await page.route("**/*.css", (route) => route.abort());
    await page.goto(PLAN, { waitUntil: "commit" });
    await field("full_name").fill("Ada");
    await page.getByRole("contentinfo").waitFor();
    await page.evaluate(change);
    await field("email").fill("Ada@example.com");
    await field("password").fill(fields.password);
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
    await expect(field("full_name")).toHaveValue("Ada");
    await expect(field("email")).toHaveValue("ada@example.com");
    await expect(field("password")).toHaveValue(fields.password);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Complete Your Subscription");
    await expect(page.getByRole("button", { name: "Payment" })).toHaveCSS("min-height", /^[4-9]\d/);
    await expect(city).toBeInViewport();
    for (const complaint of complaints.splice(0)) expect(complaint).toMatch(/React error #4(18|2\d)|inline style/);
  });
}

test("text typed and a plan chosen before the scripts came stay, and are formatted", async ({ page }) => {
  const { field } = signup(page);
  const { release } = await hold(page, "**/build/**/*.js");
  await page.goto("/subscription", { waitUntil: "commit" });
  await page.getByLabel(/^No plan yet/).focus();
  await page.keyboard.press("ArrowUp");
  const { title, short } = PLANS.STANDARD;
  const plan = page.getByLabel(`${title}, ${short} a month`);
  await expect(plan).toBeChecked();
  await field("full_name").fill("Ada");
  await field("email").fill(" Ada@example.com");
  await field("phone").fill("2125550123");
  release();
  await hydrated(page);
  await expect(page.getByText(`Then ${short} a month after`)).toBeVisible();
  await expect(plan).toBeChecked();
  await expect(field("full_name")).toHaveValue("Ada");
  await expect(field("email")).toHaveValue("ada@example.com");
  await field("city").focus();
  await expect(field("phone")).toHaveValue(fields.phone);
});
