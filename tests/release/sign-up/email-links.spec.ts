import { accessibilityProblems } from "../../browser/support/accessibility";
import { expect, type Stack, test } from "../../browser/support/stack";
import { enterCard, mails, rows, signUp } from "../../support/visitors/visitor";

/** A new trial and the links of its email. */
async function trialOf({ api, stripe }: Stack) {
  const email = `links-${crypto.randomUUID()}@example.com`;
  const { clientSecret } = await signUp(api, { email });
  await enterCard(stripe.url, clientSecret);
  const started = async () => (await mails(stripe, email)).filter(({ subject }) => subject.includes("has started"));
  await expect.poll(started).toHaveLength(1);
  const text = (await started())[0]?.text ?? "";
  const linkTo = (name: string) => new RegExp(`${name}: (http\\S+)`).exec(text)?.[1] ?? "";
  return { email, verify: linkTo("Confirm my email address"), notMe: linkTo("This wasn’t me") };
}

test('the confirmation link works with one click; the "Wasn\'t you?" link asks first, then ends the sign-up', async ({
  page,
  stack,
}) => {
  const { email, verify, notMe } = await trialOf(stack);
  await page.goto(verify);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Your email address is confirmed");
  expect(await accessibilityProblems(page)).toEqual([]);

  await page.goto(notMe);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Wasn’t you?");
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole("button", { name: "End this sign-up" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("This sign-up has ended");
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(await rows(stack.api, "SELECT status, end_reason FROM sign_ups WHERE email = ?", email)).toEqual([
    { status: "canceled", end_reason: "not-me" },
  ]);
});
