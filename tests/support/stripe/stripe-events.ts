import Stripe from "stripe";
import { type ApiAnswer, post } from "../visitors/visitor";
import type { RunningWorker } from "../workers/workers";

/* Stripe's events, made and signed by the real stripe package, for tests that deliver them themselves. */

/** The API's local secret (functions/subscription-api/wrangler.toml). */
const WEBHOOK_SECRET = "whsec_local_development_only";

const { webhooks } = new Stripe("sk_test_local");

export const secondsNow = () => Math.floor(Date.now() / 1000);

export function eventOf(type: string, object: object, id = `evt_${crypto.randomUUID()}`): string {
  return JSON.stringify({
    id,
    object: "event",
    api_version: "2026-10-28.endive",
    created: secondsNow(),
    type,
    data: { object },
  });
}

/** A Stripe-Signature header. */
export function sign(payload: string, secret = WEBHOOK_SECRET, timestamp = secondsNow()): string {
  return webhooks.generateTestHeaderString({ payload, secret, timestamp });
}

export function deliverEvent(api: RunningWorker, payload: string, signature?: string): Promise<ApiAnswer> {
  const headers: Record<string, string> = signature === undefined ? {} : { "stripe-signature": signature };
  return post(`${api.url}/webhooks/stripe`, payload, headers);
}
