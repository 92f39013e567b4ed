import { createHash } from "node:crypto";
import { Hono } from "hono";
import * as z from "zod";
import { requireSecretKey } from "../authorization";
import { cardBrand, isCardNumber, wellKnownCard } from "../cards";
import { docUrl, invalidRequest, noSuch, StripeFailure } from "../errors";
import { newId, unixTime } from "../ids";
import type { PaymentMethod } from "../objects";
import type { Store } from "../store";
import type { StripeContext } from "./context";
import { address, parameters } from "./parameters";

const nullable = z.string().nullable().default(null);

export const paymentMethodParameters = z.object({
  type: z.literal("card"),
  card: z.object({
    number: z.string().transform((number) => number.replaceAll(" ", "")),
    exp_month: z.coerce.number().int(),
    exp_year: z.coerce.number().int(),
    cvc: z.string().optional(),
  }),
  billing_details: z
    .object({ email: nullable, name: nullable, phone: nullable, address: address.default(address.parse({})) })
    .default({ email: null, name: null, phone: null, address: address.parse({}) }),
});

/** https://docs.stripe.com/api/payment_methods */
export const paymentMethods = new Hono<StripeContext>();

paymentMethods.post("/", (c) => {
  const created = createPaymentMethod(parameters(paymentMethodParameters, c.var.form), c.var.store);
  return c.json(created);
});

paymentMethods.get("/:id", (c) => {
  requireSecretKey(c.var.key);
  const found = c.var.store.paymentMethod(c.req.param("id"));
  if (!found) throw noSuch("PaymentMethod", c.req.param("id"), "payment_method");
  return c.json(found);
});

paymentMethods.post("/:id/detach", (c) => {
  requireSecretKey(c.var.key);
  const { store } = c.var;
  const found = store.paymentMethod(c.req.param("id"));
  if (!found) throw noSuch("PaymentMethod", c.req.param("id"), "payment_method");
  if (found.customer === null) {
    throw invalidRequest("The payment method you provided is not attached to a customer so detachment is impossible.");
  }
  const customer = store.customer(found.customer);
  if (customer?.invoice_settings.default_payment_method === found.id) {
    store.save({ ...customer, invoice_settings: { default_payment_method: null } });
  }
  const detached: PaymentMethod = { ...found, customer: null };
  store.save(detached);
  return c.json(detached);
});

/** Checks a card and keeps it; throws StripeFailure 402. */
export function createPaymentMethod(given: z.output<typeof paymentMethodParameters>, store: Store): PaymentMethod {
  const { number, exp_month, exp_year, cvc } = given.card;
  const year = exp_year < 100 ? 2000 + exp_year : exp_year;
  if (!isCardNumber(number)) throw cardError("incorrect_number", "Your card number is incorrect.", "number");
  if (exp_month < 1 || exp_month > 12) {
    throw cardError("invalid_expiry_month", "Your card's expiration month is invalid.", "exp_month");
  }
  if (isPast(exp_month, year)) {
    throw cardError("invalid_expiry_year", "Your card's expiration year is invalid.", "exp_year");
  }
  if (cvc !== undefined && !/^\d{3,4}$/.test(cvc)) {
    throw cardError("invalid_cvc", "Your card's security code is invalid.", "cvc");
  }
  const method: PaymentMethod = {
    id: newId("pm"),
    object: "payment_method",
    created: unixTime(),
    livemode: false,
    type: "card",
    customer: null,
    billing_details: given.billing_details,
    card: {
      brand: cardBrand(number),
      exp_month,
      exp_year: year,
      fingerprint: fingerprintOf(number),
      last4: number.slice(-4),
      funding: "credit",
      country: "US",
    },
    metadata: {},
  };
  store.save(method);
  store.saveCardNumber(method.id, number);
  return method;
}

export function findPaymentMethod(id: string, store: Store): PaymentMethod {
  const number = wellKnownCard(id);
  if (number !== undefined) {
    const card = { number, exp_month: 12, exp_year: new Date().getUTCFullYear() + 1, cvc: "123" };
    return createPaymentMethod(paymentMethodParameters.parse({ type: "card", card }), store);
  }
  const found = store.paymentMethod(id);
  if (!found) throw noSuch("PaymentMethod", id, "payment_method");
  return found;
}

/** The same for the same number. */
function fingerprintOf(number: string): string {
  return createHash("sha256").update(`fingerprint of ${number}`).digest("base64url").slice(0, 16);
}

function isPast(month: number, year: number): boolean {
  return Date.UTC(year, month) <= Date.now();
}

function cardError(code: string, message: string, param: string): StripeFailure {
  return new StripeFailure(402, { type: "card_error", code, doc_url: docUrl(code), message, param });
}
