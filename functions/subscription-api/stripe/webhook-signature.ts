import Stripe from "stripe";
import { parseJson } from "../../../app/shared/http/parse-json";
import { type EventContent, eventContentOf } from "./webhook-events";

/** Older signatures are refused: https://docs.stripe.com/webhooks#replay-attacks */
const TOLERANCE_SECONDS = 300;

/** `rejected`: the signature is missing, wrong or too old. */
export type WebhookContent = { kind: "rejected" } | EventContent;

export function stripeWebhook(stripe: Stripe, secrets: string[]) {
  const cryptoProvider = Stripe.createSubtleCryptoProvider();

  async function isSignedWith(secret: string, body: string, header: string): Promise<boolean> {
    const { signature } = stripe.webhooks;
    try {
      return (await signature?.verifyHeaderAsync(body, header, secret, TOLERANCE_SECONDS, cryptoProvider)) ?? false;
    } catch {
      return false;
    }
  }

  async function isSigned(body: string, header: string): Promise<boolean> {
    for (const secret of secrets) if (await isSignedWith(secret, body, header)) return true;
    return false;
  }

  return {
    /** Verifies the signature and parses the event. @param body exactly as received, because the signature covers its bytes */
    async read(body: string, signature: string): Promise<WebhookContent> {
      if (!(await isSigned(body, signature))) return { kind: "rejected" };
      return eventContentOf(parseJson(body));
    },
  };
}
