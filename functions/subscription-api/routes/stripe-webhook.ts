import type { Context } from "hono";
import { log } from "../log";
import { problem } from "../problem";
import type { ApiContext } from "../services";

/**
 * `POST /webhooks/stripe`: 200 for every event that Stripe signed, known or not; 400 for all else. A failure of the
 * database is thrown, and Stripe sends the event again.
 */
export async function postStripeWebhook(c: Context<ApiContext>): Promise<Response> {
  const { payments, subscriptions } = c.var.services;
  const event = await payments.readWebhook(await c.req.text(), c.req.header("stripe-signature") ?? "");
  if (event.status === "rejected") return problem(400, { title: "The signature is missing, wrong or too old" });
  if (event.status === "ignored" || (await subscriptions.knowsEvent(event.id))) return c.json({ received: true });

  const outcome = await subscriptions.activate(event.card, event);
  log("info", "card_set_up", { requestId: c.var.requestId, subscriptionId: event.card.subscriptionId, outcome });
  return c.json({ received: true });
}
