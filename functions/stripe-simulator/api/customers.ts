import { Hono } from "hono";
import * as z from "zod";
import { requireSecretKey } from "../authorization";
import { invalidRequest, noSuch } from "../errors";
import { newId, unixTime } from "../ids";
import type { Customer } from "../objects";
import type { Store } from "../store";
import { cancelSubscription } from "./cancel-subscription";
import type { StripeContext } from "./context";
import { expanded } from "./expand";
import { address, metadata, page, paging, parameters } from "./parameters";

const text = z.string().max(5000).optional();
const customerParameters = z.object({
  email: z.string().max(512).optional(),
  name: text,
  business_name: text,
  phone: text,
  address: address.optional(),
  description: text,
  metadata,
  invoice_settings: z.object({ default_payment_method: z.string().optional() }).default({}),
});

const listParameters = z.object({ email: z.string().optional(), ...paging });

/** https://docs.stripe.com/api/customers */
export const customers = new Hono<StripeContext>();

customers.use(async (c, next) => {
  requireSecretKey(c.var.key);
  await next();
});

customers.post("/", (c) => {
  const given = parameters(customerParameters, c.var.form);
  if (given.email?.endsWith(".invalid")) {
    throw invalidRequest(`Invalid email address: ${given.email}`, { code: "email_invalid", param: "email" });
  }
  const customer: Customer = {
    id: newId("cus", 14),
    object: "customer",
    created: unixTime(),
    livemode: false,
    email: given.email ?? null,
    name: given.name ?? null,
    business_name: given.business_name ?? null,
    phone: given.phone ?? null,
    address: given.address ?? null,
    description: given.description ?? null,
    metadata: given.metadata,
    invoice_settings: { default_payment_method: given.invoice_settings.default_payment_method ?? null },
  };
  c.var.store.save(customer);
  return c.json(customer);
});

customers.get("/", (c) => {
  const { email, ...wanted } = parameters(listParameters, c.var.form);
  const kept = c.var.store.customers().filter((customer) => !customer.deleted);
  const found = kept.filter((customer) => email === undefined || customer.email === email);
  return c.json(page("/v1/customers", found, wanted));
});

customers.get("/:id", (c) => {
  const found = c.var.store.customer(c.req.param("id"));
  if (!found) throw noSuch("customer", c.req.param("id"));
  return c.json(found.deleted ? { id: found.id, object: "customer", deleted: true } : expanded(found, c.var));
});

customers.delete("/:id", (c) => {
  const { store, emit } = c.var;
  const found = store.customer(c.req.param("id"));
  if (!found || found.deleted) throw noSuch("customer", c.req.param("id"));
  for (const subscription of store.subscriptions().filter(({ customer }) => customer === found.id)) {
    if (subscription.status !== "canceled") cancelSubscription(subscription, c.var);
  }
  const nothing = { email: null, name: null, business_name: null, phone: null, address: null, description: null };
  store.save({ ...found, ...nothing, deleted: true });
  emit("customer.deleted", found);
  return c.json({ id: found.id, object: "customer", deleted: true });
});

customers.post("/:id", (c) => {
  const found = c.var.store.customer(c.req.param("id"));
  if (!found || found.deleted) throw noSuch("customer", c.req.param("id"));
  const given = parameters(customerParameters, c.var.form);
  const customer: Customer = {
    ...found,
    email: given.email ?? found.email,
    name: given.name ?? found.name,
    business_name: given.business_name ?? found.business_name,
    phone: given.phone ?? found.phone,
    address: given.address ?? found.address,
    description: given.description ?? found.description,
    metadata: { ...found.metadata, ...given.metadata },
    invoice_settings: {
      default_payment_method:
        given.invoice_settings.default_payment_method ?? found.invoice_settings.default_payment_method,
    },
  };
  c.var.store.save(customer);
  return c.json(customer);
});

export function requireCustomer(id: string, store: Store): Customer {
  const found = store.customer(id);
  if (found && !found.deleted) return found;
  throw invalidRequest(`No such customer: '${id}'`, { code: "resource_missing", param: "customer" });
}
