import type { Stripe } from "@stripe/stripe-js";
import { loadStripe } from "@stripe/stripe-js/pure";
import { useEffect } from "react";
import { LOADING_LIMIT_MS } from "../durations";
import { loadScript } from "../load-script";
import { withTimeLimit } from "../timers";

/** Rejects if Stripe.js does not load, which `<Elements>` would never report. Can be called again. */
export async function loadStripeClient(url: string, publishableKey: string): Promise<Stripe> {
  await loadScript(url, "Stripe");
  const stripe = await withTimeLimit(LOADING_LIMIT_MS, loadStripe(publishableKey));
  if (!stripe) throw new Error("Stripe.js returned no client");
  return stripe;
}

/** Calls `onTimeout` if Stripe's fields are not ready in time, because Stripe.js does not report a blocked frame. */
export function useLoadingTimeout(ready: boolean, onTimeout: () => void) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each attempt
  useEffect(() => {
    if (ready) return;
    const timer = setTimeout(onTimeout, LOADING_LIMIT_MS);
    return () => clearTimeout(timer);
  }, [ready]);
}
