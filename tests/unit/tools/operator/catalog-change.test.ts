import { expect, test } from "vitest";
import { catalogChange } from "../../../../tools/operator/operator";

/* The options of npm run catalog, and the body that they become. */

const TEAM = { custom: "an-id", name: "TEAM", price: "777" };
const added = (price_cents: number) => ({ packages: [{ id: "an-id", name: "TEAM", price_cents, status: "custom" }] });

test.each([
  { options: {}, body: {} },
  { options: TEAM, body: added(77_700) },
  { options: { ...TEAM, price: "777.50" }, body: added(77_750) },
  { options: { retire: "an-id" }, body: { retired: ["an-id"] } },
])("the options $options become $body", ({ options, body }) => {
  expect(catalogChange(options)).toEqual(body);
});

test.each([
  { options: { ...TEAM, name: undefined }, says: "A custom plan needs --custom, --name and --price." },
  { options: { ...TEAM, price: undefined }, says: "A custom plan needs --custom, --name and --price." },
  { options: { name: "TEAM", price: "777" }, says: "A custom plan needs --custom, --name and --price." },
  { options: { ...TEAM, retire: "an-id" }, says: "--retire stands alone." },
  { options: { ...TEAM, price: "$777" }, says: '--price is "$777", which is not dollars a month' },
  { options: { ...TEAM, price: "777.5" }, says: '--price is "777.5", which is not dollars a month' },
])("the options $options are refused", ({ options, says }) => {
  expect(() => catalogChange(options)).toThrow(says);
});
