import { Hono } from "hono";
import { html } from "hono/html";
import { Webhook } from "standardwebhooks";
import * as z from "zod";
import type { StripeContext } from "../api/operation-context";
import type { Received } from "../store/store";
import { page, time } from "./page-layout";

const accountWebhook = z.object({
  type: z.string(),
  timestamp: z.iso.datetime(),
  data: z.record(z.string(), z.unknown()),
});
const keptWebhook = accountWebhook.extend({ id: z.string() });

/** Keeps each verified webhook once: https://www.standardwebhooks.com */
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
    const parsed = accountWebhook.safeParse(JSON.parse(body));
    if (!parsed.success) return c.json({ error: z.prettifyError(parsed.error) }, 422);
    const id = c.req.header("webhook-id") ?? "";
    c.var.store.receive("console", id, { id, body });
    return c.body(null, 204);
  });

  routes.get("/webhooks", (c) => c.json({ data: c.var.store.received("console").map(kept) }));

  routes.get("/", (c) => {
    const webhooks = c.var.store.received("console").map(kept);
    const list = html`<ul>
      ${webhooks.map(
        ({ id, type, timestamp, data }) =>
          html`<li>
            <strong>${type}</strong>, ${time(timestamp)}<br />
            ${id}, signature verified
            <pre>${JSON.stringify(data, null, 2)}</pre>
          </li>`,
      )}
    </ul>`;
    const nothing = html`<p>No account webhook has arrived yet.</p>`;
    return c.html(page("Account webhooks to the customer console", webhooks.length > 0 ? list : nothing));
  });
  return routes;
}

function kept({ id, body }: Received) {
  return keptWebhook.parse({ ...accountWebhook.parse(JSON.parse(body)), id });
}
