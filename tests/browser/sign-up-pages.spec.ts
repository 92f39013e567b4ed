import type { Page } from "@playwright/test";
import { SECRET } from "../support/visitors/site-visitor";
import { startVisitedSite } from "../support/visitors/visited-site";
import { coveredAnywhere, layoutFaults } from "./support/layout";
import { CARDS, hydrated, PLAN, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";

/* Every step of the sign-up, with and without scripts: everything can be clicked, and no word is broken. */

test("on every step of the sign-up everything can be clicked and no word is broken, with and without scripts", async ({
  page,
  browser,
  baseURL,
}) => {
  /** What is covered without scripts, at some path with the page's cookies. */
  async function withoutScripts(path: string, prepare?: (other: Page) => Promise<unknown>): Promise<string[]> {
    const storageState = await page.context().storageState();
    const context = await browser.newContext({ javaScriptEnabled: false, storageState, baseURL: baseURL ?? "" });
    const other = await context.newPage();
    await other.goto(path);
    await prepare?.(other);
    const found = await coveredAnywhere(other);
    await context.close();
    return found;
  }
  const visitor = signup(page);
  for (const path of ["/subscription", "/subscription/x", PLAN]) {
    await page.goto(path);
    await hydrated(page);
    expect.soft(await layoutFaults(page), path).toEqual([]);
    expect.soft(await withoutScripts(path), `${path} without scripts`).toEqual([]);
  }

  await visitor.submit();
  await expect(page.getByText("Phone number is required")).toBeVisible();
  expect.soft(await layoutFaults(page), "form with errors").toEqual([]);
  const sendEmpty = (other: Page) => signup(other).submit();
  expect.soft(await withoutScripts(PLAN, sendEmpty), "form with errors without scripts").toEqual([]);

  await visitor.fillForm();
  await visitor.submit();
  await expect(page.getByRole("button", { name: "Pay", exact: true })).toBeEnabled();
  await page.locator("summary").click();
  expect.soft(await layoutFaults(page), "card step").toEqual([]);
  expect.soft(await withoutScripts(PLAN), "card step without scripts").toEqual([]);
  const link = (await page.getByRole("link", { name: "Link to continue this sign-up" }).getAttribute("href")) ?? "";

  await visitor.pay(CARDS.declined);
  await expect(page.getByRole("alert")).toContainText("Your card was declined.");
  expect.soft(await layoutFaults(page), "declined card").toEqual([]);

  const device = await browser.newContext();
  const elsewhere = await device.newPage();
  await elsewhere.goto(link);
  await elsewhere.getByRole("button", { name: "Continue this sign-up" }).waitFor();
  expect.soft(await layoutFaults(elsewhere), "resume").toEqual([]);
  await device.close();

  await visitor.pay(CARDS.works);
  await visitor.succeeded();
  expect.soft(await layoutFaults(page), "success").toEqual([]);
  expect.soft(await withoutScripts(PLAN), "success without scripts").toEqual([]);
});

test("while the card is being processed everything can be clicked and no word is broken, with and without scripts", async ({
  browser,
}) => {
  const { site, upstream, dispose } = await startVisitedSite();
  const stripe = { client_secret: SECRET, id: "seti_1Sentinel", status: "requires_payment_method" };
  for (const javaScriptEnabled of [true, false]) {
    upstream.answersJson(200, stripe);
    const context = await browser.newContext({ javaScriptEnabled, baseURL: site.url });
    const page = await context.newPage();
    await signup(page).signUp();
    await page.getByText("* You will not be charged immediately!").waitFor();
    // Where the bank returns to.
    await page.reload();
    const [returnUrl = ""] = /\/subscription\/[\w-]+\?return=[\w.-]+/.exec(await page.content()) ?? [];
    upstream.answersJson(200, { ...stripe, status: "processing" });
    await page.goto(returnUrl);
    await expect(page.getByText("Your bank is still processing the card.")).toBeVisible();
    expect(await (javaScriptEnabled ? layoutFaults : coveredAnywhere)(page)).toEqual([]);
    await context.close();
  }
  await dispose();
});
