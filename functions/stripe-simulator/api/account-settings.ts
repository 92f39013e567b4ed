import { Hono } from "hono";
import * as z from "zod";
import { requireSecretKey } from "../authorization";
import { invalidRequest, noSuch } from "../errors";
import type { Form } from "../form";
import { newId, unixTime } from "../ids";
import type { AccountSetting } from "../objects";
import type { StripeContext } from "./context";
import { page, paging, parameters } from "./parameters";

/* What a set-up makes once for an account. Events go to the endpoint of wrangler.toml, whatever is made here. */

type Kind = { prefix: "we" | "bpc"; name: string; path: string; required: string[]; blank: object };

/** https://docs.stripe.com/api/webhook_endpoints */
const webhookEndpoint: Kind = {
  prefix: "we",
  name: "webhook endpoint",
  path: "/webhook_endpoints",
  required: ["enabled_events", "url"],
  blank: { object: "webhook_endpoint", api_version: null, metadata: {}, status: "enabled" },
};

/** https://docs.stripe.com/api/customer_portal/configurations */
const portalConfiguration: Kind = {
  prefix: "bpc",
  name: "configuration",
  path: "/billing_portal/configurations",
  required: ["features"],
  blank: {
    ...{ object: "billing_portal.configuration", active: true, default_return_url: null, is_default: false },
    ...{ business_profile: { privacy_policy_url: null, terms_of_service_url: null }, metadata: {} },
    ...{ login_page: { enabled: false, url: null } },
    features: {
      ...{ invoice_history: { enabled: false }, payment_method_update: { enabled: false } },
      subscription_cancel: { enabled: false, mode: "at_period_end", proration_behavior: "none" },
      subscription_update: {
        ...{ default_allowed_updates: [], enabled: false, products: [] },
        ...{ proration_behavior: "none", trial_update_behavior: "end_trial" },
      },
    },
  },
};

export const accountSettings = new Hono<StripeContext>();

for (const { prefix, name, path, required, blank } of [webhookEndpoint, portalConfiguration]) {
  accountSettings.use(`${path}/*`, async (c, next) => {
    requireSecretKey(c.var.key);
    await next();
  });

  accountSettings.get(path, (c) =>
    c.json(page(`/v1${path}`, c.var.store.settings(prefix), parameters(z.object(paging), c.var.form))),
  );

  accountSettings.post(path, (c) => {
    const missing = required.find((param) => c.var.form[param] === undefined);
    if (missing)
      throw invalidRequest(`Missing required param: ${missing}.`, { code: "parameter_missing", param: missing });
    const made = { ...blank, id: newId(prefix), created: unixTime(), livemode: false };
    const setting = changed(made, c.var.form, new URL(c.req.url).origin);
    c.var.store.save(setting);
    return c.json({ ...setting, ...(prefix === "we" && { secret: `whsec_${newId("", 32).slice(1)}` }) });
  });

  accountSettings.post(`${path}/:id`, (c) => {
    const found = c.var.store.settings(prefix).find(({ id }) => id === c.req.param("id"));
    if (!found) throw noSuch(name, c.req.param("id"));
    const setting = changed(found, c.var.form, new URL(c.req.url).origin);
    c.var.store.save(setting);
    return c.json(setting);
  });
}

function changed(known: AccountSetting, { disabled, expand: _, ...form }: Form, origin: string): AccountSetting {
  const setting = merged(known, form);
  if (disabled !== undefined) setting.status = disabled === "true" ? "disabled" : "enabled";
  const { login_page } = setting;
  const isOpen = isRecord(login_page) && login_page.enabled === true;
  return { ...setting, ...(isOpen && { login_page: { enabled: true, url: `${origin}/p/login/test` } }), id: known.id };
}

/** Objects are merged, lists are replaced. */
function merged(known: Record<string, unknown>, form: Form): Record<string, unknown> {
  const whole = { ...known };
  for (const [name, value] of Object.entries(form)) {
    const inner = known[name];
    whole[name] = isRecord(inner) && typeof value === "object" ? merged(inner, value) : parsed(value);
  }
  return whole;
}

function parsed(value: string | Form): unknown {
  if (typeof value === "string") return value === "true" || (value === "false" ? false : value);
  const entries = Object.entries(value).map(([name, inner]) => [name, parsed(inner)] as const);
  const isList = entries.every(([name]) => /^\d+$/.test(name));
  return isList ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
