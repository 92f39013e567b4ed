import type { Context } from "hono";
import { log } from "../log";
import { handleStripeEvent, type SignUpEvent } from "../sign-ups/handle-stripe-event";
import type { ApiContext } from "./api-context";
import { problem } from "./problem";

/** Answers 200 when the work for a signed event is done, or if there is none. After any other answer, Stripe retries the event. */
export async function postStripeWebhook(c: Context<ApiContext>): Promise<Response> {
  const { services } = c.var;
  const received = await services.stripeWebhook.read(await c.req.text(), c.req.header("stripe-signature") ?? "");
  if (received.kind === "rejected") {
    log("warn", "webhook_refused");
    return problem(400, { title: "The signature is missing, wrong or too old" });
  }
  if (received.kind !== "ignored") {
    const work = processOnce(received, c.var);
    // The work continues if Stripe closes the connection because the answer is slow.
    c.executionCtx.waitUntil(work.catch(() => undefined));
    await work;
  }
  return c.json({ received: true });
}

async function processOnce(
  received: SignUpEvent,
  { services, dispatchAfterResponse }: Pick<ApiContext["Variables"], "services" | "dispatchAfterResponse">,
): Promise<void> {
  const outcome = await handleStripeEvent(received, services);
  const { id, type } = received.event;
  log("info", "event_processed", { eventId: id, type, outcome });
  dispatchAfterResponse();
}
