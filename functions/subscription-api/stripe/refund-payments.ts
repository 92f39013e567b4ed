import type Stripe from "stripe";
import * as z from "zod";
import { call, PaymentsError, refusalOf } from "./client";

const invoices = z.array(
  z.object({
    amount_paid: z.number(),
    payments: z
      .object({
        data: z.array(
          z.object({
            amount_paid: z.number().nullish(),
            payment: z.object({ payment_intent: z.string().nullish() }),
            status: z.string(),
          }),
        ),
      })
      .nullish(),
  }),
);
const refund = z.object({ id: z.string() });

/** More payments than a subscription has within a link's 30 days. */
const MOST = 1_000;

/** In cents of US dollars. */
export type Payment = { paymentIntentId: string; cents: number };

/** Every method throws PaymentsError. */
export function stripeRefunds(stripe: Stripe) {
  return {
    /** Card payments of a subscription, refunded or not. */
    async findCardPayments(subscriptionId: string): Promise<Payment[]> {
      const wanted = { subscription: subscriptionId, status: "paid" as const, expand: ["data.payments"] };
      const found = await call(invoices, () => stripe.invoices.list(wanted).autoPagingToArray({ limit: MOST }));
      return found.flatMap(({ payments }) =>
        (payments?.data ?? []).flatMap(({ status, amount_paid, payment: { payment_intent: paymentIntentId } }) =>
          status === "paid" && amount_paid && paymentIntentId ? [{ paymentIntentId, cents: amount_paid }] : [],
        ),
      );
    },

    /** Idempotent. False if the bank has taken the money back: https://docs.stripe.com/disputes */
    async refund({ paymentIntentId }: Payment, idempotencyKey: string): Promise<boolean> {
      try {
        const params = { payment_intent: paymentIntentId, reason: "requested_by_customer" as const };
        await call(refund, () => stripe.refunds.create(params, { idempotencyKey }));
      } catch (error) {
        const refusal = refusalOf(error);
        if (!(error instanceof PaymentsError)) throw error;
        if (refusal === "charge_disputed") return false;
        if (refusal !== "charge_already_refunded") throw error;
      }
      return true;
    },
  };
}
