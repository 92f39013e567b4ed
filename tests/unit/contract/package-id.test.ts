import { expect, test } from "vitest";
import { packageIdOf } from "../../../app/contract/fields/package-id";
import { PAID_PLANS } from "../../../app/contract/plans";
import { subscriptionRequest } from "../../../app/contract/subscription-request";

test.each([
  { comes: "from the path first", path: "a", query: "?id=b&uuid=c&package_id=d", packageId: "a" },
  { comes: "then from the query's id", path: undefined, query: "?package_id=d&uuid=c&id=b", packageId: "b" },
  { comes: "then from its uuid", path: undefined, query: "?package_id=d&uuid=c", packageId: "c" },
  { comes: "from its uuid if its id is empty", path: undefined, query: "?id=&uuid=c", packageId: "c" },
  { comes: "from its second id if the first is empty", path: undefined, query: "?id=&uuid=c&id=b", packageId: "b" },
  { comes: "then from its package_id", path: undefined, query: "?package_id=d", packageId: "d" },
  { comes: "from nowhere else", path: undefined, query: "", packageId: "" },
  { comes: "cut to 100 characters", path: "x".repeat(101), query: "", packageId: "x".repeat(100) },
])("the package ID comes $comes", ({ path, query, packageId }) => {
  expect(packageIdOf(`https://site.example/subscription${query}`, path)).toBe(packageId);
});

test.each(PAID_PLANS)("the package ID of $title is a UUID in lower case, as the form sends it", ({ packageId }) => {
  expect(subscriptionRequest.shape.package_id.parse(packageId)).toBe(packageId);
});
