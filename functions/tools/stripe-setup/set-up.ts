import { isPermissionError, sentenceOf } from "./failures";
import type { Line, State } from "./line";
import { permissions } from "./permissions";
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

/**
 * Looks at everything that the API needs at Stripe, and in the mode `set-up` makes it so. To repeat it changes nothing.
 * @param say is told each line when it is known: a signing secret is shown only once
 */
export async function setUpStripe(target: Target, mode: "check" | "set-up", say: (line: Line) => void): Promise<void> {
  try {
    for (const line of await permissions(target, mode)) say(line);
  } catch (error) {
    return say({ mark: "failed", text: sentenceOf(error, target.place === "local") });
  }
  for (const [name, look] of PARTS) {
    try {
      const state = await look(target);
      if (state?.differences.length === 0) say({ mark: "ok", text: state.ok });
      for (const { what, mend } of state?.differences ?? []) {
        const mends = mend && mode === "set-up";
        say({ mark: mends ? "changed" : "differs", text: `${name}: ${mends ? await mend() : what}` });
      }
    } catch (error) {
      const mark = mode === "check" && isPermissionError(error) ? "untested" : "failed";
      say({ mark, text: `${name}: ${sentenceOf(error, target.place === "local")}` });
    }
  }
}
