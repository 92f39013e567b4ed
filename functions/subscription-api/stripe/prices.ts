import type Stripe from "stripe";
import * as z from "zod";
import { call, ifExists, isSavedRefusal } from "./client";

export type Item = { id: string; name: string; price_cents: number };

/** `productName`: what invoices and the customer portal say. */
export type PackagePrice = { id: string; product: string; productName: string | null; created: boolean };

export type ChargedPrice = z.output<typeof chargedPrice>;

export const chargedPrice = z.object({
  active: z.boolean(),
  currency: z.string(),
  unit_amount: z.number().nullable(),
  recurring: z.string().nullable(),
  product_name: z.string().nullable(),
});

const MOST_ATTEMPTS = 5;

export type Prices = ReturnType<typeof stripePrices>;

/** @param ask makes calls to Stripe; the default also logs failures */
export function stripePrices(stripe: Stripe, ask: typeof call = call) {
  /** With its product; also an archived price, which keeps the lookup key. */
  async function latest(packageId: string): Promise<Stripe.Price | undefined> {
    const wanted = { lookup_keys: [packageId], limit: 1, expand: ["data.product"] };
    return (await ask(() => stripe.prices.list(wanted))).data[0];
  }

  async function findOrCreate(item: Item, attempt = 0): Promise<PackagePrice> {
    const { id, name, price_cents } = item;
    const known = await latest(id);
    try {
      const { product, productName } = known ? productOf(known) : await createProduct(id, attempt);
      if (productName !== name) await ask(() => stripe.products.update(product, { name }));
      if (known && isPriceOf(item, known)) return { id: known.id, product, productName: name, created: false };
      const params = {
        currency: "usd",
        lookup_key: id,
        product,
        recurring: { interval: "month" },
        transfer_lookup_key: true,
        unit_amount: price_cents,
      } as const;
      const idempotencyKey = `price-${id}-${price_cents}-${known?.id ?? "first"}-${attempt}`;
      const created = await ask(() => stripe.prices.create(params, { idempotencyKey }));
      return { id: created.id, product, productName: name, created: true };
    } catch (error) {
      if (!isSavedRefusal(error) || attempt === MOST_ATTEMPTS) throw error;
      return findOrCreate(item, attempt + 1);
    }
  }

  /** Its name comes later, because it may change while the idempotency key is kept. */
  async function createProduct(packageId: string, attempt: number) {
    const params = { name: packageId, metadata: { package_id: packageId } };
    const idempotencyKey = `product-${packageId}-${attempt}`;
    return {
      product: (await ask(() => stripe.products.create(params, { idempotencyKey }))).id,
      productName: packageId,
    };
  }

  return {
    async read(id: string): Promise<ChargedPrice | null> {
      const price = await ifExists(() => ask(() => stripe.prices.retrieve(id, { expand: ["product"] })));
      if (!price) return null;
      const { active, currency, unit_amount, recurring } = price;
      const interval = recurring && `${recurring.interval_count} ${recurring.interval}`;
      return { active, currency, unit_amount, recurring: interval, product_name: productOf(price).productName };
    },

    /** Finds a price by its lookup key, the package ID. Undefined if it is not the item's monthly price. */
    async find(item: Item): Promise<PackagePrice | undefined> {
      const known = await latest(item.id);
      return known && isPriceOf(item, known) ? { id: known.id, ...productOf(known), created: false } : undefined;
    },

    /** Replaces an archived or different price with a new one of the same product, which gets the item's name. */
    findOrCreate: (item: Item) => findOrCreate(item),
  };
}

function productOf({ product }: Stripe.Price) {
  if (typeof product === "string") return { product, productName: null };
  return { product: product.id, productName: product.deleted ? null : product.name };
}

function isPriceOf(item: Item, { active, currency, recurring, unit_amount }: Stripe.Price): boolean {
  const isMonthly = recurring?.interval === "month" && recurring.interval_count === 1;
  return active && isMonthly && currency === "usd" && unit_amount === item.price_cents;
}
