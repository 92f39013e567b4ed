import type { FoundOperation } from "../schema/schema";
import type { Kind, ObjectOf } from "../store/objects";
import type { Store } from "../store/store";
import { invalidRequest, noSuch } from "./errors";
import { kindOf } from "./expand";

/** The kind's name and parameter in Stripe's error messages. */
const NAMES: Record<string, [name: string, param: string]> = {
  PaymentMethod: ["PaymentMethod", "payment_method"],
  SetupIntent: ["setupintent", "intent"],
  TestClock: ["test clock", "id"],
  WebhookEndpoint: ["webhook endpoint", "id"],
};

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
    // Stripe lists canceled subscriptions only for `status=all` or `canceled`.
    .filter(
      (one) => status !== undefined || !("status" in one && one.status === "canceled" && kind === "Subscription"),
    );
  return page(name.replace("GET ", ""), found, given);
}

export function existing<K extends Kind>(kind: K, id: string, store: Store): ObjectOf<K> {
  const found = store.find(kind, id);
  if (found) return found;
  throw missing(kind, id);
}

export function missing(kind: string, id: string) {
  const [name, param] = NAMES[kind] ?? [kind.toLowerCase(), "id"];
  return noSuch(name, id, param);
}

export function page<T extends { id: string }>(url: string, found: T[], given: object) {
  const { limit = 10, starting_after }: { limit?: number; starting_after?: string } = given;
  if (limit < 1 || limit > 100) throw invalidRequest("Invalid limit: must be between 1 and 100", { param: "limit" });
  const before = found.findIndex(({ id }) => id === starting_after);
  if (starting_after !== undefined && before === -1) throw noSuch("object", starting_after, "starting_after", 400);
  const rest = found.slice(before + 1);
  return { object: "list" as const, url, has_more: rest.length > limit, data: rest.slice(0, limit) };
}

function isWanted(object: object, given: object): boolean {
  return Object.entries(given).every(([name, wanted]) => {
    if (wanted === undefined || ["limit", "starting_after", "expand"].includes(name)) return true;
    if (name === "lookup_keys") return wanted.includes(fieldOf(object, "lookup_key"));
    if (name === "types") return wanted.includes(fieldOf(object, "type"));
    if (name === "created") return isWithin(Number(fieldOf(object, name)), wanted);
    return fieldOf(object, name) === wanted;
  });
}

/** https://docs.stripe.com/api/events/list#list_events-created */
function isWithin(time: number, wanted: number | { gt?: number; gte?: number; lt?: number; lte?: number }): boolean {
  if (typeof wanted === "number") return time === wanted;
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = wanted;
  return time > gt && time >= gte && time < lt && time <= lte;
}

/** A filterable field; `subscription` is read from `parent`. */
function fieldOf(object: object, name: string): unknown {
  if (name in object) return Reflect.get(object, name);
  if ("parent" in object && name === "subscription") return subscriptionOf(object);
  throw new Error(`it cannot list by ${name}`);
}

function subscriptionOf({ parent }: { parent: unknown }): unknown {
  return Reflect.get(Object(Reflect.get(Object(parent), "subscription_details")), "subscription");
}
