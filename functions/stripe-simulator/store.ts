import type { SqlStorage } from "@cloudflare/workers-types";
import * as z from "zod/mini";
import { type Customer, customer, type PaymentMethod, paymentMethod, type SetupIntent, setupIntent } from "./objects";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS objects (id TEXT PRIMARY KEY, body TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS cards (payment_method TEXT PRIMARY KEY, number TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS answers (
    idempotency_key TEXT PRIMARY KEY, request TEXT NOT NULL, status INTEGER NOT NULL, body TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS deliveries (
    event TEXT PRIMARY KEY, body TEXT NOT NULL, attempts INTEGER NOT NULL, due INTEGER NOT NULL
  );
`;

const bodies = z.array(z.object({ body: z.string() }));
const answers = z.array(z.object({ request: z.string(), status: z.number(), body: z.string() }));
const numbers = z.array(z.object({ number: z.string() }));
const deliveries = z.array(z.object({ event: z.string(), body: z.string(), attempts: z.number(), due: z.number() }));

export type Answer = z.output<typeof answers>[number];
export type Delivery = z.output<typeof deliveries>[number];
export type Store = ReturnType<typeof storeIn>;

/** Everything that the simulated account holds. All calls are synchronous. */
export function storeIn(sql: SqlStorage) {
  sql.exec(SCHEMA);

  function find<T extends z.ZodMiniType>(schema: T, id: string): z.output<T> | undefined {
    const [found] = bodies.parse(sql.exec("SELECT body FROM objects WHERE id = ?", id).toArray());
    return found && schema.parse(JSON.parse(found.body));
  }

  return {
    save(object: Customer | PaymentMethod | SetupIntent): void {
      sql.exec("INSERT OR REPLACE INTO objects (id, body) VALUES (?, ?)", object.id, JSON.stringify(object));
    },
    customer: (id: string) => find(customer, id),
    paymentMethod: (id: string) => find(paymentMethod, id),
    setupIntent: (id: string) => find(setupIntent, id),

    /** The setup intents of a customer, or all, the latest first. */
    setupIntents(customerId?: string): SetupIntent[] {
      const rows = sql.exec("SELECT body FROM objects WHERE id LIKE 'seti\\_%' ESCAPE '\\' ORDER BY rowid DESC");
      const all = bodies.parse(rows.toArray()).map(({ body }) => setupIntent.parse(JSON.parse(body)));
      return all.filter((intent) => customerId === undefined || intent.customer === customerId);
    },

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
