import type Stripe from "stripe";
import { findProblem, isRecord } from "../schema/check";
import { definition, resolve, type Schema } from "../schema/schema";

/** A type of the `stripe` package as an object is kept and sent: other objects by their id, decimals as text. */
export type Stored<T> = string extends T
  ? Extract<T, string | null | undefined>
  : T extends Stripe.Decimal
    ? string
    : T extends (infer Item)[]
      ? Stored<Item>[]
      : T extends object
        ? { [Name in keyof T]: Stored<T[Name]> }
        : T;

type Types = {
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

/** Fields that may be null can be left out, at any depth. */
export type Given<T> = T extends string
  ? T
  : T extends (infer Item)[]
    ? Given<Item>[]
    : T extends object
      ? { [Name in keyof T as null extends T[Name] ? never : Name]: Given<T[Name]> } & {
          [Name in keyof T as null extends T[Name] ? Name : never]?: Given<T[Name]>;
        }
      : T;

/** An object with every field that Stripe sends; throws when one that cannot be null is missing, or one is unknown. */
export function complete<K extends Kind>(kind: K, given: Given<ObjectOf<K>>): ObjectOf<K> {
  const completed = withNulls(definition(kind), given);
  if (isObject(kind, completed)) return completed;
  const problem = findProblem(definition(kind), completed);
  throw new Error(`Not a ${kind} of Stripe's: ${problem?.kind} ${problem?.path.join(".")}`);
}

/** Whether a value has the fields of this type, all of them and no other. */
export function isObject<K extends Kind>(kind: K, value: unknown): value is ObjectOf<K> {
  return findProblem(definition(kind), value) === undefined;
}

function withNulls(given: Schema, value: unknown): unknown {
  const schema = resolve(given);
  if (Array.isArray(value)) {
    const list = optionsOf(schema).find(({ items }) => items !== undefined);
    return value.map((item) => withNulls(list?.items ?? {}, item));
  }
  if (!isRecord(value)) return value;
  const { properties = {}, required = [] } = optionsOf(schema).find((one) => one.properties !== undefined) ?? {};
  const nulls = required.filter((name) => value[name] === undefined && optionsOf(properties[name] ?? {}).some(isNull));
  return Object.fromEntries([
    ...nulls.map((name) => [name, null]),
    ...Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([name, item]) => [name, withNulls(properties[name] ?? {}, item)]),
  ]);
}

const isNull = ({ type }: Schema) => type === "null";

function optionsOf(given: Schema): Schema[] {
  const schema = resolve(given);
  return schema.anyOf?.map(resolve) ?? [schema];
}
