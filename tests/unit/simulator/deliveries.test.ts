import initSqlJs from "sql.js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { deliveries } from "../../../functions/stripe-simulator/store/deliveries";
import { effectsAt } from "../../../functions/stripe-simulator/store/events";
import { storeIn } from "../../../functions/stripe-simulator/store/store";

/* The simulator's events on their way to an endpoint, over its store in memory. */

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: 0 }));
afterEach(() => void vi.useRealTimers());

const { Database } = await initSqlJs();

function memoryStore() {
  const database = new Database();
  return storeIn({
    exec(query, ...values) {
      const [{ columns, values: rows } = { columns: [], values: [] }] = database.exec(query, values);
      return { toArray: () => rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]]))) };
    },
  });
}

/** An account whose endpoint answers with a status. `attempts` counts the deliveries of each customer's event. */
function account() {
  const store = memoryStore();
  const endpoint = { status: 500 };
  const attempts: Record<string, number> = {};
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_url, init) => {
    const { id } = JSON.parse(String(init?.body)).data.object;
    attempts[id] = (attempts[id] ?? 0) + 1;
    return new Response(null, { status: endpoint.status });
  });
  const sending: Promise<void>[] = [];
  const receiver = { url: "http://localhost/hook", secret: "whsec_a" };
  const sender = deliveries(store, receiver, (one) => void sending.push(one));
  const { emit } = effectsAt(0, store, ["*"], { id: null, idempotency_key: null });
  return {
    attempts,
    endpoint,
    emit: (id: string) => emit("customer.created", { id, object: "customer" }),
    /** Sends until nothing is due anymore. */
    async sendAll() {
      while (sender.next() < Infinity) {
        vi.setSystemTime(Math.max(Date.now(), sender.next()));
        sender.sendDue();
        await Promise.all(sending.splice(0));
      }
    },
  };
}

test("an event is sent eight times at most, and after 33 refused ones the next is still sent", async () => {
  const { attempts, endpoint, emit, sendAll } = account();
  const refused = Array.from({ length: 33 }, (_, index) => `cus_${index}`);
  for (const id of refused) emit(id);
  await sendAll();
  expect([...new Set(refused.map((id) => attempts[id]))], "how often each event was sent").toEqual([8]);
  endpoint.status = 204;
  emit("cus_next");
  await sendAll();
  expect(attempts).toHaveProperty("cus_next", 1);
});
