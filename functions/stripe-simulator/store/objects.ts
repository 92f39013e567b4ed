import type Stripe from "stripe";
import { findProblem } from "../schema/check";
import { fill, mergeFields } from "../schema/fill";
import { definition } from "../schema/schema";
import type { Part, Stored } from "../schema/stored";

type Types = {
  Configuration: Stored<Stripe.BillingPortal.Configuration>;
  Customer: Stored<Stripe.Customer>;
  DeletedCustomer: Stored<Stripe.DeletedCustomer>;
  Event: Stored<Omit<Stripe.EventBase, "data">> & { data: { object: object; previous_attributes?: object } };
  Invoice: Stored<Stripe.Invoice>;
  PaymentMethod: Stored<Stripe.PaymentMethod>;
  Price: Stored<Stripe.Price>;
  Product: Stored<Stripe.Product>;
  Refund: Stored<Stripe.Refund>;
  SetupIntent: Stored<Stripe.SetupIntent>;
  Subscription: Stored<Stripe.Subscription>;
  TestClock: Stored<Stripe.TestHelpers.TestClock>;
  WebhookEndpoint: Stored<Stripe.WebhookEndpoint>;
};

export type Kind = keyof Types;
export type ObjectOf<K extends Kind> = Types[K];

export type Customer = Types["Customer"];
export type Event = Types["Event"];
export type Invoice = Types["Invoice"];
export type PaymentMethod = Types["PaymentMethod"];
export type Price = Types["Price"];
export type Product = Types["Product"];
export type SetupIntent = Types["SetupIntent"];
export type Subscription = Types["Subscription"];
export type TestClock = Types["TestClock"];

/** An object with all fields that Stripe sends, empty where not given. Throws if one without an empty value is missing. */
export function make<K extends Kind>(kind: K, given: Part<ObjectOf<K>>): ObjectOf<K> {
  const made = fill(definition(kind), given);
  if (isObject(kind, made)) return made;
  const problem = findProblem(definition(kind), made);
  throw new Error(`Not a ${kind} of Stripe's: ${problem?.kind} ${problem?.path.join(".")}`);
}

/** An object after a call: each parameter sets the field of its name; an empty text unsets it. Throws for any other. */
export function merge<K extends Kind>(kind: K, known: ObjectOf<K>, given: object): ObjectOf<K> {
  const merged = mergeFields(definition(kind), known, given);
  if (isObject(kind, merged)) return merged;
  throw new Error(`it cannot make a ${kind} of these parameters`);
}

export function isObject<K extends Kind>(kind: K, value: unknown): value is ObjectOf<K> {
  return findProblem(definition(kind), value) === undefined;
}

export function previousAttributes(before: object, after: object): Record<string, unknown> | undefined {
  const changed = Object.entries(before).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(after, name)),
  );
  return changed.length > 0 ? Object.fromEntries(changed) : undefined;
}
