import { expect, test, vi } from "vitest";
import { inParallel } from "../../../functions/subscription-api/limits/in-parallel";
import { runLimits } from "../../../functions/subscription-api/limits/run-limits";
import { runScheduled, type ScheduledServices } from "../../../functions/subscription-api/scheduled";
import { advanceDue } from "../../../functions/subscription-api/sign-ups/due-sign-ups";
import { CHECK_RANKS } from "../../../functions/subscription-api/sign-ups/sign-up";
import { apiInProcess } from "../../support/api-in-process/api";
import { stopClock } from "../../support/api-in-process/clock";
import { DAY, MINUTE } from "../../support/api-in-process/scheduler";
import { signUpsInProcess } from "../../support/api-in-process/sign-ups";

/* A run of the cron handler: its order, its limits, and the work left for the next run. */

const NOW = Date.parse("2026-11-22T12:00:00.000Z");
const at = (time: number) => new Date(NOW + time).toISOString();
stopClock(NOW);

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

test("a run has 800 calls, of which each part may use a share, and four minutes", () => {
  const limits = runLimits();
  limits.count(400);
  expect([limits.hasLeft(0.5), limits.hasLeft(0.51)]).toEqual([false, true]);
  limits.count(399);
  expect(limits.hasLeft()).toBe(true);
  limits.count(1);
  expect(limits.hasLeft()).toBe(false);
  const another = runLimits();
  vi.setSystemTime(NOW + 4 * MINUTE - 1);
  expect(another.hasLeft()).toBe(true);
  vi.setSystemTime(NOW + 4 * MINUTE);
  expect(another.hasLeft()).toBe(false);
});

test("work is done six at a time, and the rest is given back when time runs out", async () => {
  let [running, most, done] = [0, 0, 0];
  const work = async () => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running -= 1;
    done += 1;
  };
  const items = Array.from({ length: 30 }, (_, index) => index);
  const left = await inParallel(items, work, () => done < 10);
  expect([most, left]).toEqual([6, items.slice(done)]);
  expect(left.length).toBeGreaterThan(0);
});

test("the log lines of a run have one ID, and each run has its own", async () => {
  const api = apiInProcess();
  api.instead.set("", () => Promise.reject(new TypeError("fetch failed")));
  await api.signUp();
  for (const run of [1, 2]) {
    api.rows("UPDATE sign_ups SET check_at = ?, stripe_setup_intent_id = 'seti_1'", at(0));
    await api.runScheduled();
    const ids = new Set(api.logged.map(({ request_id }) => String(request_id)));
    expect(ids.size).toBe(run);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  }
});
