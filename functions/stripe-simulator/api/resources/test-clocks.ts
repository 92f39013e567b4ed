import { advance } from "../../clock/advance";
import { ACCOUNT_CLOCK, DAY, realTime, setAccountTime, timeOf } from "../../clock/time";
import { newId } from "../../store/ids";
import { make, type TestClock } from "../../store/objects";
import type { Store } from "../../store/store";
import { invalidRequest } from "../errors";
import type { Effects, Handlers } from "../operation-context";
import { existing } from "../reads";

/** Stripe moves a clock by two billing periods at most, each a month here. */
const FURTHEST_MOVE = 62 * DAY;

/** https://docs.stripe.com/api/test_clocks; `clock_account` is for every customer without a test clock. */
export const testClocks = {
  "POST /v1/test_helpers/test_clocks": (given, { store }) => {
    const { frozen_time, name = null } = given;
    return store.save("TestClock", testClock(newId("clock"), frozen_time, name));
  },

  "GET /v1/test_helpers/test_clocks/:id": (_, { store, id }) => find(store, id),

  "POST /v1/test_helpers/test_clocks/:id/advance": ({ frozen_time }, call) => {
    const clock = find(call.store, call.id);
    if (frozen_time <= clock.frozen_time) {
      throw invalidRequest("The frozen_time must be after the test clock's current frozen_time.", {
        param: "frozen_time",
      });
    }
    if (frozen_time > clock.frozen_time + FURTHEST_MOVE) {
      throw invalidRequest("You can only advance a test clock by two billing periods at a time.", {
        param: "frozen_time",
      });
    }
    moveClock(clock.id, frozen_time, call);
    // Stripe answers before it has finished.
    return { ...clock, status: "advancing", status_details: { advancing: { target_frozen_time: frozen_time } } };
  },
} satisfies Partial<Handlers>;

export function moveClock(id: string, until: number, effects: Effects): void {
  advance(id, until, effects.at);
  if (id === ACCOUNT_CLOCK) {
    setAccountTime(effects.store, until);
    return;
  }
  const clock = effects.store.save("TestClock", { ...find(effects.store, id), frozen_time: until });
  effects.emit("test_helpers.test_clock.ready", clock);
}

function find(store: Store, id: string): TestClock {
  return id === ACCOUNT_CLOCK ? testClock(id, timeOf(store), "Every other customer") : existing("TestClock", id, store);
}

function testClock(id: string, frozen_time: number, name: string | null): TestClock {
  const created = realTime();
  return make("TestClock", { id, created, deletes_after: created + 30 * DAY, frozen_time, name, status: "ready" });
}
