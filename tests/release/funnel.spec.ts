import { CARDS, hydrated, PLAN, signup } from "../browser/support/sign-up";
import { expect, test } from "../browser/support/stack";
import { countsOf, only } from "../support/visitors/funnel";

/* The counts of one visitor with scripts; tests/release/visits.test.ts has many without. */

const ID = PLAN.split("/").at(-1);

test("a sign-up with reloads and the back button counts each step once [W2]", async ({ page, stack }) => {
  const { site, api } = stack;
  const before = countsOf(site, api);
  const more = (...steps: string[]) =>
    Object.fromEntries(
      Object.entries(only(countsOf(site, api), ...steps)).map(([name, n]) => [name, n - (before[name] ?? 0)]),
    );
  const visitor = signup(page);
  await page.goto(PLAN);
  await hydrated(page);
  await visitor.fillForm();
  await visitor.submit();
  await expect(page.getByText("Please enter your card info")).toBeVisible();
  await page.reload();
  await page.goto("/pricing");
  await page.goBack();
  await visitor.pay(CARDS.declined);
  await expect(page.getByText("Payment Failed")).toBeVisible();
  await visitor.pay(CARDS.works);
  await visitor.succeeded();
  await page.reload();
  await visitor.succeeded();

  const once = ["accepted", "card_shown", "set_up", "trial"];
  await expect
    .poll(() => more("plan_viewed", "form_opened", ...once))
    .toEqual({
      "plan_viewed none none": 1,
      ...Object.fromEntries(["form_opened", ...once].map((step) => [`${step} ${ID} none`, 1])),
    });
});
