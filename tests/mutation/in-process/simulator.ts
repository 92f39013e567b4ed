import type { DurableObjectState } from "@cloudflare/workers-types";
import initSqlJs from "sql.js";
import * as z from "zod";
import { StripeAccount } from "../../../functions/stripe-simulator/account";

const durableObjectState = z.custom<DurableObjectState>((value) => typeof value === "object" && value !== null);
const sqlJs = await initSqlJs();

/** The simulator's one account, with its Durable Object's storage and alarm. */
export function startSimulator(env: object) {
  const database = new sqlJs.Database();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wake = () => {
    account.alarm().catch(() => {});
  };
  const state = durableObjectState.parse({
    waitUntil: (work: Promise<unknown>) => void work.catch(() => {}),
    storage: {
      sql: { exec: execute },
      async setAlarm(at: number) {
        clearTimeout(timer);
        timer = setTimeout(wake, Math.min(Math.max(0, at - Date.now()), 2 ** 31 - 1));
        timer.unref();
      },
    },
  });
  function execute(query: string, ...values: (string | number | null)[]): { toArray(): object[] } {
    if (values.length === 0 && /;\s*\S/.test(query)) {
      database.run(query);
      return { toArray: () => [] };
    }
    const statement = database.prepare(query);
    const found: object[] = [];
    try {
      statement.bind(values);
      while (statement.step()) found.push(statement.getAsObject());
    } finally {
      statement.free();
    }
    return { toArray: () => found };
  }
  const account = new StripeAccount(state, env);
  return {
    fetch: (request: Request) => account.fetch(request),
    dispose() {
      clearTimeout(timer);
      database.close();
    },
  };
}
