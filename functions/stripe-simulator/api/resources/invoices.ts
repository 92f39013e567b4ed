import { chargeInvoice } from "../../clock/charges";
import type { Handlers } from "../context";
import { cardError, invalidRequest, noSuch } from "../errors";

/** https://docs.stripe.com/api/invoices */
export const invoices = {
  "POST /v1/invoices/:id/pay": (_, call) => {
    const found = call.store.find("Invoice", call.id);
    if (!found) throw noSuch("invoice", call.id);
    if (found.status === "paid") throw invalidRequest("Invoice is already paid");
    const subscription = call.store.find("Subscription", found.parent?.subscription_details?.subscription ?? "");
    if (found.status !== "open" || !subscription) throw invalidRequest("This invoice cannot be paid.");
    if (chargeInvoice(found, subscription, call) === "failed") {
      throw cardError("card_declined", "Your card was declined.", { decline_code: "generic_decline" });
    }
    return call.store.find("Invoice", found.id) ?? found;
  },
} satisfies Partial<Handlers>;
