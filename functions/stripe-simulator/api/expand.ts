import { isRecord } from "../schema/check";
import { optionsOf } from "../schema/fill";
import type { Schema } from "../schema/schema";
import type { Kind } from "../store/objects";
import type { Store } from "../store/store";
import { invalidRequest } from "./errors";

const MAX_LEVELS = 4;

/** Puts objects in the place of their ids: https://docs.stripe.com/api/expanding_objects; throws StripeFailure 400. */
export function expand(answer: object, schema: Schema, paths: string[], store: Store): unknown {
  const tooDeep = paths.find((path) => path.split(".").length > MAX_LEVELS);
  if (tooDeep !== undefined) {
    const message = `You cannot expand more than ${MAX_LEVELS} levels of a property. Property: ${tooDeep}`;
    throw invalidRequest(message, { param: "expand" });
  }
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
  const kind = property?.anyOf?.find(({ $ref }) => $ref !== undefined)?.$ref;
  const isLast = rest.length === 0;
  // Stripe omits optional fields unless they are expanded.
  const isOptional = options.some(({ properties, required }) => properties?.[name] && !required?.includes(name));
  if (!property || !isRecord(value) || (isLast && kind === undefined && !isOptional)) {
    throw invalidRequest(`This property cannot be expanded (${path}).`, { param: "expand" });
  }
  const known = value[name];
  const found = typeof known === "string" && kind !== undefined ? load(kind, known, store) : known;
  return { ...value, [name]: expandAt(found, property, rest, path, store) };
}

function load(reference: string, id: string, store: Store): object {
  const kind = kindOf({ $ref: reference });
  const found = store.find(kind, id) ?? (kind === "Customer" ? store.find("DeletedCustomer", id) : undefined);
  if (!found) throw new Error(`it has no ${kind} ${id} to expand`);
  return found;
}

const KINDS: Kind[] = [
  "Configuration",
  "Customer",
  "Event",
  "Invoice",
  "PaymentMethod",
  "Price",
  "Product",
  "Refund",
  "SetupIntent",
  "Subscription",
  "TestClock",
  "WebhookEndpoint",
];

export function kindOf(answer: Schema): Kind {
  const reference = answer.$ref ?? answer.anyOf?.[0]?.$ref ?? answer.properties?.data?.items?.$ref;
  const kind = KINDS.find((one) => reference === `#/$defs/${one}`);
  if (!kind) throw new Error("An answer of no known kind");
  return kind;
}
