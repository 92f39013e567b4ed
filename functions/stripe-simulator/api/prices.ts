import { newId } from "../store/ids";
import { complete } from "../store/objects";
import { monthlyPrice } from "../store/placeholder-prices";
import type { Handlers } from "./context";
import { invalidRequest, noSuch } from "./errors";
import { isWithin, metadataAfter, page, refuseOthers } from "./lists";

/** https://docs.stripe.com/api/products and https://docs.stripe.com/api/prices */
export const prices = {
  "POST /v1/products": (given, { store, now, emit }) => {
    const { name, metadata, active = true, description, id, ...rest } = given;
    refuseOthers(rest);
    if (id !== undefined && store.find("Product", id)) {
      throw invalidRequest(`Product already exists.`, { code: "resource_already_exists", param: "id" });
    }
    const product = complete("Product", {
      id: id ?? newId("prod", 14),
      object: "product",
      active,
      created: now(),
      default_price: null,
      description: description ?? null,
      images: [],
      livemode: false,
      marketing_features: [],
      metadata: metadataAfter({}, metadata),
      name,
      type: "service",
      updated: now(),
    });
    store.save("Product", product);
    emit("product.created", product);
    return product;
  },

  "GET /v1/products": (given, { store }) => {
    const { active, ids, created, limit, starting_after, ending_before, ...rest } = given;
    refuseOthers(rest);
    const found = store
      .list("Product")
      .filter((one) => (active === undefined || one.active === active) && isWithin(created, one.created))
      .filter((one) => ids === undefined || ids.includes(one.id));
    return page("/v1/products", found, { limit, starting_after, ending_before });
  },

  "GET /v1/products/:id": (_, { store, id }) => {
    const found = store.find("Product", id);
    if (!found) throw noSuch("product", id);
    return found;
  },

  "POST /v1/products/:id": (given, { store, id, now, emit }) => {
    const { active, name, description, metadata, ...rest } = given;
    refuseOthers(rest);
    const found = store.find("Product", id);
    if (!found) throw noSuch("product", id);
    const product = store.save("Product", {
      ...found,
      active: active ?? found.active,
      name: name ?? found.name,
      description: description === undefined ? found.description : description || null,
      metadata: metadataAfter(found.metadata, metadata),
      updated: now(),
    });
    emit("product.updated", product, {});
    return product;
  },

  "POST /v1/prices": (given, { store, now, emit }) => {
    const { currency, lookup_key, metadata, nickname, product, recurring, transfer_lookup_key, unit_amount, ...rest } =
      given;
    refuseOthers(rest);
    if (product === undefined || unit_amount === undefined) {
      const param = product === undefined ? "product" : "unit_amount";
      throw invalidRequest(`Missing required param: ${param}.`, { code: "parameter_missing", param });
    }
    if (recurring?.interval !== "month" || (recurring.interval_count ?? 1) !== 1 || unit_amount < 0) {
      throw new Error("it has only monthly prices of one month");
    }
    if (!/^[a-z]{3}$/.test(currency)) {
      throw invalidRequest(`Invalid currency: ${currency}.`, { param: "currency" });
    }
    if (!store.find("Product", product)) throw noSuch("product", product, "product", 400);
    const holder = store
      .list("Price")
      .find((one) => one.active && one.lookup_key !== null && one.lookup_key === lookup_key);
    if (holder && !transfer_lookup_key) {
      throw invalidRequest(
        `A price (\`${holder.id}\`) already uses that lookup key. To transfer it, set \`transfer_lookup_key\`.`,
        { param: "lookup_key" },
      );
    }
    if (holder) store.save("Price", { ...holder, lookup_key: null });
    const price = complete(
      "Price",
      monthlyPrice({
        id: newId("price"),
        created: now(),
        currency,
        lookup_key: lookup_key ?? null,
        metadata: metadataAfter({}, metadata),
        nickname: nickname ?? null,
        product,
        unit_amount,
      }),
    );
    store.save("Price", price);
    emit("price.created", price);
    return price;
  },

  "GET /v1/prices": (given, { store }) => {
    const { active, lookup_keys, product, currency, type, limit, starting_after, ending_before, ...rest } = given;
    refuseOthers(rest);
    const found = store
      .list("Price")
      .filter((one) => (active === undefined || one.active === active) && (type === undefined || one.type === type))
      .filter((one) => (product === undefined || one.product === product) && (!currency || one.currency === currency))
      .filter((one) => lookup_keys === undefined || lookup_keys.includes(one.lookup_key ?? ""));
    return page("/v1/prices", found, { limit, starting_after, ending_before });
  },

  "GET /v1/prices/:id": (_, { store, id }) => {
    const found = store.find("Price", id);
    if (!found) throw noSuch("price", id);
    return found;
  },
} satisfies Partial<Handlers>;
