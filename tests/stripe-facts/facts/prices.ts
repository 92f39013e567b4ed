import type { Fact } from "../fact";
import { refusal } from "./situations";

const LIMITS = "https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts";

export const prices: Fact[] = [
  {
    situation: "a price is found by its lookup key, with what it charges",
    async calls({ stripe, newPrice, unique }) {
      const lookup_key = unique("plan");
      const { id } = await newPrice(50_000, { lookup_key });
      const { data } = await stripe.prices.list({ lookup_keys: [lookup_key], active: true, limit: 1 });
      const { active, currency, unit_amount, recurring } = await stripe.prices.retrieve(id);
      const interval = `${recurring?.interval_count} ${recurring?.interval}`;
      return { isFound: data[0]?.id === id, active, currency, unit_amount, interval };
    },
    comes: { isFound: true, active: true, currency: "usd", unit_amount: 50_000, interval: "1 month" },
    page: "https://docs.stripe.com/products-prices/manage-prices#lookup-keys",
  },
  {
    situation: "a new price of the same product takes over the lookup key",
    async calls({ stripe, newPrice, unique }) {
      const lookup_key = unique("plan");
      const first = await newPrice(10_000, { lookup_key });
      const second = await newPrice(20_000, { lookup_key, product: String(first.product) });
      const { data } = await stripe.prices.list({ lookup_keys: [lookup_key], active: true });
      const { active, lookup_key: left } = await stripe.prices.retrieve(first.id);
      return { found: data.map(({ id }) => id === second.id), isFirstActive: active, left };
    },
    comes: { found: [true], isFirstActive: true, left: null },
    page: "https://docs.stripe.com/api/prices/create#create_price-transfer_lookup_key",
  },
  {
    situation: "an archived price is not among the active ones, and can be read and made active again",
    async calls({ stripe, newPrice, unique }) {
      const lookup_key = unique("plan");
      const { id } = await newPrice(10_000, { lookup_key });
      const listed = async () => (await stripe.prices.list({ lookup_keys: [lookup_key], active: true })).data.length;
      await stripe.prices.update(id, { active: false });
      const [archived, { active }] = [await listed(), await stripe.prices.retrieve(id)];
      await stripe.prices.update(id, { active: true });
      return { archived, active, again: await listed() };
    },
    comes: { archived: 0, active: false, again: 1 },
    page: "https://docs.stripe.com/api/prices/update",
  },
  {
    situation: "a product keeps its name and its package ID",
    async calls({ stripe }) {
      const { id } = await stripe.products.create({ name: "STANDARD", metadata: { package_id: "a-package" } });
      const { name, metadata } = await stripe.products.retrieve(id);
      return { name, package_id: metadata.package_id };
    },
    comes: { name: "STANDARD", package_id: "a-package" },
    page: "https://docs.stripe.com/api/products/create",
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
  {
    situation: "a price in a currency that does not exist is refused",
    async calls({ newPrice }) {
      const { status, param } = await refusal(newPrice(10_000, { currency: "xyz" }));
      return { status, param };
    },
    comes: { status: 400, param: "currency" },
    page: "https://docs.stripe.com/currencies",
  },
  {
    situation: "an unknown price is missing",
    async calls({ stripe }) {
      const { status, code } = await refusal(stripe.prices.retrieve("price_000000000000000000000000"));
      return { status, code };
    },
    comes: { status: 404, code: "resource_missing" },
    page: "https://docs.stripe.com/error-codes#resource-missing",
  },
];
