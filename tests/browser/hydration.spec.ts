import { hold, hydrated, PLAN } from "./support/sign-up";
import { expect, test } from "./support/stack";

/* The form before and during hydration: typed text stays, whatever has changed the page. */

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

test("a key does not make React hydrate the whole form before the character is shown", async ({ page }) => {
  await page.addInitScript(() => {
    const { addEventListener } = document;
    document.addEventListener = (type: string, ...rest: [EventListener]) => {
      addEventListener.call(document, type, ...rest);
      if (type !== "keydown") return;
      queueMicrotask(() => {
        const input = document.getElementById("signup-city");
        input?.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true }));
        // React marks each element that it has hydrated.
        const isHydrated = Object.keys(input ?? {}).some((name) => name.startsWith("__reactFiber$"));
        input?.setAttribute("data-at-key", isHydrated ? "hydrated" : "not hydrated");
      });
    };
  });
  await page.goto(PLAN);
  await hydrated(page);
  await expect(page.getByLabel("City")).toHaveAttribute("data-at-key", "not hydrated");
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
    await page.route("**/*.css", (route) => route.abort());
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
