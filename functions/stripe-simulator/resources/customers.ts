import type Stripe from "stripe";
import { invalidRequest } from "../api/errors";
import { existing, listing, type Operation, operation, retrieval } from "../api/operation";
import { hash, integer, metadata, optionalText, type Readers, text } from "../api/parameters";
import { endSubscription, hasEnded } from "../clock/renewals";
import type { Effects } from "../store/events";
import { type Customer, merge, newId, nulls, previousAttributes } from "../store/objects";
import type { Store } from "../store/store";

const place = {
  city: optionalText,
  country: optionalText,
  line1: optionalText,
  postal_code: optionalText,
  state: optionalText,
};

export const address = hash(place satisfies Readers<Stripe.AddressParam>);

const fields = {
  ...{ business_name: optionalText, email: optionalText, name: optionalText, phone: optionalText },
  address: address.optional(),
  invoice_settings: hash({ default_payment_method: optionalText }).optional(),
  metadata: metadata.optional(),
} satisfies Readers<Stripe.CustomerCreateParams & Stripe.CustomerUpdateParams>;

const create = { ...fields, test_clock: optionalText } satisfies Readers<Stripe.CustomerCreateParams>;

const filters = {
  email: optionalText,
} satisfies Readers<Stripe.CustomerListParams>;

const search = { query: text, limit: integer } satisfies Readers<Stripe.CustomerSearchParams>;

export const customers: Operation[] = [
  // Lists and searches leave out the customers of test clocks.
  listing("/v1/customers", "Customer", filters, ({ email, test_clock }, wanted) => {
    return test_clock === null && (wanted.email ?? email) === email;
  }),

  operation("GET /v1/customers/search", search, ({ query, limit }, { store }) => {
    const data = store
      .list("Customer")
      .filter(({ email }) => query.toLowerCase() === `email:"${email?.toLowerCase()}"`);
    return {
      object: "search_result",
      url: "/v1/customers/search",
      has_more: false,
      next_page: null,
      data: data.slice(0, limit),
    };
  }),

  retrieval("/v1/customers/:id", "Customer"),

  operation("POST /v1/customers", create, ({ test_clock = null, ...given }, { store, now, emit }) => {
    if (test_clock !== null) existing("TestClock", test_clock, store, "test_clock");
    const blank: Customer = { ...blankCustomer(now), test_clock };
    return emit("customer.created", store.save("Customer", changed(blank, given, store)));
  }),

  operation("POST /v1/customers/:id", fields, (given, { store, id, emit }) => {
    const known = existing("Customer", id, store);
    const customer = store.save("Customer", changed(known, given, store));
    return emit("customer.updated", customer, previousAttributes(known, customer));
  }),

  operation("DELETE /v1/customers/:id", {}, (_, call) =>
    deleteCustomer(existing("Customer", call.id, call.store), call),
  ),
];

export function deleteCustomer(customer: Customer, effects: Effects): object {
  const { store, emit } = effects;
  const { id } = customer;
  for (const subscription of store.list("Subscription", id)) {
    if (!hasEnded(subscription)) endSubscription(subscription, "cancellation_requested", effects);
  }
  for (const method of store.list("PaymentMethod", id)) store.save("PaymentMethod", { ...method, customer: null });
  emit("customer.deleted", customer);
  return store.save("DeletedCustomer", { id, object: "customer", deleted: true });
}

function blankCustomer(created: number): Omit<Customer, "test_clock"> {
  return {
    ...nulls("address", "currency", "customer_account", "default_source", "description", "discount", "email"),
    ...nulls("name", "phone", "shipping"),
    ...{ id: newId("cus", 14), object: "customer", balance: 0, created, delinquent: false, livemode: false },
    ...{ invoice_prefix: newId("", 8).slice(1).toUpperCase(), next_invoice_sequence: 1 },
    invoice_settings: nulls("custom_fields", "default_payment_method", "footer", "rendering_options"),
    ...{ metadata: {}, preferred_locales: [], tax_exempt: "none" },
  };
}

type Given = { [N in keyof typeof fields]?: (typeof fields)[N]["_zod"]["output"] };

function changed(known: Customer, { address, ...given }: Given, store: Store): Customer {
  if (given.email && (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(given.email) || given.email.endsWith(".invalid"))) {
    throw invalidRequest(`Invalid email address: ${given.email}`, { code: "email_invalid", param: "email" });
  }
  const card = given.invoice_settings?.default_payment_method;
  if (card !== undefined && store.find("PaymentMethod", card)?.customer !== known.id) {
    throw invalidRequest(
      `The customer does not have a payment method with the ID ${card}. The payment method must be attached to the customer.`,
      { code: "resource_missing", param: "invoice_settings[default_payment_method]" },
    );
  }
  return merge(known, { ...given, ...(address && { address: addressOf(address) }) });
}

export function addressOf(given: Stripe.AddressParam): NonNullable<Customer["address"]> {
  return { ...nulls("city", "country", "line1", "line2", "postal_code", "state"), ...given };
}
