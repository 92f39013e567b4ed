import type Stripe from "stripe";
import { endSubscription, hasEnded } from "../clock/subscriptions";
import { newId } from "../store/ids";
import { type Customer, complete } from "../store/objects";
import type { Store } from "../store/store";
import { addressOf } from "./addresses";
import type { Call, Handlers } from "./context";
import { invalidRequest, noSuch } from "./errors";
import { isWithin, metadataAfter, page, refuseOthers } from "./lists";

/** https://docs.stripe.com/api/customers */
export const customers = {
  "POST /v1/customers": (given, call) => {
    const { test_clock, ...fields } = given;
    if (test_clock !== undefined && !call.store.find("TestClock", test_clock)) {
      throw noSuch("test clock", test_clock, "test_clock", 400);
    }
    const blank = complete("Customer", {
      id: newId("cus", 14),
      object: "customer",
      balance: 0,
      created: 0,
      currency: null,
      delinquent: false,
      invoice_prefix: newId("", 8).slice(1).toUpperCase(),
      invoice_settings: {},
      livemode: false,
      metadata: {},
      name: null,
      next_invoice_sequence: 1,
      address: null,
      phone: null,
      preferred_locales: [],
      tax_exempt: "none",
      test_clock: test_clock ?? null,
    });
    call.store.save("Customer", blank);
    const customer = changed({ ...blank, created: call.now(blank.id) }, fields, call);
    call.store.save("Customer", customer);
    call.emit("customer.created", customer);
    return customer;
  },

  "GET /v1/customers": (given, { store }) => {
    const { email, created, test_clock, limit, starting_after, ending_before, ...rest } = given;
    refuseOthers(rest);
    const found = store
      .list("Customer")
      .filter((one) => (email === undefined || one.email === email) && isWithin(created, one.created))
      .filter((one) => test_clock === undefined || one.test_clock === test_clock);
    return page("/v1/customers", found, { limit, starting_after, ending_before });
  },

  "GET /v1/customers/:id": (_, { store, id }) => {
    const found = store.find("Customer", id) ?? store.find("DeletedCustomer", id);
    if (!found) throw noSuch("customer", id);
    return found;
  },

  "POST /v1/customers/:id": (given, call) => {
    const known = call.store.find("Customer", call.id);
    if (!known) throw noSuch("customer", call.id);
    const customer = call.store.save("Customer", changed(known, given, call));
    const previous = Object.entries(known).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(customer, name)),
    );
    if (previous.length > 0) call.emit("customer.updated", customer, Object.fromEntries(previous));
    return customer;
  },

  "DELETE /v1/customers/:id": (_, call) => {
    const { store, id } = call;
    const found = store.find("Customer", id);
    if (!found) throw noSuch("customer", id);
    for (const subscription of store.list("Subscription", id)) {
      if (!hasEnded(subscription)) endSubscription(subscription, "cancellation_requested", call);
    }
    for (const method of store.list("PaymentMethod", id)) store.save("PaymentMethod", { ...method, customer: null });
    call.emit("customer.deleted", found);
    return store.save("DeletedCustomer", { id, object: "customer", deleted: true });
  },
} satisfies Partial<Handlers>;

function changed(known: Customer, given: Stripe.CustomerUpdateParams, { store }: Call): Customer {
  const { address, business_name, description, email, invoice_settings, metadata, name, phone, ...rest } = given;
  const { preferred_locales, ...others } = rest;
  refuseOthers(others);
  if (email !== undefined && email !== "" && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) {
    throw invalidRequest(`Invalid email address: ${email}`, { code: "email_invalid", param: "email" });
  }
  const card = invoice_settings?.default_payment_method;
  const { default_payment_method, ...otherSettings } = invoice_settings ?? {};
  refuseOthers(otherSettings);
  if (card && store.find("PaymentMethod", card)?.customer !== known.id) {
    throw invalidRequest(
      `The customer does not have a payment method with the ID ${card}. The payment method must be attached to the customer.`,
      { code: "resource_missing", param: "invoice_settings[default_payment_method]" },
    );
  }
  const { business_name: knownBusiness, ...keptFields } = known;
  const business = business_name ?? knownBusiness;
  return {
    ...keptFields,
    ...(business && { business_name: business }),
    address: address === undefined ? known.address : address ? addressOf(address) : null,
    description: textAfter(known.description, description),
    email: textAfter(known.email, email),
    invoice_settings: {
      ...known.invoice_settings,
      default_payment_method: textAfter(known.invoice_settings.default_payment_method, default_payment_method),
    },
    metadata: metadataAfter(known.metadata, metadata),
    name: textAfter(known.name ?? null, name),
    phone: textAfter(known.phone ?? null, phone),
    preferred_locales: preferred_locales ?? known.preferred_locales ?? [],
  };
}

function textAfter(known: string | null, given: string | null | undefined): string | null {
  return given === undefined ? known : given || null;
}

export function requireCustomer(id: string, store: Store): Customer {
  const found = store.find("Customer", id);
  if (found) return found;
  throw noSuch("customer", id, "customer", 400);
}
