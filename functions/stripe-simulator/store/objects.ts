import type Stripe from "stripe";

/** A `stripe` type as it is stored and sent: IDs in place of other objects, decimals as text. */
type Stored<T> = string extends T
  ? Extract<T, string | null | undefined>
  : T extends Stripe.Decimal
    ? string
    : T extends (infer Item)[]
      ? Stored<Item>[]
      : T extends object
        ? { [Name in keyof T]: Stored<T[Name]> }
        : T;

export type Objects = {
  Configuration: Stored<Stripe.BillingPortal.Configuration>;
  Customer: Stored<Stripe.Customer>;
  DeletedCustomer: Stored<Stripe.DeletedCustomer>;
  Event: Stored<Omit<Stripe.EventBase, "data">> & { data: { object: object; previous_attributes?: object } };
  Invoice: Stored<Stripe.Invoice>;
  PaymentMethod: Stored<Stripe.PaymentMethod>;
  Price: Stored<Stripe.Price>;
  Product: Stored<Stripe.Product>;
  SetupIntent: Stored<Stripe.SetupIntent>;
  Subscription: Stored<Stripe.Subscription>;
  TestClock: Stored<Stripe.TestHelpers.TestClock>;
  WebhookEndpoint: Stored<Stripe.WebhookEndpoint>;
};

export type Kind = keyof Objects;
export type Customer = Objects["Customer"];
export type Event = Objects["Event"];
export type Invoice = Objects["Invoice"];
export type PaymentMethod = Objects["PaymentMethod"];
export type Price = Objects["Price"];
export type Product = Objects["Product"];
export type SetupIntent = Objects["SetupIntent"];
export type Subscription = Objects["Subscription"];

/** After an update of the `stripe` package, this does not compile until it is changed too. */
export const API_VERSION: typeof Stripe.API_VERSION = "2026-10-28.endive";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

export function newId(prefix: string, length = 24): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return `${prefix}_${[...bytes].map((byte) => ALPHABET[byte % ALPHABET.length]).join("")}`;
}

export function nulls<Name extends string>(...names: Name[]): Record<Name, null> {
  return Object.assign({}, ...names.map((name) => ({ [name]: null })));
}

/** The fields of each parameter that was given, nested objects merged and lists replaced. */
export type Changes<T> = { [N in keyof T]?: T[N] extends unknown[] | null | undefined ? T[N] : Changes<T[N]> };

export function merge<T extends object>(known: T, given: Changes<T>): T {
  const merged = structuredClone(known);
  mergeInto(merged, given);
  return merged;
}

function mergeInto(target: object, given: object): void {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const before: unknown = Reflect.get(target, name);
    if (isRecord(before) && isRecord(value)) mergeInto(before, value);
    else Reflect.set(target, name, value);
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function ownerOf(object: object): string | null {
  if (!isRecord(object)) return null;
  if (object.object === "customer") return String(object.id);
  if (object.object === "event") return isRecord(object.data) ? ownerOf(Object(object.data.object)) : null;
  return typeof object.customer === "string" ? object.customer : null;
}

export function previousAttributes(before: object, after: object): Record<string, unknown> | undefined {
  const changed = Object.entries(before).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(after, name)),
  );
  return changed.length > 0 ? Object.fromEntries(changed) : undefined;
}
