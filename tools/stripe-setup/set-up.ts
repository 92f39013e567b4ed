import { isOfOneCall, isPermissionError, sentenceOf } from "./error-sentence";
import type { Line, State } from "./line";
import { planPrices } from "./plan-prices";
import { portal, portalUrl } from "./portal";
import type { Target } from "./target";
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
      const sentence = sentenceOf(error, target.place === "local");
      // A wrong key or an outage of Stripe would fail every part.
      if (!isOfOneCall(error)) return say({ mark: "failed", text: sentence });
      const mark = mode === "check" && isPermissionError(error) ? "untested" : "failed";
      say({ mark, text: `${name}: ${sentence}` });
    }
  }
}
