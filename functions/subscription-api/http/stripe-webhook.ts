import type { Context } from "hono";
import { log } from "../log";
import type { ApiContext } from "../services";
import { handleCardSetUp, handleSubscriptionChange } from "../sign-ups/trial";
import { problem } from "./problem";

/**
 * `POST /webhooks/stripe`: 200 for every event that Stripe signed, known or not; 400 for all else. A failure of Stripe
 * or of the database is thrown, and Stripe sends the event again.
 */
export async function postStripeWebhook(c: Context<ApiContext>): Promise<Response> {
  const { services, requestId, dispatchAfterResponse } = c.var;
  const received = await services.payments.readWebhook(await c.req.text(), c.req.header("stripe-signature") ?? "");
  switch (received.status) {
    case "rejected":
      return problem(400, { title: "The signature is missing, wrong or too old" });
    case "ignored":
      return c.json({ received: true });
  }
  const { event } = received;
  if (await services.signUps.isProcessed(event.id)) return c.json({ received: true });

  const outcome =
    received.status === "card-set-up"
      ? await handleCardSetUp(received.card, services, event)
      : await handleSubscriptionChange(received, services, event);
  log("info", "event_processed", { requestId, eventId: event.id, type: event.type, outcome });
  dispatchAfterResponse();
  return c.json({ received: true });
}
