import { API_VERSION } from "../schema/schema";
import { complete } from "../store/objects";
import type { Handlers } from "./context";
import { noSuch } from "./errors";
import { isWithin, page, refuseOthers } from "./lists";

const WEBHOOK_ENDPOINT = "we_simulated";

/** https://docs.stripe.com/api/events and https://docs.stripe.com/api/webhook_endpoints */
export const events = {
  "GET /v1/events": (given, { store }) => {
    const { type, types = type === undefined ? undefined : [type], created, ...rest } = given;
    const { limit, starting_after, ending_before, ...others } = rest;
    refuseOthers(others);
    const found = store
      .list("Event")
      .filter((one) => (types === undefined || types.includes(one.type)) && isWithin(created, one.created));
    return page("/v1/events", found, { limit, starting_after, ending_before });
  },

  "GET /v1/events/:id": (_, { store, id }) => {
    const found = store.find("Event", id);
    if (!found) throw noSuch("event", id);
    return found;
  },

  "GET /v1/webhook_endpoints": (given, call) => page("/v1/webhook_endpoints", [endpointOf(call)], given),

  "GET /v1/webhook_endpoints/:id": (_, call) => {
    if (call.id !== WEBHOOK_ENDPOINT) throw noSuch("webhook endpoint", call.id);
    return endpointOf(call);
  },
} satisfies Partial<Handlers>;

function endpointOf({ endpoint }: { endpoint: { url: string; events: string[] } }) {
  return complete("WebhookEndpoint", {
    id: WEBHOOK_ENDPOINT,
    object: "webhook_endpoint",
    api_version: API_VERSION,
    created: 0,
    enabled_events: endpoint.events,
    livemode: false,
    metadata: {},
    status: "enabled",
    url: endpoint.url,
  });
}
