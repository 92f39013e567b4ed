import { expect, test } from "vitest";
import { PAID_PLANS } from "../../../app/contract/plans";
import { subscriptionRequest } from "../../../app/contract/subscription-request";
import { signUpsInProcess } from "../api/sign-ups/sign-ups";

test.each(PAID_PLANS)("the plan $title is sold by the API under the site's id, at the site's price", (sold) => {
  const rows = signUpsInProcess().rows("SELECT name, price_cents FROM packages WHERE id = ?", sold.packageId);
  expect(rows).toEqual([{ name: sold.title, price_cents: sold.monthlyPrice * 100 }]);
});

test.each(PAID_PLANS)("the package ID of $title is a UUID in lower case, as the form sends it", ({ packageId }) => {
  expect(subscriptionRequest.shape.package_id.parse(packageId)).toBe(packageId);
});
