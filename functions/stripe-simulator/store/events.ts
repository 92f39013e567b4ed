import { API_VERSION, type Event, newId } from "./objects";
import type { Store } from "./store";

type Emit = <T extends object>(type: Event["type"], object: T, previous?: object) => T;

export type Effects = {
  store: Store;
  /** Seconds since 1970 on the account's clock. */
  now: number;
  emit: Emit;
  at(time: number): Effects;
};

export type Origin = { id: string | null; idempotency_key: string | null };

/** @param wanted the event types to deliver; `*` for all */
export function effectsAt(now: number, store: Store, wanted: string[], request: Origin): Effects {
  const emit: Emit = (type, object, previous) => {
    const isWanted = wanted.includes("*") || wanted.includes(type);
    const event = store.save("Event", {
      ...{ id: newId("evt"), object: "event", api_version: API_VERSION, created: now, livemode: false },
      data: { object, ...(previous && { previous_attributes: previous }) },
      ...{ pending_webhooks: isWanted ? 1 : 0, request, type },
    });
    if (isWanted) store.set("delivery", event.id, 0, Date.now());
    return object;
  };
  const at = (time: number) => effectsAt(time, store, wanted, { id: null, idempotency_key: null });
  return { store, now, emit, at };
}
