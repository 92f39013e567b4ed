import { expect, test } from "vitest";
import { PAID_PLANS } from "../../../app/contract/plans";
import { packagesIn } from "../../../functions/subscription-api/packages";
import { apiInProcess } from "../../support/api-in-process/api";
import { refusal } from "../../support/api-in-process/stripe-objects";

const [MINI, LITE] = PAID_PLANS.map(({ packageId, title, priceCents }) => {
  return { id: packageId, name: title, price_cents: priceCents };
});
if (MINI === undefined || LITE === undefined) throw new Error("There are three paid plans");
const TEAM = { id: "11111111-2222-4333-8444-555555555555", name: "TEAM", price_cents: 90_000 };

function catalogs() {
  const api = apiInProcess();
  const catalog = (body: object) => api.operate("catalog", body);
  const packages = () => api.rows("SELECT * FROM packages ORDER BY price_cents");
  const statuses = () => packages().map(({ name, status }) => `${name} ${status}`);
  const priceOf = (one?: Record<string, unknown>) => api.model.get(String(one?.stripe_price_id));
  return { ...api, catalog, packages, statuses, priceOf };
}

test("given packages are added or changed, with a new price or name for their product; the others stay, and the answer names all", async () => {
  const { catalog, packages, priceOf, model, logged } = catalogs();
  const custom = { ...TEAM, status: "custom" };
  const given = { packages: [{ ...MINI, price_cents: 12_000 }, custom] };
  const response = await catalog(given);
  const before = packages();
  const [mini, lite, standard, team] = before;
  expect([mini, team]).toMatchObject(given.packages);
  expect([lite, standard].map((one) => one?.name)).toEqual(["LITE", "STANDARD"]);
  const created = before.map((one) => ({ ...one, created: one === mini || one === team }));
  expect(await response.json()).toEqual({ prices: created });
  expect(logged).toContainEqual(expect.objectContaining({ event: "catalog_reconciled", created: 2 }));
  const first = priceOf(mini);
  expect(first).toMatchObject({ unit_amount: 12_000, lookup_key: MINI.id });
  expect(await (await catalog(given)).json()).toEqual({ prices: before.map((one) => ({ ...one, created: false })) });
  const renamed = { ...MINI, price_cents: 13_000, name: "PRO" };
  await catalog({ packages: [renamed, { ...custom, name: "CREW" }] });
  const [pro, ...others] = packages();
  expect(pro).toMatchObject({ name: "PRO", price_cents: 13_000 });
  expect(priceOf(pro)).toMatchObject({ unit_amount: 13_000, product: first?.product });
  expect(others).toEqual([lite, standard, { ...team, name: "CREW" }]);
  expect(model.all("product").map(({ name }) => name)).toEqual(["A plan", "PRO", "CREW"]);
});

test("while Stripe fails for one package none has new cents", async () => {
  const { catalog, packages, instead } = catalogs();
  await catalog({ packages: [MINI] });
  const before = packages();
  instead.set("POST products", refusal(500, "api_error", "api_error"));
  expect(await catalog({ packages: [{ ...MINI, price_cents: 12_000 }, TEAM] })).toHaveStatus(503);
  expect(packages()).toEqual(before);
});

test("prices names what Stripe charges for each package, null where Stripe has no such price, and changes nothing", async () => {
  const { operate, rows, packages, calls } = catalogs();
  rows("UPDATE packages SET stripe_price_id = 'price_lost' WHERE name = 'LITE'");
  rows("UPDATE packages SET price_cents = 30000 WHERE name = 'STANDARD'");
  const before = packages();
  const response = await operate("prices");
  const monthly = { active: true, currency: "usd", recurring: "1 month", product_name: "A plan" };
  expect(await response.json()).toEqual({
    prices: [
      { ...before[0], at_stripe: { ...monthly, unit_amount: before[0]?.price_cents } },
      { ...before[1], at_stripe: null },
      expect.objectContaining({ price_cents: 30_000, at_stripe: { ...monthly, unit_amount: 50_000 } }),
    ],
  });
  expect(packages()).toEqual(before);
  expect(calls.filter((call) => !call.startsWith("GET "))).toEqual([]);
});

test("a package, listed or custom, is retired with its row and price at Stripe, is shown, and can be listed again", async () => {
  const { catalog, packages, statuses, model, priceOf } = catalogs();
  await catalog({ packages: [{ ...TEAM, status: "custom" }] });
  const [, lite] = packages();
  expect(await catalog({ retired: [LITE.id] })).toHaveStatus(200);
  const { prices } = Object(await (await catalog({})).json());
  expect(prices.map(({ name, status }: Record<string, unknown>) => `${name} ${status}`)).toEqual(statuses());
  expect(statuses()).toEqual(["MINI listed", "LITE retired", "STANDARD listed", "TEAM custom"]);
  for (const one of packages()) expect(priceOf(one)).toMatchObject({ unit_amount: one.price_cents });
  expect(packages()[1]).toEqual({ ...lite, id: LITE.id, status: "retired" });
  expect(model.all("price").filter(({ lookup_key }) => lookup_key === LITE.id)).toEqual([]);
  await catalog({ packages: [LITE] });
  expect(statuses()).toContain("LITE listed");
  for (const _ of [1, 2]) expect(await catalog({ retired_custom: TEAM.id })).toHaveStatus(200);
  expect(statuses()).toContain("TEAM retired");
});

const CUSTOM_LITE = { ...LITE, price_cents: 100, status: "custom" };
const LISTED = `LITE (${LITE.id}) is on the price list: change it in app/contract/plans.ts, then deploy`;
const UNKNOWN = `No package has the ID ${TEAM.id}`;
const INVALID = "The body must be JSON with nothing, or packages and retired IDs";

test.each([
  { what: "selling a listed plan as a custom one", body: { packages: [CUSTOM_LITE] }, problem: LISTED },
  { what: "retiring a listed plan as a custom one", body: { retired_custom: LITE.id }, problem: LISTED },
  { what: "retiring an unknown plan", body: { retired: [LITE.id, TEAM.id] }, problem: UNKNOWN },
  { what: "retiring an unknown custom plan", body: { retired_custom: TEAM.id }, problem: UNKNOWN },
  { what: "no package", body: { packages: [] }, problem: INVALID },
  ...[{ price_cents: 0 }, { id: "mini" }, { name: " " }, { name: "MI\0NI" }].map((wrong) => {
    return { what: JSON.stringify(wrong), body: { packages: [{ ...MINI, ...wrong }] }, problem: INVALID };
  }),
])("a catalog with $what is refused and changes nothing", async ({ body, problem }) => {
  const { catalog, packages, calls } = catalogs();
  const before = packages();
  expect(await catalog(body)).toBeProblem(problem === INVALID ? 422 : 409, problem);
  expect({ packages: packages(), calls }).toEqual({ packages: before, calls: [] });
});

test("two packages can swap their prices at Stripe", async () => {
  const { db, packages } = catalogs();
  await packagesIn(db).record([
    { ...MINI, stripe_price_id: "price_lite", status: "listed" },
    { ...LITE, stripe_price_id: "price_mini", status: "listed" },
  ]);
  expect(packages().map((one) => one.stripe_price_id)).toEqual(["price_lite", "price_mini", "price_standard"]);
});
