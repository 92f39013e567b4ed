import { findProblem } from "../schema/check";
import { API_VERSION, definition, eventObject } from "../schema/schema";
import { newId } from "../store/ids";
import { type Event, make } from "../store/objects";

export type Emit = (type: Event["type"], object: object, previous?: object) => void;

export type EventOrigin = { requestId: string | null; idempotencyKey: string | null; time: number };

/** An event in the version of the webhook endpoint: https://docs.stripe.com/api/events/object */
export function newEvent(
  type: Event["type"],
  object: object,
  previous: object | undefined,
  origin: EventOrigin,
): Event {
  const kind = eventObject(type);
  const problem = kind === undefined ? undefined : findProblem(definition(kind), object);
  if (kind === undefined || problem) {
    throw new Error(`Not the object of ${type}: ${problem?.kind} ${problem?.path.join(".")}`);
  }
  return make("Event", {
    id: newId("evt"),
    api_version: API_VERSION,
    created: origin.time,
    data: { object, ...(previous && { previous_attributes: previous }) },
    pending_webhooks: 1,
    request: { id: origin.requestId, idempotency_key: origin.idempotencyKey },
    type,
  });
}
