import Stripe from "stripe";
import { PAID_PLANS, settingOf } from "../../app/contract/plans";
import { isLoopback } from "../../app/shared/settings";
import { WEBHOOK_EVENTS } from "../../functions/subscription-api/stripe/events";
import { type Item, type Prices, stripePrices } from "../../functions/subscription-api/stripe/plan-prices";
import { ToolError } from "../failures";
import { settingsOf } from "../releases/deployment-stages";
import { portsOf } from "../start/addresses";
import { API_FOLDER, type Stage } from "../wrangler/wrangler";

export type Place = "local" | "sandbox" | Stage;

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

/** `ok`: correct; `changed`: corrected; `differs`: wrong; `failed`: could not be corrected; `untested`: could not be read. */
export type Line = { mark: "ok" | "changed" | "differs" | "failed" | "untested"; text: string };

/** A difference from the wanted setup. `fix` corrects it and reports that; without `fix` a person has to. */
export type Difference = { what: string; fix?: () => Promise<string> };

export type State = { ok: string; differences: Difference[] };

const WEBHOOK_PATH = "/webhooks/stripe";

/** @param url where a local Stripe is, if elsewhere than wrangler.toml says. Throws ToolError. */
export function targetOf(place: Place, variables: NodeJS.ProcessEnv, url?: string): Target {
  const stage = place === "local" || place === "sandbox" ? undefined : place;
  const { site, api } = settingsOf(stage);
  const apiUrl = stage ? undefined : (url ?? (place === "local" ? api.vars.STRIPE_API_URL : undefined));
  if (apiUrl !== undefined && !isLoopback(String(apiUrl))) throw new ToolError("--url must be on this machine.");
  const key = place === "local" ? String(api.vars.STRIPE_SECRET_KEY) : keyOf(place, variables.STRIPE_SECRET_KEY);
  const publicUrl = String(api.vars.PUBLIC_URL);
  if (stage) requireRealUrl("PUBLIC_URL", publicUrl, `[env.${stage}.vars] of ${API_FOLDER}/wrangler.toml`);
  if (stage) requireRealUrl("SITE_URL", String(site.vars.SITE_URL), `[env.${stage}.vars] of wrangler.toml`);
  return {
    place,
    ...clientOf(key, apiUrl === undefined ? undefined : new URL(String(apiUrl))),
    webhookUrl: place === "sandbox" ? undefined : `${publicUrl.replace(/\/+$/, "")}${WEBHOOK_PATH}`,
    siteUrl: String(site.vars.SITE_URL),
    customerPortalUrl: String((place === "sandbox" && variables.CUSTOMER_PORTAL_URL) || site.vars.CUSTOMER_PORTAL_URL),
    plans: PAID_PLANS.map((plan) => ({
      id: String(site.vars[settingOf(plan)]).toLowerCase(),
      name: plan.title,
      price_cents: plan.monthlyPrice * 100,
    })),
  };
}

export function clientOf(key: string, apiUrl?: URL, httpClient?: Stripe.HttpClient): Pick<Target, "stripe" | "prices"> {
  const stripe = new Stripe(key, {
    maxNetworkRetries: 1,
    telemetry: false,
    timeout: 20_000,
    ...(apiUrl && {
      protocol: apiUrl.protocol === "http:" ? "http" : "https",
      host: apiUrl.hostname,
      port: apiUrl.port,
    }),
    ...(httpClient && { httpClient }),
  });
  return { stripe, prices: stripePrices(stripe, (request) => request()) };
}

function keyOf(place: Exclude<Place, "local">, key = ""): string {
  if (key === "") throw new ToolError("Set STRIPE_SECRET_KEY: read -rs STRIPE_SECRET_KEY && export STRIPE_SECRET_KEY");
  const mode = place === "production" ? "live" : "test";
  if (new RegExp(`^[sr]k_${mode}_\\w+$`).test(key)) return key;
  throw new ToolError(
    `STRIPE_SECRET_KEY is no ${mode} key: --${place} takes a secret or restricted one (sk_${mode}_… or rk_${mode}_…).`,
  );
}

function requireRealUrl(name: string, url: string, where: string): void {
  if (URL.canParse(url) && !new URL(url).hostname.endsWith(".example")) return;
  throw new ToolError(`${name} is still a placeholder: fill in ${where} first.`);
}

export function listenCommand(): string {
  return `stripe listen --forward-to http://localhost:${portsOf(process.env)["subscription-api"]}${WEBHOOK_PATH} --events ${WEBHOOK_EVENTS.join(",")}`;
}
