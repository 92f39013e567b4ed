import Stripe from "stripe";
import { WEBHOOK_EVENTS } from "../../../functions/subscription-api/stripe/webhook-events";
import type { Fact } from "../fact";

const ENDPOINTS = "https://docs.stripe.com/api/webhook_endpoints";

/** An endpoint as `npm run stripe:setup` creates it. */
async function newEndpoint({ stripe, unique }: Parameters<Fact["calls"]>[0]) {
  const url = `https://example.com/webhooks/${unique("stripe")}`;
  const made = await stripe.webhookEndpoints.create({
    api_version: Stripe.API_VERSION,
    enabled_events: WEBHOOK_EVENTS,
    url,
  });
  const find = async () =>
    (await stripe.webhookEndpoints.list({ limit: 100 }).autoPagingToArray({ limit: 1_000 })).find(
      (one) => one.url === url,
    );
  return { ...made, find };
}

export const webhooks: Fact[] = [
  {
    situation: "a new webhook endpoint is enabled, in the API's version, and its signing secret is shown only once",
    async calls(world) {
      const { secret = "", find } = await newEndpoint(world);
      const found = await find();
      const hasEvents = [...(found?.enabled_events ?? [])].sort().join() === [...WEBHOOK_EVENTS].sort().join();
      const isVersion = found?.api_version === Stripe.API_VERSION;
      return {
        isSecret: secret.startsWith("whsec_"),
        later: found?.secret,
        status: found?.status,
        isVersion,
        hasEvents,
      };
    },
    comes: { isSecret: true, later: undefined, status: "enabled", isVersion: true, hasEvents: true },
    page: `${ENDPOINTS}/create`,
  },
  {
    situation: "a webhook endpoint can be disabled, and enabled again for other events",
    async calls(world) {
      const { id, find } = await newEndpoint(world);
      const { webhookEndpoints } = world.stripe;
      await webhookEndpoints.update(id, { disabled: true });
      const disabled = (await find())?.status;
      await webhookEndpoints.update(id, { disabled: false, enabled_events: ["customer.created"] });
      const found = await find();
      return { disabled, enabled: found?.status, events: found?.enabled_events };
    },
    comes: { disabled: "disabled", enabled: "enabled", events: ["customer.created"] },
    page: `${ENDPOINTS}/update`,
  },
  {
    situation: "while a signing secret is replaced, a signature is valid under the old and the new one, and no third",
    async calls({ stripe }) {
      const { webhooks } = stripe;
      const payload = JSON.stringify({ id: "evt_1", object: "event" });
      const timestamp = Math.floor(Date.now() / 1000);
      const signed = (secret: string) => webhooks.generateTestHeaderStringAsync({ payload, secret, timestamp });
      const [oldHeader, newHeader] = [await signed("whsec_old"), await signed("whsec_new")];
      const header = `${oldHeader},${newHeader.split(",").slice(1).join(",")}`;
      const isValid = async (secret: string) =>
        (await webhooks.signature?.verifyHeaderAsync(payload, header, secret, 300).catch(() => false)) ?? false;
      return { old: await isValid("whsec_old"), new: await isValid("whsec_new"), third: await isValid("whsec_third") };
    },
    comes: { old: true, new: true, third: false },
    page: "https://docs.stripe.com/webhooks#roll-endpoint-secrets",
  },
];
