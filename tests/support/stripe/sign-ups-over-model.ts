import type { SignUp } from "../../../functions/subscription-api/sign-ups/sign-up";
import { stripeClient } from "../../../functions/subscription-api/stripe/client";
import { stripePayments } from "../../../functions/subscription-api/stripe/payments";
import { Scheduler } from "../../simulation/clock";
import { type Answer, Stripe } from "../../simulation/stripe";
import { signUpsOver } from "../database/sign-ups-in-memory";
import type { validRequest } from "../visitors/visitor";
import { STRIPE_CONFIG } from "./stripe-answers";

const nobody = () => {};

/** Sign-ups in memory, before the simulation's model of Stripe, which tells nobody what happens there. */
export function signUpsOverModel(trials = { onePerPerson: false }) {
  const model = new Stripe(new Scheduler(Date.now()), nobody, nobody);
  /** Method and path of each call of Stripe, in order. */
  const calls: string[] = [];
  /** What Stripe answers instead to a call whose method and path begin so. */
  const instead = new Map<string, Answer>();
  const fetcher: typeof fetch = async (given, { method = "GET", headers, body } = {}) => {
    const url = new URL(String(given));
    const call = `${method} ${url.pathname.replace("/v1/", "")}`;
    calls.push(call);
    const key = new Headers(headers).get("idempotency-key") ?? undefined;
    const other = [...instead].find(([beginning]) => call.startsWith(beginning))?.[1];
    const { status, text } = other ?? model.request(method, url, String(body ?? ""), key);
    return new Response(text, { status, headers: { "content-type": "application/json" } });
  };
  const payments = stripePayments(stripeClient(STRIPE_CONFIG, "nobody", fetcher));
  const signUps = signUpsOver(payments, trials);
  return {
    ...signUps,
    model,
    calls,
    instead,
    /** A sign-up that waits for its card, with its setup intent at Stripe. */
    async pending(fields: Partial<typeof validRequest> = {}): Promise<SignUp> {
      const signUp = await signUps.signUpWith("status = 'pending'", fields);
      const customerId = await payments.findOrCreateCustomer(signUp);
      const { id: setupIntentId } = await payments.findOrCreateSetupIntent(signUp, customerId);
      const record = "UPDATE sign_ups SET stripe_customer_id = ?, stripe_setup_intent_id = ? WHERE id = ?";
      signUps.rows(record, customerId, setupIntentId, signUp.id);
      return signUps.find(signUp.id);
    },
    /** The visitor enters a card, of which no webhook tells. */
    enterCard({ stripe_setup_intent_id }: SignUp, fingerprint = "a card"): void {
      model.confirm(stripe_setup_intent_id ?? "", fingerprint, false);
    },
  };
}
