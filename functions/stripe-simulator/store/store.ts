import type { SqlStorage } from "@cloudflare/workers-types";
import * as z from "zod/mini";
import { isRecord } from "../schema/check";
import { isObject, type Kind, type ObjectOf } from "./objects";
import { PLACEHOLDER_PRICES } from "./placeholder-prices";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS stripe_objects (id TEXT PRIMARY KEY, kind TEXT NOT NULL, customer TEXT, body TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS stripe_objects_of ON stripe_objects (kind, customer);
  CREATE TABLE IF NOT EXISTS cards (payment_method TEXT PRIMARY KEY, number TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS due (subscription TEXT PRIMARY KEY, clock TEXT NOT NULL, at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS kept_answers (
    idempotency_key TEXT PRIMARY KEY, request TEXT NOT NULL, status INTEGER NOT NULL, body TEXT NOT NULL,
    at INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS deliveries (
    event TEXT PRIMARY KEY, body TEXT NOT NULL, attempts INTEGER NOT NULL, due INTEGER NOT NULL
  );
  CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (due);
  CREATE TABLE IF NOT EXISTS received (
    id TEXT PRIMARY KEY, channel TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (channel, key)
  );
`;

const text = z.string();
const number = z.number();

export type Answer = { request: string; status: number; body: string; at: number };
export type Delivery = { event: string; body: string; attempts: number; due: number };
/** `at`: seconds, on the clock that it was asked for. */
export type Due = { subscription: string; at: number };
export type Channel = "mailbox" | "console";
export type Received = { id: string; body: string };

export type Store = ReturnType<typeof storeIn>;

export function storeIn(sql: SqlStorage) {
  sql.exec(SCHEMA);

  const rows = <S extends z.core.$ZodLooseShape>(shape: S, query: string, ...values: (string | number)[]) =>
    z.array(z.object(shape)).parse(sql.exec(query, ...values).toArray());

  function parse<K extends Kind>(kind: K, body: string): ObjectOf<K> {
    const object: unknown = JSON.parse(body);
    if (isKept(kind, object)) return object;
    throw new Error(`A ${kind} in the store is not one of Stripe's: delete .wrangler/state`);
  }

  const store = {
    save<K extends Kind>(kind: K, object: ObjectOf<K>): ObjectOf<K> {
      if (!isObject(kind, object)) throw new Error(`Not a ${kind} of Stripe's`);
      const values = [object.id, kind, ownerOf(object), JSON.stringify(object)];
      sql.exec(
        `INSERT INTO stripe_objects (id, kind, customer, body) VALUES (?, ?, ?, ?) ON CONFLICT (id)
         DO UPDATE SET kind = excluded.kind, customer = excluded.customer, body = excluded.body`,
        ...values,
      );
      return object;
    },
    find<K extends Kind>(kind: K, id: string): ObjectOf<K> | undefined {
      const [found] = rows({ body: text }, "SELECT body FROM stripe_objects WHERE id = ? AND kind = ?", id, kind);
      return found && parse(kind, found.body);
    },
    /** Events, newest first, of one customer or all. */
    list<K extends Kind>(kind: K, customer?: string, email?: string): ObjectOf<K>[] {
      const values = [customer, email].filter((value) => value !== undefined);
      const where = `${customer === undefined ? "" : "AND customer = ?"} ${email === undefined ? "" : "AND body ->> 'email' = ?"}`;
      const query = `SELECT body FROM stripe_objects WHERE kind = ? ${where} ORDER BY rowid DESC`;
      return rows({ body: text }, query, kind, ...values).map(({ body }) => parse(kind, body));
    },

    saveCardNumber(method: string, number: string): void {
      sql.exec("INSERT INTO cards (payment_method, number) VALUES (?, ?)", method, number);
    },
    cardNumber: (method: string): string | undefined =>
      rows({ number: text }, "SELECT number FROM cards WHERE payment_method = ?", method)[0]?.number,

    /** Schedules a subscription's next step; null for none. */
    saveDue(subscription: string, clock: string, at: number | null): void {
      sql.exec("DELETE FROM due WHERE subscription = ?", subscription);
      if (at === null) return;
      sql.exec("INSERT INTO due (subscription, clock, at) VALUES (?, ?, ?)", subscription, clock, at);
    },
    nextDue: (clock: string): Due | undefined =>
      rows(
        { subscription: text, at: number },
        "SELECT subscription, at FROM due WHERE clock = ? ORDER BY at, rowid LIMIT 1",
        clock,
      )[0],

    setting: (name: string): number =>
      rows({ value: number }, "SELECT value FROM settings WHERE name = ?", name)[0]?.value ?? 0,
    settings: (prefix: string) =>
      rows({ name: text, value: number }, "SELECT * FROM settings WHERE substr(name, 1, ?) = ?", prefix.length, prefix),
    saveSetting(name: string, value: number): void {
      sql.exec("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", name, value);
    },

    saveAnswer(key: string, { request, status, body, at }: Answer): void {
      sql.exec("INSERT OR REPLACE INTO kept_answers VALUES (?, ?, ?, ?, ?)", key, request, status, body, at);
    },
    answer(key: string): Answer | undefined {
      const columns = { request: text, status: number, body: text, at: number };
      return rows(columns, "SELECT * FROM kept_answers WHERE idempotency_key = ?", key)[0];
    },

    /** Keeps the first with each key. */
    receive(channel: Channel, key: string, { id, body }: Received): void {
      sql.exec("INSERT INTO received VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", id, channel, key, body);
    },
    receivedUnder: (channel: Channel, key: string): Received | undefined =>
      rows({ id: text, body: text }, "SELECT * FROM received WHERE channel = ? AND key = ?", channel, key)[0],
    received: (channel: Channel): Received[] =>
      rows({ id: text, body: text }, "SELECT * FROM received WHERE channel = ? ORDER BY rowid DESC", channel),

    saveDelivery({ event, body, attempts, due }: Delivery): void {
      sql.exec("INSERT OR REPLACE INTO deliveries VALUES (?, ?, ?, ?)", event, body, attempts, due);
    },
    removeDelivery(event: string): void {
      sql.exec("DELETE FROM deliveries WHERE event = ?", event);
    },
    dueDeliveries: (now: number, most: number): Delivery[] =>
      rows(
        { event: text, body: text, attempts: number, due: number },
        "SELECT * FROM deliveries WHERE due <= ? ORDER BY due, rowid LIMIT ?",
        now,
        most,
      ),
    nextDelivery: (): number | undefined =>
      rows({ due: number }, "SELECT due FROM deliveries ORDER BY due LIMIT 1")[0]?.due,
  };
  for (const [price, product] of PLACEHOLDER_PRICES) {
    if (store.find("Product", product.id)) continue;
    store.save("Product", product);
    store.save("Price", price);
  }
  return store;
}

/** `save` has checked the fields. */
function isKept<K extends Kind>(_: K, object: unknown): object is ObjectOf<K> {
  return isRecord(object) && typeof object.id === "string";
}

export function ownerOf(object: object): string | null {
  if ("data" in object && isRecord(object.data)) return ownerOf(Object(object.data.object));
  if ("customer" in object && typeof object.customer === "string") return object.customer;
  return "object" in object && object.object === "customer" && "id" in object ? String(object.id) : null;
}
