import * as z from "zod";
import type { Effects } from "../store/events";
import { isRecord, type Kind, type Objects } from "../store/objects";
import type { Store } from "../store/store";
import { invalidRequest } from "./errors";
import { type Form, integer, readParameters, text } from "./parameters";
import { taxOf } from "./tax-location";

export type KeyKind = "secret" | "publishable";

export type Call = Effects & {
  id: string;
  key: KeyKind;
  origin: string;
};

export type Operation = {
  method: string;
  path: string;
  isPublic: boolean;
  /** Validates the parameters. Throws StripeFailure before anything is executed. */
  validate(form: Form): Execute;
};

type Execute = (call: Call) => object;

/** An operation of Stripe's API. @param name method and path, for example `POST /v1/customers/:id` */
export function operation<Shape extends z.ZodRawShape>(
  name: `${"GET" | "POST" | "DELETE"} /v1/${string}`,
  shape: Shape,
  handle: (given: z.output<z.ZodObject<Shape, z.core.$strict>>, call: Call) => object,
  isPublic = false,
): Operation {
  const [method = "", path = ""] = name.split(" ");
  const schema = z.strictObject(shape);
  const validate = (form: Form): Execute => {
    const given = readParameters(schema, form);
    return (call) => handle(given, call);
  };
  return { method, path, isPublic, validate };
}

export function retrieval(path: `/v1/${string}/:id`, kind: Kind): Operation {
  return operation(`GET ${path}`, {}, (_, { store, id }) => {
    const found = store.find(kind, id) ?? (kind === "Customer" && store.find("DeletedCustomer", id));
    return found || missing(kind, id);
  });
}

/** https://docs.stripe.com/api/pagination */
const paged = z.object({
  limit: integer.pipe(z.number().min(1).max(100)).default(10),
  starting_after: text.optional(),
});

/** A list, newest first. @param filters readers of the parameters that objects must match */
export function listing<K extends Kind, Shape extends z.ZodRawShape>(
  path: `/v1/${string}`,
  kind: K,
  filters: Shape,
  isWanted: (object: Objects[K], given: z.output<z.ZodObject<Shape, z.core.$strict>>) => boolean = hasFields,
): Operation {
  const schema = z.strictObject(filters);
  const validate = ({ limit, starting_after, ...rest }: Form): Execute => {
    const page = readParameters(paged, { limit, starting_after });
    const given = readParameters(schema, rest);
    return ({ store }) => {
      const found = store.list(kind, rest.customer).filter((one) => isWanted(one, given));
      const last = page.starting_after && existing(kind, page.starting_after, store, "starting_after").id;
      const next = found.slice(found.findIndex(({ id }) => id === last) + 1);
      return { object: "list", url: path, has_more: next.length > page.limit, data: next.slice(0, page.limit) };
    };
  };
  return { method: "GET", path, isPublic: false, validate };
}

const hasFields = (object: object, wanted: object) =>
  Object.entries(wanted).every(([name, value]) => value === undefined || Reflect.get(object, name) === value);

/** Finds an object or throws StripeFailure. @param param the parameter that named it: a 400, or a 404 for `id` in the path */
export function existing<K extends Kind>(kind: K, id: string, store: Store, param = "id"): Objects[K] {
  return store.find(kind, id) ?? missing(kind, id, param);
}

export function missing(kind: Kind, id: string, param = "id"): never {
  const message = `No such ${kind.toLowerCase()}: '${id}'`;
  throw invalidRequest(message, { code: "resource_missing", param, status: param === "id" ? 404 : 400 });
}

const MOST_LEVELS = 4;

const EXPANDABLE: Record<string, Kind> = {
  customer: "Customer",
  default_payment_method: "PaymentMethod",
  latest_invoice: "Invoice",
  payment_method: "PaymentMethod",
  product: "Product",
};

/** Replaces IDs with their objects: https://docs.stripe.com/api/expanding_objects; throws StripeFailure 400. */
export function expand(value: unknown, path: string, store: Store): unknown {
  const names = path.split(".");
  if (names.length <= MOST_LEVELS) return expandAt(value, names, path, store);
  const message = `You cannot expand more than ${MOST_LEVELS} levels of a property. Property: ${path}`;
  throw invalidRequest(message, { param: "expand" });
}

function expandAt(value: unknown, [name, ...rest]: string[], path: string, store: Store): unknown {
  if (name === undefined || value === null || (isRecord(value) && value.deleted)) return value;
  if (Array.isArray(value)) return value.map((item) => expandAt(item, [name, ...rest], path, store));
  if (name === "tax" && isRecord(value) && value.object === "customer") {
    return { ...value, tax: taxOf(store.find("Customer", String(value.id)) ?? { address: null }) };
  }
  const known = isRecord(value) ? value[name] : undefined;
  const kind = EXPANDABLE[name];
  const isObject = known === null || Array.isArray(known) || (isRecord(known) && rest.length > 0);
  if (!isRecord(value) || !(isObject || (kind && typeof known === "string"))) {
    throw invalidRequest(`This property cannot be expanded (${path}).`, { param: "expand" });
  }
  const found = kind && typeof known === "string" ? (store.find(kind, known) ?? { id: known, deleted: true }) : known;
  return { ...value, [name]: expandAt(found, rest, path, store) };
}
