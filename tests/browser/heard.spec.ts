import { formFields } from "../../app/contract/fields/form-fields";
import { listen } from "./support/live-regions";
import { CARDS, failureNotice, signup } from "./support/sign-up";
import { expect, test } from "./support/stack";

/*
 * What a screen reader gets at form, refusal, decline and success: the element with the focus, and the live regions' texts in order.
 * Each message has one of these two ways. docs/architecture.md says how to hear them, and why the words themselves are no test.
 */

test("each message of a sign-up is either focused or announced, once and in order", async ({ page }) => {
  const visitor = signup(page);
  const [name, heading] = [visitor.field("full_name"), page.getByRole("heading", { level: 1 })];
  const posts: string[] = [];
  page.on("request", (request) => request.method() === "POST" && posts.push(request.url()));
  await visitor.openForm();
  await expect(name).not.toHaveAttribute("aria-invalid");
  await name.evaluate((field) =>
    field.addEventListener("focus", () => {
      field.dataset.focused = field.getAttribute("aria-describedby") ?? "without";
    }),
  );
  const said = await listen(page);

  await visitor.submit();
  // Orca says twice in Chromium what describes a field only once it has the focus.
  await expect(name).toHaveAttribute("data-focused", "signup-full_name-error");
  await expect(name).toBeFocused();
  await expect(name).toHaveAttribute("aria-invalid", "true");
  await expect(name).toHaveAccessibleDescription("Contact name must be at least 2 characters");
  await expect.poll(said).toEqual([`${Object.keys(formFields).length} fields need attention.`]);
  expect(posts).toEqual([]);

  await visitor.fillForm();
  await visitor.submit();
  await expect(heading).toBeFocused();
  await expect(heading).toHaveAccessibleDescription("Step 2 of 2: card");
  expect(posts).toHaveLength(1);
  await expect(visitor.payButton).toBeEnabled();
  await visitor.pay(CARDS.declined);
  await expect(failureNotice(page)).toBeFocused();
  await expect(failureNotice(page)).toHaveRole("group");
  await expect(failureNotice(page)).toHaveAccessibleName("Payment Failed");
  await expect(failureNotice(page).locator("[role=alert], [role=status]")).toHaveCount(0);

  await visitor.pay(CARDS.works);
  await expect(heading).toHaveText("Subscription Successful!");
  await expect(heading).toBeFocused();
  await expect
    .poll(async () => (await said()).slice(1))
    .toEqual([
      "Processing... Submitting your subscription information.",
      "Subscription Data Saved! Now proceeding to payment...",
      "Processing your card.",
      "Processing your card.",
      "Card Successful! Your card has been processed successfully.",
      "subscription Successful! Your subscription has been completed successfully.",
    ]);
});
