import { DAY, HOUR, type Scheduler, SECOND } from "../../support/api-in-process/scheduler";
import { POOR, type StripeObject } from "../../support/api-in-process/stripe-objects";

type Stripe = {
  scheduler: Scheduler;
  get(id: string | null | undefined): StripeObject | undefined;
  become(subscription: StripeObject, status: string): void;
  tell(type: string, about: StripeObject): void;
};

/** Ends the trials of the model of Stripe. */
export class Trials {
  constructor(readonly stripe: Stripe) {}

  /** Three days before the trial ends, or when a shorter trial begins, Stripe says so. */
  planEnd(subscription: StripeObject): void {
    const end = subscription.trial_end ?? 0;
    const { scheduler } = this.stripe;
    const left = end * SECOND - scheduler.now;
    const unlessMoved = (happens: () => void) => () => {
      if (subscription.status === "trialing" && subscription.trial_end === end) happens();
    };
    const warn = unlessMoved(() => this.stripe.tell("customer.subscription.trial_will_end", subscription));
    scheduler.after(Math.max(0, left - 3 * DAY), warn);
    scheduler.after(
      left,
      unlessMoved(() => this.#end(subscription)),
    );
  }

  /** Moves a trial's end, as the dashboard does. @param end in milliseconds since 1970; now: Stripe charges at once */
  moveEnd(subscription: StripeObject, end: number): void {
    const { scheduler } = this.stripe;
    const trial_end = Math.floor(end / SECOND);
    if (subscription.status !== "trialing" || subscription.trial_end === trial_end) return;
    Object.assign(subscription, { trial_end, end_set_at: scheduler.now });
    this.stripe.tell("customer.subscription.updated", subscription);
    if (end <= scheduler.now) this.#end(subscription);
    else this.planEnd(subscription);
  }

  /** Ends the trial that a call is about, so that Stripe charges just before the call. */
  endBefore({ pathname, searchParams }: URL, body: string): void {
    const { scheduler } = this.stripe;
    const named = [
      pathname.split("/")[3],
      searchParams.get("subscription"),
      new URLSearchParams(body).get("subscription"),
    ];
    for (const id of named) {
      const found = this.stripe.get(id);
      if (found?.object === "subscription") this.moveEnd(found, scheduler.now);
    }
  }

  /** Charges the card. A declined charge is retried 20 hours later; some customers pay then. */
  #end(subscription: StripeObject): void {
    const { stripe } = this;
    const card = stripe.get(stripe.get(subscription.customer)?.invoice_settings?.default_payment_method)?.card;
    const ends = !card || subscription.cancel_at_period_end;
    const declines = !ends && card.fingerprint.startsWith(POOR);
    stripe.become(subscription, ends ? "canceled" : declines ? "past_due" : "active");
    const later = ["active", "canceled", "unpaid", "paused"][subscription.id.charCodeAt(14) % 4] ?? "";
    if (declines) stripe.scheduler.after(20 * HOUR, () => stripe.become(subscription, later));
  }
}
