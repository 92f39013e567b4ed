import { hydrated, PLAN } from "./support/sign-up";
import { expect, test } from "./support/stack";

/* React hydrates the sign-up's pages. `stack.ts` collects its errors. */

test("React hydrates the cached form without a mismatch for every kind of plan", async ({ page, complaints }) => {
  for (const path of [
    "/subscription",
    PLAN,
    PLAN.toUpperCase().replace("/SUBSCRIPTION", "/subscription"),
    "/subscription/x",
    PLAN,
  ]) {
    await page.goto(path);
    await hydrated(page);
    expect(complaints, path).toEqual([]);
  }
});

test("a page changed by an extension before hydration is rendered again with its styles and data", async ({
  page,
  complaints,
}) => {
  // As an extension does it.
  await page.addInitScript(() =>
    document.addEventListener("readystatechange", () => document.querySelector("h1")?.replaceChildren("Changed"), {
      once: true,
    }),
  );
  await page.goto(PLAN);
  await hydrated(page);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Complete Your Subscription");
  await expect.poll(() => complaints.length).toBeGreaterThan(0);
  expect(complaints.splice(0).join()).toMatch(/Minified React error #4(18|2\d)/);
  const button = page.getByRole("button", { name: "Payment" });
  await expect(button).toHaveCSS("min-height", /^[4-9]\d/);
  await expect(page.locator("link[rel=stylesheet]")).toHaveCount(1);
  await expect(page.getByText("STANDARD").first()).toBeVisible();
});

test("the form's scripts format what was typed before they came", async ({ page }) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/build/**/*.js", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(PLAN, { waitUntil: "commit" });
  await page.getByLabel("Phone Number").fill("2125550123");
  await page.getByLabel("Email Address").fill(" ada@example.com");
  release();
  await hydrated(page);
  await expect(page.getByLabel("Email Address")).toHaveValue("ada@example.com");
  await expect(page.getByLabel("Phone Number")).toHaveValue("(212) 555-0123");
});

test("a click before React's first render does not disturb hydration", async ({ page }) => {
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
