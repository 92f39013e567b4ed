import { createHash } from "node:crypto";
import type Stripe from "stripe";
import * as z from "zod";
import { cardError, invalidRequest } from "../api/errors";
import { existing, listing, missing, type Operation, operation, retrieval } from "../api/operation";
import { hash, integer, optionalText, type Readers, text } from "../api/parameters";
import { cardBrand, fullYear, isCardNumber, wrongExpiry } from "../cards/card-numbers";
import { TEST_PAYMENT_METHODS } from "../cards/test-cards";
import type { Effects } from "../store/events";
import { newId, nulls, type PaymentMethod } from "../store/objects";
import { address, addressOf } from "./customers";

const person = { email: optionalText, name: optionalText, phone: optionalText };

/** The card data that Stripe.js sends from its iframe. */
export const paymentMethodData = hash({
  billing_details: hash({ address: address.optional(), ...person }).optional(),
  card: hash({ number: text, exp_month: integer, exp_year: integer, cvc: text }),
  type: z.literal("card"),
} satisfies Readers<Stripe.PaymentMethodCreateParams>);

type Given = (typeof paymentMethodData)["_zod"]["output"];

const listed = { customer: text } satisfies Readers<Stripe.PaymentMethodListParams>;

export const paymentMethods: Operation[] = [
  listing("/v1/payment_methods", "PaymentMethod", listed),

  retrieval("/v1/payment_methods/:id", "PaymentMethod"),

  operation(
    "POST /v1/payment_methods/:id/attach",
    { customer: text } satisfies Readers<Stripe.PaymentMethodAttachParams>,
    ({ customer }, call) => {
      const { id: owner } = existing("Customer", customer, call.store, "customer");
      return attach(createPaymentMethod(testCard(call.id), call), owner, call);
    },
  ),

  operation("POST /v1/payment_methods/:id/detach", {}, (_, { store, emit, id }) => {
    const found = existing("PaymentMethod", id, store);
    if (found.customer === null) throw invalidRequest("The payment method is not attached to a customer.");
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

/** The card that a test payment method stands for. Throws StripeFailure 400 for another one. */
export function testCard(name = ""): Given {
  const number = TEST_PAYMENT_METHODS[name] ?? missing("PaymentMethod", name, "payment_method");
  const exp_year = new Date().getUTCFullYear() + 1;
  return { type: "card", card: { number, exp_month: 12, exp_year, cvc: number.startsWith("37") ? "1234" : "123" } };
}

/** Throws StripeFailure 402 for an impossible number, date or CVC. */
export function createPaymentMethod({ card, billing_details = {} }: Given, { store, now }: Effects): PaymentMethod {
  const number = card.number.replaceAll(" ", "");
  const { exp_month, cvc } = card;
  const exp_year = fullYear(card.exp_year);
  const refuse = (param: string, code: string, what: string) => cardError(code, `Your card's ${what}.`, { param });
  if (!isCardNumber(number)) throw refuse("number", "incorrect_number", "number is incorrect");
  const wrong = wrongExpiry({ month: exp_month, year: exp_year }, Date.now());
  if (wrong) throw refuse(`exp_${wrong}`, `invalid_expiry_${wrong}`, `expiration ${wrong} is invalid`);
  if (!/^\d{3,4}$/.test(cvc)) throw refuse("cvc", "invalid_cvc", "security code is invalid");
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
      checks: { ...nulls("address_line1_check", "address_postal_code_check"), cvc_check: "pass" },
      fingerprint: createHash("sha256").update(`fingerprint of ${number}`).digest("base64url").slice(0, 16),
      networks: { available: [brand], preferred: null },
      three_d_secure_usage: { supported: true },
    },
  });
  store.set("card", method.id, number);
  return method;
}
