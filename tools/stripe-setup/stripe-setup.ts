import Stripe from "stripe";
import { monthlyPrice } from "../../app/contract/money";
import { readCommandLine } from "../command-line";
import { causeOf, isStarted, messageOf, runTool } from "../failures";
import { type Neighbors, neighbors } from "../neighbors";
import { siteAloneLine } from "../wrangler/worker-settings";
import { portal } from "./portal";
import { clientOf, type Line, PLACES, type Place, type State, type Target, targetOf } from "./target";
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
      say({ mark: "failed", text: `${isOfPart ? `${name}: ` : ""}${stripeMessageOf(error)}` });
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
      if (!price) return [{ what: `${plan.name} has no price of ${amount} with the lookup key ${plan.id}`, fix }];
      return price.productName === plan.name
        ? []
        : [{ what: `${plan.name} is named ${price.productName} at Stripe`, fix }];
    }),
  };
}

/** Says what to do about an error from Stripe's client. */
export function stripeMessageOf(error: unknown): string {
  if (!(error instanceof Stripe.errors.StripeError)) return messageOf(error);
  const { type, message, statusCode, requestId } = error;
  const keys = "https://dashboard.stripe.com/apikeys";
  if (type === "StripeAuthenticationError")
    return `Stripe does not know the key: copy it again from ${keys}, of the same account and mode.`;
  if (type === "StripePermissionError")
    return `The key lacks the permission ${/rak_\w+/.exec(message)?.[0] ?? "for this"}: tick it at ${keys}.`;
  if (type === "StripeConnectionError")
    return `Stripe cannot be reached (${causeOf(Object(error).detail ?? error)}): check the network and https://status.stripe.com, then try again.`;
  return `Stripe answered ${statusCode ?? "nothing"} (${requestId ?? "no request ID"}): ${message}`;
}

/** @returns whether everything is right, or was corrected as far as the command can */
export async function stripeSetup(
  place: Place,
  mode: "check" | "set-up",
  { settingsOf, env }: Pick<Neighbors, "settingsOf" | "env">,
  makeClient: typeof clientOf = clientOf,
): Promise<boolean> {
  const { site, api } = settingsOf(place === "sandbox" ? "local" : place);
  if (api === undefined) {
    console.log(`${siteAloneLine(site)} Webhooks, prices and the customer portal are set up with that API.`);
    return true;
  }
  const target = targetOf(place, { settingsOf, env }, makeClient);
  console.log(`${place}: ${place === "production" ? "live" : "test"} mode of Stripe, ${target.siteUrl}`);
  const marks = new Set<Line["mark"]>();
  await setUpStripe(target, mode, ({ mark, text }) => {
    marks.add(mark);
    console.log(`${SIGNS[mark]} ${text}`);
  });
  const command = `npm run stripe:setup ${place}`;
  if (marks.has("failed")) {
    console.log(
      `Not everything could be ${mode === "check" ? "checked" : "set up"}. Correct the problem above, then: ${command}${mode === "check" ? " -- --check" : ""}`,
    );
    return false;
  }
  if (mode === "check") {
    console.log(marks.has("differs") ? `Stripe differs. To correct it: ${command}` : "Everything at Stripe is right.");
    return !marks.has("differs");
  }
  console.log('Set up emails and Radar by hand, because they have no API: docs/operations.md, "Stripe".');
  return true;
}

if (isStarted(import.meta.url)) {
  await runTool(() => {
    const { target, switches } = readCommandLine({ script: "stripe:setup", targets: PLACES, options: { check: "" } });
    return stripeSetup(target, switches.has("check") ? "check" : "set-up", neighbors);
  });
}
