import { invalidRequest } from "../api/errors";
import type { Kind } from "../store/objects";
import type { Store } from "../store/store";
import { isRecord } from "./check";
import { resolve, type Schema } from "./schema";

/** Puts objects in the place of their ids: https://docs.stripe.com/api/expanding_objects; throws StripeFailure 400. */
export function expand(answer: object, schema: Schema, paths: string[], store: Store): unknown {
  return paths.reduce<unknown>((value, path) => expandAt(value, schema, path.split("."), path, store), answer);
}

function expandAt(value: unknown, schema: Schema, [name, ...rest]: string[], path: string, store: Store): unknown {
  if (name === undefined || value === null) return value;
  const options = optionsOf(schema);
  if (Array.isArray(value)) {
    const items = options.find((option) => option.items)?.items ?? {};
    return value.map((item) => expandAt(item, items, [name, ...rest], path, store));
  }
  const property = options.map(({ properties }) => properties?.[name]).find((found) => found !== undefined);
  const kind = property?.anyOf?.find(({ $ref }) => $ref !== undefined && !$ref.includes("Deleted"))?.$ref;
  const isLast = rest.length === 0;
  if (!property || !isRecord(value) || (isLast && kind === undefined)) {
    throw invalidRequest(`This property cannot be expanded (${path}).`, { param: "expand" });
  }
  const known = value[name];
  const found = typeof known === "string" && kind !== undefined ? load(kind, known, store) : known;
  return { ...value, [name]: expandAt(found, property, rest, path, store) };
}

function load(reference: string, id: string, store: Store): object {
  const kind = KINDS.find((one) => reference.endsWith(`/${one}`));
  const found = kind && store.find(kind, id);
  const deleted = kind === "Customer" ? store.find("DeletedCustomer", id) : undefined;
  if (found ?? deleted) return found ?? deleted ?? {};
  throw new Error(`it has no ${reference} ${id} to expand`);
}

const KINDS: Kind[] = [
  "Customer",
  "Invoice",
  "PaymentMethod",
  "Price",
  "Product",
  "SetupIntent",
  "Subscription",
  "TestClock",
];

function optionsOf(schema: Schema): Schema[] {
  const resolved = resolve(schema);
  return resolved.anyOf?.map(resolve) ?? [resolved];
}
