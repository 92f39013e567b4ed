import { rows, stripeAt } from "../visitors/visitor";
import type { RunningWorker } from "../workers/workers";
import { deliverEvent, eventOf, sign } from "./stripe-events";

/** Accepted test cards with different fingerprints. */
export const CARDS = { visa: "4242424242424242", mastercard: "5555555555554444", declined: "4000000000000002" };

let made = 0;

/** An unused card number with its check digit (ISO/IEC 7812-1). */
export function newCard(): string {
  made += 1;
  const digits = `4100${String(made).padStart(11, "0")}`;
  const doubled = [...digits].map((digit, index) => Number(digit) * (index % 2 === 0 ? 2 : 1));
  const sum = doubled.reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

/** The latest sign-up of an email. */
export async function rowOf(api: RunningWorker, email: string): Promise<Record<string, unknown>> {
  return (await rows(api, "SELECT * FROM sign_ups WHERE email = ? ORDER BY created_at DESC", email))[0] ?? {};
}

/** An event about the setup intent that a client secret belongs to, as Stripe sends it. */
export async function setupEvent(stripe: RunningWorker, type: string, clientSecret = "", id?: string): Promise<string> {
  const intent = await stripeAt(stripe).setupIntents.retrieve(clientSecret.split("_secret_")[0] ?? "");
  return eventOf(type, intent, id);
}

/** Delivers an event with a valid signature. Returns the status. */
export const deliver = async (api: RunningWorker, payload: string) =>
  (await deliverEvent(api, payload, sign(payload))).status;
