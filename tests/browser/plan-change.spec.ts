import type { Page } from "@playwright/test";
import { TRIAL_DAYS } from "../../app/contract/trial";
import { PLANS } from "../support/plans";
import { accessibilityProblems } from "./support/faults";
import { CARDS, hold, hydrated, PLAN, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";

/* Plans that are chosen or changed in the form. */

test.use({ viewport: { width: 375, height: 667 } });

test("a form of an unknown plan is not sent until a plan of the list is chosen, and keeps what was typed", async ({
  page,
}) => {
  const visitor = signup(page);
  const summary = page.getByRole("region", { name: "There is a problem" });
  const choice = page.getByRole("group", { name: "Choose a plan" });
  await page.goto("/subscription/not-a-uuid");
  await hydrated(page);
  await visitor.fillForm();

  await test.step("the summary gets the focus each time the form is sent", async () => {
    for (const attempt of ["first", "second"]) {
      await visitor.submit();
      await expect(summary, attempt).toBeFocused();
      await expect(summary, attempt).toBeInViewport({ ratio: 1 });
    }
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  await test.step("it has a link to the plans to choose from", async () => {
    await summary.getByRole("link", { name: "Invalid subscription ID" }).click();
    await expect(choice.getByLabel(`MINI, ${PLANS.MINI.short} a month`)).toBeFocused();
    await expect(choice).toHaveAccessibleDescription("Invalid subscription ID");
  });

  await test.step("a chosen plan takes the error away, and has its price at once", async () => {
    await choice.getByLabel(`LITE, ${PLANS.LITE.short} a month`).check();
    await expect(summary).toBeHidden();
    await expect(choice).not.toHaveAttribute("aria-describedby");
    await expect(
      page.getByText(`Then ${PLANS.LITE.short} a month after ${TRIAL_DAYS} days unless you cancel.`),
    ).toBeVisible();
    await expect(page.getByRole("complementary")).toContainText("LITE");
    await expect(page.getByLabel("Password", { exact: true })).toHaveValue("Passw0rd !");
  });

  await visitor.submit();
  await expect(page.getByText("Please enter your card info")).toBeVisible();
  await expect(page.getByRole("complementary")).toContainText("LITE");
});

test("a plan chosen with the keyboard before the scripts came stays, with its price", async ({ page }) => {
  const { release } = await hold(page, "**/build/**/*.js");
  await page.goto("/subscription", { waitUntil: "commit" });
  await page.getByLabel(/^No plan yet/).focus();
  await page.keyboard.press("ArrowUp");
  await expect(page.getByLabel(`STANDARD, ${PLANS.STANDARD.short} a month`)).toBeChecked();
  release();
  await expect(
    page.getByText(`Then ${PLANS.STANDARD.short} a month after ${TRIAL_DAYS} days unless you cancel.`),
  ).toBeVisible();
  await expect(page.getByLabel(`STANDARD, ${PLANS.STANDARD.short} a month`)).toBeChecked();
});

test("a plan that the API does not sell can be replaced, also when the next try finds no connection", async ({
  page,
}) => {
  await page.goto("/subscription/11111111-2222-4333-8444-555555555555");
  await hydrated(page);
  await signup(page).fillForm();
  await signup(page).submit();
  await page.getByLabel(`LITE, ${PLANS.LITE.short} a month`).check();
  await page.route("**/*.data*", (route) => route.abort("connectionreset"));
  await signup(page).submit();
  await expect(page.getByRole("alert")).toContainText("Connection Failed");
  await page.unroute("**/*.data*");
  await signup(page).submit();
  await expect(page.getByText("Please enter your card info")).toBeVisible();
  await expect(page.getByRole("complementary")).toContainText("LITE");
});

test.describe("another plan", () => {
  const LITE = "/subscription/0b1f6c8e-2f57-4d3b-8c61-94e3a7d5f220";
  const summaryOf = (page: Page) => page.getByRole("complementary");

  for (const javaScriptEnabled of [true, false]) {
    test(`is chosen on the form, and loses nothing typed, scripts ${javaScriptEnabled ? "on" : "off"}`, async ({
      elsewhere,
    }) => {
      const page = await elsewhere({ javaScriptEnabled });
      const visitor = signup(page);
      await page.goto(PLAN);
      if (javaScriptEnabled) await hydrated(page);
      await visitor.fillForm();
      await summaryOf(page).getByText("Change plan").click();
      await page.getByLabel(`LITE, ${PLANS.LITE.short} a month`).check();
      for (const stale of [`Then ${PLANS.STANDARD.short} a month`, `First charge: ${PLANS.STANDARD.short}`])
        await expect(page.getByText(stale).filter({ visible: true })).toHaveCount(0);
      if (javaScriptEnabled) {
        await expect(page).toHaveURL(LITE);
        await expect(
          page.getByText(`Then ${PLANS.LITE.short} a month after ${TRIAL_DAYS} days unless you cancel.`),
        ).toBeVisible();
        await expect(page.getByText(`First charge: ${PLANS.LITE.short}`)).toBeVisible();
      }
      await expect(page.getByLabel("Contact Name")).toHaveValue("Ada Lovelace");
      await expect(page.getByLabel("Password", { exact: true })).toHaveValue("Passw0rd !");
      await visitor.submit();
      await expect(page.getByText("Please enter your card info")).toBeVisible();
      await expect(page).toHaveURL(LITE);
      await expect(summaryOf(page)).toContainText("LITE");
    });
  }

  test("is chosen again after an answer that brings the form back", async ({ page }) => {
    const visitor = signup(page);
    await page.goto(PLAN);
    await hydrated(page);
    await visitor.fillForm();
    await summaryOf(page).getByText("Change plan").click();
    await page.getByLabel(`LITE, ${PLANS.LITE.short} a month`).check();
    await page.route("**/*.data*", (route) => route.abort("connectionreset"));
    await visitor.submit();
    await expect(page.getByRole("alert")).toContainText("Connection Failed");
    await page.unroute("**/*.data*");
    await page.getByLabel(`STANDARD, ${PLANS.STANDARD.short} a month`).check();
    await expect(page).toHaveURL(PLAN);
    await visitor.submit();
    await expect(page.getByText("Please enter your card info")).toBeVisible();
    await expect(summaryOf(page)).toContainText("STANDARD");
  });

  test("can be compared in another tab, and a link within the page keeps the form", async ({ page }) => {
    await page.goto(PLAN);
    await hydrated(page);
    await page.getByLabel("Contact Name").fill("Ada");
    await summaryOf(page).getByText("Change plan").click();
    await page.getByLabel(`LITE, ${PLANS.LITE.short} a month`).check();
    const [tab] = await Promise.all([
      page.waitForEvent("popup"),
      summaryOf(page).getByRole("link", { name: "Compare plans (new tab)" }).click(),
    ]);
    await expect(tab).toHaveURL("/pricing");
    const asked: string[] = [];
    page.on("request", (request) => request.url().includes(".data") && asked.push(request.url()));
    await page.getByRole("link", { name: "Skip to content" }).press("Enter");
    await expect(page).toHaveURL(`${LITE}#main`);
    await expect(page.getByLabel("Contact Name")).toHaveValue("Ada");
    expect(asked).toEqual([]);
  });

  test("is offered at the card step, which says first what happens to the sign-up that waits", async ({ page }) => {
    const visitor = signup(page);
    await visitor.openCard();
    await expect(visitor.payButton).toBeEnabled();
    await summaryOf(page).getByText("Change plan").click();
    await expect(summaryOf(page)).toContainText("This STANDARD sign-up waits for its card until you submit the form.");
    await summaryOf(page).getByRole("link", { name: "Choose another plan" }).click();
    await page.getByLabel(`LITE, ${PLANS.LITE.short} a month`).check();
    await expect(page.getByText("Your STANDARD sign-up still needs a card")).toBeVisible();
    await expect(page.getByLabel("Contact Name")).toHaveValue("Ada Lovelace");
    for (const field of ["Password", "Confirm Password"])
      await page.getByLabel(field, { exact: true }).fill("Passw0rd !");
    await visitor.submit();
    await visitor.pay(CARDS.works);
    await visitor.succeeded();
    await expect(page.getByRole("region", { name: "Subscription Details" })).toContainText(
      `LITE, ${PLANS.LITE.short} a month`,
    );
  });
});
