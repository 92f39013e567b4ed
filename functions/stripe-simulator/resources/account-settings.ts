import type Stripe from "stripe";
import { existing, listing, type Operation, operation } from "../api/operation";
import { flag, hash, list, metadata, type Readers, text } from "../api/parameters";
import { API_VERSION, merge, newId, nulls, type Objects } from "../store/objects";

const feature = hash({ enabled: flag }).optional();

const configuration = {
  business_profile: hash({ privacy_policy_url: text, terms_of_service_url: text }).optional(),
  default_return_url: text.optional(),
  features: hash({
    customer_update: hash({ allowed_updates: list(text).optional(), enabled: flag }).optional(),
    invoice_history: feature,
    payment_method_update: feature,
    subscription_cancel: hash({ enabled: flag, mode: text.optional() }).optional(),
    subscription_update: hash({
      default_allowed_updates: list(text).optional(),
      enabled: flag,
      products: list(hash({ product: text, prices: list(text) })).optional(),
      proration_behavior: text.optional(),
      trial_update_behavior: text.optional(),
    }).optional(),
  }),
  login_page: feature,
  metadata: metadata.optional(),
} satisfies Readers<Stripe.BillingPortal.ConfigurationCreateParams>;

const changedConfiguration = {
  ...configuration,
  active: flag.optional(),
  features: configuration.features.optional(),
} satisfies Readers<Stripe.BillingPortal.ConfigurationUpdateParams>;

const listed = { active: flag.optional() } satisfies Readers<Stripe.BillingPortal.ConfigurationListParams>;

const endpoint = { api_version: text, enabled_events: list(text), url: text } satisfies Readers<
  Record<keyof Stripe.WebhookEndpointCreateParams, unknown>
>;

export const accountSettings: Operation[] = [
  listing("/v1/webhook_endpoints", "WebhookEndpoint", {}),

  // Events always go to the endpoint in wrangler.toml, whatever is created here.
  operation("POST /v1/webhook_endpoints", endpoint, ({ api_version, enabled_events, url }, { store, now }) => {
    const made = endpointOf(newId("we"), url, enabled_events, now);
    return { ...store.save("WebhookEndpoint", { ...made, api_version }), secret: newId("whsec", 32) };
  }),

  operation(
    "POST /v1/webhook_endpoints/:id",
    { disabled: flag.optional(), enabled_events: list(text).optional() },
    ({ disabled, enabled_events }, { store, id }) => {
      const found = existing("WebhookEndpoint", id, store);
      const status = disabled === undefined ? found.status : disabled ? "disabled" : "enabled";
      return store.save("WebhookEndpoint", { ...merge(found, { enabled_events }), status });
    },
  ),

  operation("DELETE /v1/webhook_endpoints/:id", {}, (_, { store, id }) => {
    existing("WebhookEndpoint", id, store);
    store.delete(id);
    return { id, object: "webhook_endpoint", deleted: true };
  }),

  listing("/v1/billing_portal/configurations", "Configuration", listed),

  operation("POST /v1/billing_portal/configurations", configuration, (given, { store, now, origin }) =>
    store.save("Configuration", configured(blankConfiguration(now), given, now, origin)),
  ),

  operation("POST /v1/billing_portal/configurations/:id", changedConfiguration, (given, { store, now, origin, id }) =>
    store.save("Configuration", configured(existing("Configuration", id, store), given, now, origin)),
  ),
];

type Configuration = Objects["Configuration"];
type Given = { [N in keyof typeof changedConfiguration]?: (typeof changedConfiguration)[N]["_zod"]["output"] };

function configured(known: Configuration, given: Given, updated: number, origin: string): Configuration {
  const { features: { subscription_update: update, ...features } = {}, ...rest } = given;
  const products = update?.products?.map((one) => ({ ...one, adjustable_quantity: FIXED_QUANTITY }));
  const merged = merge(known, { ...rest, features: { ...features, subscription_update: { ...update, products } } });
  const url = merged.login_page.enabled ? `${origin}/p/login/test` : null;
  return { ...merged, login_page: { ...merged.login_page, url }, updated };
}

const FIXED_QUANTITY = { enabled: false, maximum: null, minimum: 1 };

function blankConfiguration(created: number): Configuration {
  return {
    ...nulls("application", "default_return_url", "name"),
    ...{ id: newId("bpc"), object: "billing_portal.configuration", active: true, created, updated: created },
    ...{ is_default: false, livemode: false, login_page: { enabled: false, url: null }, metadata: {} },
    business_profile: nulls("headline", "privacy_policy_url", "terms_of_service_url"),
    features: {
      customer_update: { allowed_updates: [], enabled: false },
      invoice_history: { enabled: false },
      payment_method_update: { enabled: false, payment_method_configuration: null },
      subscription_cancel: {
        cancellation_reason: { enabled: false, feedback_options: null, options: [] },
        ...{ enabled: false, mode: "at_period_end", proration_behavior: "none" },
      },
      subscription_pause: { duration: { type: "indefinite", interval_options: [] }, enabled: false },
      subscription_update: {
        ...{ billing_cycle_anchor: null, default_allowed_updates: [], enabled: false, proration_behavior: "none" },
        ...{ products: [], schedule_at_period_end: { conditions: [] }, trial_update_behavior: "end_trial" },
      },
    },
  };
}

/** @param created seconds since 1970 */
export function endpointOf(
  id: string,
  url: string,
  enabled_events: string[],
  created: number,
): Objects["WebhookEndpoint"] {
  return {
    ...{ id, object: "webhook_endpoint", url, enabled_events, created, api_version: API_VERSION, application: null },
    ...{ description: null, livemode: false, metadata: {}, status: "enabled" },
  };
}
