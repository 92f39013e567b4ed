import type { Stripe } from "@stripe/stripe-js";
import { loadStripe } from "@stripe/stripe-js/pure";

const TIMEOUT_MS = 15_000;

/** Rejects if the script fails or takes longer than 15 s, which `<Elements>` would never report. Can be called again. */
export async function loadStripeClient(url: string, publishableKey: string): Promise<Stripe> {
  await loadScript(url);
  const stripe = await loadStripe(publishableKey);
  if (!stripe) throw new Error("Stripe.js returned no client");
  return stripe;
}

function loadScript(url: string): Promise<void> {
  if ("Stripe" in window) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    const fail = () => {
      clearTimeout(timer);
      script.remove();
      reject(new Error("Stripe.js did not load"));
    };
    const timer = setTimeout(fail, TIMEOUT_MS);
    script.onload = () => {
      clearTimeout(timer);
      resolve();
    };
    script.onerror = fail;
    script.src = url;
    document.head.appendChild(script);
  });
}
