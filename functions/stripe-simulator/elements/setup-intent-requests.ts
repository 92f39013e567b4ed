import type { Appearance } from "@stripe/stripe-js";
import * as z from "zod/mini";

const setupError = z.looseObject({ type: z.string(), message: z.string(), param: z.optional(z.string()) });

const setupIntent = z.looseObject({
  id: z.string(),
  client_secret: z.string(),
  last_setup_error: z.nullable(setupError),
  next_action: z.nullable(z.object({ redirect_to_url: z.optional(z.object({ url: z.string() })) })),
  status: z.string(),
});

export type SetupError = z.infer<typeof setupError>;
export type SetupResult =
  | { setupIntent: z.infer<typeof setupIntent>; error?: undefined }
  | { error: SetupError; setupIntent?: undefined };

export type FrameMessage = ConfirmRequest | { appearance: Appearance };

/** The message from the iframe to Stripe.js when its content has another height, in pixels. */
export type FrameHeight = { height: number };

/** With a port for the answer. The page never gets the card number. */
export type ConfirmRequest = {
  publishableKey: string;
  clientSecret: string;
  returnUrl: string;
  billingDetails: { address?: object };
};

export function intentId(clientSecret: string): string {
  return encodeURIComponent(clientSecret.split("_secret_")[0] ?? clientSecret);
}

/** Retrieves a setup intent as Stripe.js does, or confirms it. @param parameters with the publishable key as `key` */
export async function askStripe(
  origin: string,
  clientSecret: string,
  parameters: Record<string, string>,
  action: "retrieve" | "confirm" = "retrieve",
): Promise<SetupResult> {
  const url = `${origin}/v1/setup_intents/${intentId(clientSecret)}`;
  const form = new URLSearchParams({ ...parameters, client_secret: clientSecret });
  try {
    const isRead = action === "retrieve";
    const response = await (isRead ? fetch(`${url}?${form}`) : fetch(`${url}/confirm`, { method: "POST", body: form }));
    const body: unknown = await response.json();
    if (response.ok) return { setupIntent: setupIntent.parse(body) };
    return { error: z.object({ error: setupError }).parse(body).error };
  } catch {
    return { error: { type: "api_connection_error", message: "An error occurred with our connection to Stripe." } };
  }
}
