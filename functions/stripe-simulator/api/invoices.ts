import { chargeInvoice } from "../clock/charges";
import type { Handlers } from "./context";
import { cardError, invalidRequest, noSuch } from "./errors";
import { isWithin, page, refuseOthers } from "./lists";

/** https://docs.stripe.com/api/invoices */
export const invoices = {
  "GET /v1/invoices": (given, { store }) => {
    const { customer, subscription, status, created, limit, starting_after, ending_before, ...rest } = given;
    refuseOthers(rest);
    const found = store
      .list("Invoice", customer)
      .filter((one) => (status === undefined || one.status === status) && isWithin(created, one.created))
      .filter((one) => !subscription || one.parent?.subscription_details?.subscription === subscription);
    return page("/v1/invoices", found, { limit, starting_after, ending_before });
  },

  "GET /v1/invoices/:id": (_, { store, id }) => {
    const found = store.find("Invoice", id);
    if (!found) throw noSuch("invoice", id);
    return found;
  },

  "POST /v1/invoices/:id/pay": (given, call) => {
    refuseOthers({ ...given, off_session: undefined });
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
