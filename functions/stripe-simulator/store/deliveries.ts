import { createHmac } from "node:crypto";
import * as z from "zod";
import type { Store } from "./store";

export type Endpoint = { url: string; secret: string };

const MAX_ATTEMPTS = 8;
const TIMEOUT_MS = 10_000;
const AT_ONCE = 32;

/** Sends events to one endpoint, and repeats them until it takes them. @param later called with each sending */
export function deliveries(store: Store, endpoint: Endpoint, later: (sending: Promise<void>) => void) {
  let underWay = 0;

  async function send(id: string): Promise<void> {
    const attempts = (store.get(z.number(), "delivery", id) ?? 0) + 1;
    store.set("delivery", id, attempts, Date.now() + 2 * TIMEOUT_MS);
    const isTaken = await post(JSON.stringify(store.find("Event", id), null, 2), endpoint);
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
    /** Time of the next delivery in milliseconds; undefined while none waits or the limit is reached. */
    next: (): number | undefined => (underWay === AT_ONCE ? undefined : store.due("delivery", 1)[0]?.due),
  };
}

async function post(body: string, { url, secret }: Endpoint): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json; charset=utf-8",
        "stripe-signature": signature(body, secret),
        "user-agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
      },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/** https://docs.stripe.com/webhooks#verify-manually */
function signature(body: string, secret: string): string {
  const time = Math.floor(Date.now() / 1000);
  return `t=${time},v1=${createHmac("sha256", secret).update(`${time}.${body}`).digest("hex")}`;
}
