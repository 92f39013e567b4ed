import { endSubscription, hasEnded } from "../../clock/subscription-lifecycle";
import { newId } from "../../store/ids";
import { type Customer, make, merge, previousAttributes } from "../../store/objects";
import type { Store } from "../../store/store";
import { invalidRequest, missingParameter, noSuch } from "../errors";
import type { Call, Handlers } from "../operation-context";
import { existing } from "../reads";
import { checkCountry } from "./addresses";

export const customers = {
  "GET /v1/customers/search": ({ query, limit = 10 }, { store }) => {
    const [, email] = /^email:"([^"\\]*)"$/.exec(query) ?? [];
    if (email === undefined) throw new Error(`it cannot search for ${query}`);
    const data = store.list("Customer").filter((one) => one.email?.toLowerCase() === email.toLowerCase());
    if (data.length > limit) throw new Error("it has no second page of a search");
    const url = "/v1/customers/search";
    return { object: "search_result", url, has_more: false, next_page: null, data };
  },

  "POST /v1/customers": ({ test_clock, ...given }, call) => {
    if (test_clock !== undefined && !call.store.find("TestClock", test_clock)) {
      throw noSuch("test clock", test_clock, "test_clock", 400);
    }
    const prefix = newId("", 8).slice(1).toUpperCase();
    const blank = make("Customer", {
      id: newId("cus", 14),
      ...{ address: null, currency: null, delinquent: false, invoice_prefix: prefix, name: null, phone: null },
      ...{ next_invoice_sequence: 1, preferred_locales: [], tax_exempt: "none", test_clock: test_clock ?? null },
    });
    call.store.save("Customer", blank);
    const customer = call.store.save("Customer", { ...changed(blank, given, call), created: call.now(blank.id) });
    call.emit("customer.created", customer);
    return customer;
  },

  "POST /v1/customers/:id": (given, call) => {
    const known = existing("Customer", call.id, call.store);
    const customer = call.store.save("Customer", changed(known, given, call));
    const previous = previousAttributes(known, customer);
    if (previous) call.emit("customer.updated", customer, previous);
    return customer;
  },

  "DELETE /v1/customers/:id": (_, call) => {
    const { store, id } = call;
    const found = existing("Customer", id, store);
    for (const subscription of store.list("Subscription", id)) {
      if (!hasEnded(subscription)) endSubscription(subscription, "cancellation_requested", call);
    }
    for (const method of store.list("PaymentMethod", id)) store.save("PaymentMethod", { ...method, customer: null });
    call.emit("customer.deleted", found);
    return store.save("DeletedCustomer", { id, object: "customer", deleted: true });
  },
} satisfies Partial<Handlers>;

function changed(known: Customer, given: Parameters<Handlers["POST /v1/customers/:id"]>[0], { store }: Call): Customer {
  const { email, address, invoice_settings, expand: _, ...fields } = given;
  if (email && (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) || email.endsWith(".invalid"))) {
    throw invalidRequest(`Invalid email address: ${email}`, { code: "email_invalid", param: "email" });
  }
  if (address) checkCountry(address);
  const card = invoice_settings?.default_payment_method;
  if (card) requireCard(card, known.id, "invoice_settings[default_payment_method]", store);
  return merge("Customer", known, { ...fields, email, address, invoice_settings });
}

export function requireCard(card: string, customer: string, param: string, store: Store): void {
  if (store.find("PaymentMethod", card)?.customer === customer) return;
  throw invalidRequest(
    `The customer does not have a payment method with the ID ${card}. The payment method must be attached to the customer.`,
    { code: "resource_missing", param },
  );
}

export function requireCustomer(id: string | undefined, store: Store): Customer {
  if (id === undefined) throw missingParameter("customer");
  const found = store.find("Customer", id);
  if (found) return found;
  throw noSuch("customer", id, "customer", 400);
}
