import { expect, test, vi } from "vitest";
import { inParallel, runLimits } from "../../../../functions/subscription-api/cloudflare-limits";
import { advanceDue } from "../../../../functions/subscription-api/cron/due-sign-ups";
import { runScheduled, type ScheduledServices } from "../../../../functions/subscription-api/cron/run";
import { CHECK_RANKS } from "../../../../functions/subscription-api/sign-ups/sign-up";
import { DAY, HOUR, MINUTE } from "../../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../../support/clock";
import { signUpsInProcess } from "../sign-ups/sign-ups";
import { type Begin, cron, SITUATIONS, TRIGGERS } from "../sign-ups/situations";

/* A run of the cron handler: its order, its limits, and the work left; each time at its moment, and just before it. */

const at = (time: number) => new Date(NOW + time).toISOString();
stopClock();

function dueSignUps() {
  const api = signUpsInProcess();
  const due = (columns = "status = 'pending'", time = 0) => api.pending({}, `${columns}, check_at = '${at(time)}'`);
  const advanceAll = (mayContinue = () => true) => advanceDue(CHECK_RANKS.mayHaveTrial, api.services, mayContinue);
  return { ...api, due, advanceAll };
}

test("trials that have to start come first, deletions last, messages are counted, and the run is recorded", async () => {
  const { due, enterCard, services, calls, rows } = dueSignUps();
  const ended = await due("status = 'ended', end_reason = 'replaced'");
  const pending = await due();
  const setUp = await due("status = 'card_set_up'");
  enterCard(setUp);
  const limits = runLimits();
  const count = vi.spyOn(limits, "count");
  await runScheduled(services, limits);
  // The trial's email and its account webhook; the reminder is not due.
  expect(count.mock.calls.flat()).toContain(2);
  const intents = [setUp, pending, ended].map(
    ({ stripe_setup_intent_id }) => `GET setup_intents/${stripe_setup_intent_id}`,
  );
  expect([...new Set(calls)].filter((call) => call.startsWith("GET setup_intents/"))).toEqual(intents);
  expect(calls[0]).toBe(intents[0]);
  expect(rows("SELECT ran_at FROM cron_runs")).toEqual([{ ran_at: at(0) }]);
});

test("a sign-up that fails is logged, keeps no other from its turn, and is due again in ten minutes", async () => {
  const { due, enterCard, instead, find, advanceAll, logged } = dueSignUps();
  const [broken, whole] = [await due(), await due()];
  enterCard(whole);
  instead.set(`GET setup_intents/${broken.stripe_setup_intent_id}`, () => Promise.reject(new TypeError("failed")));
  await advanceAll();
  expect(await find(whole.id)).toMatchObject({ status: "trialing" });
  expect(await find(broken.id)).toMatchObject({ status: "pending", check_at: at(10 * MINUTE) });
  const line = { on: "error", event: "sign_up_reconcile_failed", signUpId: broken.id, was: "pending" };
  expect(logged).toContainEqual(expect.objectContaining(line));
});

test("a sign-up that a run has no time for is due at once; one that changed meanwhile keeps its own time", async () => {
  const { due, instead, find, change, advanceAll } = dueSignUps();
  const signUps = [await due()];
  const [first] = signUps;
  while (signUps.length < 8) signUps.push(await due());
  instead.set(`GET setup_intents/${first?.stripe_setup_intent_id}`, async () => {
    await change(first?.id ?? "", `check_at = '${at(DAY)}'`);
    return undefined;
  });
  let turns = 6;
  await advanceAll(() => turns-- > 0);
  const times = await Promise.all(signUps.map(async ({ id }) => (await find(id)).check_at));
  expect(times[0]).toBe(at(DAY));
  expect(times).not.toContain(at(10 * MINUTE));
  expect(times.filter((time) => time === at(0)).length).toBeGreaterThan(1);
});

test("two runs at once take different sign-ups, first those that were due first", async () => {
  const { due, services } = dueSignUps();
  const [late, early] = [await due(undefined, -MINUTE), await due(undefined, -2 * MINUTE)];
  const taken = await Promise.all([1, 2].map(() => services.signUps.takeDue(CHECK_RANKS.mayHaveTrial, 1)));
  expect(taken.map((some) => some.map(({ id }) => id))).toEqual([[early.id], [late.id]]);
});

test("a part that fails keeps no other part from its turn; the run fails and is not recorded", async () => {
  const { due, enterCard, services, find, rows, logged } = dueSignUps();
  const signUp = await due();
  enterCard(signUp);
  const broken = { deleteSettled: () => Promise.reject(new Error("D1_ERROR")) };
  const failing: ScheduledServices = { ...services, outbox: { ...services.outbox, ...broken } };
  await expect(runScheduled(failing, runLimits())).rejects.toThrow("A part of the scheduled run failed");
  expect(await find(signUp.id)).toMatchObject({ status: "trialing" });
  expect(rows("SELECT ran_at FROM cron_runs")).toEqual([{ ran_at: null }]);
  expect(logged).toContainEqual(expect.objectContaining({ on: "error", event: "scheduled_run_failed" }));
});

test("events and settled messages are kept for 30 days, while their sender may repeat them", async () => {
  const { signUp, services, rows } = dueSignUps();
  const { id } = await signUp();
  const settled = `INSERT INTO outbox (key, sign_up_id, kind, state, next_attempt_at, created_at, settled_at)
     VALUES (?1, ?2, 'card-used', 'sent', ?3, ?3, ?3)`;
  for (const time of [-30 * DAY - 1, -30 * DAY]) {
    rows("INSERT INTO stripe_events VALUES (?, 'a type', ?)", `of ${time}`, at(time));
    rows(settled, `of ${time}`, id, at(time));
  }
  await runScheduled(services, runLimits());
  for (const kept of ["SELECT id FROM stripe_events", "SELECT key AS id FROM outbox"])
    expect(rows(kept)).toEqual([{ id: `of ${-30 * DAY}` }]);
});

test.each([
  [399, 0, 0.5, true],
  [400, 0, 0.5, false],
  [799, 4 * MINUTE - 1, 1, true],
  [800, 0, 1, false],
  [0, 4 * MINUTE, 1, false],
])("after %i calls and %i ms a run may go on with work that has a share of %d: %s", (calls, time, share, expected) => {
  const limits = runLimits();
  limits.count(calls);
  vi.setSystemTime(NOW + time);
  expect(limits.hasLeft(share)).toBe(expected);
});

test("work is begun six at a time, and the rest is given back when time runs out", async () => {
  const items = Array.from({ length: 30 }, (_, index) => index);
  const work = vi.fn(async () => {});
  const left = inParallel(items, work, () => work.mock.calls.length < 10);
  expect(work).toHaveBeenCalledTimes(6);
  expect(await left).toEqual(items.slice(10));
});

test("the log lines of a run have one ID, and each run has its own", async () => {
  const { due, runScheduled, logged } = dueSignUps();
  for (const run of [1, 2]) {
    await due();
    await runScheduled();
    const ids = new Set(logged.map(({ request_id }) => String(request_id)));
    expect(ids.size).toBe(run);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  }
});

const ended: Begin = async (api) => {
  const signUp = await api.pending({}, `status = 'ended', end_reason = 'replaced', check_at = '2026-11-22'`);
  await cron(api);
  return signUp;
};
const { "pending, a card": card, "pending, a card's form": form, "pending, nothing": nothing } = SITUATIONS;
const { "trialing, active": charged, "trialing without a plan, nothing": withoutPlan } = SITUATIONS;

test.each<[what: string, moment: number, begin: Begin, before: string, then: string]>([
  ["a card whose webhook was lost is found after ten minutes", 10 * MINUTE, card, "pending", "trialing"],
  ["a sign-up without a card is deleted after 24 hours", 24 * HOUR, form, "pending", "deleted"],
  ["a form without a customer is deleted then too", 24 * HOUR, nothing, "pending", "deleted"],
  ["an ended sign-up is deleted a day after its cleanup", 24 * HOUR, ended, "ended", "deleted"],
  ["an unheard end of a trial is found an hour later", 5 * DAY + HOUR, charged, "trialing", "active"],
  ["a trial without a plan ends an hour late as well", 5 * DAY + HOUR, withoutPlan, "trialing", "canceled"],
])("%s", async (_, moment, begin, before, then) => {
  const api = signUpsInProcess();
  const { id } = await begin(api);
  for (const [time, status] of [[moment - 1, before] as const, [moment, then] as const]) {
    vi.setSystemTime(NOW + time);
    await cron(api);
    expect(api.rows("SELECT status FROM sign_ups WHERE id = ?", id)[0]?.status ?? "deleted").toBe(status);
  }
});

test("whoever set up a card has two minutes to start the trial", async () => {
  const api = signUpsInProcess();
  const signUp = await SITUATIONS["pending, a card"](api);
  api.instead.set("GET subscriptions", () => Promise.reject(new TypeError("fetch failed")));
  await expect(TRIGGERS["card event"](api, signUp)).rejects.toThrow();
  expect(await api.find(signUp.id)).toMatchObject({ status: "card_set_up", check_at: at(2 * MINUTE) });
});

test("60 trials that Stripe still calls trialing after their end are asked for every ten minutes, not at once", async () => {
  const api = signUpsInProcess();
  for (let each = 0; each < 60; each += 1) await api.onTrial({ email: `${each}@example.com` }, `card ${each}`);
  for (const [late, calls] of [[0, 60] as const, [0, 0] as const, [10 * MINUTE, 60] as const]) {
    vi.setSystemTime(NOW + 5 * DAY + HOUR + late);
    api.calls.length = 0;
    await cron(api);
    expect(api.calls).toHaveLength(calls);
  }
});

test("each end that Stripe gives to a trial has one reminder, two days before, or at once", async () => {
  const api = signUpsInProcess();
  const signUp = await api.onTrial();
  for (const days of [9, 9, 5, 1]) {
    Object.assign(api.model.get(signUp.stripe_subscription_id) ?? {}, { trial_end: (NOW + days * DAY) / 1000 });
    await TRIGGERS["subscription event"](api, signUp);
  }
  const due = api.messages().flatMap((one) => (one.kind === "trial-ending" ? String(one.next_attempt_at) : []));
  expect(due.sort()).toEqual([0, 3 * DAY, 7 * DAY].map(at));
});

test("a card that is set up while its form is being canceled after a day still starts the trial", async () => {
  const api = signUpsInProcess();
  const signUp = await SITUATIONS["pending for a day, a card's form"](api);
  api.instead.set(`POST setup_intents/${signUp.stripe_setup_intent_id}/cancel`, () => void api.enterCard(signUp));
  await TRIGGERS.cron(api, signUp);
  expect(await api.find(signUp.id)).toMatchObject({ status: "trialing" });
});
