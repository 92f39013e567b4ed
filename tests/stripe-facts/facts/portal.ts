import type { Fact } from "../fact";

const SITE = "https://example.com";

export const portal: Fact[] = [
  {
    situation:
      "the customer portal offers plans without ending a trial, has a login page, and keeps a feature if others change",
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
      const atOnce = { enabled: true, mode: "immediately" as const };
      const { features } = await configurations.update(id, { features: { subscription_cancel: atOnce } });
      return {
        cancel: cancel?.mode,
        trial: update?.trial_update_behavior,
        updates: update?.default_allowed_updates,
        isOffered: update?.products?.[0]?.prices?.[0] === price.id,
        hasLoginPage: found?.login_page.url?.startsWith("http"),
        back: found?.default_return_url,
        changed: { cancel: features.subscription_cancel.mode, invoices: features.invoice_history.enabled },
      };
    },
    comes: {
      ...{ cancel: "at_period_end", trial: "continue_trial", updates: ["price"], isOffered: true, hasLoginPage: true },
      back: SITE,
      changed: { cancel: "immediately", invoices: true },
    },
    page: "https://docs.stripe.com/api/customer_portal/configurations/create",
  },
];
