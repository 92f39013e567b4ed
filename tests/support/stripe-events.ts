import Stripe from "stripe";
import { post } from "./visitors/visitor";
import type { RunningWorker } from "./workers/workers";

/** The webhook secret in the API's wrangler.toml. */
const LOCAL_SECRET = "whsec_local_development_only";
const { webhooks } = new Stripe("sk_test_local");

export const secondsNow = () => Math.floor(Date.now() / 1000);

export function eventOf(type: string, object: object, id = `evt_${crypto.randomUUID()}`): string {
  const event = { id, object: "event", api_version: "2026-10-28.endive", created: secondsNow(), type };
  return JSON.stringify({ ...event, data: { object } });
}

/** A Stripe-Signature header. */
export const sign = (payload: string, secret = LOCAL_SECRET, timestamp = secondsNow()) =>
  webhooks.generateTestHeaderString({ payload, secret, timestamp });

/** Delivers an event with a valid signature. Returns the status. */
export const deliver = async (api: RunningWorker, payload: string) =>
  (await post(`${api.url}/webhooks/stripe`, payload, { "stripe-signature": sign(payload) })).status;
