import type Stripe from "stripe";

/** A `stripe` type as stored and sent: other objects by their IDs, decimals as text. */
export type Stored<T> = string extends T
  ? Extract<T, string | null | undefined>
  : T extends Stripe.Decimal
    ? string
    : T extends (infer Item)[]
      ? Stored<Item>[]
      : T extends object
        ? { [Name in keyof T]: Stored<T[Name]> }
        : T;

export type Part<T> = T extends string
  ? T
  : T extends (infer Item)[]
    ? Part<Item>[]
    : { [Name in keyof T]?: Part<T[Name]> };
