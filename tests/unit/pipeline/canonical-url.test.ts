import { expect, test } from "vitest";
import { canonicalPaths } from "../../../app/pipeline/response/canonical-url.server";
import { smallBuild } from "../../support/site-in-process/small-build";

const canonicalPath = canonicalPaths(smallBuild);
const ID = "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430";

test.each([
  ["/pricing", "/pricing"],
  ["/PRICING", "/pricing"],
  ["/Pricing/", "/pricing"],
  ["//pricing", "/pricing"],
  ["///Pricing//", "/pricing"],
  ["/%70ricing", "/pricing"],
  ["/%50%52%49%43%49%4E%47%2e%6D%64", "/pricing.md"],
  ["/PRICING.md/", "/pricing.md"],
  ["/INDEX.MD", "/index.md"],
  ["/HEALTH/", "/health"],
  ["/Robots.TXT", "/robots.txt"],
  ["/SUBSCRIPTION/", "/subscription"],
  ["/Subscription/not-a-uuid", "/subscription/not-a-uuid"],
  [`//subscription//${ID.toUpperCase()}//`, `/subscription/${ID.toUpperCase()}`],
])("the path %s is redirected to %s [H11]", (path, canonical) => {
  expect(canonicalPath(path)).toBe(canonical);
});

test.each([
  "/",
  "//",
  "/*",
  "//evil.test/pricing",
  "//pricing.evil.test",
  "/pricing/evil.test",
  "/pricing%2f",
  "/%2fpricing",
  "/pricing%00",
  "/pricing%20",
  "/pricing%",
  "/pricing;x",
  "/pricing.md.md",
  "/subscription.MD",
  "/subscription.DATA",
  "/Subscription/x.css",
  `/Subscription/${"x".repeat(101)}`,
  `/subscription/${ID}/${ID}/`,
  `/pricing${"/".repeat(400)}`,
])("the path %s is no other spelling of a page or file [H11] [A10]", (path) => {
  expect(canonicalPath(path)).toBeUndefined();
});
