import type { SqlStorage } from "@cloudflare/workers-types";
import * as z from "zod/mini";
import { MONTHLY_PRICES } from "../../app/contract/plan-prices";
import {
  type AccountSetting,
  accountSetting,
  type Customer,
  customer,
  type PaymentMethod,
  type Price,
  type Product,
  paymentMethod,
  price,
  product,
  type SetupIntent,
  type Subscription,
  setupIntent,
  subscription,
} from "./objects";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS objects (id TEXT PRIMARY KEY, body TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS cards (payment_method TEXT PRIMARY KEY, number TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS answers (
    idempotency_key TEXT PRIMARY KEY, request TEXT NOT NULL, status INTEGER NOT NULL, body TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS deliveries (
    event TEXT PRIMARY KEY, body TEXT NOT NULL, attempts INTEGER NOT NULL, due INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS received (
    id TEXT PRIMARY KEY, channel TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (channel, key)
  );
`;

/** The placeholder prices of the first migration. */
const CATALOGUE = Object.entries(MONTHLY_PRICES).map(([name, dollars]) => {
  const id = `price_${name.toLowerCase()}`;
  return {
    id,
    body: {
      id,
      object: "price",
      active: true,
      created: 0,
      currency: "usd",
      livemode: false,
      lookup_key: null,
      metadata: {},
      product: "prod_citewell",
      recurring: { interval: "month", interval_count: 1 },
      type: "recurring",
      unit_amount: dollars * 100,
    },
  };
});

const bodies = z.array(z.object({ body: z.string() }));
const answers = z.array(z.object({ request: z.string(), status: z.number(), body: z.string() }));
const numbers = z.array(z.object({ number: z.string() }));
const received = z.array(z.object({ id: z.string(), body: z.string() }));
const deliveries = z.array(z.object({ event: z.string(), body: z.string(), attempts: z.number(), due: z.number() }));

export type Answer = z.output<typeof answers>[number];
export type Delivery = z.output<typeof deliveries>[number];

export type Channel = "mailbox" | "console";
export type Received = z.output<typeof received>[number];

export type Store = ReturnType<typeof storeIn>;

export function storeIn(sql: SqlStorage) {
  sql.exec(SCHEMA);
  for (const { id, body } of CATALOGUE) {
    sql.exec("INSERT INTO objects (id, body) VALUES (?, ?) ON CONFLICT DO NOTHING", id, JSON.stringify(body));
  }

  function find<T extends z.ZodMiniType>(schema: T, id: string): z.output<T> | undefined {
    const [found] = bodies.parse(sql.exec("SELECT body FROM objects WHERE id = ?", id).toArray());
    return found && schema.parse(JSON.parse(found.body));
  }

  function list<T extends z.ZodMiniType>(schema: T, prefix: string): z.output<T>[] {
    const rows = sql.exec("SELECT body FROM objects WHERE id GLOB ? ORDER BY rowid DESC", `${prefix}_*`);
    return bodies.parse(rows.toArray()).map(({ body }) => schema.parse(JSON.parse(body)));
  }

  return {
    save(object: AccountSetting | Customer | PaymentMethod | Price | Product | SetupIntent | Subscription): void {
      sql.exec(
        "INSERT INTO objects (id, body) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body",
        object.id,
        JSON.stringify(object),
      );
    },
    customer: (id: string) => find(customer, id),
    paymentMethod: (id: string) => find(paymentMethod, id),
    price: (id: string) => find(price, id),
    setupIntent: (id: string) => find(setupIntent, id),
    subscription: (id: string) => find(subscription, id),

    /** The latest first. */
    customers: () => list(customer, "cus"),
    prices: () => list(price, "price"),
    products: () => list(product, "prod"),
    settings: (prefix: "we" | "bpc") => list(accountSetting, prefix),
    setupIntents: () => list(setupIntent, "seti"),
    subscriptions: () => list(subscription, "sub"),

    saveCardNumber(paymentMethodId: string, number: string): void {
      sql.exec("INSERT INTO cards (payment_method, number) VALUES (?, ?)", paymentMethodId, number);
    },
    cardNumber(paymentMethodId: string): string | undefined {
      const rows = sql.exec("SELECT number FROM cards WHERE payment_method = ?", paymentMethodId).toArray();
      return numbers.parse(rows)[0]?.number;
    },

    saveAnswer(key: string, { request, status, body }: Answer): void {
      sql.exec(
        "INSERT INTO answers (idempotency_key, request, status, body) VALUES (?, ?, ?, ?)",
        key,
        request,
        status,
        body,
      );
    },
    answer(key: string): Answer | undefined {
      const rows = sql.exec("SELECT request, status, body FROM answers WHERE idempotency_key = ?", key).toArray();
      return answers.parse(rows)[0];
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
}
