import { expect, test } from "vitest";
import type { Package } from "../../../../functions/subscription-api/packages";
import { PACKAGES, parsePlans, priceChanges, setLocalPrices } from "../../../../tools/releases/prices";
import { apiInProcess } from "../../../support/api-in-process/api";
import { neighborsWith } from "../neighbors";

/* A release changes the API's prices and the site in an order that never charges anyone more than the page showed. */

const item = (name: string, dollars: number) => ({ id: `id-${name}`, name, price_cents: dollars * 100 });
const row = (name: string, dollars: number, stripe_price_id = "price_0123456789abcdef"): Package => ({
  ...item(name, dollars),
  ...{ stripe_price_id, status: "listed" },
});

const $100 = row("mini", 100);
const UNSOLD = row("mini", 100, "price_mini");
const RETIRED: Package = { ...$100, status: "retired" };

test.each<{ what: string; known?: Package; dollars: number; says: string }>([
  { what: "a lower price", known: $100, dollars: 80, says: "mini: $100 → $80 a month, before the site" },
  { what: "a higher price", known: $100, dollars: 120.5, says: "mini: $100 → $120.50 a month, after the site" },
  { what: "a new plan", dollars: 100, says: "mini: $100 a month, before the site" },
  { what: "another name", known: { ...$100, name: "S" }, dollars: 100, says: "mini: $100 a month, before the site" },
  { what: "a higher price, unsold", known: UNSOLD, dollars: 120, says: "mini: $100 → $120 a month, before the site" },
  { what: "a retired plan", known: RETIRED, dollars: 120, says: "mini: $100 → $120 a month, before the site" },
])("the API gets $what: $says", ({ known, dollars, says }) => {
  const step = says.endsWith("after the site") ? "afterSite" : "beforeSite";
  const expected = { beforeSite: [], afterSite: [], retired: [], sentences: [says], [step]: [item("mini", dollars)] };
  expect(priceChanges([item("mini", dollars)], known ? [known] : [])).toEqual(expected);
});

test.each([
  { status: "listed", retired: [item("mini", 100)], sentences: ["mini: no longer sold, after the site"] },
  { status: "custom", retired: [], sentences: [] },
  { status: "retired", retired: [], sentences: [] },
] as const)("of the $status packages that a release does not list it retires $retired", ({ status, ...changes }) => {
  expect(priceChanges([], [{ ...row("mini", 100), status }])).toMatchObject(changes);
});

test("npm start retires the packages of a kept database that plans.ts no longer lists, except custom ones", async () => {
  const { ask, rows } = apiInProcess();
  // The first migration's, which may be other ones than these plans.
  rows("DELETE FROM packages");
  const insert = "INSERT INTO packages VALUES (?1, ?2, 100, ?1, ?2)";
  for (const status of ["listed", "custom"]) rows(insert, crypto.randomUUID(), status);
  await setLocalPrices(neighborsWith({ fetch: ask }));
  expect(rows("SELECT name, status FROM packages ORDER BY price_cents, name")).toEqual([
    { name: "custom", status: "custom" },
    { name: "listed", status: "retired" },
    ...PACKAGES.map(({ name }) => ({ name, status: "listed" })),
  ]);
});

test("the plans are read from their file's text, and one whose price cannot be charged is named", async () => {
  const source = (priceCents: string) =>
    `export const PAID_PLANS = [{ title: "MINI", priceCents: ${priceCents}, packageId: "a-package" }] as const;`;
  expect(await parsePlans(source("1_999"))).toEqual([{ id: "a-package", name: "MINI", price_cents: 1_999 }]);
  await expect(parsePlans(source("19.99"))).rejects.toThrow("MINI in app/contract/plans.ts has the price 19.99.");
});
