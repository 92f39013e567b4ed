import Stripe from "stripe";
import { post, stripeAt } from "../visitors/visitor";
import type { RunningWorker } from "../workers/workers";

/** Of the API's wrangler.toml. */
const LOCAL_SECRET = "whsec_local_development_only";
const { webhooks } = new Stripe("sk_test_local");

export const secondsNow = () => Math.floor(Date.now() / 1000);

export function eventOf(type: string, object: object, id = `evt_${crypto.randomUUID()}`): string {
  const event = { id, object: "event", api_version: "2026-10-28.endive", created: secondsNow(), type };
  return JSON.stringify({ ...event, data: { object } });
}

/** An event about the setup intent that a client secret belongs to. */
export async function setupEvent(stripe: RunningWorker, type: string, clientSecret = "", id?: string): Promise<string> {
  return eventOf(type, await stripeAt(stripe).setupIntents.retrieve(clientSecret.split("_secret_")[0] ?? ""), id);
}

/** A Stripe-Signature header. */
export const sign = (payload: string, secret = LOCAL_SECRET, timestamp = secondsNow()) =>
  webhooks.generateTestHeaderString({ payload, secret, timestamp });

/** Delivers an event with a valid signature. Returns the status. */
export const deliver = async (api: RunningWorker, payload: string) =>
  (await post(`${api.url}/webhooks/stripe`, payload, { "stripe-signature": sign(payload) })).status;
