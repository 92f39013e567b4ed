import { realTime } from "../clock/time";
import type { Delivery, Store } from "../store/store";

export type Endpoint = { url: string; secret: string };

const MAX_ATTEMPTS = 8;
const PATIENCE_MS = 10_000;

const AT_ONCE = 32;

/** Sends events to one endpoint. @param later called with each sending */
export function deliveries(store: Store, endpoint: Endpoint, later: (sending: Promise<void>) => void) {
  let underWay = 0;

  async function send(delivery: Delivery): Promise<void> {
    const attempts = delivery.attempts + 1;
    store.saveDelivery({ ...delivery, attempts, due: Date.now() + 2 * PATIENCE_MS });
    const isTaken = await post(delivery.body, endpoint);
    underWay -= 1;
    if (isTaken || attempts === MAX_ATTEMPTS) store.removeDelivery(delivery.event);
    else store.saveDelivery({ ...delivery, attempts, due: Date.now() + 250 * 2 ** attempts });
  }

  return {
    sendDue(): void {
      for (const delivery of store.dueDeliveries(Date.now(), AT_ONCE - underWay)) {
        underWay += 1;
        later(send(delivery));
      }
    },
    /** Time of the next delivery in milliseconds; undefined while none waits or the limit is reached. */
    next: (): number | undefined => (underWay === AT_ONCE ? undefined : store.nextDelivery()),
  };
}

async function post(body: string, { url, secret }: Endpoint): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json; charset=utf-8",
        "stripe-signature": await signature(body, secret, realTime()),
        "user-agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
      },
      body,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/** https://docs.stripe.com/webhooks#verify-manually */
async function signature(body: string, secret: string, time: number): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  const mac = await crypto.subtle.sign("HMAC", key, encoder.encode(`${time}.${body}`));
  return `t=${time},v1=${Buffer.from(mac).toString("hex")}`;
}
