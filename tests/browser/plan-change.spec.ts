import type { Page } from "@playwright/test";
import { signUpPath } from "../../app/contract/sign-up-path";
import { TRIAL_DAYS } from "../../app/contract/trial";
import { fields } from "../support/person";
import { PLANS } from "../support/plans";
import { accessibilityProblems } from "./support/faults";
import { CARDS, failureNotice, PLAN, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";

/* Plans that are chosen or changed in the form. */

test.use({ viewport: { width: 375, height: 667 } });

type Plan = (typeof PLANS)[keyof typeof PLANS];
const choiceOf = (page: Page, { title, short }: Plan) => page.getByLabel(`${title}, ${short} a month`);
const termsOf = (page: Page, { short }: Plan) =>
  page.getByText(`Then ${short} a month after ${TRIAL_DAYS} days unless you cancel.`);

const { MINI, LITE, STANDARD } = PLANS;

test("a form of an unknown plan is not sent until a plan of the list is chosen", async ({ page }) => {
  const visitor = signup(page);
  const summary = page.getByRole("region", { name: "There is a problem" });
  const choice = page.getByRole("group", { name: "Choose a plan" });
  await visitor.openForm("/subscription/not-a-uuid");
  await visitor.fillForm();
  for (const attempt of ["first", "second"]) {
    await visitor.submit();
    await expect(summary, attempt).toBeFocused();
    await expect(summary, attempt).toBeInViewport({ ratio: 1 });
  }
  expect(await accessibilityProblems(page)).toEqual([]);
  await summary.getByRole("link", { name: "Invalid subscription ID" }).click();
  await expect(choiceOf(page, MINI)).toBeFocused();
  await expect(choice).toHaveAccessibleDescription("Invalid subscription ID");

  await choiceOf(page, LITE).check();
  await expect(summary).toBeHidden();
  await expect(choice).not.toHaveAttribute("aria-describedby");
  await expect(termsOf(page, LITE)).toBeVisible();
  await expect(page.getByRole("complementary")).toContainText(LITE.title);

  await test.step("another one can be chosen after an answer that was lost", async () => {
    await page.route("**/*.data*", (route) => route.abort("connectionreset"));
    await visitor.submit();
    await expect(failureNotice(page)).toContainText("Connection Failed");
    await page.unroute("**/*.data*");
    await choiceOf(page, STANDARD).check();
    await expect(page).toHaveURL(PLAN);
    await expect(visitor.field("password")).toHaveValue(fields.password);
    await visitor.submit();
    await expect(page.getByRole("complementary")).toContainText(`This ${STANDARD.title} sign-up waits for its card`);
  });
});

test("another plan is chosen on the form and again at the card step, and nothing typed is lost", async ({ page }) => {
  const visitor = signup(page);
  const summary = page.getByRole("complementary");

  await test.step("price, terms and URL follow, and the form stays", async () => {
    await visitor.openForm();
    await visitor.fillForm();
    await expect(termsOf(page, STANDARD)).toBeVisible();
    await summary.getByText("Change plan").click();
    await choiceOf(page, LITE).check();
    await expect(page).toHaveURL(signUpPath(LITE.packageId));
    await expect(termsOf(page, LITE)).toBeVisible();
    await expect(page.getByText(`First charge: ${LITE.short}`)).toBeVisible();
    for (const stale of [termsOf(page, STANDARD), page.getByText(`First charge: ${STANDARD.short}`)])
      await expect(stale).toHaveCount(0);
  });

  await test.step("a link within the page loads nothing", async () => {
    const asked: string[] = [];
    page.on("request", (request) => request.url().includes(".data") && asked.push(request.url()));
    await page.getByRole("link", { name: "Skip to content" }).press("Enter");
    await expect(page).toHaveURL(`${signUpPath(LITE.packageId)}#main`);
    expect(asked).toEqual([]);
    await expect(visitor.field("full_name")).toHaveValue(fields.full_name);
    await expect(visitor.field("password")).toHaveValue(fields.password);
  });

  await test.step("the card step says first what happens to the sign-up that waits", async () => {
    await visitor.submit();
    await expect(visitor.payButton).toBeEnabled();
    await expect(page).toHaveURL(signUpPath(LITE.packageId));
    await summary.getByText("Change plan").click();
    await expect(summary).toContainText(`This ${LITE.title} sign-up waits for its card until you submit the form.`);
    await summary.getByRole("link", { name: "Choose another plan" }).click();
    await choiceOf(page, MINI).check();
    await expect(page.getByText(`Your ${LITE.title} sign-up still needs a card`)).toBeVisible();
    await expect(visitor.field("full_name")).toHaveValue(fields.full_name);
  });

  for (const name of ["password", "confirmPassword"] as const) await visitor.field(name).fill(fields.password);
  await visitor.submit();
  await visitor.pay(CARDS.works);
  await visitor.succeeded();
  const details = page.getByRole("region", { name: "Subscription Details" });
  await expect(details).toContainText(`${MINI.title}, ${MINI.short} a month`);
});
