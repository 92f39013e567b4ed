import Stripe from "stripe";
import { WEBHOOK_EVENTS } from "../../functions/subscription-api/stripe/webhook-events";
import { API_FOLDER, type Stage, wranglerCommand } from "../wrangler/wrangler";
import { type Difference, listenCommand, type State, type Target } from "./target";

/** With snapshot payloads: https://docs.stripe.com/api/webhook_endpoints */
export async function webhookEndpoint({ stripe, webhookUrl: url, place }: Target): Promise<State> {
  if (url === undefined || place === "sandbox") return { ok: `webhooks: ${listenCommand()}`, differences: [] };
  const all = (await stripe.webhookEndpoints.list({ limit: 100 })).data.filter((one) => one.url === url);
  const enabled = all.filter(({ status }) => status === "enabled");
  // An endpoint's API version cannot be changed.
  const endpoint = [...enabled, ...all].find(({ api_version }) => api_version === Stripe.API_VERSION);
  const others = enabled.filter(({ id }) => id !== endpoint?.id);
  const differences: Difference[] = endpoint
    ? others.map(({ id, api_version }) => ({
        // Stripe repeats an event for three days, but no event of a disabled endpoint: https://docs.stripe.com/webhooks#retries
        what: `${id} sends the same events (version ${api_version}): disable it three days after ${endpoint.id} was made`,
      }))
    : [{ what: `there is none for ${url}`, fix: () => create(stripe, url, place, others.length > 0) }];
  if (endpoint) {
    const { id, enabled_events, status } = endpoint;
    const hasEvents = [...enabled_events].sort().join() === [...WEBHOOK_EVENTS].sort().join();
    const fix = async () => {
      await stripe.webhookEndpoints.update(id, { enabled_events: WEBHOOK_EVENTS, disabled: false });
      return `${id} now sends the events that the API needs`;
    };
    if (!hasEvents || status === "disabled") {
      differences.unshift({
        what: `${id} ${hasEvents ? "is disabled" : "does not send the events that the API needs"}`,
        fix,
      });
    }
  }
  return { ok: `webhook endpoint: ${url}`, differences };
}

async function create(stripe: Stripe, url: string, place: Stage, replaces: boolean): Promise<string> {
  const wanted = { api_version: Stripe.API_VERSION, enabled_events: WEBHOOK_EVENTS, url };
  const { id, secret } = await stripe.webhookEndpoints.create(wanted);
  const command = wranglerCommand("secret put STRIPE_WEBHOOK_SECRET", place, API_FOLDER);
  const value = replaces ? "this secret, a comma and the old secret" : "the secret";
  return `${id} was made for ${url}. Its signing secret, which Stripe shows only this once:\n    ${secret}\n  Type this command, and paste ${value} when it asks:\n    ${command}`;
}
