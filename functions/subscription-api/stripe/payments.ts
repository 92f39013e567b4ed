import Stripe from "stripe";
import * as z from "zod";
import type { Package } from "../catalogue/packages";
import type { StripeConfig } from "../config";
import { type CardSetUp, type EventId, type SignUp, TRIAL_DAYS, type TrialState } from "../sign-ups/sign-up-store";

/*
 * The only file that knows the `stripe` package. Each call that makes something for a sign-up carries an idempotency
 * key of its id and its attempt, so that a repetition, after a crash or at the same time, finds what the first one
 * made. Stripe replays a 5xx for its key too (https://docs.stripe.com/api/idempotent_requests): the next attempt has
 * keys of its own, and looks first for what the failed one may have made all the same. So does one that comes so late
 * that Stripe may have forgotten the keys, which it keeps for at least 24 hours.
 */

/** Old events are refused, so that a recorded one cannot be sent again (Stripe: "Verify webhook signatures manually"). */
const WEBHOOK_TOLERANCE_SECONDS = 300;

const KEY_LIFETIME_MS = 23 * 60 * 60_000;

/** The largest page of a list. */
const PAGE = 100;

const id = z.string().min(1);
const metadata = z.record(z.string(), z.string()).default({});
const listOf = <T extends z.ZodType>(schema: T) => z.object({ data: z.array(schema) });

const customer = z.object({ id, metadata });
const setupIntent = z.object({
  id,
  client_secret: z.string().min(1),
  metadata,
  payment_method: id.nullable().default(null),
  status: z.string(),
});
const subscription = z.object({
  id,
  metadata,
  status: z.enum([
    "incomplete",
    "incomplete_expired",
    "trialing",
    "active",
    "past_due",
    "canceled",
    "unpaid",
    "paused",
  ]),
  trial_end: z.number().nullable().default(null),
});
const price = z.object({ id, currency: z.string(), unit_amount: z.number().nullable() });
const product = z.object({ id });

const signUpMetadata = z.object({ sign_up_id: z.guid() });
const event = z.discriminatedUnion("type", [
  z.object({
    id,
    type: z.literal("setup_intent.succeeded"),
    data: z.object({ object: z.object({ id, customer: id, metadata: signUpMetadata }) }),
  }),
  z.object({
    id,
    type: z.enum([
      "customer.subscription.created",
      "customer.subscription.updated",
      "customer.subscription.deleted",
      "customer.subscription.paused",
      "customer.subscription.resumed",
      "customer.subscription.trial_will_end",
    ]),
    data: z.object({ object: z.object({ id, customer: id }) }),
  }),
]);

export type SetupIntent = {
  id: string;
  clientSecret: string;
  state: "open" | "succeeded" | "canceled";
  paymentMethodId: string | null;
};

/** A webhook's content: forged or stale, of no interest here, a card set up, or news of a subscription. */
export type WebhookEvent =
  | { status: "rejected" }
  | { status: "ignored" }
  | { status: "card-set-up"; event: EventId; card: CardSetUp }
  | { status: "subscription-changed"; event: EventId; stripeSubscriptionId: string; customerId: string };

/** What the idempotency keys of a sign-up's calls are made of. */
export type Attempt = Pick<SignUp, "id" | "stripe_attempt" | "created_at">;

/**
 * Stripe could not be reached; it failed, and would repeat that under the same key; it is still busy with the same
 * call; or it gave an answer that makes no sense.
 */
export class PaymentsError extends Error {
  override readonly name = "PaymentsError";
  constructor(
    readonly reason: "unavailable" | "failed" | "in-progress" | "unexpected-answer",
    cause?: unknown,
  ) {
    super(`Payments: ${reason}`, { cause });
  }
}

export type Payments = ReturnType<typeof stripePayments>;

/** What the subscription API needs of Stripe. Every method but `readWebhook` throws a {@link PaymentsError}. */
export function stripePayments(config: StripeConfig) {
  const stripe = new Stripe(config.secretKey, {
    httpClient: Stripe.createFetchHttpClient(),
    timeout: 4_000,
    maxNetworkRetries: 2, // never for what Stripe marks as final, such as a 500
    telemetry: false,
    ...(config.apiUrl && {
      protocol: config.apiUrl.protocol === "http:" ? "http" : "https",
      host: config.apiUrl.hostname,
      port: config.apiUrl.port || (config.apiUrl.protocol === "http:" ? 80 : 443),
    }),
  });
  const cryptoProvider = Stripe.createSubtleCryptoProvider();

  async function findCustomer(signUp: Pick<SignUp, "id" | "email">): Promise<string | undefined> {
    const found = await answer(listOf(customer), () => stripe.customers.list({ email: signUp.email, limit: PAGE }));
    return found.data.find(belongsTo(signUp.id))?.id;
  }

  return {
    /** The customer of a sign-up, made when there is none yet; returns its id. */
    async findOrCreateCustomer(signUp: SignUp): Promise<string> {
      const known = mayExist(signUp) ? await findCustomer(signUp) : undefined;
      if (known !== undefined) return known;
      const created = await answer(customer, () =>
        stripe.customers.create(
          {
            email: signUp.email,
            name: signUp.full_name,
            business_name: signUp.company_name,
            phone: signUp.phone,
            metadata: { sign_up_id: signUp.id },
          },
          { idempotencyKey: idempotencyKey("customer", signUp) },
        ),
      );
      return created.id;
    },

    /** Looks for the customer of a sign-up that has none noted: the call that made it may have been cut off. */
    findCustomer,

    /** The setup intent of a sign-up, made when there is none yet: a card to be charged later, its owner away. */
    async findOrCreateSetupIntent(signUp: Attempt, customerId: string): Promise<SetupIntent> {
      const known = mayExist(signUp)
        ? await answer(listOf(setupIntent), () => stripe.setupIntents.list({ customer: customerId, limit: PAGE }))
        : undefined;
      const found = known?.data.find(belongsTo(signUp.id));
      if (found) return toSetupIntent(found);
      const created = await answer(setupIntent, () =>
        stripe.setupIntents.create(
          {
            customer: customerId,
            usage: "off_session",
            allowed_payment_method_types: ["card"],
            metadata: { sign_up_id: signUp.id },
          },
          { idempotencyKey: idempotencyKey("setup-intent", signUp) },
        ),
      );
      return toSetupIntent(created);
    },

    async retrieveSetupIntent(id: string): Promise<SetupIntent> {
      return toSetupIntent(await answer(setupIntent, () => stripe.setupIntents.retrieve(id)));
    },

    /** Ends a setup intent that nobody needs any more. */
    async cancelSetupIntent(id: string): Promise<void> {
      await answer(setupIntent, () => stripe.setupIntents.cancel(id, { cancellation_reason: "abandoned" }));
    },

    /** Makes a card the one that a customer's invoices are paid with. */
    async setDefaultCard(signUp: Attempt, customerId: string, paymentMethodId: string): Promise<void> {
      await answer(customer, () =>
        stripe.customers.update(
          customerId,
          { invoice_settings: { default_payment_method: paymentMethodId } },
          { idempotencyKey: idempotencyKey("default-card", signUp) },
        ),
      );
    },

    /**
     * The subscription of a sign-up, begun with a trial when there is none yet. A customer belongs to one sign-up, so
     * that looking among its subscriptions finds every earlier try, however long ago.
     */
    async findOrCreateSubscription(
      signUp: Attempt,
      { customerId, paymentMethodId, priceId }: { customerId: string; paymentMethodId: string; priceId: string },
    ): Promise<TrialState> {
      const known = await answer(listOf(subscription), () =>
        stripe.subscriptions.list({ customer: customerId, status: "all", limit: PAGE }),
      );
      const found = known.data.find(belongsTo(signUp.id));
      if (found) return toTrialState(found);
      const created = await answer(subscription, () =>
        stripe.subscriptions.create(
          {
            customer: customerId,
            default_payment_method: paymentMethodId,
            items: [{ price: priceId }],
            metadata: { sign_up_id: signUp.id },
            off_session: true,
            trial_period_days: TRIAL_DAYS,
            trial_settings: { end_behavior: { missing_payment_method: "cancel" } },
          },
          { idempotencyKey: idempotencyKey("subscription", signUp) },
        ),
      );
      return toTrialState(created);
    },

    /** What a subscription is now; one that Stripe no longer has is over. */
    async retrieveSubscription(id: string): Promise<TrialState> {
      const found = await ifExists(() => answer(subscription, () => stripe.subscriptions.retrieve(id)));
      return found ? toTrialState(found) : { stripeSubscriptionId: id, status: "canceled", trialEnd: null };
    },

    /** Deletes a customer with its cards, and cancels what it subscribes to. One that is gone already is fine. */
    async deleteCustomer(id: string): Promise<void> {
      await ifExists(() => answer(z.object({ deleted: z.literal(true) }), () => stripe.customers.del(id)));
    },

    /**
     * The monthly price of a package, found by the package's id as its lookup key, or made with a product of that name.
     * No idempotency key of ours: by its lookup key a repetition finds the price, whatever failed before.
     * @returns its id; a price whose amount has changed is replaced by a new one
     */
    async findOrCreatePrice({ id, name, price_cents }: Package): Promise<{ id: string; made: boolean }> {
      const found = await answer(listOf(price), () =>
        stripe.prices.list({ lookup_keys: [id], active: true, limit: 1 }),
      );
      const [known] = found.data;
      if (known && known.currency === "usd" && known.unit_amount === price_cents) return { id: known.id, made: false };
      const { id: productId } = await answer(product, () =>
        stripe.products.create({ name, metadata: { package_id: id } }),
      );
      const created = await answer(price, () =>
        stripe.prices.create({
          currency: "usd",
          lookup_key: id,
          product: productId,
          recurring: { interval: "month" },
          transfer_lookup_key: true,
          unit_amount: price_cents,
        }),
      );
      return { id: created.id, made: true };
    },

    /**
     * Reads a webhook's request.
     * @param body exactly as received: the signature is over its bytes
     * @param signature the Stripe-Signature header
     */
    async readWebhook(body: string, signature: string): Promise<WebhookEvent> {
      let received: unknown;
      try {
        received = await stripe.webhooks.constructEventAsync(
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
      const parsed = event.safeParse(received);
      if (!parsed.success) return { status: "ignored" };
      const { id, type, data } = parsed.data;
      if (type === "setup_intent.succeeded") {
        const { id: setupIntentId, customer: customerId, metadata } = data.object;
        const card = { signUpId: metadata.sign_up_id, customerId, setupIntentId };
        return { status: "card-set-up", event: { id, type }, card };
      }
      const { id: stripeSubscriptionId, customer: customerId } = data.object;
      return { status: "subscription-changed", event: { id, type }, stripeSubscriptionId, customerId };
    },
  };
}

function idempotencyKey(what: string, { id, stripe_attempt }: Attempt): string {
  return `${what}-${id}-${stripe_attempt}`;
}

/** Whether an earlier try may have made something that its idempotency key no longer leads to. */
function mayExist({ stripe_attempt, created_at }: Attempt): boolean {
  return stripe_attempt > 0 || Date.now() - Date.parse(created_at) > KEY_LIFETIME_MS;
}

function belongsTo(signUpId: string) {
  return ({ metadata }: { metadata: Record<string, string> }) => metadata.sign_up_id === signUpId;
}

function toSetupIntent(parsed: z.output<typeof setupIntent>): SetupIntent {
  const { id, client_secret: clientSecret, payment_method: paymentMethodId, status } = parsed;
  return {
    id,
    clientSecret,
    paymentMethodId,
    state: status === "succeeded" || status === "canceled" ? status : "open",
  };
}

function toTrialState({ id, status, trial_end }: z.output<typeof subscription>): TrialState {
  return {
    stripeSubscriptionId: id,
    status: statusOf(status),
    trialEnd: trial_end === null ? null : new Date(trial_end * 1000),
  };
}

/** Stripe's status in the words of this database: an unpaid or paused subscription waits for a payment. */
function statusOf(status: z.output<typeof subscription>["status"]): TrialState["status"] {
  switch (status) {
    case "trialing":
    case "active":
    case "canceled":
      return status;
    case "incomplete_expired":
      return "canceled";
    case "incomplete":
    case "past_due":
    case "unpaid":
    case "paused":
      return "past_due";
  }
}

/** The answer, or undefined when what was asked for does not exist (any more). */
async function ifExists<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    const { cause } = error instanceof PaymentsError ? error : {};
    if (cause instanceof Stripe.errors.StripeInvalidRequestError && cause.code === "resource_missing") return undefined;
    throw error;
  }
}

async function answer<T extends z.ZodType>(schema: T, call: () => Promise<unknown>): Promise<z.output<T>> {
  let received: unknown;
  try {
    received = await call();
  } catch (error) {
    throw new PaymentsError(reasonOf(error), error);
  }
  const parsed = schema.safeParse(received);
  if (!parsed.success) throw new PaymentsError("unexpected-answer", parsed.error);
  return parsed.data;
}

function reasonOf(error: unknown): PaymentsError["reason"] {
  const { errors } = Stripe;
  if (!(error instanceof errors.StripeError)) return "unavailable";
  if (error.statusCode === 409) return "in-progress"; // the idempotency key is in use
  if (error.statusCode !== undefined && error.statusCode >= 500) return "failed";
  // The key was used with other parameters: those of an earlier release, or of an earlier catalogue.
  if (error instanceof errors.StripeIdempotencyError) return "failed";
  if (error instanceof errors.StripeInvalidRequestError) return "unexpected-answer";
  // The package reports an answer that is no JSON as an API error without a status.
  if (error instanceof errors.StripeAPIError && error.statusCode === undefined) return "unexpected-answer";
  return "unavailable";
}
