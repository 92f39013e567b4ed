import { unixTime } from "../ids";
import type { Subscription } from "../objects";
import type { StripeContext } from "./context";

/** Ends a subscription at once; the webhook endpoint hears of it. */
export function cancelSubscription(
  subscription: Subscription,
  { store, emit }: Pick<StripeContext["Variables"], "store" | "emit">,
): Subscription {
  const canceled: Subscription = {
    ...subscription,
    status: "canceled",
    canceled_at: unixTime(),
    ended_at: unixTime(),
  };
  store.save(canceled);
  emit("customer.subscription.deleted", canceled);
  return canceled;
}
