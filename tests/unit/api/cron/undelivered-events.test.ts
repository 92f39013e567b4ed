import { expect, test } from "vitest";
import { handleUndeliveredEvents } from "../../../../functions/subscription-api/cron/undelivered-events";
import { DAY, HOUR, MINUTE } from "../../../support/api-in-process/scheduler";
import { refusal } from "../../../support/api-in-process/stripe-objects";
import { NOW, stopClock } from "../../../support/clock";
import { signUpsInProcess } from "../sign-ups/sign-ups";

/* Events that Stripe could not deliver to the webhook. */

stopClock();

const LIMITS = { hasLeft: () => true, count: () => {} };
const EMAIL = "ada@example.com";

/** An API with a paid subscription, whose events at Stripe do not arrive. */
async function withLostEvents() {
  const api = signUpsInProcess();
  const { id, stripe_subscription_id } = await api.onTrial({ email: EMAIL });
  await api.change(id, "status = 'active'");
  const subscription = api.model.get(stripe_subscription_id);
  if (!subscription) throw new Error("The trial has no subscription");
  return {
    ...api,
    become: (status: string) => api.model.become(subscription, status, true),
    run: (limits = LIMITS) => handleUndeliveredEvents(api.services, limits),
    status: async () => (await api.find(id)).status,
    questions: () => api.sent.filter(({ call }) => call === "GET events").map(({ params }) => params),
    alerts: () => api.logged.filter(({ event }) => event === "undelivered_events_found").map(({ events }) => events),
  };
}

test("a charge that failed and a cancellation, whose events never arrived, are found an hour later", async () => {
  const { become, run, set, status, alerts } = await withLostEvents();
  await run();
  become("past_due");
  set(NOW + MINUTE);
  become("canceled");
  set(NOW + HOUR);
  await run();
  expect(await status()).toBe("canceled");
  expect(alerts()).toEqual([2]);
});

test("the cron handler asks for them", async () => {
  const { become, runScheduled, set, status } = await withLostEvents();
  become("past_due");
  set(NOW + HOUR);
  await runScheduled();
  expect(await status()).toBe("past_due");
});

test("Stripe is asked once an hour, for our types of events that did not arrive", async () => {
  const { run, set, questions } = await withLostEvents();
  await run();
  const first = questions().length;
  set(NOW + HOUR - 1);
  await run();
  expect(questions().slice(first)).toEqual([]);
  set(NOW + HOUR);
  await run();
  expect(questions().slice(first)).toEqual([
    expect.objectContaining({
      delivery_success: "false",
      "types[0]": "setup_intent.succeeded",
      "created[gte]": String(NOW / 1000 - 300),
      "created[lt]": String((NOW + HOUR) / 1000 - 300),
    }),
  ]);
});

test("the first time, Stripe is asked about the 30 days for which it keeps events", async () => {
  const { run, questions } = await withLostEvents();
  await run();
  expect(questions()[0]).toMatchObject({ "created[gte]": String((NOW - 30 * DAY) / 1000) });
  expect(questions()).toHaveLength(30);
});

test("an event has five minutes to arrive", async () => {
  const { become, run, set, status } = await withLostEvents();
  become("past_due");
  set(NOW + 5 * MINUTE - 1);
  await run();
  expect(await status()).toBe("active");
  set(NOW + HOUR + 5 * MINUTE);
  await run();
  expect(await status()).toBe("past_due");
});

test("an event that arrived is not handled again", async () => {
  const { become, model, run, set, status, alerts } = await withLostEvents();
  become("past_due");
  model.events.undelivered.clear();
  set(NOW + HOUR);
  await run();
  expect(await status()).toBe("active");
  expect(alerts()).toEqual([]);
});

test("more events than a page of Stripe's list are all handled", async () => {
  const { become, run, set, status, alerts } = await withLostEvents();
  for (let each = 0; each < 150; each += 1) become("active");
  become("past_due");
  set(NOW + HOUR);
  await run();
  expect(await status()).toBe("past_due");
  expect(alerts()).toEqual([151]);
});

test("a run that reaches its limits goes on in the next minute where it ended", async () => {
  const { become, run, set, alerts, questions } = await withLostEvents();
  become("active");
  set(NOW + MINUTE);
  become("past_due");
  set(NOW + HOUR);
  // 30 questions and one event.
  let left = 31;
  await run({ hasLeft: () => left-- > 0, count: () => {} });
  expect(alerts()).toEqual([1]);
  const asked = questions().length;
  set(NOW + HOUR + MINUTE);
  await run();
  expect(alerts()).toEqual([1, 1]);
  expect(questions()[asked]).toMatchObject({ "created[gte]": String((NOW + MINUTE) / 1000) });
});

test("an event whose work fails is handled again an hour later, and the others at once", async () => {
  const { become, run, set, status, instead, rows } = await withLostEvents();
  become("past_due");
  instead.set("GET subscriptions", refusal(500, "api_error", "api_error"));
  set(NOW + HOUR);
  await run();
  expect(await status()).toBe("active");
  instead.clear();
  set(NOW + 2 * HOUR);
  await run();
  expect(await status()).toBe("past_due");
  expect(rows("SELECT reached_at FROM cron_runs WHERE name = 'undelivered-events'")).toEqual([
    { reached_at: new Date(NOW + 2 * HOUR - 5 * MINUTE).toISOString() },
  ]);
});

test("an event whose work fails for three days is given up", async () => {
  const { become, run, set, instead, questions } = await withLostEvents();
  become("past_due");
  instead.set("GET subscriptions", refusal(500, "api_error", "api_error"));
  set(NOW + HOUR);
  await run();
  set(NOW + 4 * DAY);
  await run();
  const asked = questions().length;
  set(NOW + 4 * DAY + HOUR);
  await run();
  expect(questions()[asked]).toMatchObject({ "created[gte]": String((NOW + DAY) / 1000) });
});

test("a paid subscription is read from Stripe once a day, because Stripe does not list events for a disabled endpoint", async () => {
  const { become, model, run, runScheduled, set, status } = await withLostEvents();
  become("past_due");
  set(NOW + HOUR);
  await run();
  become("canceled");
  model.events.undelivered.clear();
  set(NOW + HOUR + DAY);
  await runScheduled();
  expect(await status()).toBe("canceled");
});
