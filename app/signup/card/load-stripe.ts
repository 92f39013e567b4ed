import type { Stripe } from "@stripe/stripe-js";
import { loadStripe } from "@stripe/stripe-js/pure";

const TIMEOUT_MS = 15_000;

/**
 * Loads Stripe.js and gives its client. `<Elements>` never reports a script that does not arrive, so this does.
 * @param address of the script: Stripe's own, or the one that stands in for it
 * @throws when the script fails or takes longer than 15 s; a later call tries again
 */
export async function loadStripeClient(address: string, publishableKey: string): Promise<Stripe> {
  await loadScript(address);
  const stripe = await loadStripe(publishableKey);
  if (!stripe) throw new Error("Stripe.js gave no client");
  return stripe;
}

function loadScript(address: string): Promise<void> {
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
    script.src = address;
    document.head.appendChild(script);
  });
}
