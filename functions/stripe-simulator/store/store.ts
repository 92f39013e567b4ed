import type { SqlStorage } from "@cloudflare/workers-types";
import * as z from "zod/mini";
import { isRecord } from "../../stripe-schema/check";
import { isObject, type Kind, type ObjectOf } from "./objects";
import { PLACEHOLDER_PRICES } from "./placeholder-prices";

/** An earlier simulator had a table `objects` with fewer fields. */
const SCHEMA = `
  DROP TABLE IF EXISTS objects;
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
  CREATE TABLE IF NOT EXISTS received (
    id TEXT PRIMARY KEY, channel TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (channel, key)
  );
`;

const bodies = z.array(z.object({ body: z.string() }));
const answers = z.array(z.object({ request: z.string(), status: z.number(), body: z.string(), at: z.number() }));
const numbers = z.array(z.object({ number: z.string() }));
const dueTimes = z.array(z.object({ subscription: z.string(), at: z.number() }));
const settings = z.array(z.object({ value: z.number() }));
const received = z.array(z.object({ id: z.string(), body: z.string() }));
const deliveries = z.array(z.object({ event: z.string(), body: z.string(), attempts: z.number(), due: z.number() }));

/** `at`: milliseconds. */
export type Answer = z.output<typeof answers>[number];
export type Delivery = z.output<typeof deliveries>[number];
/** `at`: seconds, on the clock that it was asked for. */
export type Due = z.output<typeof dueTimes>[number];

export type Channel = "mailbox" | "console";
export type Received = z.output<typeof received>[number];

export type Store = ReturnType<typeof storeIn>;

export function storeIn(sql: SqlStorage) {
  sql.exec(SCHEMA);

  function save<K extends Kind>(kind: K, object: ObjectOf<K>): ObjectOf<K> {
    if (!isObject(kind, object)) throw new Error(`Not a ${kind} of Stripe's`);
    sql.exec(
      "INSERT INTO stripe_objects (id, kind, customer, body) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, customer = excluded.customer, body = excluded.body",
      object.id,
      kind,
      ownerOf(object),
      JSON.stringify(object),
    );
    return object;
  }

  function parse<K extends Kind>(kind: K, body: string): ObjectOf<K> {
    const object: unknown = JSON.parse(body);
    if (isObject(kind, object)) return object;
    throw new Error(`A ${kind} in the store is not one of Stripe's: delete .wrangler/state`);
  }

  const store = {
    save,

    find<K extends Kind>(kind: K, id: string): ObjectOf<K> | undefined {
      const rows = sql.exec("SELECT body FROM stripe_objects WHERE id = ? AND kind = ?", id, kind).toArray();
      const [found] = bodies.parse(rows);
      return found && parse(kind, found.body);
    },

    /** The latest first; all, or a customer's. An event belongs to the customer that it is about. */
    list<K extends Kind>(kind: K, customer?: string): ObjectOf<K>[] {
      const where = customer === undefined ? "kind = ?" : "kind = ? AND customer = ?";
      const values = customer === undefined ? [kind] : [kind, customer];
      const rows = sql.exec(`SELECT body FROM stripe_objects WHERE ${where} ORDER BY rowid DESC`, ...values).toArray();
      return bodies.parse(rows).map(({ body }) => parse(kind, body));
    },

    saveCardNumber(paymentMethodId: string, number: string): void {
      sql.exec("INSERT INTO cards (payment_method, number) VALUES (?, ?)", paymentMethodId, number);
    },
    cardNumber(paymentMethodId: string): string | undefined {
      const rows = sql.exec("SELECT number FROM cards WHERE payment_method = ?", paymentMethodId).toArray();
      return numbers.parse(rows)[0]?.number;
    },

    /** When the clock has something to do for a subscription; never for null. */
    saveDue(subscription: string, clock: string, at: number | null): void {
      sql.exec("DELETE FROM due WHERE subscription = ?", subscription);
      if (at === null) return;
      sql.exec("INSERT INTO due (subscription, clock, at) VALUES (?, ?, ?)", subscription, clock, at);
    },
    nextDue(clock: string): Due | undefined {
      const rows = sql.exec("SELECT subscription, at FROM due WHERE clock = ? ORDER BY at, rowid LIMIT 1", clock);
      return dueTimes.parse(rows.toArray())[0];
    },

    setting(name: string): number {
      return settings.parse(sql.exec("SELECT value FROM settings WHERE name = ?", name).toArray())[0]?.value ?? 0;
    },
    saveSetting(name: string, value: number): void {
      sql.exec("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", name, value);
    },

    saveAnswer(key: string, { request, status, body, at }: Answer): void {
      sql.exec(
        "INSERT OR REPLACE INTO kept_answers (idempotency_key, request, status, body, at) VALUES (?, ?, ?, ?, ?)",
        key,
        request,
        status,
        body,
        at,
      );
    },
    answer(key: string): Answer | undefined {
      const rows = sql.exec("SELECT request, status, body, at FROM kept_answers WHERE idempotency_key = ?", key);
      return answers.parse(rows.toArray())[0];
    },

    /** Keeps the first with each key. */
    receive(channel: Channel, key: string, { id, body }: Received): void {
      sql.exec(
        "INSERT INTO received (id, channel, key, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        id,
        channel,
        key,
        body,
      );
    },
    receivedUnder(channel: Channel, key: string): Received | undefined {
      const rows = sql.exec("SELECT id, body FROM received WHERE channel = ? AND key = ?", channel, key).toArray();
      return received.parse(rows)[0];
    },
    /** The latest first. */
    received(channel: Channel): Received[] {
      const rows = sql.exec("SELECT id, body FROM received WHERE channel = ? ORDER BY rowid DESC", channel).toArray();
      return received.parse(rows);
    },

    saveDelivery({ event, body, attempts, due }: Delivery): void {
      sql.exec(
        "INSERT OR REPLACE INTO deliveries (event, body, attempts, due) VALUES (?, ?, ?, ?)",
        event,
        body,
        attempts,
        due,
      );
    },
    removeDelivery(event: string): void {
      sql.exec("DELETE FROM deliveries WHERE event = ?", event);
    },
    deliveries(): Delivery[] {
      return deliveries.parse(sql.exec("SELECT event, body, attempts, due FROM deliveries ORDER BY due").toArray());
    },
  };
  for (const price of PLACEHOLDER_PRICES) if (!store.find("Price", price.id)) save("Price", price);
  return store;
}

/** The customer of an object; of an event, that of its object. */
export function ownerOf(object: object): string | null {
  if ("data" in object && isRecord(object.data)) return ownerOf(Object(object.data.object));
  if ("customer" in object && typeof object.customer === "string") return object.customer;
  return "object" in object && object.object === "customer" && "id" in object ? String(object.id) : null;
}
