import * as z from "zod";
import type { Effects } from "../store/events";
import { isRecord, type Kind, type Objects } from "../store/objects";
import type { Store } from "../store/store";
import { invalidRequest, noSuch } from "./errors";
import { type Form, paged, readParameters } from "./parameters";

export type KeyKind = "secret" | "publishable";

export type Call = Effects & {
  /** From the path. */
  id: string;
  key: KeyKind;
  /** Where the simulator is. */
  origin: string;
  endpoint: { url: string; events: string[] };
};

export type Operation = {
  method: string;
  path: string;
  /** Stripe.js may call it. */
  isPublic: boolean;
  answer(form: Form, call: Call): object;
};

/**
 * An operation of Stripe's API that throws StripeFailure for what Stripe refuses.
 * @param name method and path, for example `POST /v1/customers/:id`
 */
export function operation<Shape extends z.ZodRawShape>(
  name: `${"GET" | "POST" | "DELETE"} /v1/${string}`,
  shape: Shape,
  handle: (given: z.output<z.ZodObject<Shape, z.core.$strict>>, call: Call) => object,
  isPublic = false,
): Operation {
  const [method = "", path = ""] = name.split(" ");
  const schema = z.strictObject(shape);
  return { method, path, isPublic, answer: (form, call) => handle(readParameters(schema, form), call) };
}

export function retrieval(path: `/v1/${string}/:id`, kind: Kind): Operation {
  return operation(`GET ${path}`, {}, (_, { store, id }) => {
    const found = store.find(kind, id) ?? (kind === "Customer" && store.find("DeletedCustomer", id));
    return found || missing(kind, id);
  });
}

/** A list, newest first. @param filters read the parameters whose field an object must have */
export function listing<K extends Kind, Shape extends z.ZodRawShape>(
  path: `/v1/${string}`,
  kind: K,
  filters: Shape,
  isWanted?: (object: Objects[K], given: z.output<z.ZodObject<Shape, z.core.$strict>>) => boolean,
): Operation {
  const schema = z.strictObject(filters);
  const read = (form: Form) => {
    const { limit, starting_after, ...rest } = form;
    const page = readParameters(z.strictObject(paged), {
      ...(limit && { limit }),
      ...(starting_after && { starting_after }),
    });
    return { page, given: readParameters(schema, rest) };
  };
  const answer: Operation["answer"] = (form, { store }) => {
    const { page, given } = read(form);
    const customer = typeof form.customer === "string" ? form.customer : undefined;
    const found = store.list(kind, customer).filter((one) => (isWanted ? isWanted(one, given) : hasFields(one, given)));
    return pageOf(path, found, page);
  };
  return { method: "GET", path, isPublic: false, answer };
}

const hasFields = (object: object, wanted: object) =>
  Object.entries(wanted).every(([name, value]) => value === undefined || Reflect.get(object, name) === value);

export function pageOf<T extends { id: string }>(
  url: string,
  found: T[],
  { limit = 10, starting_after }: { limit?: number; starting_after?: string },
) {
  if (limit < 1 || limit > 100) throw invalidRequest("Invalid limit: must be between 1 and 100", { param: "limit" });
  const before = found.findIndex(({ id }) => id === starting_after);
  if (starting_after !== undefined && before === -1) throw noSuch("object", starting_after, "starting_after", 400);
  const rest = found.slice(before + 1);
  return { object: "list", url, has_more: rest.length > limit, data: rest.slice(0, limit) };
}

export function existing<K extends Kind>(kind: K, id: string, store: Store): Objects[K] {
  return store.find(kind, id) ?? missing(kind, id);
}

/** The kind's name and parameter in Stripe's error messages. */
const NAMES: Record<string, [name: string, param: string]> = {
  PaymentMethod: ["PaymentMethod", "payment_method"],
  SetupIntent: ["setupintent", "intent"],
};

export function missing(kind: Kind, id: string): never {
  const [name, param] = NAMES[kind] ?? [kind.toLowerCase(), "id"];
  throw noSuch(name, id, param);
}

const MOST_LEVELS = 4;

/** IDs by the field that holds them. */
const EXPANDABLE: Record<string, Kind> = {
  customer: "Customer",
  default_payment_method: "PaymentMethod",
  latest_invoice: "Invoice",
  payment_method: "PaymentMethod",
  product: "Product",
};

/** Puts objects in the place of their IDs: https://docs.stripe.com/api/expanding_objects; throws StripeFailure 400. */
export function expand(value: unknown, path: string, store: Store): unknown {
  const names = path.split(".");
  if (names.length <= MOST_LEVELS) return expandAt(value, names, path, store);
  const message = `You cannot expand more than ${MOST_LEVELS} levels of a property. Property: ${path}`;
  throw invalidRequest(message, { param: "expand" });
}

function expandAt(value: unknown, [name, ...rest]: string[], path: string, store: Store): unknown {
  if (name === undefined || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => expandAt(item, [name, ...rest], path, store));
  const known = isRecord(value) ? value[name] : undefined;
  const kind = EXPANDABLE[name];
  const isObject = known === null || Array.isArray(known) || (isRecord(known) && rest.length > 0);
  if (!isRecord(value) || !(isObject || (kind && typeof known === "string"))) {
    throw invalidRequest(`This property cannot be expanded (${path}).`, { param: "expand" });
  }
  const found = kind && typeof known === "string" ? (store.find(kind, known) ?? deleted(known)) : known;
  return { ...value, [name]: expandAt(found, rest, path, store) };
}

const deleted = (id: string) => ({ id, deleted: true });
