import Stripe from "stripe";
import * as z from "zod";
import type { StripeConfig } from "./config";
import type { CardSetUp } from "./subscriptions";

/*
 * The only file that knows the `stripe` package. Each call carries an idempotency key made of the sign-up's id, so
 * that a repetition, after a crash or at the same time, finds what the first one made. Stripe keeps keys for at least
 * 24 hours; a sign-up that is still without a card by then is an abandoned one.
 */

/** Old events are refused, so that a recorded one cannot be sent again (Stripe: "Verify webhook signatures manually"). */
const WEBHOOK_TOLERANCE_SECONDS = 300;

const customer = z.object({ id: z.string().min(1) });
const setupIntent = z.object({ id: z.string().min(1), client_secret: z.string().min(1), status: z.string() });
const cardSetUpEvent = z.object({
  id: z.string().min(1),
  type: z.literal("setup_intent.succeeded"),
  data: z.object({
    object: z.object({
      id: z.string().min(1),
      customer: z.string().min(1),
      metadata: z.object({ subscription_id: z.guid() }),
    }),
  }),
});

export type SetupIntent = { id: string; clientSecret: string; succeeded: boolean };

/** A webhook's content: forged or stale, of no interest here, or a card set up for one of our sign-ups. */
export type WebhookEvent =
  | { status: "rejected" }
  | { status: "ignored" }
  | { status: "card-set-up"; id: string; type: string; card: CardSetUp };

/** Stripe could not be reached or failed, is still busy with the same call, or gave an answer that makes no sense. */
export class PaymentsError extends Error {
  override readonly name = "PaymentsError";
  constructor(
    readonly reason: "unavailable" | "in-progress" | "nonsense",
    cause?: unknown,
  ) {
    super(`Payments: ${reason}`, { cause });
  }
}

export type Payments = ReturnType<typeof stripePayments>;

/** What the sign-up needs of Stripe. Every method but `readWebhook` throws a {@link PaymentsError}. */
export function stripePayments(config: StripeConfig) {
  const stripe = new Stripe(config.secretKey, {
    httpClient: Stripe.createFetchHttpClient(),
    timeout: 4_000,
    maxNetworkRetries: 2,
    telemetry: false,
    ...(config.apiUrl && {
      protocol: config.apiUrl.protocol === "http:" ? "http" : "https",
      host: config.apiUrl.hostname,
      port: config.apiUrl.port || (config.apiUrl.protocol === "http:" ? 80 : 443),
    }),
  });
  const cryptoProvider = Stripe.createSubtleCryptoProvider();

  return {
    /** Makes the customer of a sign-up and returns its id. */
    async createCustomer(
      subscriptionId: string,
      person: { email: string; name: string; company: string; phone: string },
    ) {
      const created = await answer(customer, () =>
        stripe.customers.create(
          {
            email: person.email,
            name: person.name,
            business_name: person.company,
            phone: person.phone,
            metadata: { subscription_id: subscriptionId },
          },
          { idempotencyKey: `customer-${subscriptionId}` },
        ),
      );
      return created.id;
    },

    /** Makes the setup intent of a sign-up: a card to be charged later, while its owner is away. */
    async createSetupIntent(subscriptionId: string, customerId: string): Promise<SetupIntent> {
      const created = await answer(setupIntent, () =>
        stripe.setupIntents.create(
          {
            customer: customerId,
            usage: "off_session",
            allowed_payment_method_types: ["card"],
            metadata: { subscription_id: subscriptionId },
          },
          { idempotencyKey: `setup-intent-${subscriptionId}` },
        ),
      );
      return toSetupIntent(created);
    },

    async retrieveSetupIntent(id: string): Promise<SetupIntent> {
      return toSetupIntent(await answer(setupIntent, () => stripe.setupIntents.retrieve(id)));
    },

    /**
     * Reads a webhook's request.
     * @param body exactly as received: the signature is over its bytes
     * @param signature the Stripe-Signature header
     */
    async readWebhook(body: string, signature: string): Promise<WebhookEvent> {
      let event: unknown;
      try {
        event = await stripe.webhooks.constructEventAsync(
          body,
          signature,
          config.webhookSecret,
          WEBHOOK_TOLERANCE_SECONDS,
          cryptoProvider,
        );
      } catch {
        return { status: "rejected" };
      }
      // Not every setup intent of a Stripe account is a sign-up of ours.
      const parsed = cardSetUpEvent.safeParse(event);
      if (!parsed.success) return { status: "ignored" };
      const { id, type, data } = parsed.data;
      const { id: setupIntentId, customer: customerId, metadata } = data.object;
      return {
        status: "card-set-up",
        id,
        type,
        card: { subscriptionId: metadata.subscription_id, customerId, setupIntentId },
      };
    },
  };
}

function toSetupIntent(parsed: z.output<typeof setupIntent>): SetupIntent {
  return { id: parsed.id, clientSecret: parsed.client_secret, succeeded: parsed.status === "succeeded" };
}

async function answer<T extends z.ZodType>(schema: T, call: () => Promise<unknown>): Promise<z.output<T>> {
  let received: unknown;
  try {
    received = await call();
  } catch (error) {
    throw new PaymentsError(reasonOf(error), error);
  }
  const parsed = schema.safeParse(received);
  if (!parsed.success) throw new PaymentsError("nonsense", parsed.error);
  return parsed.data;
}

function reasonOf(error: unknown): PaymentsError["reason"] {
  const { errors } = Stripe;
  if (!(error instanceof errors.StripeError)) return "unavailable";
  if (error.statusCode === 409) return "in-progress"; // the idempotency key is in use
  if (error instanceof errors.StripeInvalidRequestError) return "nonsense";
  // The package reports an answer that is no JSON as an API error without a status.
  if (error instanceof errors.StripeAPIError && error.statusCode === undefined) return "nonsense";
  return "unavailable";
}
