import { createHash } from "node:crypto";
import type Stripe from "stripe";
import { cardBrand, isCardNumber, wellKnownCard } from "../../cards/cards";
import { newId } from "../../store/ids";
import { make, merge, type PaymentMethod } from "../../store/objects";
import { cardError, invalidRequest, missingParameter } from "../errors";
import type { Effects, Handlers } from "../operation-context";
import { existing } from "../reads";
import { checkCountry } from "./addresses";
import { requireCustomer } from "./customers";

export const paymentMethods = {
  "POST /v1/payment_methods": (given, call) => createPaymentMethod(given, call),

  "POST /v1/payment_methods/:id/attach": ({ customer }, call) =>
    attach(findPaymentMethod(call.id, call), requireCustomer(customer, call.store).id, call),

  "POST /v1/payment_methods/:id/detach": (_, { store, emit, id }) => {
    const found = existing("PaymentMethod", id, store);
    if (found.customer === null) {
      throw invalidRequest(
        "The payment method you provided is not attached to a customer so detachment is impossible.",
      );
    }
    const customer = store.find("Customer", found.customer);
    if (customer?.invoice_settings.default_payment_method === id) {
      store.save("Customer", merge("Customer", customer, { invoice_settings: { default_payment_method: "" } }));
    }
    const detached = store.save("PaymentMethod", { ...found, customer: null });
    emit("payment_method.detached", detached, { customer: found.customer });
    return detached;
  },
} satisfies Partial<Handlers>;

export function attach(method: PaymentMethod, customer: string, { store, emit }: Effects): PaymentMethod {
  if (method.customer !== null && method.customer !== customer) {
    const message = "The payment method you provided has already been attached to a customer.";
    throw invalidRequest(message, { param: "payment_method" });
  }
  const attached = store.save("PaymentMethod", { ...method, customer });
  if (method.customer === null) emit("payment_method.attached", attached);
  return attached;
}

export function createPaymentMethod(given: Stripe.PaymentMethodCreateParams, { store, now }: Effects): PaymentMethod {
  const { card, type, expand: _, ...fields } = given;
  if (type !== "card" || !card) throw missingParameter("card");
  const { exp_month = 0, exp_year = 0, cvc } = card;
  const number = (card.number ?? "").replaceAll(" ", "");
  const year = exp_year < 100 ? 2000 + exp_year : exp_year;
  if (!isCardNumber(number)) throw cardError("incorrect_number", "Your card number is incorrect.", { param: "number" });
  if (exp_month < 1 || exp_month > 12) {
    throw cardError("invalid_expiry_month", "Your card's expiration month is invalid.", { param: "exp_month" });
  }
  if (Date.UTC(year, exp_month) <= Date.now()) {
    throw cardError("invalid_expiry_year", "Your card's expiration year is invalid.", { param: "exp_year" });
  }
  if (cvc !== undefined && !/^\d{3,4}$/.test(cvc)) {
    throw cardError("invalid_cvc", "Your card's security code is invalid.", { param: "cvc" });
  }
  const { address } = fields.billing_details ?? {};
  if (address) checkCountry(address);
  const brand = cardBrand(number);
  const checks = { cvc_check: "pass", ...(address && { address_postal_code_check: "pass" }) };
  const print = { fingerprint: fingerprintOf(number), last4: number.slice(-4), country: "US", funding: "credit" };
  const shown = { brand, display_brand: brand, checks, networks: { available: [brand] }, exp_month, exp_year: year };
  const blank = make("PaymentMethod", {
    id: newId("pm"),
    allow_redisplay: "unspecified",
    billing_details: { address: {} },
    card: { ...print, ...shown, regulated_status: "unregulated", three_d_secure_usage: { supported: true } },
    created: now(),
    metadata: {},
    type,
  });
  const method = store.save("PaymentMethod", merge("PaymentMethod", blank, fields));
  store.saveCardNumber(method.id, number);
  return method;
}

/** A stored payment method, or a new copy of a test account's, such as `pm_card_visa`. */
export function findPaymentMethod(id: string, effects: Effects): PaymentMethod {
  const number = wellKnownCard(id);
  if (number !== undefined) {
    const exp_year = new Date().getUTCFullYear() + 1;
    return createPaymentMethod({ type: "card", card: { number, exp_month: 12, exp_year, cvc: "123" } }, effects);
  }
  return existing("PaymentMethod", id, effects.store);
}

function fingerprintOf(number: string): string {
  return createHash("sha256").update(`fingerprint of ${number}`).digest("base64url").slice(0, 16);
}
