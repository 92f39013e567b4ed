import { newId } from "../../store/ids";
import { make, merge } from "../../store/objects";
import { monthlyPrice } from "../../store/placeholder-prices";
import { invalidRequest, missingParameter, noSuch } from "../errors";
import type { Handlers } from "../operation-context";

export const prices = {
  "POST /v1/products": ({ expand: _, ...given }, { store, now, emit }) => {
    if (given.id !== undefined && store.find("Product", given.id)) {
      throw invalidRequest("Product already exists.", { code: "resource_already_exists", param: "id" });
    }
    const times = { created: now(), updated: now() };
    const blank = make("Product", { id: newId("prod", 14), active: true, name: given.name, type: "service", ...times });
    const product = store.save("Product", merge("Product", blank, given));
    emit("product.created", product);
    return product;
  },

  "POST /v1/prices": ({ expand: _, transfer_lookup_key, recurring, ...given }, { store, now, emit }) => {
    const { product, unit_amount, lookup_key, currency } = given;
    if (product === undefined) throw missingParameter("product");
    if (unit_amount === undefined) throw missingParameter("unit_amount");
    const { interval, interval_count = 1 } = recurring ?? {};
    if ((interval !== "month" && interval !== "year") || interval_count !== 1) {
      throw new Error("it has only prices for each month or year");
    }
    if (!/^[a-z]{3}$/.test(currency)) throw invalidRequest(`Invalid currency: ${currency}.`, { param: "currency" });
    if (!store.find("Product", product)) throw noSuch("product", product, "product", 400);
    const holder = store.list("Price").find((one) => one.active && one.lookup_key === (lookup_key ?? one.id));
    if (holder && !transfer_lookup_key) {
      throw invalidRequest(
        `A price (\`${holder.id}\`) already uses that lookup key. To transfer it, set \`transfer_lookup_key\`.`,
        { param: "lookup_key" },
      );
    }
    if (holder) store.save("Price", { ...holder, lookup_key: null });
    const blank = monthlyPrice({ id: newId("price"), created: now(), product, unit_amount });
    const price = store.save("Price", merge("Price", blank, { ...given, recurring: { ...blank.recurring, interval } }));
    emit("price.created", price);
    return price;
  },
} satisfies Partial<Handlers>;
