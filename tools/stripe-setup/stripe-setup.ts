import { fileURLToPath } from "node:url";
import Stripe from "stripe";
import { monthlyPrice } from "../../app/contract/money";
import { readCommandLine } from "../command-line";
import { sentenceOf as messageOf, runTool } from "../failures";
import { settingsOf, siteAloneLine } from "../wrangler/worker-settings";
import { portal } from "./portal";
import { type Line, PLACES, type State, type Target, targetOf } from "./target";
import { webhookEndpoint } from "./webhook-endpoint";

// npm run stripe:setup production, staging or sandbox, with STRIPE_SECRET_KEY. -- --check changes nothing.

const SIGNS: Record<Line["mark"], string> = { ok: "✓", changed: "+", differs: "✗", failed: "✗" };

/** Order matters: the portal needs the prices. */
const PARTS: [name: string, (target: Target) => Promise<State>][] = [
  ["webhook endpoint", webhookEndpoint],
  ["prices", planPrices],
  ["customer portal", portal],
];

/** @param say is called with each line at once, because Stripe shows a signing secret only once */
export async function setUpStripe(target: Target, mode: "check" | "set-up", say: (line: Line) => void): Promise<void> {
  for (const [name, look] of PARTS) {
    try {
      const { ok, differences } = await look(target);
      if (differences.length === 0) say({ mark: "ok", text: ok });
      for (const { what, fix } of differences) {
        const fixes = fix && mode === "set-up";
        say({ mark: fixes ? "changed" : "differs", text: `${name}: ${fixes ? await fix() : what}` });
      }
    } catch (error) {
      const { StripePermissionError, StripeInvalidRequestError } = Stripe.errors;
      const isOfPart = error instanceof StripePermissionError || error instanceof StripeInvalidRequestError;
      say({ mark: "failed", text: `${isOfPart ? `${name}: ` : ""}${sentenceOf(error)}` });
      // A wrong key or an outage of Stripe would fail every part.
      if (!isOfPart) return;
    }
  }
}

async function planPrices({ prices, plans }: Target): Promise<State> {
  const known = await Promise.all(plans.map(async (plan) => ({ plan, price: await prices.find(plan) })));
  return {
    ok: `prices: ${known.map(({ plan, price }) => `${plan.name} ${price?.id}`).join(", ")}`,
    differences: known.flatMap(({ plan, price }) => {
      const amount = monthlyPrice(plan.price_cents);
      const fix = async () => `${plan.name} has the price ${(await prices.findOrCreate(plan)).id}, ${amount}`;
      return price ? [] : [{ what: `${plan.name} has no price of ${amount} with the lookup key ${plan.id}`, fix }];
    }),
  };
}

/** Says what to do about an error from Stripe's client. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Stripe.errors.StripeError)) return messageOf(error);
  const { type, message, statusCode, requestId } = error;
  const keys = "https://dashboard.stripe.com/apikeys";
  if (type === "StripeAuthenticationError")
    return `Stripe does not know the key: copy it again from ${keys}, of the same account and mode.`;
  if (type === "StripePermissionError")
    return `The key lacks the permission ${/rak_\w+/.exec(message)?.[0] ?? "for this"}: tick it at ${keys}.`;
  return `Stripe answered ${statusCode ?? "nothing"} (${requestId ?? "no request ID"}): ${message}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runTool(async () => {
    const shape = { script: "stripe:setup", targets: PLACES, options: { check: "" } };
    const { target: place, switches } = readCommandLine(shape);
    const { site, api } = settingsOf(place === "sandbox" ? "local" : place);
    if (api === undefined) {
      console.log(`${siteAloneLine(site)} Webhooks, prices and the customer portal are set up with that API.`);
      return true;
    }
    const target = targetOf(place, process.env);
    console.log(`${place}: ${place === "production" ? "live" : "test"} mode of Stripe, ${target.siteUrl}`);
    const mode = switches.has("check") ? "check" : "set-up";
    const marks = new Set<Line["mark"]>();
    await setUpStripe(target, mode, ({ mark, text }) => {
      marks.add(mark);
      console.log(`${SIGNS[mark]} ${text}`);
    });
    if (mode === "check") return !marks.has("failed") && !marks.has("differs");
    if (marks.has("failed")) return false;
    console.log('Set up emails and Radar by hand, because they have no API: docs/operations.md, "Stripe".');
    return true;
  });
}
