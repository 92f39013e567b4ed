import type { Stripe } from "@stripe/stripe-js";
import { loadStripe } from "@stripe/stripe-js/pure";
import { useEffect } from "react";

/** How long Stripe.js and its fields may each take to load. */
const LOADING_TIMEOUT_MS = 15_000;

/**
 * Rejects if the script fails, takes longer than 15 s or is replaced by an empty one, as content blockers do. `<Elements>` would never
 * report this. Can be called again.
 */
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
    const timer = setTimeout(fail, LOADING_TIMEOUT_MS);
    script.onload = () => {
      if (!("Stripe" in window)) return fail();
      clearTimeout(timer);
      resolve();
    };
    script.onerror = fail;
    script.src = url;
    document.head.appendChild(script);
  });
}

/** Calls `onTimeout` if Stripe's fields are not ready in time, because Stripe.js does not report a blocked frame. */
export function useLoadingTimeout(ready: boolean, onTimeout: () => void) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each attempt
  useEffect(() => {
    if (ready) return;
    const timer = setTimeout(onTimeout, LOADING_TIMEOUT_MS);
    return () => clearTimeout(timer);
  }, [ready]);
}
