import Stripe from "stripe";
import { WEBHOOK_EVENTS } from "../../functions/subscription-api/stripe/events";
import { API_FOLDER, wranglerCommand } from "../wrangler/wrangler";
import type { Difference, State } from "./line";
import { listenCommand, type Target } from "./target";

/** Stripe repeats an event for three days, but none of a disabled endpoint: https://docs.stripe.com/webhooks#retries */
const RETRIED_FOR_MS = 3 * 24 * 60 * 60_000;

/** With snapshot payloads: https://docs.stripe.com/api/webhook_endpoints */
export async function webhookEndpoint({ stripe, webhookUrl: url, place }: Target): Promise<State> {
  if (url === undefined) return { ok: `webhooks: ${listenCommand()}`, differences: [] };
  const all = (await stripe.webhookEndpoints.list({ limit: 100 })).data.filter((one) => one.url === url);
  // The version of an endpoint cannot be changed.
  const [endpoint, ...others] = all.filter(({ api_version }) => api_version === Stripe.API_VERSION).sort(enabledFirst);
  const differences: Difference[] = [];
  if (!endpoint) {
    const replaces = all.some(({ status }) => status === "enabled");
    differences.push({ what: `there is none for ${url}`, fix: () => create(stripe, url, place, replaces) });
  }
  const old = all.filter(({ api_version, status }) => api_version !== Stripe.API_VERSION && status === "enabled");
  const replacedAt = endpoint && endpoint.created * 1000 + RETRIED_FOR_MS;
  const isReplaced = replacedAt !== undefined && Date.now() >= replacedAt;
  for (const { id, api_version } of isReplaced ? old : []) {
    differences.push({
      what: `${id} sends events of the version ${api_version ?? "of the account"}, not ${Stripe.API_VERSION}`,
      fix: async () => {
        await stripe.webhookEndpoints.update(id, { disabled: true });
        return `${id}, of another version, was disabled: STRIPE_WEBHOOK_SECRET no longer needs its secret`;
      },
    });
  }
  if (endpoint) differences.push(...differencesOf(endpoint, stripe));
  for (const { id } of others.filter(({ status }) => status === "enabled")) {
    differences.push({ what: `${id} sends the same events with another secret: delete it, or ${endpoint?.id}` });
  }
  const kept = old.length > 0 && replacedAt !== undefined && !isReplaced;
  const next = kept
    ? `; run this again after ${new Date(replacedAt).toISOString().slice(0, 10)} to disable ${old.map(({ id }) => id).join(", ")}`
    : "";
  return { ok: `webhook endpoint: ${url}${next}`, differences };
}

function differencesOf({ id, enabled_events, status }: Stripe.WebhookEndpoint, stripe: Stripe): Difference[] {
  const differences: Difference[] = [];
  const missing = WEBHOOK_EVENTS.filter((type) => !enabled_events.includes(type));
  const needless = enabled_events.filter((type) => !WEBHOOK_EVENTS.some((wanted) => wanted === type));
  if (missing.length + needless.length > 0) {
    differences.push({
      what: [
        missing.length > 0 && `${id} lacks ${missing.join(", ")}`,
        needless.length > 0 && `${id} needs no ${needless.join(", ")}`,
      ]
        .filter((part) => part !== false)
        .join("; "),
      fix: async () => {
        await stripe.webhookEndpoints.update(id, { enabled_events: WEBHOOK_EVENTS });
        return `${id} now sends the events that the API reads`;
      },
    });
  }
  if (status === "disabled") {
    differences.push({
      what: `${id} is disabled`,
      fix: async () => {
        await stripe.webhookEndpoints.update(id, { disabled: false });
        return `${id} was enabled`;
      },
    });
  }
  return differences;
}

async function create(stripe: Stripe, url: string, place: Target["place"], replaces: boolean): Promise<string> {
  const { id, secret } = await stripe.webhookEndpoints.create({
    api_version: Stripe.API_VERSION,
    enabled_events: WEBHOOK_EVENTS,
    url,
  });
  const made = `${id} was made for ${url}`;
  if (place === "local" || place === "sandbox") {
    return `${made}; the simulator signs with the local STRIPE_WEBHOOK_SECRET`;
  }
  const command = wranglerCommand("secret put STRIPE_WEBHOOK_SECRET", place, API_FOLDER);
  const value = replaces ? "this secret, a comma and the old secret" : "the secret";
  return `${made}. Its signing secret, which the API of Stripe tells this once:\n    ${secret}\n  Type this command, and paste ${value} when it asks:\n    ${command}`;
}

function enabledFirst(a: Stripe.WebhookEndpoint, b: Stripe.WebhookEndpoint): number {
  return Number(b.status === "enabled") - Number(a.status === "enabled") || a.created - b.created;
}
