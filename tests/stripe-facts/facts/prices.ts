import type { Fact } from "../fact";
import { refusal } from "./situations";

export const prices: Fact[] = [
  {
    situation:
      "a price is found by its lookup key, with what it charges, archived too, until a new one of its product takes the key",
    async calls({ stripe, newPrice, unique }) {
      const lookup_key = unique("plan");
      const listed = async (more = {}) => (await stripe.prices.list({ lookup_keys: [lookup_key], ...more })).data;
      const first = await newPrice(50_000, { lookup_key });
      const [found] = await listed({ active: true });
      const interval = `${found?.recurring?.interval_count} ${found?.recurring?.interval}`;
      await stripe.prices.update(first.id, { active: false });
      const archived = (await listed()).map((one) => one.active);
      await stripe.prices.update(first.id, { active: true });
      const again = (await listed()).map((one) => one.active);
      const second = await newPrice(20_000, { lookup_key, product: String(first.product) });
      const { active, lookup_key: left } = await stripe.prices.retrieve(first.id);
      const isTaken = (await listed({ active: true })).map(({ id }) => id === second.id);
      const charges = { currency: found?.currency, cents: found?.unit_amount, interval };
      return { ...charges, archived, again, isTaken, active, left };
    },
    comes: {
      ...{ currency: "usd", cents: 50_000, interval: "1 month", archived: [false], again: [true] },
      ...{ isTaken: [true], active: true, left: null },
    },
    page: "https://docs.stripe.com/products-prices/manage-prices#lookup-keys",
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
    page: "https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts",
  },
];
