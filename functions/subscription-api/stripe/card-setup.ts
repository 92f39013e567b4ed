import type Stripe from "stripe";
import * as z from "zod";
import { type Attempt, call, create, idempotencyKey, ifExists, mayExist, refusalOf } from "./client";
import { metadata, originOf } from "./fields";

const PAGE = 100;

const id = z.string().min(1);
const paymentMethod = z.object({ id, card: z.object({ fingerprint: id.nullish() }).nullish() });
const setupIntent = z
  .object({
    id,
    client_secret: z.string().min(1),
    customer: id.nullable().default(null),
    metadata,
    payment_method: z.union([id, paymentMethod]).nullable().default(null),
    status: z.string(),
  })
  .transform(({ id, client_secret, customer, metadata, payment_method: method, status }) => ({
    id,
    clientSecret: client_secret,
    state: status === "succeeded" || status === "canceled" ? status : ("open" as const),
    customerId: customer,
    signUpId: metadata.sign_up_id,
    usedCards: Number(metadata.used_cards ?? 0),
    paymentMethodId: typeof method === "string" ? method : (method?.id ?? null),
    /** Identical for one card number across customers. */
    fingerprint: typeof method === "string" ? null : (method?.card?.fingerprint ?? null),
  }));
export type SetupIntent = z.output<typeof setupIntent>;

const setupIntents = z.object({ data: z.array(setupIntent) });
const attachedMethod = z.object({ id, customer: id.nullable().default(null) });

/** After each used card the sign-up waits for another. */
export type CardAttempt = Attempt & { used_cards: number; package_id: string | null };

export function stripeSetupIntents(stripe: Stripe) {
  const retrieve = (id: string): Promise<SetupIntent> =>
    call(setupIntent, () => stripe.setupIntents.retrieve(id, { expand: ["payment_method"] }));

  return {
    async findOrCreateSetupIntent(signUp: CardAttempt, customerId: string): Promise<SetupIntent> {
      const { id, used_cards, package_id } = signUp;
      const known = mayExist(signUp)
        ? await call(setupIntents, () => stripe.setupIntents.list({ customer: customerId, limit: PAGE }))
        : undefined;
      const found = known?.data.find(({ signUpId, usedCards }) => signUpId === id && usedCards === used_cards);
      // A list has no card details.
      if (found) return found.state === "succeeded" ? retrieve(found.id) : found;
      return create(setupIntent, () =>
        stripe.setupIntents.create(
          {
            customer: customerId,
            usage: "off_session",
            allowed_payment_method_types: ["card"],
            metadata: {
              ...originOf(signUp),
              // Radar's control of free trials: https://docs.stripe.com/radar/free-trial-abuse
              is_free_trial: "true",
              used_cards: String(used_cards),
              ...(package_id !== null && { package_id }),
            },
          },
          { idempotencyKey: idempotencyKey(used_cards === 0 ? "setup-intent" : `setup-intent-${used_cards}`, signUp) },
        ),
      );
    },

    retrieveSetupIntent: retrieve,

    async findSetupIntent(id: string | null): Promise<SetupIntent | undefined> {
      return id === null ? undefined : ifExists(() => retrieve(id));
    },

    /** Does nothing if the intent is already canceled. */
    async cancelSetupIntent(id: string): Promise<void> {
      try {
        await call(setupIntent, () => stripe.setupIntents.cancel(id, { cancellation_reason: "abandoned" }));
      } catch (error) {
        const isCanceled = async () => (await retrieve(id)).state === "canceled";
        if (refusalOf(error) !== "setup_intent_unexpected_state" || !(await isCanceled())) throw error;
      }
    },

    /** Does nothing if the card is already detached. */
    async detachCard(paymentMethodId: string): Promise<void> {
      const isAttached = async () => {
        const { customer } = await call(attachedMethod, () => stripe.paymentMethods.retrieve(paymentMethodId));
        return customer !== null;
      };
      if (!(await isAttached())) return;
      try {
        await call(attachedMethod, () => stripe.paymentMethods.detach(paymentMethodId));
      } catch (error) {
        if (await isAttached()) throw error;
      }
    },
  };
}
