import { expect, test } from "vitest";
import * as z from "zod";
import { LOCAL_SECRETS } from "../../../functions/subscription-api/local-development";
import { packagesIn } from "../../../functions/subscription-api/packages";
import { apiInProcess } from "../../support/api-in-process/api";
import { databaseInMemory } from "../../support/api-in-process/database";
import { refusal } from "../../support/api-in-process/stripe-objects";
import { stopClock } from "../../support/clock";

/* The API's catalog: packages, each with its price here and at Stripe. */

stopClock();

const MINI = { id: "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10", name: "MINI", price_cents: 10_000 };
const LITE = { id: "0b1f6c8e-2f57-4d3b-8c61-94e3a7d5f220", name: "LITE", price_cents: 20_000 };
const TEAM = { id: "11111111-2222-4333-8444-555555555555", name: "TEAM", price_cents: 90_000 };

const shown = z.object({ prices: z.array(z.object({ name: z.string(), status: z.string() })) });

function catalogs() {
  const api = apiInProcess();
  const send = (command: string, body: unknown) =>
    api.ask(`/operator/${command}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${LOCAL_SECRETS.OPERATOR_TOKEN}` },
      body: JSON.stringify(body),
    });
  const catalog = (body: unknown) => send("catalog", body);
  return { ...api, send, catalog, packages: () => api.rows("SELECT * FROM packages ORDER BY price_cents") };
}

test("without packages each one gets a price at Stripe with its own cents", async () => {
  const { catalog, packages, model } = catalogs();
  expect(await catalog({})).toHaveStatus(200);
  const cents = packages().map(({ stripe_price_id }) => model.get(String(stripe_price_id))?.unit_amount);
  expect(cents).toEqual([10_000, 20_000, 50_000]);
  expect(new Set(packages().map(({ stripe_price_id }) => String(stripe_price_id).startsWith("price_")))).toEqual(
    new Set([true]),
  );
});

test("given packages are added or changed, the others stay, and the answer names all", async () => {
  const { catalog, packages, model } = catalogs();
  const response = await catalog({ packages: [{ ...MINI, price_cents: 12_000 }, TEAM] });
  const [mini, lite, standard, team] = packages();
  expect(await response.json()).toEqual({
    prices: [
      { ...mini, created: true },
      { ...lite, created: false },
      { ...standard, created: false },
      { ...team, created: true },
    ],
  });
  expect(packages().map(({ name, price_cents }) => `${name} ${price_cents}`)).toEqual([
    ...["MINI 12000", "LITE 20000", "STANDARD 50000", "TEAM 90000"],
  ]);
  expect(model.get(String(mini?.stripe_price_id))).toMatchObject({ unit_amount: 12_000, lookup_key: MINI.id });
});

test("the same packages again have the same prices", async () => {
  const { catalog, packages } = catalogs();
  await catalog({ packages: [MINI, TEAM] });
  const first = packages();
  const again = await catalog({ packages: [MINI, TEAM] });
  expect(await again.text()).not.toContain('"created":true');
  expect(packages()).toEqual(first);
});

test("while Stripe fails for one package none has new cents", async () => {
  const { catalog, packages, instead } = catalogs();
  await catalog({ packages: [MINI] });
  const before = packages();
  instead.set("POST products", refusal(500, "api_error", "api_error"));
  expect(await catalog({ packages: [{ ...MINI, price_cents: 12_000 }, TEAM] })).toHaveStatus(503);
  expect(packages()).toEqual(before);
});

test("prices names what Stripe charges for each package, and null where Stripe has no such price", async () => {
  const { send, rows } = catalogs();
  rows("UPDATE packages SET stripe_price_id = 'price_lost' WHERE name = 'LITE'");
  rows("UPDATE packages SET price_cents = 30000 WHERE name = 'STANDARD'");
  const response = await send("prices", {});
  const monthly = { active: true, currency: "usd", recurring: "1 month" };
  expect(await response.json()).toEqual({
    prices: [
      { ...MINI, stripe_price_id: "price_mini", status: "listed", at_stripe: { ...monthly, unit_amount: 10_000 } },
      { ...LITE, stripe_price_id: "price_lost", status: "listed", at_stripe: null },
      expect.objectContaining({ price_cents: 30_000, at_stripe: { ...monthly, unit_amount: 50_000 } }),
    ],
  });
});

test("a retired package keeps its row and its price at Stripe, and gets no new one", async () => {
  const { catalog, packages, model } = catalogs();
  expect(await catalog({ retired: [LITE.id] })).toHaveStatus(200);
  await catalog({});
  const lite = packages().find(({ id }) => id === LITE.id);
  expect(lite).toEqual({ ...LITE, stripe_price_id: "price_lite", status: "retired" });
  expect(model.all("price").filter(({ lookup_key }) => lookup_key === LITE.id)).toEqual([]);
});

test("the whole catalog is shown with each package's status", async () => {
  const { catalog } = catalogs();
  await catalog({ packages: [{ ...TEAM, status: "custom" }] });
  await catalog({ retired: [LITE.id] });
  const { prices } = shown.parse(await (await catalog({})).json());
  expect(prices.map(({ name, status }) => `${name} ${status}`)).toEqual([
    ...["MINI listed", "LITE retired", "STANDARD listed", "TEAM custom"],
  ]);
});

test("a retired package that is listed again is sold again", async () => {
  const { catalog, packages } = catalogs();
  await catalog({ retired: [LITE.id] });
  await catalog({ packages: [LITE] });
  expect(packages().find(({ id }) => id === LITE.id)).toMatchObject({ status: "listed" });
});

test("no package is retired if one of the IDs is wrong", async () => {
  const { catalog, packages } = catalogs();
  expect(await catalog({ retired: [LITE.id, TEAM.id] })).toBeProblem(409, `No package has the ID ${TEAM.id}`);
  expect(packages().map(({ status }) => status)).toEqual(["listed", "listed", "listed"]);
});

test("prices changes nothing", async () => {
  const { send, packages, calls } = catalogs();
  const before = packages();
  await send("prices", {});
  expect(packages()).toEqual(before);
  expect(calls.filter((call) => !call.startsWith("GET "))).toEqual([]);
});

test.each([
  { what: "no package", body: { packages: [] } },
  { what: "a price of nothing", body: { packages: [{ ...MINI, price_cents: 0 }] } },
  { what: "half a cent", body: { packages: [{ ...MINI, price_cents: 0.5 }] } },
  { what: "an ID that is no UUID", body: { packages: [{ ...MINI, id: "mini" }] } },
  { what: "no name", body: { packages: [{ ...MINI, name: "" }] } },
])("a catalog with $what is refused", async ({ body }) => {
  const { catalog, packages } = catalogs();
  const before = packages();
  expect(await catalog(body)).toBeProblem(422, "The body must be JSON with nothing, or packages and retired IDs");
  expect(packages()).toEqual(before);
});

test("two packages can swap their prices at Stripe", async () => {
  const { db, rows } = databaseInMemory();
  await packagesIn(db).record([
    { ...MINI, stripe_price_id: "price_lite", status: "listed" },
    { ...LITE, stripe_price_id: "price_mini", status: "listed" },
  ]);
  const swapped = rows("SELECT name, stripe_price_id FROM packages WHERE name <> 'STANDARD' ORDER BY name");
  expect(swapped).toEqual([
    { name: "LITE", stripe_price_id: "price_mini" },
    { name: "MINI", stripe_price_id: "price_lite" },
  ]);
});
