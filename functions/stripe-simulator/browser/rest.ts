import type { SetupIntentResult } from "@stripe/stripe-js";
import * as z from "zod/mini";
import { browserSetupIntent, stripeError } from "./objects";

const errorAnswer = z.object({ error: stripeError });

export function fetchSetupIntent(origin: string, key: string, clientSecret: string): Promise<SetupIntentResult> {
  const query = new URLSearchParams({ key, client_secret: clientSecret });
  return ask(`${origin}/v1/setup_intents/${intentId(clientSecret)}?${query}`);
}

export function confirmSetupIntent(
  origin: string,
  clientSecret: string,
  parameters: URLSearchParams,
): Promise<SetupIntentResult> {
  parameters.set("client_secret", clientSecret);
  return ask(`${origin}/v1/setup_intents/${intentId(clientSecret)}/confirm`, { method: "POST", body: parameters });
}

export function isClientSecret(value: unknown): value is string {
  return typeof value === "string" && /^seti_\w+_secret_\w+$/.test(value);
}

export function intentId(clientSecret: string): string {
  return encodeURIComponent(clientSecret.split("_secret_")[0] ?? clientSecret);
}

async function ask(url: string, init?: RequestInit): Promise<SetupIntentResult> {
  try {
    const response = await fetch(url, init);
    const body: unknown = await response.json();
    return response.ok ? { setupIntent: browserSetupIntent.parse(body) } : { error: errorAnswer.parse(body).error };
  } catch {
    return {
      error: {
        type: "api_connection_error",
        message: "An error occurred with our connection to Stripe.",
      },
    };
  }
}
