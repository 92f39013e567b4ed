import { API_VERSION } from "../../stripe-schema/schema";
import { make } from "../store/objects";
import type { Handlers } from "./context";
import { noSuch } from "./errors";
import { page } from "./reads";

const WEBHOOK_ENDPOINT = "we_simulated";

/** https://docs.stripe.com/api/webhook_endpoints: the one of wrangler.toml. */
export const webhookEndpoints = {
  "GET /v1/webhook_endpoints": (given, { endpoint }) => page("/v1/webhook_endpoints", [endpointOf(endpoint)], given),

  "GET /v1/webhook_endpoints/:id": (_, { id, endpoint }) => {
    if (id !== WEBHOOK_ENDPOINT) throw noSuch("webhook endpoint", id);
    return endpointOf(endpoint);
  },
} satisfies Partial<Handlers>;

function endpointOf({ url, events: enabled_events }: { url: string; events: string[] }) {
  return make("WebhookEndpoint", {
    id: WEBHOOK_ENDPOINT,
    api_version: API_VERSION,
    enabled_events,
    status: "enabled",
    url,
  });
}
