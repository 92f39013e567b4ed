import { API_VERSION } from "../../schema/schema";
import type { Part } from "../../schema/stored";
import { newId } from "../../store/ids";
import { make, merge, type ObjectOf } from "../../store/objects";
import type { Call, Handlers } from "../operation-context";
import { existing, page } from "../reads";

type Configuration = ObjectOf<"Configuration">;
type WebhookEndpoint = ObjectOf<"WebhookEndpoint">;

const OF_WRANGLER = "we_simulated";

/** Events go to the endpoint of wrangler.toml, whatever is made here. */
export const accountSettings = {
  "GET /v1/webhook_endpoints": (given, { store, endpoint }) =>
    page("/v1/webhook_endpoints", [endpointOf(endpoint), ...store.list("WebhookEndpoint")], given),

  "POST /v1/webhook_endpoints": ({ expand: _, connect: __, ...given }, { store, now }) => {
    const blank = endpointOf({ url: given.url, events: given.enabled_events }, { id: newId("we"), created: now() });
    const made = store.save("WebhookEndpoint", merge("WebhookEndpoint", { ...blank, api_version: null }, given));
    return { ...made, secret: newId("whsec", 32) };
  },

  "POST /v1/webhook_endpoints/:id": ({ expand: _, disabled, ...given }, { store, id }) => {
    const found = existing("WebhookEndpoint", id, store);
    const status = disabled === undefined ? found.status : disabled ? "disabled" : "enabled";
    return store.save("WebhookEndpoint", { ...merge("WebhookEndpoint", found, given), status });
  },

  "GET /v1/billing_portal/configurations": (given, { store }) => {
    const { data, ...rest } = page("/v1/billing_portal/configurations", store.list("Configuration"), given);
    const isAsked = given.expand?.includes("data.features.subscription_update.products");
    return { ...rest, data: isAsked ? data : data.map(withoutProducts) };
  },

  "POST /v1/billing_portal/configurations": (given, call) => {
    const features = {
      subscription_cancel: { mode: "at_period_end", proration_behavior: "none" },
      subscription_pause: { duration: { type: "indefinite" } },
      subscription_update: { proration_behavior: "none", trial_update_behavior: "end_trial" },
    } as const;
    const made = { id: newId("bpc"), active: true, created: call.now(), features };
    return configured(make("Configuration", made), given, call);
  },

  "POST /v1/billing_portal/configurations/:id": (given, call) =>
    configured(existing("Configuration", call.id, call.store), given, call),
} satisfies Partial<Handlers>;

type Change = Parameters<Handlers["POST /v1/billing_portal/configurations/:id"]>[0];

function configured(
  known: Configuration,
  { expand: _, ...given }: Change,
  { store, now, origin }: Call,
): Configuration {
  const { login_page, ...merged } = merge("Configuration", known, given);
  const url = login_page.enabled ? `${origin}/p/login/test` : login_page.url;
  const saved = { ...merged, login_page: { ...login_page, url }, updated: now() };
  return withoutProducts(store.save("Configuration", saved));
}

function withoutProducts(configuration: Configuration): Configuration {
  const { products: _, ...subscription_update } = configuration.features.subscription_update;
  return { ...configuration, features: { ...configuration.features, subscription_update } };
}

function endpointOf({ url, events: enabled_events }: Call["endpoint"], given: Part<WebhookEndpoint> = {}) {
  const blank = { id: OF_WRANGLER, api_version: API_VERSION, enabled_events, status: "enabled", url };
  return make("WebhookEndpoint", { ...blank, ...given });
}
