import { createHash } from "node:crypto";
import type Stripe from "stripe";
import { cardError, invalidRequest } from "../api/errors";
import { existing, type Operation, operation, retrieval } from "../api/operation";
import { hash, integer, type Readers, text } from "../api/parameters";
import { cardBrand, isCardNumber } from "../cards/cards";
import type { Effects } from "../store/events";
import { newId, nulls, type PaymentMethod } from "../store/objects";
import { address, addressOf } from "./customers";

/** As Stripe.js sends it from its frame. */
export const paymentMethodData = hash({
  billing_details: hash({
    address: address.optional(),
    email: text.optional(),
    name: text.optional(),
    phone: text.optional(),
  }).optional(),
  card: hash({ number: text, exp_month: integer, exp_year: integer, cvc: text.optional() }),
  type: text.pipe(text.refine((type) => type === "card")).transform(() => "card" as const),
} satisfies Readers<Stripe.PaymentMethodCreateParams>);

type Given = (typeof paymentMethodData)["_zod"]["output"];

export const paymentMethods: Operation[] = [
  retrieval("/v1/payment_methods/:id", "PaymentMethod"),

  operation("POST /v1/payment_methods/:id/detach", {}, (_, { store, emit, id }) => {
    const found = existing("PaymentMethod", id, store);
    if (found.customer === null) {
      throw invalidRequest("The payment method you provided is not attached to a customer.");
    }
    const customer = store.find("Customer", found.customer);
    if (customer?.invoice_settings.default_payment_method === id) {
      const invoice_settings = { ...customer.invoice_settings, default_payment_method: null };
      store.save("Customer", { ...customer, invoice_settings });
    }
    const detached = store.save("PaymentMethod", { ...found, customer: null });
    return emit("payment_method.detached", detached, { customer: found.customer });
  }),
];

export function attach(method: PaymentMethod, customer: string, { store, emit }: Effects): PaymentMethod {
  return emit("payment_method.attached", store.save("PaymentMethod", { ...method, customer }));
}

/** Throws StripeFailure 402 for a card that no bank has issued. */
export function createPaymentMethod({ card, billing_details = {} }: Given, { store, now }: Effects): PaymentMethod {
  const number = card.number.replaceAll(" ", "");
  const { exp_month, cvc } = card;
  const exp_year = card.exp_year < 100 ? 2000 + card.exp_year : card.exp_year;
  if (!isCardNumber(number)) throw cardError("incorrect_number", "Your card number is incorrect.", { param: "number" });
  if (exp_month < 1 || exp_month > 12) {
    throw cardError("invalid_expiry_month", "Your card's expiration month is invalid.", { param: "exp_month" });
  }
  if (Date.UTC(exp_year, exp_month) <= Date.now()) {
    throw cardError("invalid_expiry_year", "Your card's expiration year is invalid.", { param: "exp_year" });
  }
  if (cvc !== undefined && !/^\d{3,4}$/.test(cvc)) {
    throw cardError("invalid_cvc", "Your card's security code is invalid.", { param: "cvc" });
  }
  const { address, ...person } = billing_details;
  const brand = cardBrand(number);
  const method = store.save("PaymentMethod", {
    ...{ id: newId("pm"), object: "payment_method", allow_redisplay: "unspecified", created: now, livemode: false },
    ...{ customer: null, customer_account: null, metadata: {}, type: "card" },
    billing_details: { ...nulls("email", "name", "phone", "tax_id"), address: addressOf(address ?? {}), ...person },
    card: {
      ...nulls("generated_from", "wallet"),
      ...{ brand, display_brand: brand, country: "US", exp_month, exp_year, funding: "credit" },
      ...{ last4: number.slice(-4), regulated_status: "unregulated" },
      checks: {
        ...{ address_line1_check: null, cvc_check: "pass" },
        address_postal_code_check: address?.postal_code === undefined ? null : "pass",
      },
      fingerprint: createHash("sha256").update(`fingerprint of ${number}`).digest("base64url").slice(0, 16),
      networks: { available: [brand], preferred: null },
      three_d_secure_usage: { supported: true },
    },
  });
  store.set("card", method.id, number);
  return method;
}
