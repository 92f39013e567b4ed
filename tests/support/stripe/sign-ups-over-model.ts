import { packagesIn } from "../../../functions/subscription-api/catalogue/packages";
import { trialClaims } from "../../../functions/subscription-api/limits/trial-claims";
import type { SignUp } from "../../../functions/subscription-api/sign-ups/sign-up";
import { processedEventsIn } from "../../../functions/subscription-api/sign-ups/store/processed-events";
import { signUpEndingsIn } from "../../../functions/subscription-api/sign-ups/store/sign-up-endings";
import { signUpLifecycleIn } from "../../../functions/subscription-api/sign-ups/store/sign-up-lifecycle";
import { signUpsIn } from "../../../functions/subscription-api/sign-ups/store/sign-up-store";
import { stripeClient } from "../../../functions/subscription-api/stripe/client";
import { stripePayments } from "../../../functions/subscription-api/stripe/payments";
import { Scheduler } from "../../simulation/clock";
import { type Answer, Stripe } from "../../simulation/stripe";
import { databaseInMemory } from "../database/database-in-memory";
import { STRIPE_CONFIG } from "./stripe-answers";

const count = () => {};

/** The rules of sign-ups in this process: over the database in memory, and the simulation's model of Stripe. */
export function signUpsOverModel(trials: { onePerPerson: boolean } = { onePerPerson: false }) {
  const { db, rows, signUp } = databaseInMemory();
  const model = new Stripe(
    new Scheduler(Date.now()),
    () => {},
    () => {},
  );
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
  const services = {
    packages: packagesIn(db),
    signUps: signUpsIn(db, count),
    lifecycle: signUpLifecycleIn(db, count),
    endings: signUpEndingsIn(db, count),
    processedEvents: processedEventsIn(db),
    payments,
    claims: trialClaims({ hashSecret: "", ...trials, signUpsPerDay: { email: 1, sender: 1 } }),
  };

  async function stored(id: string): Promise<SignUp> {
    const found = await services.signUps.find(id);
    if (!found) throw new Error(`There is no sign-up ${id}`);
    return found;
  }

  return {
    services,
    rows,
    model,
    calls,
    instead,
    stored,
    /** A sign-up that waits for its card, with its setup intent at Stripe. */
    async pending(fields: Parameters<typeof signUp>[0] = {}): Promise<SignUp> {
      const { id } = await signUp(fields);
      const customerId = await payments.findOrCreateCustomer(await stored(id));
      const intent = await payments.findOrCreateSetupIntent(await stored(id), customerId);
      const ids = { customerId, setupIntentId: intent.id };
      rows(
        "UPDATE sign_ups SET stripe_customer_id = ?, stripe_setup_intent_id = ? WHERE id = ?",
        ids.customerId,
        ids.setupIntentId,
        id,
      );
      return stored(id);
    },
    /** The visitor enters a card, of which no webhook tells. */
    enterCard({ stripe_setup_intent_id }: SignUp, fingerprint = "a card"): void {
      model.confirm(stripe_setup_intent_id ?? "", fingerprint, false);
    },
  };
}
