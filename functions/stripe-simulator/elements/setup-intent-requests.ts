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

export const UNREACHABLE: SetupError = {
  type: "api_connection_error",
  message: "An error occurred with our connection to Stripe.",
};

export function fetchSetupIntent(origin: string, key: string, clientSecret: string): Promise<SetupResult> {
  return ask(`${origin}/v1/setup_intents/${intentId(clientSecret)}`, { key, client_secret: clientSecret });
}

export function confirmSetupIntent(origin: string, clientSecret: string, card: object): Promise<SetupResult> {
  const url = `${origin}/v1/setup_intents/${intentId(clientSecret)}/confirm`;
  return ask(url, { ...card, client_secret: clientSecret }, "POST");
}

export function isClientSecret(value: unknown): value is string {
  return typeof value === "string" && /^seti_\w+_secret_\w+$/.test(value);
}

export function intentId(clientSecret: string): string {
  return encodeURIComponent(clientSecret.split("_secret_")[0] ?? clientSecret);
}

async function ask(url: string, parameters: Record<string, string>, method = "GET"): Promise<SetupResult> {
  const form = new URLSearchParams(parameters);
  try {
    const response = await (method === "GET" ? fetch(`${url}?${form}`) : fetch(url, { method, body: form }));
    const body: unknown = await response.json();
    if (response.ok) return { setupIntent: setupIntent.parse(body) };
    return { error: z.object({ error: setupError }).parse(body).error };
  } catch {
    return { error: UNREACHABLE };
  }
}
