import { DAY, HOUR } from "../support/api-in-process/scheduler";
import { Actor } from "./actor";
import type { Form } from "./deeds";
import { PACKAGES } from "./price-list";

/** The company's sales, in Stripe's dashboard. */
export class Sales extends Actor {
  /** Subscribes a customer without a plan on any day, or moves the end of a customer's trial. */
  async work(setupIntent: string, { plan }: Form): Promise<void> {
    const { random, world } = this;
    const lasts = world.conditions.to - world.now;
    const day = random.between(0, lasts);
    if (plan.id === undefined && random.chance(0.5)) await this.#sell(setupIntent, day);
    if (plan.id !== undefined && random.chance(0.15)) await this.#moveEnd(setupIntent, day);
  }

  async #sell(setupIntent: string, later: number): Promise<void> {
    const { deeds, random, world } = this;
    await world.scheduler.sleep(later);
    const customer = world.stripe.get(setupIntent)?.customer ?? "";
    const isOnTrial = "SELECT 1 FROM sign_ups WHERE stripe_customer_id = ? AND status IN ('trialing', 'canceled')";
    if (deeds.sold.has(customer) || world.loaded.database.run(isOnTrial, [customer]).results.length === 0) return;
    deeds.sold.add(customer);
    const days = random.oneOf(["0", "5"]);
    const fields = { customer, "items[0][price]": random.oneOf(PACKAGES).price, trial_period_days: days };
    world.note(`${this.name}: subscribe ${customer}`);
    const body = new URLSearchParams(fields).toString();
    world.stripe.request("POST", new URL("https://stripe/v1/subscriptions"), body, undefined);
  }

  /** Away, and sometimes back to the same moment. */
  async #moveEnd(setupIntent: string, later: number): Promise<void> {
    const { random, world } = this;
    const { stripe, scheduler } = world;
    await scheduler.sleep(later);
    const [subscription] = stripe.all("subscription", stripe.get(setupIntent)?.customer);
    const end = (subscription?.trial_end ?? 0) * 1000;
    if (subscription === undefined || end < world.now) return;
    world.note(`${this.name}: move the end of ${subscription.id}`);
    stripe.trials.moveEnd(subscription, end + random.between(-2, 3) * DAY);
    await scheduler.sleep(random.between(0, 60) * HOUR);
    if (random.chance(0.5) && end > world.now) stripe.trials.moveEnd(subscription, end);
  }
}
