import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import * as z from "zod";
import { MemoryDatabase } from "../support/api-in-process/database";
import { cheapPasswords } from "../support/cheap-passwords";
import { CUSTOM } from "./packages";

export type Init = { method?: string; headers?: [string, string][]; body?: string; signal?: AbortSignal };

/** Replacements for the platform's globals, taken from the running world. */
export type Platform = {
  /** Milliseconds since 1970, as the API's code reads them. */
  readonly clock: number;
  /** The invocation whose code runs now. Only one runs at a time, so it also holds the values of AsyncLocalStorage. */
  readonly running: { random: { next(): number }; stored?: Map<object, unknown> };
  /** @returns a function that cancels the timer */
  timer(run: () => void, milliseconds?: number): () => void;
  fetch(url: string, init: Init): Promise<unknown>;
  note(line: string): void;
};

export type Api = {
  fetch(request: Request, env: object, context: { waitUntil(work: Promise<unknown>): void }): Promise<Response>;
  scheduled(controller: null, env: object): Promise<void>;
};

/** SQL that records every change of state, and of the price after the card step. */
const RECORD_CHANGES = [
  "CREATE TABLE changes (what TEXT, id TEXT, was TEXT, became TEXT)",
  `CREATE TRIGGER watch_sign_ups AFTER UPDATE OF status ON sign_ups WHEN old.status <> new.status
     BEGIN INSERT INTO changes VALUES ('sign-up', new.id, old.status, new.status); END`,
  `CREATE TRIGGER watch_outbox AFTER UPDATE OF state ON outbox WHEN old.state <> new.state
     BEGIN INSERT INTO changes VALUES ('message', new.key, old.state, new.state); END`,
  `CREATE TRIGGER watch_prices AFTER UPDATE OF stripe_price_id ON sign_ups
     WHEN old.status <> 'pending' AND old.stripe_price_id IS NOT new.stripe_price_id
     BEGIN INSERT INTO changes VALUES ('price of', new.id, old.stripe_price_id, new.stripe_price_id); END`,
  "CREATE TABLE first_packages AS SELECT * FROM packages",
  `INSERT INTO first_packages VALUES ('${CUSTOM.id}', '${CUSTOM.name}', ${CUSTOM.cents}, '${CUSTOM.price}', 'custom')`,
];

/** A database, and the API's code, loaded once for each of two data centers. */
export type LoadedApi = {
  database: MemoryDatabase;
  /** Starts another world. Only the first catalog's rows remain in the database. */
  enter(world: Platform): void;
  /** Starts an isolate without the previous one's state. */
  start(place: 0 | 1): Api;
};

const root = fileURLToPath(new URL("../..", import.meta.url));
const createApi = z.custom<(hasher: object) => { publicApi: Api }>((value) => typeof value === "function");

export async function loadApi(): Promise<LoadedApi> {
  const { outputFiles } = await build({
    ...{ absWorkingDir: root, entryPoints: ["functions/subscription-api/app.ts"] },
    ...{ bundle: true, write: false, format: "cjs", platform: "neutral", external: ["node:*", "cloudflare:*"] },
    ...{ conditions: ["workerd", "worker", "browser"], mainFields: ["module", "main"] },
  });

  let world: Platform | undefined;
  const { globals, modules } = stubsFor(() => world ?? z.never().parse(world));
  const load = () => {
    const require = (name: string) => ({ ...process.getBuiltinModule(name), ...modules });
    const module: { exports: { createApi?: unknown } } = { exports: {} };
    const given = { ...globals, module, require };
    new Function(...Object.keys(given), outputFiles[0]?.text ?? "")(...Object.values(given));
    return createApi.parse(module.exports.createApi);
  };
  const places = [load(), load()] as const;
  const database = new MemoryDatabase();
  for (const statement of RECORD_CHANGES) database.run(statement);
  return {
    database,
    enter(entered) {
      world = entered;
      const tables = ["outbox", "trial_claims", "sign_ups", "packages", "changes"];
      for (const table of tables) database.run(`DELETE FROM ${table}`);
      database.run("INSERT INTO packages SELECT * FROM first_packages");
      database.run("UPDATE cron_runs SET ran_at = NULL");
    },
    start: (place) => places[place](cheapPasswords).publicApi,
  };
}

function stubsFor(world: () => Platform) {
  class WorldDate extends Date {
    constructor(given: number | string = world().clock) {
      super(given);
    }
    static override now = () => world().clock;
  }
  class AsyncLocalStorage {
    run<T>(value: unknown, work: () => T): T {
      const { running } = world();
      running.stored ??= new Map();
      running.stored.set(this, value);
      return work();
    }
    getStore = () => world().running.stored?.get(this);
  }
  const random = () => world().running.random.next();
  const hex = (digits: number) => ((1 + random()) * 2 ** (4 * digits)).toString(16).slice(1, digits + 1);
  const randomUUID = () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
  const log = (line: string) => world().note(line);
  const hmac = (key: Uint8Array, data: Uint8Array) => createHmac("sha256", key).update(data).digest();
  type Key = { key: Uint8Array };
  // The platform's own functions settle on other threads, in no fixed order.
  const subtle = {
    digest: async (_: unknown, data: Uint8Array) => new Uint8Array(createHash("sha256").update(data).digest()).buffer,
    async importKey(_: string, key: Uint8Array, { name }: { name: string }, extractable: boolean, usages: string[]) {
      const algorithm = { name, hash: { name: "SHA-256" }, length: key.length * 8 };
      return { [Symbol.toStringTag]: "CryptoKey", type: "secret", key, algorithm, extractable, usages };
    },
    sign: async (_: unknown, { key }: Key, data: Uint8Array) => new Uint8Array(hmac(key, data)).buffer,
    verify: async (_: unknown, { key }: Key, signature: Uint8Array, data: Uint8Array) =>
      signature.length === 32 && timingSafeEqual(hmac(key, data), signature),
  };
  const timeout = (milliseconds: number) => {
    const controller = new AbortController();
    world().timer(() => controller.abort(new DOMException("Timed out", "TimeoutError")), milliseconds);
    return controller.signal;
  };
  const globals = {
    Date: WorldDate,
    Math: Object.assign(Object.create(Math), { random }),
    setTimeout: (run: (...given: unknown[]) => void, milliseconds?: number, ...given: unknown[]) =>
      world().timer(() => run(...given), milliseconds),
    clearTimeout: (cancel: (() => void) | undefined) => cancel?.(),
    fetch: (url: string, init: Init) => world().fetch(url, init),
    console: { info: log, warn: log, error: log, log },
    AbortSignal: { timeout },
    crypto: { randomUUID, subtle },
  };
  return { globals, modules: { WorkerEntrypoint: class {}, AsyncLocalStorage } };
}
