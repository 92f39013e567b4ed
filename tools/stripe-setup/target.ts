import Stripe from "stripe";
import { modeOf } from "../../app/shared/settings/stripe-key-mode";
import { type Item, type Prices, stripePrices } from "../../functions/subscription-api/stripe/prices";
import { WEBHOOK_EVENTS } from "../../functions/subscription-api/stripe/webhook-events";
import { ToolError } from "../failures";
import type { Neighbors } from "../neighbors";
import { PACKAGES } from "../releases/prices";
import { portOf } from "../start/addresses";
import { siteAloneLine, urlIn } from "../wrangler/worker-settings";
import { STAGES } from "../wrangler/wrangler";

/** `sandbox`: Stripe's test mode for this machine. */
export const PLACES = [...STAGES, "sandbox"] as const;
export type Place = (typeof PLACES)[number];

export type Target = {
  place: Place;
  stripe: Stripe;
  prices: Prices;
  /** Undefined in a sandbox, where `stripe listen` forwards the events. */
  webhookUrl: string | undefined;
  siteUrl: string;
  customerPortalUrl: string;
  plans: Item[];
};

/** `ok`: correct; `changed`: corrected; `differs`: wrong; `failed`: could not be read or corrected. */
export type Line = { mark: "ok" | "changed" | "differs" | "failed"; text: string };

/** A difference from the wanted setup. `fix` corrects it and says so; without `fix`, a person has to. */
export type Difference = { what: string; fix?: () => Promise<string> };

export type State = { ok: string; differences: Difference[] };

const WEBHOOK_PATH = "/webhooks/stripe";

/** Throws ToolError without a key for the place's mode, and for a placeholder in a wrangler.toml. */
export function targetOf(
  place: Place,
  { settingsOf, env }: Pick<Neighbors, "settingsOf" | "env">,
  makeClient: typeof clientOf = clientOf,
): Target {
  const { site, api } = settingsOf(place === "sandbox" ? "local" : place);
  if (api === undefined) throw new ToolError(siteAloneLine(site));
  const { STRIPE_SECRET_KEY: key = "", CUSTOMER_PORTAL_URL } = env;
  const mode = modeOf(place === "sandbox" ? undefined : place);
  if (key === "") throw new ToolError("Set STRIPE_SECRET_KEY: read -rs STRIPE_SECRET_KEY && export STRIPE_SECRET_KEY");
  if (!new RegExp(`^[sr]k_${mode}_\\w+$`).test(key)) {
    throw new ToolError(`STRIPE_SECRET_KEY is not a ${mode} key: ${place} takes sk_${mode}_… or rk_${mode}_….`);
  }
  const [publicUrl, siteUrl] = [urlIn(api, "PUBLIC_URL"), urlIn(site, "SITE_URL")];
  if ([publicUrl, siteUrl].some((url) => !URL.canParse(url) || new URL(url).hostname.endsWith(".example"))) {
    throw new ToolError("PUBLIC_URL or SITE_URL is still a placeholder: fill in both wrangler.toml files first.");
  }
  return {
    place,
    ...makeClient(key),
    webhookUrl: place === "sandbox" ? undefined : `${publicUrl}${WEBHOOK_PATH}`,
    siteUrl,
    customerPortalUrl: String((place === "sandbox" && CUSTOMER_PORTAL_URL) || site.vars.CUSTOMER_PORTAL_URL),
    plans: PACKAGES,
  };
}

export function clientOf(key: string, options: Stripe.StripeConfig = {}): Pick<Target, "stripe" | "prices"> {
  const stripe = new Stripe(key, { maxNetworkRetries: 1, telemetry: false, timeout: 20_000, ...options });
  return { stripe, prices: stripePrices(stripe, (request) => request()) };
}

export function listenCommand(): string {
  const url = `http://localhost:${portOf(process.env) + 1}${WEBHOOK_PATH}`;
  return `stripe listen --forward-to ${url} --events ${WEBHOOK_EVENTS.join(",")}`;
}
