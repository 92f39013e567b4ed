import { Hono } from "hono";
import * as z from "zod";
import { requireSecretKey } from "../authorization";
import { invalidRequest } from "../errors";
import { newId, unixTime } from "../ids";
import type { Price, Product } from "../objects";
import type { StripeContext } from "./context";
import { list, metadata, page, paging, parameters } from "./parameters";

const productParameters = z.object({ name: z.string().min(1), metadata });

const priceParameters = z.object({
  currency: z.string().regex(/^[a-z]{3}$/),
  lookup_key: z.string().max(200).nullable().default(null),
  metadata,
  product: z.string(),
  recurring: z.object({ interval: z.enum(["day", "week", "month", "year"]) }),
  transfer_lookup_key: z.stringbool().default(false),
  unit_amount: z.coerce.number().int().min(0),
});

const listParameters = z.object({
  active: z.stringbool().optional(),
  lookup_keys: list.optional(),
  ...paging,
});

/** https://docs.stripe.com/api/products */
export const products = new Hono<StripeContext>();

products.post("/", (c) => {
  requireSecretKey(c.var.key);
  const given = parameters(productParameters, c.var.form);
  const product: Product = {
    id: newId("prod", 14),
    object: "product",
    active: true,
    created: unixTime(),
    livemode: false,
    metadata: given.metadata,
    name: given.name,
  };
  c.var.store.save(product);
  return c.json(product);
});

/** https://docs.stripe.com/api/prices */
export const prices = new Hono<StripeContext>();

prices.use(async (c, next) => {
  requireSecretKey(c.var.key);
  await next();
});

prices.post("/", (c) => {
  const { store } = c.var;
  const given = parameters(priceParameters, c.var.form);
  if (!store.products().some(({ id }) => id === given.product)) {
    throw invalidRequest(`No such product: '${given.product}'`, { code: "resource_missing", param: "product" });
  }
  const holder = store
    .prices()
    .find(({ active, lookup_key }) => active && lookup_key !== null && lookup_key === given.lookup_key);
  if (holder && !given.transfer_lookup_key) {
    throw invalidRequest(
      `A price (\`${holder.id}\`) already uses that lookup key. To transfer it, set \`transfer_lookup_key\`.`,
      { param: "lookup_key" },
    );
  }
  if (holder) store.save({ ...holder, lookup_key: null });
  const price: Price = {
    id: newId("price"),
    object: "price",
    active: true,
    created: unixTime(),
    currency: given.currency,
    livemode: false,
    lookup_key: given.lookup_key,
    metadata: given.metadata,
    product: given.product,
    recurring: { ...given.recurring, interval_count: 1 },
    type: "recurring",
    unit_amount: given.unit_amount,
  };
  store.save(price);
  return c.json(price);
});

prices.get("/", (c) => {
  const { active, lookup_keys, ...wanted } = parameters(listParameters, c.var.form);
  const found = c.var.store
    .prices()
    .filter((price) => active === undefined || price.active === active)
    .filter((price) => lookup_keys === undefined || lookup_keys.includes(price.lookup_key ?? ""));
  return c.json(page("/v1/prices", found, wanted));
});
