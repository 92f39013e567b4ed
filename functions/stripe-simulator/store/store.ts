import * as z from "zod";
import { isRecord, type Kind, type Objects, ownerOf } from "./objects";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS objects (id TEXT PRIMARY KEY, kind TEXT NOT NULL, customer TEXT, body TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS objects_of ON objects (kind, customer);
  CREATE TABLE IF NOT EXISTS entries (
    kind TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, due INTEGER NOT NULL, PRIMARY KEY (kind, name)
  );
  CREATE INDEX IF NOT EXISTS entries_due ON entries (kind, due);
`;

/**
 * `card` is a payment method's number. `step` is a subscription's next step, due in seconds on the account's clock, or on a test clock
 * with that ID. `delivery` is an event to send, due in milliseconds of real time. `answer` is stored by idempotency key. `email` and `webhook` were received.
 */
export type Entry = "setting" | "card" | Steps | "delivery" | "answer" | "email" | "webhook";

export type Steps = "step" | `step of ${string}`;

const entry = z.object({ name: z.string(), value: z.string(), due: z.number() });

export type Store = ReturnType<typeof storeIn>;

type Sql = { exec(query: string, ...values: (string | number | null)[]): { toArray(): Record<string, unknown>[] } };

/** All state of the account: Stripe's objects by kind, and everything else as entries by kind and name. */
export function storeIn(sql: Sql) {
  sql.exec(SCHEMA);

  const bodies = <K extends Kind>(kind: K, where: string, ...values: string[]): Objects[K][] => {
    const rows = sql.exec(`SELECT body FROM objects WHERE kind = ? ${where}`, kind, ...values).toArray();
    return rows.map(({ body }) => JSON.parse(String(body))).filter((object) => isStored(kind, object));
  };
  const entries = (query: string, ...values: (string | number)[]) =>
    z.array(entry).parse(sql.exec(`SELECT name, value, due FROM entries ${query}`, ...values).toArray());

  return {
    save<K extends Kind>(kind: K, object: Objects[K]): Objects[K] {
      sql.exec(
        `INSERT INTO objects (id, kind, customer, body) VALUES (?, ?, ?, ?) ON CONFLICT (id)
         DO UPDATE SET kind = excluded.kind, customer = excluded.customer, body = excluded.body`,
        ...[object.id, kind, ownerOf(object), JSON.stringify(object)],
      );
      return object;
    },
    find: <K extends Kind>(kind: K, id: string | null | undefined): Objects[K] | undefined =>
      bodies(kind, "AND id = ?", id ?? "")[0],
    ownerOf: (id: string): string | undefined =>
      z.string().safeParse(sql.exec("SELECT customer FROM objects WHERE id = ?", id).toArray()[0]?.customer).data,
    delete(id: string): void {
      sql.exec("DELETE FROM objects WHERE id = ?", id);
    },
    /** One customer's or all customers' objects, newest first. */
    list: <K extends Kind>(kind: K, customer?: unknown): Objects[K][] =>
      typeof customer === "string"
        ? bodies(kind, "AND customer = ? ORDER BY rowid DESC", customer)
        : bodies(kind, "ORDER BY rowid DESC"),

    set(kind: Entry, name: string, value: unknown, due = 0): void {
      sql.exec("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)", kind, name, JSON.stringify(value), due);
    },
    get<S extends z.ZodType>(schema: S, kind: Entry, name: string): z.output<S> | undefined {
      const [found] = entries("WHERE kind = ? AND name = ?", kind, name);
      return found && schema.parse(JSON.parse(found.value));
    },
    remove(kind: Entry, name: string): void {
      sql.exec("DELETE FROM entries WHERE kind = ? AND name = ?", kind, name);
    },
    all: <S extends z.ZodType>(schema: S, kind: Entry): z.output<S>[] =>
      entries("WHERE kind = ? ORDER BY rowid DESC", kind).map(({ value }) => schema.parse(JSON.parse(value))),
    due: (kind: Steps | "delivery", most: number): z.output<typeof entry>[] =>
      entries("WHERE kind = ? ORDER BY due, rowid LIMIT ?", kind, most),
  };
}

/** A stored object has its kind's type, because `save` accepts no other. */
function isStored<K extends Kind>(_: K, object: unknown): object is Objects[K] {
  return isRecord(object) && typeof object.id === "string";
}
