import Stripe from "stripe";
import { sentenceOf as toolSentenceOf } from "../failures";
import { portal, portalUrl } from "./portal";
import type { Line, State, Target } from "./target";
import { webhookEndpoint } from "./webhook-endpoint";

/** In this order: the portal offers the prices. */
const PARTS: [name: string, (target: Target) => Promise<State | undefined>][] = [
  ["webhook endpoint", webhookEndpoint],
  ["prices", planPrices],
  ["customer portal", portal],
  ["customer portal", portalUrl],
];

/** @param say is told each line at once: a signing secret is shown only once */
export async function setUpStripe(target: Target, mode: "check" | "set-up", say: (line: Line) => void): Promise<void> {
  for (const [name, look] of PARTS) {
    try {
      const state = await look(target);
      if (state?.differences.length === 0) say({ mark: "ok", text: state.ok });
      for (const { what, fix } of state?.differences ?? []) {
        const fixes = fix && mode === "set-up";
        say({ mark: fixes ? "changed" : "differs", text: `${name}: ${fixes ? await fix() : what}` });
      }
    } catch (error) {
      const { StripePermissionError, StripeInvalidRequestError } = Stripe.errors;
      const sentence = sentenceOf(error, target.place === "local");
      const lacksPermission = error instanceof StripePermissionError;
      // A wrong key or an outage of Stripe would fail every part.
      if (!lacksPermission && !(error instanceof StripeInvalidRequestError))
        return say({ mark: "failed", text: sentence });
      say({ mark: mode === "check" && lacksPermission ? "untested" : "failed", text: `${name}: ${sentence}` });
    }
  }
}

async function planPrices({ prices, plans }: Target): Promise<State> {
  const known = await Promise.all(plans.map(async (plan) => ({ plan, price: await prices.find(plan) })));
  return {
    ok: `prices: ${known.map(({ plan, price }) => `${plan.name} ${price?.id}`).join(", ")}`,
    differences: known.flatMap(({ plan, price }) => {
      const dollars = `$${plan.price_cents / 100} a month`;
      const fix = async () => `${plan.name} has the price ${(await prices.findOrCreate(plan)).id}, ${dollars}`;
      return price ? [] : [{ what: `${plan.name} has no price of ${dollars} with the lookup key ${plan.id}`, fix }];
    }),
  };
}

/** What to do about an error of Stripe's client. */
export function sentenceOf(error: unknown, isLocal = false): string {
  if (!(error instanceof Stripe.errors.StripeError)) return toolSentenceOf(error);
  const { type, message, statusCode, param = "a call", requestId = "no request ID" } = error;
  const [permission = "for this part"] = /rak_\w+/.exec(message) ?? [];
  const keys = "https://dashboard.stripe.com/apikeys";
  const sentences: Partial<Record<string, string>> = {
    StripeAuthenticationError: `Stripe does not know the key: copy it again from ${keys}, of the same account and mode.`,
    StripePermissionError: `The key lacks the permission ${permission}: tick it at ${keys}.`,
    StripeInvalidRequestError: `Stripe refuses ${param} (${requestId}): ${message}`,
    StripeConnectionError: isLocal
      ? "The simulator cannot be reached: run npm start beside this."
      : "Stripe cannot be reached: look at the network and at https://status.stripe.com, then run this again.",
  };
  return sentences[type] ?? `Stripe failed with the status ${statusCode}: run this again, nothing is done twice.`;
}
