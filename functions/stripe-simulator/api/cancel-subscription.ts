import { unixTime } from "../ids";
import type { Subscription } from "../objects";
import type { StripeContext } from "./context";

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
