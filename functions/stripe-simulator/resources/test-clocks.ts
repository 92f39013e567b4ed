import type Stripe from "stripe";
import { invalidRequest } from "../api/errors";
import { existing, type Operation, operation, retrieval } from "../api/operation";
import { integer, optionalText, type Readers } from "../api/parameters";
import { hasEnded } from "../clock/renewals";
import { advance } from "../clock/steps";
import { DAY, monthAfter } from "../clock/time";
import { newId } from "../store/objects";
import type { Store } from "../store/store";
import { deleteCustomer } from "./customers";

const create = { frozen_time: integer, name: optionalText } satisfies Readers<Stripe.TestHelpers.TestClockCreateParams>;
const move = { frozen_time: integer } satisfies Readers<Stripe.TestHelpers.TestClockAdvanceParams>;

/** Times of their own for some customers: https://docs.stripe.com/billing/testing/test-clocks */
export const testClocks: Operation[] = [
  operation("POST /v1/test_helpers/test_clocks", create, ({ frozen_time, name = null }, { store, now }) =>
    store.save("TestClock", {
      ...{ id: newId("clock"), object: "test_helpers.test_clock", created: now, deletes_after: now + 30 * DAY },
      ...{ frozen_time, livemode: false, name, status: "ready", status_details: {} },
    }),
  ),

  retrieval("/v1/test_helpers/test_clocks/:id", "TestClock"),

  operation("POST /v1/test_helpers/test_clocks/:id/advance", move, ({ frozen_time }, call) => {
    const { store, id, now } = call;
    const clock = existing("TestClock", id, store);
    const isUsed = customersOf(id, call).some((one) =>
      store.list("Subscription", one.id).some((each) => !hasEnded(each)),
    );
    const twoMonthsOn = monthAfter(monthAfter(now, now), now);
    if (frozen_time <= now || (isUsed && frozen_time > twoMonthsOn)) {
      const message = "A test clock moves ahead, at most two of its shortest subscription's intervals at a time.";
      throw invalidRequest(message, { param: "frozen_time" });
    }
    advance(frozen_time, call, `step of ${id}`);
    return { ...store.save("TestClock", { ...clock, frozen_time }), status: "advancing" };
  }),

  operation("DELETE /v1/test_helpers/test_clocks/:id", {}, (_, call) => {
    const { store, id } = call;
    existing("TestClock", id, store);
    for (const customer of customersOf(id, call)) deleteCustomer(customer, call);
    store.delete(id);
    return { id, object: "test_helpers.test_clock", deleted: true };
  }),
];

function customersOf(clock: string, { store }: { store: Store }) {
  return store.list("Customer").filter(({ test_clock }) => test_clock === clock);
}
