import type { SqlStorage } from "@cloudflare/workers-types";
import * as z from "zod";
import { isRecord, type Kind, type Objects, ownerOf } from "./objects";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS objects (id TEXT PRIMARY KEY, kind TEXT NOT NULL, customer TEXT, body TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS objects_of ON objects (kind, customer);
  CREATE TABLE IF NOT EXISTS entries (
    kind TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, due INTEGER, PRIMARY KEY (kind, name)
  );
  CREATE INDEX IF NOT EXISTS entries_due ON entries (kind, due);
`;

/**
 * `card`: a payment method's number; `step`: a subscription to look at, due in seconds on the account's clock;
 * `delivery`: an event, due in milliseconds of real time; `answer`: by idempotency key; `email` and `webhook`: received.
 */
export type Entry = "setting" | "card" | "step" | "delivery" | "answer" | "email" | "webhook";

const entry = z.object({ name: z.string(), value: z.string(), due: z.number().nullable() });

export type Store = ReturnType<typeof storeIn>;

/** All state of the account: Stripe's objects by kind, and everything else as entries by kind and name. */
export function storeIn(sql: SqlStorage) {
  sql.exec(SCHEMA);

  const bodies = <K extends Kind>(kind: K, where: string, ...values: string[]): Objects[K][] => {
    const rows = sql.exec(`SELECT body FROM objects WHERE kind = ? ${where}`, kind, ...values).toArray();
    return rows.map(({ body }) => parse(kind, String(body)));
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
    /** Newest first, of one customer or all. */
    list: <K extends Kind>(kind: K, customer?: string): Objects[K][] =>
      customer === undefined
        ? bodies(kind, "ORDER BY rowid DESC")
        : bodies(kind, "AND customer = ? ORDER BY rowid DESC", customer),

    set(kind: Entry, name: string, value: unknown, due: number | null = null): void {
      sql.exec("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)", kind, name, JSON.stringify(value), due);
    },
    get<S extends z.ZodType>(schema: S, kind: Entry, name: string): z.output<S> | undefined {
      const [found] = entries("WHERE kind = ? AND name = ?", kind, name);
      return found && schema.parse(JSON.parse(found.value));
    },
    remove(kind: Entry, name: string): void {
      sql.exec("DELETE FROM entries WHERE kind = ? AND name = ?", kind, name);
    },
    /** Newest first. */
    all: <S extends z.ZodType>(schema: S, kind: Entry): z.output<S>[] =>
      entries("WHERE kind = ? ORDER BY rowid DESC", kind).map(({ value }) => schema.parse(JSON.parse(value))),
    /** The earliest first. */
    due: (kind: "step" | "delivery", most: number): { name: string; due: number }[] =>
      entries("WHERE kind = ? AND due IS NOT NULL ORDER BY due, rowid LIMIT ?", kind, most).map(({ name, due }) => ({
        name,
        due: Number(due),
      })),
  };
}

function parse<K extends Kind>(kind: K, body: string): Objects[K] {
  const object: unknown = JSON.parse(body);
  if (isStored(kind, object)) return object;
  throw new Error(`A ${kind} in the store has no ID`);
}

/** `save` took a typed object of this kind. */
function isStored<K extends Kind>(_: K, object: unknown): object is Objects[K] {
  return isRecord(object) && typeof object.id === "string";
}
