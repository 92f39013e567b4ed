import type { Fact } from "../fact";

const PORTAL = "https://docs.stripe.com/api/customer_portal/configurations";
const SITE = "https://example.com";

export const portal: Fact[] = [
  {
    situation: "the customer portal offers the plans without ending a trial, and has a login page",
    async calls(world) {
      const { configurations } = world.stripe.billingPortal;
      const price = await world.price(10_000);
      const { id } = await configurations.create({
        features: {
          ...{ invoice_history: { enabled: true }, payment_method_update: { enabled: true } },
          subscription_cancel: { enabled: true, mode: "at_period_end" },
          subscription_update: {
            ...{ enabled: true, default_allowed_updates: ["price"], proration_behavior: "create_prorations" },
            products: [{ product: String(price.product), prices: [price.id] }],
            trial_update_behavior: "continue_trial",
          },
        },
        ...{ login_page: { enabled: true }, metadata: { made_by: world.unique("portal") } },
        business_profile: { privacy_policy_url: `${SITE}/privacy`, terms_of_service_url: `${SITE}/terms` },
        default_return_url: SITE,
      });
      const expand = ["data.features.subscription_update.products"];
      const { data } = await configurations.list({ active: true, expand, limit: 100 });
      const found = data.find((one) => one.id === id);
      const { subscription_cancel: cancel, subscription_update: update } = found?.features ?? {};
      return {
        cancel: cancel?.mode,
        trial: update?.trial_update_behavior,
        updates: update?.default_allowed_updates,
        isOffered: update?.products?.[0]?.prices?.[0] === price.id,
        hasLoginPage: found?.login_page.url?.startsWith("http"),
        back: found?.default_return_url,
      };
    },
    comes: {
      ...{ cancel: "at_period_end", trial: "continue_trial", updates: ["price"], isOffered: true, hasLoginPage: true },
      back: SITE,
    },
    page: `${PORTAL}/create`,
  },
  {
    situation: "a changed feature of the customer portal leaves the others",
    async calls(world) {
      const { configurations } = world.stripe.billingPortal;
      const invoice_history = { enabled: true };
      const { id } = await configurations.create({
        features: { invoice_history, subscription_cancel: { enabled: true, mode: "immediately" } },
      });
      const { features } = await configurations.update(id, {
        features: { subscription_cancel: { enabled: true, mode: "at_period_end" } },
      });
      return { mode: features.subscription_cancel.mode, invoices: features.invoice_history.enabled };
    },
    comes: { mode: "at_period_end", invoices: true },
    page: `${PORTAL}/update`,
  },
];
