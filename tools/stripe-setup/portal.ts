import type Stripe from "stripe";
import type { State, Target } from "./target";

const MADE_BY = { made_by: "npm run stripe:setup" };

/** The configuration of the Customer Portal: https://docs.stripe.com/customer-management/configure-portal */
export async function portal(target: Target): Promise<State> {
  const { configurations } = target.stripe.billingPortal;
  const [wanted, found] = [await wantedOf(target), await configurationOf(target)];
  const where = target.place === "sandbox" ? "start with the variable" : "set in both wrangler.toml files";
  const setUrl = ({ login_page: { url } }: Stripe.BillingPortal.Configuration) =>
    url === null || url === target.customerPortalUrl ? "" : `${where} CUSTOMER_PORTAL_URL = "${url}"`;
  const wrong = found && wrongIn(found, wanted).join(", ");
  if (found && wrong === "") {
    const what = setUrl(found);
    return { ok: `customer portal: ${found.id}`, differences: what === "" ? [] : [{ what }] };
  }
  const fix = async () => {
    const fixed = found
      ? await configurations.update(found.id, wanted)
      : await configurations.create({ ...wanted, metadata: MADE_BY });
    return `${fixed.id} ${found ? `was changed: ${wrong}` : "was made"}. ${setUrl(fixed)}`.trim();
  };
  const what = found ? `${found.id} is wrong in: ${wrong}` : "there is no configuration";
  return { ok: "", differences: [{ what, fix }] };
}

/** The configuration of the portal in the settings, else the one created by this command, else the Dashboard's default. */
async function configurationOf({ stripe, customerPortalUrl }: Target) {
  const expand = ["data.features.subscription_update.products"];
  const { data } = await stripe.billingPortal.configurations.list({ active: true, expand, limit: 100 });
  return (
    data.find(({ login_page }) => login_page.url === customerPortalUrl) ??
    data.find(({ metadata }) => metadata?.made_by === MADE_BY.made_by) ??
    data.find(({ is_default }) => is_default)
  );
}

async function wantedOf({ prices, plans, siteUrl }: Target): Promise<Stripe.BillingPortal.ConfigurationCreateParams> {
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

/** The paths of wanted values that `found` lacks. The order of lists does not matter. */
function wrongIn(found: unknown, wanted: unknown, path: string[] = []): string[] {
  if (Array.isArray(wanted)) {
    const members: unknown[] = Array.isArray(found) ? found : [];
    const hasAll = wanted.every((member) => members.some((one) => wrongIn(one, member, ["member"]).length === 0));
    return hasAll && members.length === wanted.length ? [] : [path.join(".")];
  }
  if (typeof wanted !== "object" || wanted === null) return found === wanted ? [] : [path.join(".")];
  const parts = new Map(typeof found === "object" && found !== null ? Object.entries(found) : []);
  return Object.entries(wanted).flatMap(([name, value]) => wrongIn(parts.get(name), value, [...path, name]));
}
