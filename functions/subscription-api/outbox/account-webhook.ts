import { Webhook } from "standardwebhooks";
import type { ConsoleConfig } from "../config";
import type { Message, SendOutcome } from "./outbox";
import { postJson } from "./post-json";

const TYPES = {
  "account-created": "account.created",
  "email-verified": "account.email_verified",
  "account-closed": "account.closed",
} as const;

export type AccountMessage = Message & { kind: keyof typeof TYPES };

export type AccountWebhook = { send(message: AccountMessage): Promise<SendOutcome> };

/** Notifies the console about accounts with Standard Webhooks: https://www.standardwebhooks.com */
export function accountWebhookTo({ url, secret }: ConsoleConfig): AccountWebhook {
  const webhook = new Webhook(secret);
  return {
    async send(message) {
      const sentAt = new Date();
      const body = JSON.stringify({
        type: TYPES[message.kind],
        timestamp: sentAt.toISOString(),
        data: accountOf(message),
      });
      const headers = {
        "webhook-id": message.key,
        "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
        "webhook-signature": webhook.sign(message.key, sentAt, body),
      };
      return postJson(url, { headers, body });
    },
  };
}

function accountOf(message: Message) {
  return {
    id: message.id,
    status: message.status,
    end_reason: message.end_reason,
    email: message.email,
    email_verified: message.email_verified_at !== null,
    password_hash: message.password_hash,
    full_name: message.full_name,
    company_name: message.company_name,
    phone: message.phone,
    billing_address: {
      address: message.address,
      city: message.city,
      state: message.state,
      zip_code: message.zip_code,
      country: message.country,
    },
    package: message.package_id === null ? null : { id: message.package_id, name: message.package_name },
    trial_end: message.trial_end,
    stripe_customer_id: message.stripe_customer_id,
    stripe_subscription_id: message.stripe_subscription_id,
    created_at: message.created_at,
  };
}
