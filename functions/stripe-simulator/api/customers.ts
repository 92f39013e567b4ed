import { Hono } from "hono";
import * as z from "zod";
import { requireSecretKey } from "../authorization";
import { noSuch } from "../errors";
import { newId, unixTime } from "../ids";
import type { Customer } from "../objects";
import type { StripeContext } from "./context";
import { metadata, parameters } from "./parameters";

const text = z.string().max(5000).optional();
const customerParameters = z.object({
  email: z.string().max(512).optional(),
  name: text,
  business_name: text,
  phone: text,
  description: text,
  metadata,
  invoice_settings: z.object({ default_payment_method: z.string().optional() }).default({}),
});

/** https://docs.stripe.com/api/customers */
export const customers = new Hono<StripeContext>();

customers.use(async (c, next) => {
  requireSecretKey(c.var.key);
  await next();
});

customers.post("/", (c) => {
  const given = parameters(customerParameters, c.var.form);
  const customer: Customer = {
    id: newId("cus", 14),
    object: "customer",
    created: unixTime(),
    livemode: false,
    email: given.email ?? null,
    name: given.name ?? null,
    business_name: given.business_name ?? null,
    phone: given.phone ?? null,
    description: given.description ?? null,
    metadata: given.metadata,
    invoice_settings: { default_payment_method: given.invoice_settings.default_payment_method ?? null },
  };
  c.var.store.save(customer);
  return c.json(customer);
});

customers.get("/:id", (c) => {
  const found = c.var.store.customer(c.req.param("id"));
  if (!found) throw noSuch("customer", c.req.param("id"));
  return c.json(found);
});

customers.post("/:id", (c) => {
  const found = c.var.store.customer(c.req.param("id"));
  if (!found) throw noSuch("customer", c.req.param("id"));
  const given = parameters(customerParameters, c.var.form);
  const customer: Customer = {
    ...found,
    email: given.email ?? found.email,
    name: given.name ?? found.name,
    business_name: given.business_name ?? found.business_name,
    phone: given.phone ?? found.phone,
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
