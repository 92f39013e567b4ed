/** Where Stripe sends the browser back to: https://docs.stripe.com/api/setup_intents/confirm#confirm_setup_intent-return_url */
export function withOutcome(
  returnUrl: string,
  intent: { id: string; client_secret: string | null },
  succeeded: boolean,
): string {
  const url = new URL(returnUrl);
  url.searchParams.set("setup_intent", intent.id);
  url.searchParams.set("setup_intent_client_secret", intent.client_secret ?? "");
  url.searchParams.set("redirect_status", succeeded ? "succeeded" : "failed");
  return url.href;
}
