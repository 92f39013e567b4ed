import { expect, test } from "vitest";
import { PAID_PLANS } from "../../../app/contract/plans";
import { signUpsInProcess } from "../api/sign-ups/sign-ups";

test.each(PAID_PLANS)("the plan $title is sold by the API under the site's id, at the site's price", (sold) => {
  const rows = signUpsInProcess().rows("SELECT name, price_cents FROM packages WHERE id = ?", sold.packageId);
  expect(rows).toEqual([{ name: sold.title, price_cents: sold.monthlyPrice * 100 }]);
});
