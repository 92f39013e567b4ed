import type { Page, Response } from "@playwright/test";
import { CARDS, hydrated, PLAN, signup } from "../../browser/support/sign-up";
import { expect, type Stack, test as withStack } from "../../browser/support/stack";
import { type Address, openAddress, type RunningWorker, startSite } from "../../support/workers/workers";
import { buildOtherRelease } from "./other-release";

/* A release replaces another under an open page, and is rolled back. The later release has the earlier one's files. */

type Releases = { origin: Address; earlier: RunningWorker; later: RunningWorker };

const CHANGES = [
  { file: "app/signup/card/card-form.tsx", from: "The payment form could not", to: "The form for the card could not" },
  { file: "app/signup/done/success-step.tsx", from: "Subscription Details", to: "Subscription details" },
  { file: "app/signup/form/signup-form.tsx", from: "All fields are required", to: "Every field is required" },
];

const test = withStack.extend<object, { releases: Releases }>({
  releases: [
    async ({ stack }, provide) => {
      const [origin, other] = await Promise.all([openAddress(), buildOtherRelease(CHANGES, { worker: true })]);
      const vars = settingsOf(stack, origin);
      const [earlier, later] = await Promise.all([
        startSite({ vars }),
        startSite({ vars, bundle: other.bundle, files: other.files }),
      ]);
      await provide({ origin, earlier, later });
      origin.close();
      await Promise.all([earlier.dispose(), later.dispose(), other.dispose()]);
    },
    { scope: "worker", timeout: 120_000 },
  ],
  baseURL: async ({ releases }, provide) => provide(releases.origin.url),
});

/** One Playwright worker, because each worker builds the other release. */
test.describe.configure({ mode: "default" });

function settingsOf({ api, stripe }: Stack, { url }: Address) {
  return {
    SITE_URL: url,
    SUBSCRIPTION_API_URL: api.url,
    STRIPE_JS_URL: `${stripe.url}/endive/stripe.js`,
    STRIPE_API_URL: stripe.url,
  };
}

/** The page's 404s under /build/, and its number of document loads. */
function watch(page: Page) {
  const missing: string[] = [];
  let documents = 0;
  page.on("response", (response: Response) => {
    if (response.status() === 404) missing.push(new URL(response.url()).pathname);
    if (response.request().isNavigationRequest() && response.frame() === page.mainFrame()) documents += 1;
  });
  return { missing, documents: () => documents };
}

for (const direction of ["deployed", "rolled back"] as const) {
  test(`a release that is ${direction} while the form is filled in loses no data and creates no second sign-up`, async ({
    page,
    stack,
    releases: { origin, earlier, later },
  }) => {
    const [open, next] = direction === "deployed" ? [earlier, later] : [later, earlier];
    origin.leadTo(new URL(open.url));
    const seen = watch(page);
    const visitor = signup(page);
    await page.goto(PLAN);
    await hydrated(page);
    await visitor.fillForm();
    origin.leadTo(new URL(next.url));
    await visitor.submit();
    await visitor.pay(CARDS.works);
    await visitor.succeeded();
    // The first release again reads the other one's cookie.
    origin.leadTo(new URL(open.url));
    await page.reload();
    await visitor.succeeded();
    const count = stack.api.database.prepare("SELECT count(*) AS n FROM sign_ups WHERE email = ?").bind(visitor.email);
    expect(await count.first()).toEqual({ n: 1 });
    expect([seen.documents(), seen.missing]).toEqual([2, []]);
  });
}

test("a missing file is requested once while the visitor types, and nothing typed is lost", async ({
  page,
  releases: { origin, earlier, later },
}) => {
  origin.leadTo(new URL(later.url));
  const seen = watch(page);
  const visitor = signup(page);
  await page.goto(PLAN);
  await hydrated(page);
  origin.leadTo(new URL(earlier.url));
  await visitor.fillForm();
  await page.getByLabel("City").press("End");
  await page.getByLabel("City").pressSequentially(" Falls");
  await page.getByLabel("ZIP Code").fill("1");
  await visitor.submit();
  await expect(page.getByLabel("ZIP Code")).toBeFocused();
  expect(seen.missing.length).toBeGreaterThan(0);
  expect(new Set(seen.missing).size).toBe(seen.missing.length);
  expect(seen.documents()).toBe(1);
  await expect(page.getByLabel("City")).toHaveValue("Springfield Falls");
  await expect(page.getByLabel("Password", { exact: true })).toHaveValue("Passw0rd !");
});

test("if the site lacks a file of its own release, the page reloads once and then shows an error", async ({
  page,
  complaints,
  releases: { origin, earlier },
}) => {
  origin.leadTo(new URL(earlier.url));
  const seen = watch(page);
  const visitor = signup(page);
  await page.route(/\/card-form-/, (route) => route.fulfill({ status: 404 }));
  await visitor.signUp();
  await expect(page.getByRole("heading", { name: "Unexpected Application Error" })).toBeVisible();
  expect(seen.documents()).toBe(2);
  // React renders the page again, with the stylesheet's file, because the policy refuses the inline one.
  for (const complaint of complaints.splice(0)) expect(complaint).toContain("inline style");
  await page.unroute(/\/card-form-/);
  await page.reload();
  await visitor.pay(CARDS.works);
  await visitor.succeeded();
});
