import { createHash } from "node:crypto";
import type Stripe from "stripe";
import { cardBrand, isCardNumber, wellKnownCard } from "../cards/cards";
import { realTime } from "../clock/time";
import { newId } from "../store/ids";
import { complete, type PaymentMethod } from "../store/objects";
import { addressOf } from "./addresses";
import type { Call, Effects, Handlers } from "./context";
import { requireCustomer } from "./customers";
import { cardError, invalidRequest, noSuch } from "./errors";
import { page, refuseOthers } from "./lists";

/** https://docs.stripe.com/api/payment_methods */
export const paymentMethods = {
  "POST /v1/payment_methods": (given, call) => createPaymentMethod(given, call),

  "GET /v1/payment_methods": (given, { store }) => {
    const { customer, type = "card", limit, starting_after, ending_before, ...rest } = given;
    refuseOthers(rest);
    if (customer === undefined)
      throw invalidRequest("Missing required param: customer.", { param: "customer", code: "parameter_missing" });
    const found = type === "card" ? store.list("PaymentMethod", requireCustomer(customer, store).id) : [];
    return page("/v1/payment_methods", found, { limit, starting_after, ending_before });
  },

  "GET /v1/payment_methods/:id": (_, call) => known(call),

  "POST /v1/payment_methods/:id/attach": (given, call) => {
    const { customer, ...rest } = given;
    refuseOthers(rest);
    const method = findPaymentMethod(call.id, call);
    if (customer === undefined)
      throw invalidRequest("Missing required param: customer.", { param: "customer", code: "parameter_missing" });
    return attach(method, requireCustomer(customer, call.store).id, call);
  },

  "POST /v1/payment_methods/:id/detach": (_, call) => {
    const { store, emit } = call;
    const found = known(call);
    if (found.customer === null) {
      throw invalidRequest(
        "The payment method you provided is not attached to a customer so detachment is impossible.",
      );
    }
    const customer = store.find("Customer", found.customer);
    if (customer?.invoice_settings.default_payment_method === found.id) {
      store.save("Customer", {
        ...customer,
        invoice_settings: { ...customer.invoice_settings, default_payment_method: null },
      });
    }
    const detached = store.save("PaymentMethod", { ...found, customer: null });
    emit("payment_method.detached", detached, { customer: found.customer });
    return detached;
  },
} satisfies Partial<Handlers>;

function known({ store, id }: Call): PaymentMethod {
  const found = store.find("PaymentMethod", id);
  if (!found) throw noSuch("PaymentMethod", id, "payment_method");
  return found;
}

export function attach(method: PaymentMethod, customer: string, { store, emit }: Effects): PaymentMethod {
  if (method.customer !== null && method.customer !== customer) {
    throw invalidRequest("The payment method you provided has already been attached to a customer.", {
      param: "payment_method",
    });
  }
  const attached = store.save("PaymentMethod", { ...method, customer });
  if (method.customer === null) emit("payment_method.attached", attached);
  return attached;
}

/** Checks a card and keeps it; throws StripeFailure 402. */
export function createPaymentMethod(given: Stripe.PaymentMethodCreateParams, { store, now }: Effects): PaymentMethod {
  const { card, type, billing_details = {}, metadata: _, allow_redisplay = "unspecified", ...rest } = given;
  refuseOthers(rest);
  if (type !== "card" || !card) {
    throw invalidRequest("Missing required param: card.", { code: "parameter_missing", param: "card" });
  }
  const { exp_month = 0, exp_year = 0, cvc } = card;
  const number = (card.number ?? "").replaceAll(" ", "");
  const year = exp_year < 100 ? 2000 + exp_year : exp_year;
  if (!isCardNumber(number)) throw cardError("incorrect_number", "Your card number is incorrect.", { param: "number" });
  if (exp_month < 1 || exp_month > 12) {
    throw cardError("invalid_expiry_month", "Your card's expiration month is invalid.", { param: "exp_month" });
  }
  if (Date.UTC(year, exp_month) <= realTime() * 1000) {
    throw cardError("invalid_expiry_year", "Your card's expiration year is invalid.", { param: "exp_year" });
  }
  if (cvc !== undefined && !/^\d{3,4}$/.test(cvc)) {
    throw cardError("invalid_cvc", "Your card's security code is invalid.", { param: "cvc" });
  }
  const brand = cardBrand(number);
  const { address, email, name, phone } = billing_details;
  const billingAddress = addressOf(address || {});
  const method = store.save(
    "PaymentMethod",
    complete("PaymentMethod", {
      id: newId("pm"),
      object: "payment_method",
      allow_redisplay,
      billing_details: {
        address: billingAddress,
        email: email || null,
        name: name || null,
        phone: phone || null,
      },
      card: {
        brand,
        checks: {
          address_line1_check: billingAddress.line1 && "pass",
          address_postal_code_check: billingAddress.postal_code && "pass",
          cvc_check: "pass",
        },
        country: "US",
        display_brand: brand,
        exp_month,
        exp_year: year,
        fingerprint: fingerprintOf(number),
        funding: "credit",
        last4: number.slice(-4),
        networks: { available: [brand] },
        regulated_status: "unregulated",
        three_d_secure_usage: { supported: true },
      },
      created: now(),
      livemode: false,
      metadata: {},
      type: "card",
    }),
  );
  store.saveCardNumber(method.id, number);
  return method;
}

/** One that is kept, or a new one of those that every test account has, such as `pm_card_visa`. */
export function findPaymentMethod(id: string, effects: Effects): PaymentMethod {
  const number = wellKnownCard(id);
  if (number !== undefined) {
    const exp_year = new Date().getUTCFullYear() + 1;
    return createPaymentMethod({ type: "card", card: { number, exp_month: 12, exp_year, cvc: "123" } }, effects);
  }
  const found = effects.store.find("PaymentMethod", id);
  if (!found) throw noSuch("PaymentMethod", id, "payment_method", 400);
  return found;
}

/** The same for the same number. */
function fingerprintOf(number: string): string {
  return createHash("sha256").update(`fingerprint of ${number}`).digest("base64url").slice(0, 16);
}
