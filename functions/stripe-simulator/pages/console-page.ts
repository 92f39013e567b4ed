import { Hono } from "hono";
import { html } from "hono/html";
import { Webhook } from "standardwebhooks";
import * as z from "zod";
import type { StripeContext } from "../api/router";
import { list, page, time } from "./layout";

const webhookBody = z.object({
  type: z.string(),
  timestamp: z.iso.datetime(),
  data: z.record(z.string(), z.unknown()),
});
const received = webhookBody.extend({ id: z.string() });

/** Stores each verified webhook once: https://www.standardwebhooks.com */
export function customerConsole(secret: string): Hono<StripeContext> {
  const webhook = new Webhook(secret);
  const routes = new Hono<StripeContext>();

  routes.post("/webhook", async (c) => {
    const body = await c.req.text();
    try {
      webhook.verify(body, c.req.header());
    } catch {
      return c.json({ error: "The signature is missing, wrong or too old" }, 401);
    }
    const given = webhookBody.parse(JSON.parse(body));
    const id = c.req.header("webhook-id") ?? "";
    const { store } = c.var.account;
    if (!store.get(received, "webhook", id)) store.set("webhook", id, { ...given, id });
    return c.body(null, 204);
  });

  routes.get("/webhooks", (c) => c.json({ data: c.var.account.store.all(received, "webhook") }));

  routes.get("/", (c) => {
    const webhooks = c.var.account.store.all(received, "webhook");
    const content = list(
      webhooks,
      "No account webhook has arrived yet.",
      ({ id, type, timestamp, data }) =>
        html`<strong>${type}</strong>, ${time(timestamp)}<br />${id}, signature verified
          <pre>${JSON.stringify(data, null, 2)}</pre>`,
    );
    return c.html(page("Account webhooks to the customer console", content));
  });
  return routes;
}
