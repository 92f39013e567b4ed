import type Stripe from "stripe";
import * as z from "zod";
import { type Attempt, call, idempotencyKey, ifExists, mayExist } from "./client";
import { metadata, originOf } from "./fields";

const PAGE = 100;

const id = z.string().min(1);
const paymentMethod = z.object({ id, card: z.object({ fingerprint: id.nullish() }).nullish() });
const setupIntent = z.object({
  id,
  client_secret: z.string().min(1),
  customer: id.nullable().default(null),
  metadata,
  payment_method: z.union([id, paymentMethod]).nullable().default(null),
  status: z.string(),
});
const setupIntents = z.object({ data: z.array(setupIntent) });
const attachedMethod = z.object({ id, customer: id.nullable().default(null) });

/** After each used card the sign-up waits for the next. */
export type CardAttempt = Attempt & { used_cards: number; package_id: string | null };

export type SetupIntent = {
  id: string;
  clientSecret: string;
  state: "open" | "succeeded" | "canceled";
  customerId: string | null;
  /** From its metadata; `usedCards` came before it. */
  signUpId: string | undefined;
  usedCards: number;
  paymentMethodId: string | null;
  /** The same for the same card number, whoever enters it. */
  fingerprint: string | null;
};

/** Every method throws PaymentsError. */
export function stripeSetupIntents(stripe: Stripe) {
  const retrieve = async (id: string): Promise<SetupIntent> =>
    toSetupIntent(await call(setupIntent, () => stripe.setupIntents.retrieve(id, { expand: ["payment_method"] })));

  return {
    async findOrCreateSetupIntent(signUp: CardAttempt, customerId: string): Promise<SetupIntent> {
      const { id, used_cards, package_id } = signUp;
      const known = mayExist(signUp)
        ? await call(setupIntents, () => stripe.setupIntents.list({ customer: customerId, limit: PAGE }))
        : undefined;
      const found = known?.data
        .map(toSetupIntent)
        .find(({ signUpId, usedCards }) => signUpId === id && usedCards === used_cards);
      // A list does not tell the card.
      if (found) return found.state === "succeeded" ? retrieve(found.id) : found;
      const created = await call(setupIntent, () =>
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
      return toSetupIntent(created);
    },

    retrieveSetupIntent: retrieve,

    /** Undefined when there is none, or Stripe does not know it. */
    async findSetupIntent(id: string | null): Promise<SetupIntent | undefined> {
      return id === null ? undefined : ifExists(() => retrieve(id));
    },

    async cancelSetupIntent(id: string): Promise<void> {
      await call(setupIntent, () => stripe.setupIntents.cancel(id, { cancellation_reason: "abandoned" }));
    },

    /** Does nothing when it is detached already, or meanwhile. */
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

function toSetupIntent(parsed: z.output<typeof setupIntent>): SetupIntent {
  const { id, client_secret: clientSecret, customer: customerId, metadata, payment_method: method, status } = parsed;
  return {
    id,
    clientSecret,
    state: status === "succeeded" || status === "canceled" ? status : "open",
    customerId,
    signUpId: metadata.sign_up_id,
    usedCards: Number(metadata.used_cards ?? 0),
    paymentMethodId: typeof method === "string" ? method : (method?.id ?? null),
    fingerprint: typeof method === "string" ? null : (method?.card?.fingerprint ?? null),
  };
}
