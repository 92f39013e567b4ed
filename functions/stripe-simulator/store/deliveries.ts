import { createHmac } from "node:crypto";
import * as z from "zod";
import type { Store } from "./store";

const MAX_ATTEMPTS = 8;
const TIMEOUT_MS = 10_000;
const AT_ONCE = 32;

/** Sends events to one endpoint, up to eight times each. @param later called with each delivery's promise */
export function deliveries(
  store: Store,
  { url, secret }: Record<"url" | "secret", string>,
  later: (sending: Promise<void>) => void,
) {
  let underWay = 0;

  async function send(id: string): Promise<void> {
    const attempts = (store.get(z.number(), "delivery", id) ?? 0) + 1;
    store.set("delivery", id, attempts, Date.now() + 2 * TIMEOUT_MS);
    const event = store.find("Event", id);
    const body = JSON.stringify(event, null, 2);
    const isTaken = await post(url, body, signature(body, secret)).catch(() => false);
    underWay -= 1;
    if (isTaken || attempts === MAX_ATTEMPTS) store.remove("delivery", id);
    else store.set("delivery", id, attempts, Date.now() + 250 * 2 ** attempts);
  }

  return {
    sendDue(): void {
      for (const { name, due } of store.due("delivery", AT_ONCE - underWay)) {
        if (due > Date.now()) return;
        underWay += 1;
        later(send(name));
      }
    },
    /** When the next delivery is due, in milliseconds. Infinity if none is waiting or the limit is reached. */
    next: (): number => (underWay === AT_ONCE ? undefined : store.due("delivery", 1)[0]?.due) ?? Infinity,
  };
}

async function post(url: string, body: string, signature: string): Promise<boolean> {
  const headers = { "content-type": "application/json; charset=utf-8", "stripe-signature": signature };
  const response = await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) });
  await response.arrayBuffer();
  return response.ok;
}

/** https://docs.stripe.com/webhooks#verify-manually */
function signature(body: string, secret: string): string {
  const time = Math.floor(Date.now() / 1000);
  return `t=${time},v1=${createHmac("sha256", secret).update(`${time}.${body}`).digest("hex")}`;
}
