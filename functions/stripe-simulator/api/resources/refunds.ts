import { newId } from "../../store/ids";
import { make } from "../../store/objects";
import { invalidRequest, missingParameter, noSuch } from "../errors";
import type { Handlers } from "../operation-context";

/** https://docs.stripe.com/api/refunds: of whole payments of invoices */
export const refunds = {
  "POST /v1/refunds": ({ payment_intent, reason = null, ...others }, { store, emit, now }) => {
    if (Object.keys(others).length > 0) throw new Error("it refunds only whole payment intents");
    if (payment_intent === undefined) throw missingParameter("payment_intent");
    const payments = store
      .list("Invoice")
      .flatMap(({ customer, payments }) => (payments?.data ?? []).map((one) => ({ ...one, customer })));
    const paid = payments.find(({ payment }) => payment.payment_intent === payment_intent);
    if (!paid) throw noSuch("payment_intent", payment_intent, "payment_intent", 400);
    if (store.list("Refund").some((known) => known.payment_intent === payment_intent)) {
      throw invalidRequest("The charge has already been refunded.", { code: "charge_already_refunded" });
    }
    const refund = make("Refund", {
      ...{ id: newId("re"), amount: paid.amount_paid ?? 0, created: now(paid.customer), currency: paid.currency },
      ...{ charge: null, metadata: {}, payment_intent, reason, status: "succeeded" },
    });
    emit("refund.created", refund);
    return store.save("Refund", refund);
  },
} satisfies Partial<Handlers>;
