import { HOUR, MINUTE, SECOND } from "../support/api-in-process/scheduler";
import type { StripeObject } from "../support/api-in-process/stripe-objects";
import { sign } from "../support/stripe-events";
import { randomOf } from "./random";
import type { Event } from "./stripe/events";
import type { World } from "./world";

const DELIVERIES = 6;
const WEBHOOK = "/webhooks/stripe";

/** Delivers an event late, twice or never, in any order, and repeats it if it is refused. */
export function deliver(world: World, event: Event, about: StripeObject): void {
  const { id, type } = event;
  const random = randomOf(world.seed, id);
  const body = JSON.stringify({ ...event, object: "event" });
  const delay = () => random.oneOf([random.between(10, 500), random.between(10, 5_000), random.between(0, 2 * HOUR)]);
  const deliver = async (attempt: number) => {
    const headers = { "stripe-signature": sign(body, undefined, Math.floor(world.now / SECOND)) };
    const reply = await world.request(`${type} ${id} (${attempt})`, WEBHOOK, { method: "POST", headers, body });
    const { arrivals } = world.stripe.events;
    if (reply?.status === 200) arrivals.set(id, arrivals.get(id) ?? world.now);
    else if (attempt > 0 && attempt < DELIVERIES)
      world.scheduler.after(MINUTE * 5 ** attempt, () => void deliver(attempt + 1));
  };
  // Most events fall into the first window, so fewer of these are lost.
  const isLost = world.conditions.faulty > 0 && random.chance(about.status === "requires_payment_method" ? 0.1 : 0.2);
  if (!isLost || !world.mayFail(`${type}: never sent`)) world.scheduler.after(delay(), () => void deliver(1));
  if (random.chance(0.1)) world.scheduler.after(delay(), () => void deliver(0));
}
