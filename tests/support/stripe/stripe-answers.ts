import { stripeClient } from "../../../functions/subscription-api/stripe/client";
import { stripePayments } from "../../../functions/subscription-api/stripe/payments";
import { stripePrices } from "../../../functions/subscription-api/stripe/prices";

export const STRIPE_CONFIG = { secretKey: "sk_test_1", webhookSecrets: ["whsec_1"] };

type Sent = { call: string; params: Record<string, string>; key: string | null; redirect: RequestInit["redirect"] };

/** A Stripe that answers one request after the other; the last answer is given again. */
export function stripeThatAnswers(...answers: object[]) {
  const sent: Sent[] = [];
  const fetcher: typeof fetch = async (given, init) => {
    const url = new URL(String(given));
    const key = new Headers(init?.headers).get("idempotency-key");
    const params = Object.fromEntries(new URLSearchParams(init?.method === "POST" ? String(init.body) : url.search));
    sent.push({ call: `${init?.method} ${url.pathname}`, params, key, redirect: init?.redirect });
    return Response.json(answers[Math.min(sent.length, answers.length) - 1]);
  };
  const stripe = stripeClient(STRIPE_CONFIG, "nobody", fetcher);
  return { payments: stripePayments(stripe), prices: stripePrices(stripe), sent };
}
