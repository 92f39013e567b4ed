import type { FoundOperation } from "../../stripe-schema/schema";
import type { Store } from "../store/store";
import { invalidRequest, noSuch } from "./errors";
import { kindOf } from "./expand";

/** Parameters of lists that are not called like the field. */
const FIELDS: Record<string, string> = { ids: "id", lookup_keys: "lookup_key", types: "type" };

/** How Stripe calls it in its message, and the parameter that names it. */
const NAMES: Record<string, [name: string, param: string]> = {
  PaymentMethod: ["PaymentMethod", "payment_method"],
  SetupIntent: ["setupintent", "intent"],
  TestClock: ["test clock", "id"],
};

/** Answers a retrieval or a list, the latest first. Throws StripeFailure. */
export function read({ name, answer, id }: FoundOperation, given: object, store: Store): object {
  const kind = kindOf(answer);
  if (name.endsWith(":id")) {
    const found = store.find(kind, id) ?? (kind === "Customer" && store.find("DeletedCustomer", id));
    if (!found) throw missing(kind, id);
    return found;
  }
  const { customer, status, ...filters }: { customer?: string; email?: string; status?: string } = given;
  const wanted = { ...filters, ...(customer !== undefined && { customer }), ...(status !== "all" && { status }) };
  const found = store
    .list(kind, customer, filters.email)
    .filter((one) => isWanted(one, wanted))
    // Of subscriptions, Stripe lists those that were canceled only when asked.
    .filter(
      (one) => status !== undefined || !("status" in one && one.status === "canceled" && kind === "Subscription"),
    );
  return page(name.replace("GET ", ""), found, given);
}

export function missing(kind: string, id: string) {
  const [name, param] = NAMES[kind] ?? [kind.toLowerCase(), "id"];
  return noSuch(name, id, param);
}

/** https://docs.stripe.com/api/pagination */
export function page<T extends { id: string }>(url: string, found: T[], given: object) {
  const { limit = 10, starting_after, ending_before }: Paging = given;
  if (limit < 1 || limit > 100) throw invalidRequest("Invalid limit: must be between 1 and 100", { param: "limit" });
  const place = (id: string, param: string) => {
    const index = found.findIndex((one) => one.id === id);
    if (index === -1) throw noSuch("object", id, param, 400);
    return index;
  };
  const start = starting_after === undefined ? 0 : place(starting_after, "starting_after") + 1;
  const rest = found.slice(start, ending_before === undefined ? undefined : place(ending_before, "ending_before"));
  const data = ending_before === undefined ? rest.slice(0, limit) : rest.slice(-limit);
  return { object: "list" as const, url, has_more: rest.length > limit, data };
}

type Paging = { limit?: number; starting_after?: string; ending_before?: string };

function isWanted(object: object, given: object): boolean {
  return Object.entries(given).every(([name, wanted]) => {
    if (wanted === undefined || ["limit", "starting_after", "ending_before", "expand"].includes(name)) return true;
    const value = fieldOf(object, FIELDS[name] ?? name);
    if (Array.isArray(wanted)) return wanted.includes(value);
    if (typeof wanted === "object") return isWithin(wanted, Number(value));
    return value === wanted;
  });
}

/** A field, or what stands for it where there is none. */
function fieldOf(object: object, name: string): unknown {
  if (name in object) return Reflect.get(object, name);
  if ("parent" in object && name === "subscription") return subscriptionOf(object);
  throw new Error(`it cannot list by ${name}`);
}

function subscriptionOf({ parent }: { parent: unknown }): unknown {
  return Reflect.get(Object(Reflect.get(Object(parent), "subscription_details")), "subscription");
}

function isWithin(range: { gt?: number; gte?: number; lt?: number; lte?: number }, time: number): boolean {
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = range;
  return time > gt && time >= gte && time < lt && time <= lte;
}
