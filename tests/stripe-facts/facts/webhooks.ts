import Stripe from "stripe";
import { WEBHOOK_EVENTS } from "../../../functions/subscription-api/stripe/webhook-events";
import type { Fact } from "../fact";

export const webhooks: Fact[] = [
  {
    situation:
      "a new webhook endpoint is enabled, in the API's version, with a secret that is shown once; it can be disabled, and enabled for other events",
    async calls({ stripe: { webhookEndpoints }, unique }) {
      const url = `https://example.com/webhooks/${unique("stripe")}`;
      const wanted = { api_version: Stripe.API_VERSION, enabled_events: WEBHOOK_EVENTS, url };
      const { id, secret = "" } = await webhookEndpoints.create(wanted);
      const find = async () => {
        const all = await webhookEndpoints.list({ limit: 100 }).autoPagingToArray({ limit: 1_000 });
        return all.find((one) => one.url === url);
      };
      const made = await find();
      await webhookEndpoints.update(id, { disabled: true });
      const disabled = (await find())?.status;
      await webhookEndpoints.update(id, { disabled: false, enabled_events: ["customer.created"] });
      const enabled = await find();
      return {
        ...{ isSecret: secret.startsWith("whsec_"), later: made?.secret, status: made?.status },
        isVersion: made?.api_version === Stripe.API_VERSION,
        hasEvents: [...(made?.enabled_events ?? [])].sort().join() === [...WEBHOOK_EVENTS].sort().join(),
        ...{ disabled, enabled: enabled?.status, events: enabled?.enabled_events },
      };
    },
    comes: {
      ...{ isSecret: true, later: undefined, status: "enabled", isVersion: true, hasEvents: true },
      ...{ disabled: "disabled", enabled: "enabled", events: ["customer.created"] },
    },
    page: "https://docs.stripe.com/api/webhook_endpoints/create",
  },
];
