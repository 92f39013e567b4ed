import { accountWebhooks } from "../support/visitor";
import { PLAN, signup } from "./sign-up";
import { expect, test } from "./stack";

test("from the first form post to the running trial, the mail in the mailbox and the account at the console", async ({
  page,
  stack,
}) => {
  const visitor = signup(page);
  const { email } = visitor;
  await page.goto(PLAN);
  await visitor.fillForm();
  await visitor.submit();
  await visitor.pay("4242424242424242");
  await visitor.succeeded();

  const database = await stack.api.mf.getD1Database("DB");
  const row = database.prepare("SELECT status, trial_end FROM sign_ups WHERE email = ?").bind(email);
  await expect.poll(() => row.first("status")).toBe("trialing");
  const end = new Date((await row.first<string>("trial_end")) ?? "");
  const day = end.toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" });

  await expect
    .poll(async () => (await (await page.request.get(`${stack.stripe.url}/mailbox`)).text()).includes(email))
    .toBe(true);
  await page.goto(`${stack.stripe.url}/mailbox`);
  await page.getByRole("listitem").filter({ hasText: email }).getByRole("link").click();
  await expect(page.getByRole("heading", { name: "Your Citewell trial has started" })).toBeVisible();
  const mail = page.frameLocator("iframe");
  await expect(mail.getByText("Hello Ada Lovelace,")).toBeVisible();
  await expect(mail.getByText(`The free trial for Analytical Engines has started and ends on ${day}.`)).toBeVisible();
  await expect(mail.getByRole("cell", { name: "STANDARD" })).toBeVisible();
  await expect(mail.getByRole("link", { name: "Open the customer console" })).toBeVisible();
  await expect(page.locator("pre")).toContainText("Plan: STANDARD");

  await expect.poll(() => accountWebhooks(stack.stripe, email)).toHaveLength(1);
  await page.goto(`${stack.stripe.url}/console`);
  await expect(page.getByText(email)).toBeVisible();
});
