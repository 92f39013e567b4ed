import { inParallel } from "../connections";
import { log, logFailure } from "../log";
import { handleStripeEvent, type SignUpEvent } from "../sign-ups/handle-stripe-event";
import { isPast } from "../sign-ups/timing";
import type { AdvanceServices } from "../sign-ups/transitions/transition";
import { EVENTS_KEPT_MS, type StripeEvents } from "../stripe/event-list";
import { eventContentOf, WEBHOOK_EVENTS } from "../stripe/webhook-events";
import type { CronRuns } from "./cron-runs";
import type { RunLimits } from "./run-limits";

export type EventServices = AdvanceServices & { cronRuns: CronRuns; stripeEvents: StripeEvents };

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** How often Stripe is asked. */
const EVERY_MS = HOUR;
/** How long an event has to arrive by webhook. */
const ARRIVES_WITHIN_MS = 5 * MINUTE;
/** Events are read in parts of this length, so that a run can end after each. */
const PART_MS = 24 * HOUR;
/** How long an event whose work fails is repeated each hour: as long as Stripe repeats its webhook. */
const REPEATED_FOR_MS = 72 * HOUR;

/**
 * Once an hour, handles the events that Stripe could not deliver, oldest first, and remembers how far it came. A run that reaches its
 * limits is continued by the next one. An event whose work fails is repeated an hour later, for three days.
 * https://docs.stripe.com/webhooks/process-undelivered-events
 * @returns the number of events about sign-ups. Throws PaymentsError and D1's errors.
 */
export async function handleUndeliveredEvents(services: EventServices, limits: RunLimits): Promise<number> {
  const { cronRuns, stripeEvents } = services;
  const { ran_at, reached_at } = await cronRuns.undeliveredEvents();
  if (ran_at !== null && !isPast(ran_at, EVERY_MS)) return 0;
  const end = Date.now() - ARRIVES_WITHIN_MS;
  let from = reached_at === null ? Date.now() - EVENTS_KEPT_MS : Date.parse(reached_at);
  let [found, firstFailed] = [0, Infinity];
  while (from < end && limits.hasLeft()) {
    const before = Math.min(from + PART_MS, end);
    const span = { from: new Date(from), before: new Date(before) };
    const events = await stripeEvents.all({ types: WEBHOOK_EVENTS, undelivered: true, ...span });
    let firstLeft = before;
    await inParallel(events, async (event) => {
      const created = event.created * 1000;
      const content = eventContentOf(event);
      if (content.status === "ignored") return;
      if (!limits.hasLeft()) firstLeft = Math.min(firstLeft, created);
      else {
        found += 1;
        if (!(await handle(content, services))) firstFailed = Math.min(firstFailed, created);
      }
    });
    from = firstLeft;
    if (from < end) await cronRuns.reachUndelivered(new Date(from));
  }
  if (found > 0) log("error", "undelivered_events_found", { events: found });
  if (from >= end) {
    const repeated = Math.max(firstFailed, Date.now() - REPEATED_FOR_MS);
    await cronRuns.completeUndelivered(new Date(Math.min(from, repeated)));
  }
  return found;
}

/** Returns false, and logs the error, if the event's work failed. */
async function handle(received: SignUpEvent, services: AdvanceServices): Promise<boolean> {
  const { id, type } = received.event;
  try {
    const outcome = await handleStripeEvent(received, services);
    log("info", "undelivered_event_processed", { eventId: id, type, outcome });
    return true;
  } catch (error) {
    logFailure("undelivered_event_failed", error, { eventId: id, type });
    return false;
  }
}
