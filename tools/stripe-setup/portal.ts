import type Stripe from "stripe";
import type { Difference, State } from "./line";
import type { Target } from "./target";

type Configuration = Stripe.BillingPortal.Configuration;
type Wanted = Stripe.BillingPortal.ConfigurationCreateParams;

const MADE_BY = { made_by: "npm run stripe:setup" };

/** The configuration of the Customer Portal: https://docs.stripe.com/customer-management/configure-portal */
export async function portal(target: Target): Promise<State> {
  const { stripe } = target;
  const [wanted, found] = [await wantedOf(target), await configurationOf(target)];
  if (!found) {
    const fix = async () =>
      `${(await stripe.billingPortal.configurations.create({ ...wanted, metadata: MADE_BY })).id} was made`;
    return { ok: "", differences: [{ what: "there is no configuration", fix }] };
  }
  const wrong = wrongIn(found, wanted);
  const fix = async () => {
    await stripe.billingPortal.configurations.update(found.id, wanted);
    return `${found.id} was changed: ${wrong.join(", ")}`;
  };
  const differences: Difference[] =
    wrong.length > 0 ? [{ what: `${found.id} is wrong in: ${wrong.join(", ")}`, fix }] : [];
  return { ok: `customer portal: ${found.id}`, differences };
}

export async function portalUrl(target: Target): Promise<State | undefined> {
  const url = (await configurationOf(target))?.login_page.url;
  if (url == null) return undefined;
  const ok = `CUSTOMER_PORTAL_URL = "${url}"`;
  if (url === target.customerPortalUrl) return { ok, differences: [] };
  const place =
    target.place === "sandbox"
      ? "start with the variable"
      : "set in wrangler.toml and functions/subscription-api/wrangler.toml";
  return { ok, differences: [{ what: `${place} ${ok}` }] };
}

/** The portal in the settings, else the portal made here, else the Dashboard's default. */
async function configurationOf({ stripe, customerPortalUrl }: Target): Promise<Configuration | undefined> {
  const list = await stripe.billingPortal.configurations.list({
    active: true,
    expand: ["data.features.subscription_update.products"],
    limit: 100,
  });
  return (
    list.data.find(({ login_page }) => login_page.url === customerPortalUrl) ??
    list.data.find(({ metadata }) => metadata?.made_by === MADE_BY.made_by) ??
    list.data.find(({ is_default }) => is_default)
  );
}

async function wantedOf({ prices, plans, siteUrl }: Target): Promise<Wanted> {
  const found = await Promise.all(plans.map((plan) => prices.find(plan)));
  const products = found.flatMap((price) => (price ? [{ product: price.product, prices: [price.id] }] : []));
  const site = siteUrl.replace(/\/+$/, "");
  return {
    features: {
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true },
      subscription_cancel: { enabled: true, mode: "at_period_end" },
      subscription_update: {
        enabled: true,
        default_allowed_updates: ["price"],
        products,
        proration_behavior: "create_prorations",
        // Without this, changing the plan would end the trial and charge at once.
        trial_update_behavior: "continue_trial",
      },
    },
    login_page: { enabled: true },
    ...(site.startsWith("https:") && {
      business_profile: { privacy_policy_url: `${site}/privacy`, terms_of_service_url: `${site}/terms` },
      default_return_url: site,
    }),
  };
}

const PARTS: Record<string, (one: Configuration | Wanted) => unknown> = {
  "the login page": ({ login_page }) => login_page?.enabled,
  "canceling at the period's end": ({ features: { subscription_cancel: cancel } }) => [cancel?.enabled, cancel?.mode],
  "the change of the card": ({ features }) => features.payment_method_update?.enabled,
  "the invoices": ({ features }) => features.invoice_history?.enabled,
  "the change of the plan": ({ features: { subscription_update: update } }) => [
    update?.enabled,
    update?.default_allowed_updates,
    update?.proration_behavior,
    update?.trial_update_behavior,
  ],
  "the plans": ({ features }) => plansIn(features.subscription_update?.products),
  "the privacy policy and the terms": ({ business_profile: profile }) =>
    profile && [profile.privacy_policy_url, profile.terms_of_service_url],
  "the link back": ({ default_return_url }) => default_return_url,
};

/** The differing parts; ignores the links if the site has no https. */
function wrongIn(found: Configuration, wanted: Wanted): string[] {
  const isWrong = (part: unknown, right: unknown) =>
    right !== undefined && JSON.stringify(part) !== JSON.stringify(right);
  return Object.keys(PARTS).filter((name) => isWrong(PARTS[name]?.(found), PARTS[name]?.(wanted)));
}

function plansIn(products: { product: string; prices: string[] }[] | "" | null | undefined): string[] {
  return (products || []).map(({ product, prices }) => `${product} ${[...prices].sort()}`).sort();
}
