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
  const { errors } = Stripe;
  if (error instanceof errors.StripeAuthenticationError) {
    return "Stripe does not know the key: copy it again from https://dashboard.stripe.com/apikeys, of the same account and mode.";
  }
  if (error instanceof errors.StripePermissionError) {
    const [permission = "of this part"] = /rak_\w+/.exec(error.message) ?? [];
    return `The key lacks the permission ${permission}: tick it at https://dashboard.stripe.com/apikeys.`;
  }
  if (error instanceof errors.StripeConnectionError) {
    return isLocal
      ? "The simulator cannot be reached: run npm start beside this."
      : "Stripe cannot be reached: look at the network and at https://status.stripe.com, then run this again.";
  }
  if (error instanceof errors.StripeInvalidRequestError) {
    return `Stripe refuses ${error.param ?? "a call"} (${error.requestId ?? "no request ID"}): ${error.message}`;
  }
  if (error instanceof errors.StripeError) {
    return `Stripe failed with the status ${error.statusCode ?? "unknown"}: run this again, nothing is done twice.`;
  }
  return toolSentenceOf(error);
}
