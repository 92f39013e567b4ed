import { expect, test } from "vitest";
import type { Package } from "../../../../functions/subscription-api/packages";
import { PACKAGES, packagesIn, priceChanges, setLocalPrices } from "../../../../tools/releases/prices";
import { apiInProcess } from "../../../support/api-in-process/api";
import { neighborsWith } from "../neighbors";

/* A release changes the API's prices and the site in an order that never charges anyone more than the page showed. */

const NAMES = { mini: "id-mini", lite: "id-lite", standard: "id-standard" };
const item = (name: keyof typeof NAMES, dollars: number) => ({ id: NAMES[name], name, price_cents: dollars * 100 });
const row = (name: keyof typeof NAMES, dollars: number, stripe_price_id = `price_0123456789abcdef${name}`) => ({
  ...item(name, dollars),
  stripe_price_id,
  status: "listed" as Package["status"],
});

test.each([
  {
    what: "a lower price",
    known: row("mini", 100),
    wanted: item("mini", 80),
    step: "beforeSite",
    says: "mini: $100 → $80 a month, before the site",
  },
  {
    what: "a higher price",
    known: row("mini", 100),
    wanted: item("mini", 120.5),
    step: "afterSite",
    says: "mini: $100 → $120.50 a month, after the site",
  },
  {
    what: "a new plan",
    known: undefined,
    wanted: item("mini", 100),
    step: "beforeSite",
    says: "mini: $100 a month, before the site",
  },
  {
    what: "another name",
    known: { ...row("mini", 100), name: "small" },
    wanted: item("mini", 100),
    step: "beforeSite",
    says: "mini: $100 a month, before the site",
  },
  {
    what: "a placeholder of Stripe's price",
    known: row("mini", 100, "price_mini"),
    wanted: item("mini", 100),
    step: "beforeSite",
    says: "mini: $100 a month, before the site",
  },
  {
    what: "a higher price that has not been sold yet",
    known: row("mini", 100, "price_mini"),
    wanted: item("mini", 120),
    step: "beforeSite",
    says: "mini: $100 → $120 a month, before the site",
  },
  {
    what: "a plan that was retired",
    known: { ...row("mini", 100), status: "retired" },
    wanted: item("mini", 120),
    step: "beforeSite",
    says: "mini: $100 → $120 a month, before the site",
  },
  {
    what: "a plan that was custom",
    known: { ...row("mini", 100), status: "custom" },
    wanted: item("mini", 100),
    step: "beforeSite",
    says: "mini: $100 a month, before the site",
  },
] as const)("the API gets $what $step", ({ known, wanted, step, says }) => {
  const nothing = { beforeSite: [], afterSite: [], retired: [] };
  expect(priceChanges([wanted], known ? [known] : [])).toEqual({ ...nothing, [step]: [wanted], sentences: [says] });
});

test("a release that raises one price and lowers another changes each in its own step", () => {
  const known = [row("mini", 100), row("lite", 200), row("standard", 500)];
  const { beforeSite, afterSite } = priceChanges([item("mini", 120), item("lite", 150), item("standard", 500)], known);
  expect({ beforeSite, afterSite }).toEqual({ beforeSite: [item("lite", 150)], afterSite: [item("mini", 120)] });
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
  const insert = "INSERT INTO packages VALUES (?1, ?2, 100, ?1, ?2)";
  for (const status of ["listed", "custom"]) rows(insert, crypto.randomUUID(), status);
  await setLocalPrices(neighborsWith({ fetch: ask }));
  expect(rows("SELECT name, status FROM packages ORDER BY price_cents, name")).toEqual([
    { name: "custom", status: "custom" },
    { name: "listed", status: "retired" },
    ...PACKAGES.map(({ name }) => ({ name, status: "listed" })),
  ]);
});

test("the plans are read from their file's text", async () => {
  const source = `export const PAID_PLANS = [{ title: "MINI", priceCents: 1_999, packageId: "a-package" }] as const;`;
  expect(await packagesIn(source)).toEqual([{ id: "a-package", name: "MINI", price_cents: 1_999 }]);
});

test("a plan whose price cannot be charged is named", async () => {
  const source = `export const PAID_PLANS = [{ title: "MINI", priceCents: 19.99, packageId: "a-package" }];`;
  await expect(packagesIn(source)).rejects.toThrow("MINI in app/contract/plans.ts has the price 19.99.");
});
