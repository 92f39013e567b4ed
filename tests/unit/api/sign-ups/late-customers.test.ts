import { expect, test } from "vitest";
import { erasePerson } from "../../../../functions/subscription-api/operator/export-and-erase";
import { handleStripeEvent } from "../../../../functions/subscription-api/sign-ups/handle-stripe-event";
import { advance } from "../../../../functions/subscription-api/sign-ups/transitions/advance";
import { eventContentOf } from "../../../../functions/subscription-api/stripe/webhook-events";
import { DAY, MINUTE, SECOND } from "../../../support/api-in-process/scheduler";
import { refusal } from "../../../support/api-in-process/stripe-objects";
import { NOW, stopClock } from "../../../support/clock";
import { signUpsInProcess } from "./sign-ups";

/* Customers that Stripe creates after their sign-up was deleted: the event `customer.created` deletes them. */

stopClock();

const EMAIL = "ada@example.com";

/** An API with a sign-up whose customer Stripe has not created yet. */
async function withSlowCreation() {
  const api = signUpsInProcess();
  const signUp = await api.unknownToStripe({ email: EMAIL });
  return {
    ...api,
    signUp,
    /** Stripe carries out the creation. Returns the customer's event. */
    async arrive(change: object = {}) {
      const id = await api.services.payments.findOrCreateCustomer(signUp);
      const object = { ...api.model.get(id), ...change };
      return { id: "evt_1", type: "customer.created", created: Math.floor(Date.now() / SECOND), data: { object } };
    },
    async receive(event: object) {
      const content = eventContentOf(event);
      if (content.kind !== "ignored") await handleStripeEvent(content, api.services);
    },
    deleteRow: () => api.rows("DELETE FROM sign_ups"),
    live: () => api.model.all("customer").filter(({ deleted }) => !deleted),
  };
}

test("a customer that Stripe creates after an erasure is deleted by its event", async () => {
  const { services, arrive, receive, live, logged, signUp } = await withSlowCreation();
  await erasePerson(EMAIL, services);
  await receive(await arrive());
  expect(live()).toEqual([]);
  expect(logged).toContainEqual(expect.objectContaining({ event: "late_customer_deleted", signUpId: signUp.id }));
});

test("a customer that Stripe creates after an abandoned sign-up was deleted is deleted by its event", async () => {
  const { services, set, arrive, receive, live, signUp } = await withSlowCreation();
  set(NOW + DAY);
  await advance(signUp, services);
  await receive(await arrive());
  expect(live()).toEqual([]);
});

test("a customer whose event arrives while its sign-up is being erased is deleted by the erasure", async () => {
  const { services, instead, arrive, receive, live } = await withSlowCreation();
  instead.set("GET customers/search", async () => {
    instead.clear();
    await receive(await arrive());
    return undefined;
  });
  await erasePerson(EMAIL, services);
  expect(live()).toEqual([]);
});

test("a customer whose event arrives while its abandoned sign-up is being deleted is deleted by its event", async () => {
  const { services, set, arrive, receive, live, signUp } = await withSlowCreation();
  const { signUps } = services;
  set(NOW + DAY);
  const remove = signUps.delete;
  signUps.delete = async (read) => {
    signUps.delete = remove;
    await receive(await arrive());
    return remove(read);
  };
  await advance(signUp, services);
  expect(live()).toEqual([]);
});

test.each([
  { age: 59 * MINUTE + 59 * SECOND, left: 0 },
  // The database may have been restored to an earlier time.
  { age: 60 * MINUTE, left: 1 },
])("an event that is $age ms old leaves $left customers without a sign-up", async ({ age, left }) => {
  const { set, arrive, receive, live, deleteRow } = await withSlowCreation();
  deleteRow();
  const event = await arrive();
  set(NOW + age);
  await receive(event);
  expect(live()).toHaveLength(left);
});

test.each([
  {
    whose: "another stage of the same Stripe account made",
    metadata: { sign_up_id: crypto.randomUUID(), subscription_api: "https://staging.example" },
  },
  { whose: "sales made", metadata: {} },
])("a customer that $whose stays, although it has no sign-up", async ({ metadata }) => {
  const { arrive, receive, live, deleteRow } = await withSlowCreation();
  deleteRow();
  await receive(await arrive({ metadata }));
  expect(live()).toHaveLength(1);
});

test("the customer of a sign-up that exists stays", async () => {
  const { arrive, receive, live } = await withSlowCreation();
  await receive(await arrive());
  expect(live()).toHaveLength(1);
});

test("a customer with a subscription stays, although a restored database lacks its sign-up", async () => {
  const api = signUpsInProcess();
  const { stripe_customer_id } = await api.onTrial({ email: EMAIL });
  api.rows("DELETE FROM sign_ups");
  const object = api.model.get(stripe_customer_id);
  const created = Math.floor(NOW / SECOND);
  const content = eventContentOf({ id: "evt_1", type: "customer.created", created, data: { object } });
  if (content.kind === "ignored") throw new Error("The event is not about a customer of ours");
  await handleStripeEvent(content, api.services);
  expect(api.model.get(stripe_customer_id)?.deleted).toBeUndefined();
});

test("an event whose customer Stripe fails to delete fails, so that Stripe repeats it", async () => {
  const { arrive, receive, live, deleteRow, instead } = await withSlowCreation();
  deleteRow();
  const event = await arrive();
  instead.set("DELETE customers", refusal(500, "", "api_error"));
  await expect(receive(event)).rejects.toThrow("unavailable");
  instead.clear();
  await receive(event);
  expect(live()).toEqual([]);
});
