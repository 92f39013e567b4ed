import { expect, test } from "vitest";
import { PAID_PLANS } from "../../../app/contract/plans";
import { subscriptionRequest } from "../../../app/contract/subscription-request";

test.each(PAID_PLANS)("the package ID of $title is a UUID in lower case, as the form sends it", ({ packageId }) => {
  expect(subscriptionRequest.shape.package_id.parse(packageId)).toBe(packageId);
});
