import { expect, test } from "vitest";
import { erasePerson } from "../../../../functions/subscription-api/operator/export-and-erase";
import { advance } from "../../../../functions/subscription-api/sign-ups/transitions/advance";
import { DAY, MINUTE } from "../../../support/api-in-process/scheduler";
import { refusal } from "../../../support/api-in-process/stripe-objects";
import { NOW, stopClock } from "../../../support/clock";
import { signUpsInProcess } from "../sign-ups/sign-ups";

/* Customers that Stripe creates after their sign-up was deleted. */

stopClock();

const EMAIL = "ada@example.com";

/** An API with a sign-up whose customer Stripe has not created yet. */
async function withSlowCreation() {
  const api = signUpsInProcess();
  const signUp = await api.unknownToStripe({ email: EMAIL });
  return {
    ...api,
    signUp,
    /** Stripe carries out the creation. */
    arrive: () => api.services.payments.findOrCreateCustomer(signUp),
    live: () => api.model.all("customer").filter(({ deleted }) => !deleted),
    remembered: () => api.rows("SELECT * FROM deleted_sign_ups"),
  };
}

test("a customer that Stripe creates after an erasure is deleted by the next cron run", async () => {
  const { services, set, arrive, runScheduled, live, logged, signUp } = await withSlowCreation();
  await erasePerson(EMAIL, services);
  set(NOW + 4_000);
  await arrive();
  set(NOW + MINUTE);
  await runScheduled();
  expect(live()).toEqual([]);
  expect(logged).toContainEqual(expect.objectContaining({ event: "late_customer_deleted", signUpId: signUp.id }));
});

test("a customer that Stripe creates after an abandoned sign-up was deleted is deleted too", async () => {
  const { services, set, arrive, runScheduled, live, signUp } = await withSlowCreation();
  set(NOW + DAY);
  await advance(signUp, services);
  await arrive();
  await runScheduled();
  expect(live()).toEqual([]);
});

test("an erasure that fails half way is remembered all the same", async () => {
  const { services, set, arrive, runScheduled, live, instead, rows, signUp } = await withSlowCreation();
  await arrive();
  instead.set("DELETE customers", refusal(500, "", "api_error"));
  await expect(erasePerson(EMAIL, services)).rejects.toThrow("unavailable");
  instead.clear();
  rows("DELETE FROM sign_ups WHERE id = ?", signUp.id);
  set(NOW + MINUTE);
  await runScheduled();
  expect(live()).toEqual([]);
});

test("the customer of a sign-up whose erasure was only begun stays", async () => {
  const { services, arrive, runScheduled, live, instead } = await withSlowCreation();
  await arrive();
  instead.set("DELETE customers", refusal(500, "", "api_error"));
  await expect(erasePerson(EMAIL, services)).rejects.toThrow("unavailable");
  instead.clear();
  await runScheduled();
  expect(live()).toHaveLength(1);
});

test("a new sign-up with the erased email address keeps its customer", async () => {
  const { services, pending, runScheduled, live } = await withSlowCreation();
  await erasePerson(EMAIL, services);
  await pending({ email: EMAIL });
  await runScheduled();
  expect(live()).toHaveLength(1);
});

test.each([
  { minutes: 60, remembered: 1 },
  { minutes: 61, remembered: 0 },
])(
  "after $minutes minutes, the cron handler remembers $remembered deleted sign-up",
  async ({ minutes, remembered }) => {
    const api = await withSlowCreation();
    await erasePerson(EMAIL, api.services);
    api.set(NOW + minutes * MINUTE);
    await api.runScheduled();
    expect(api.remembered()).toHaveLength(remembered);
  },
);

test("a search that fails is repeated before anything is forgotten", async () => {
  const { services, set, arrive, runScheduled, live, instead } = await withSlowCreation();
  await erasePerson(EMAIL, services);
  await arrive();
  set(NOW + 61 * MINUTE);
  instead.set("GET customers", refusal(500, "", "api_error"));
  await expect(runScheduled()).rejects.toThrow();
  instead.clear();
  await runScheduled();
  expect(live()).toEqual([]);
});

test("a deleted sign-up is remembered as a keyed hash, with neither its ID nor its email address", async () => {
  const { services, remembered, signUp } = await withSlowCreation();
  await erasePerson(EMAIL, services);
  expect(remembered()).toEqual([
    { hash: expect.stringMatching(/^[\w-]{43}$/), deleted_at: "2026-11-22T12:00:00.000Z" },
  ]);
  expect(JSON.stringify(remembered())).not.toMatch(new RegExp(`${signUp.id}|${EMAIL}`));
});

test("without a deleted sign-up, the cron handler does not ask Stripe for customers", async () => {
  const { runScheduled, calls } = signUpsInProcess();
  await runScheduled();
  expect(calls.filter((call) => call.includes("customers"))).toEqual([]);
});
