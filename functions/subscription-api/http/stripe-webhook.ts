import type { Context } from "hono";
import { log } from "../log";
import { handleCardSetUp, handleSubscriptionChange } from "../sign-ups/trial";
import type { ApiContext } from "./context";
import { problem } from "./problem";

/** `POST /webhooks/stripe`: 200 for every event that Stripe signed, 400 for all else. After an error Stripe tries again. */
export async function postStripeWebhook(c: Context<ApiContext>): Promise<Response> {
  const { services, dispatchAfterResponse } = c.var;
  const received = await services.stripeWebhook.read(await c.req.text(), c.req.header("stripe-signature") ?? "");
  if (received.status === "rejected") return problem(400, { title: "The signature is missing, wrong or too old" });
  if (received.status === "ignored" || (await services.lifecycle.isProcessed(received.event))) {
    return c.json({ received: true });
  }

  const { event } = received;
  const outcome =
    received.status === "card-set-up"
      ? await handleCardSetUp(received.card, services, event)
      : await handleSubscriptionChange(received, services, event);
  log("info", "event_processed", { eventId: event.id, type: event.type, outcome });
  dispatchAfterResponse();
  return c.json({ received: true });
}
