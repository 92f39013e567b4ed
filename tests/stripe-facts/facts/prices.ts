import type { Fact } from "../fact";
import { refusal } from "./situations";

const LIMITS = "https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts";

export const prices: Fact[] = [
  {
    situation: "a price is found by its lookup key, with what it charges, until a new one of its product takes it over",
    async calls({ stripe, newPrice, unique }) {
      const lookup_key = unique("plan");
      const listed = async () => (await stripe.prices.list({ lookup_keys: [lookup_key], active: true })).data;
      const first = await newPrice(50_000, { lookup_key });
      const [found] = await listed();
      const interval = `${found?.recurring?.interval_count} ${found?.recurring?.interval}`;
      const second = await newPrice(20_000, { lookup_key, product: String(first.product) });
      const { active, lookup_key: left } = await stripe.prices.retrieve(first.id);
      const isTaken = (await listed()).map(({ id }) => id === second.id);
      return { currency: found?.currency, cents: found?.unit_amount, interval, isTaken, active, left };
    },
    comes: { currency: "usd", cents: 50_000, interval: "1 month", isTaken: [true], active: true, left: null },
    page: "https://docs.stripe.com/products-prices/manage-prices#lookup-keys",
  },
  {
    situation: "an archived price keeps its lookup key, and can be made active again",
    async calls({ stripe, newPrice, unique }) {
      const lookup_key = unique("plan");
      const { id } = await newPrice(10_000, { lookup_key });
      const listed = async () =>
        (await stripe.prices.list({ lookup_keys: [lookup_key] })).data.map((one) => one.active);
      await stripe.prices.update(id, { active: false });
      const archived = await listed();
      await stripe.prices.update(id, { active: true });
      return { archived, again: await listed() };
    },
    comes: { archived: [false], again: [true] },
    page: "https://docs.stripe.com/api/prices/update",
  },
  {
    situation: "a renamed product keeps its package ID, and its price shows the new name",
    async calls({ stripe, newPrice }) {
      const { id } = await stripe.products.create({ name: "STANDARD", metadata: { package_id: "a-package" } });
      const price = await newPrice(50_000, { product: id });
      await stripe.products.update(id, { name: "PRO" });
      const { product } = await stripe.prices.retrieve(price.id, { expand: ["product"] });
      if (typeof product === "string" || product.deleted) return { isExpanded: false };
      return { name: product.name, package_id: product.metadata.package_id };
    },
    comes: { name: "PRO", package_id: "a-package" },
    page: "https://docs.stripe.com/api/products/update",
  },
  {
    situation: "a price of up to eight digits in cents is taken, and no higher one",
    async calls({ newPrice }) {
      const [highest, higher] = [await newPrice(99_999_999), await refusal(newPrice(100_000_000))];
      return { highest: highest.unit_amount, higher: higher.status, param: higher.param };
    },
    comes: { highest: 99_999_999, higher: 400, param: "unit_amount" },
    page: LIMITS,
  },
];
