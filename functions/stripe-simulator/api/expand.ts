import type { StripeContext } from "./context";

/** An object with the ids that `expand` names replaced by their objects: https://docs.stripe.com/api/expanding_objects */
export function expanded(
  object: Record<string, unknown>,
  { form, store }: Pick<StripeContext["Variables"], "form" | "store">,
): object {
  const paths = typeof form.expand === "object" ? Object.values(form.expand) : [];
  const whole = structuredClone(object);
  const find = (id: string): unknown => {
    if (id.startsWith("cus_")) return store.customer(id);
    return id.startsWith("pm_") ? store.paymentMethod(id) : undefined;
  };
  for (const path of paths) {
    let place = whole;
    for (const name of String(path).split(".")) {
      const value = place[name];
      const found = typeof value === "string" ? find(value) : value;
      if (!isObject(found)) break;
      place[name] = found;
      place = found;
    }
  }
  return whole;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
